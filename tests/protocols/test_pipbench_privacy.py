"""No method, writer or painter learns whose pictures it sees, where they lie, or the target."""

from dataclasses import dataclass, field

from eyeprint.models.kinds import Reply
from eyeprint.models.pictures import open_picture, png_bytes
from eyeprint.protocols import pipbench_plan
from eyeprint.protocols.pipbench import execute
from eyeprint.protocols.pipbench_plan import plan_pipbench
from eyeprint.protocols.pipbench_settings import PaintOptions
from eyeprint.records.case_files import write_cases
from eyeprint.records.cases import Case
from eyeprint.records.profiles import Profile
from tests.methods.made_pictures import COOL, WARM, halves

METHODS = "no_preference,edit_1ref,edit_2ref,fusion,vprag_refs"


@dataclass
class Writer:
    """A VLM that notes what it is asked."""

    name: str = "spy/vlm"
    seen: list = field(default_factory=list)

    async def reply(self, request):
        self.seen.append(request)
        return Reply(text="a warm boat in sunset light by the shore")


class Watched:
    """A painter with another one inside that notes what it is asked."""

    def __init__(self, inner):
        self.inner, self.seen = inner, []
        self.name, self.fingerprint, self.ways = inner.name, inner.fingerprint, inner.ways

    async def paint(self, request, way="text"):
        self.seen.append(request)
        return await self.inner.paint(request, way)


def hidden_root(root):
    """Return a data root whose paths, people and profile texts are words to look for."""
    rows = []
    for person in range(2):
        folder = f"HIDDENPATH/PERSON{person}"
        (root / folder).mkdir(parents=True)
        for n in range(4):
            picture = halves(*(WARM, COOL)[person], seed=10 * person + n)
            (root / folder / f"FILE{n}.png").write_bytes(png_bytes(picture))
        rows.append(
            Case(
                id=f"c{person}",
                person_id=f"PERSON{person}",
                split="SPLIT",
                prompt="a boat by the shore",
                references=tuple(f"{folder}/FILE{n}.png" for n in range(3)),
                target=f"{folder}/FILE3.png",
            )
        )
    people = [Profile(id=f"PERSON{n}", text="PROFILETEXT", answers={"Q12": 6}) for n in range(2)]
    write_cases(root, rows, people)
    return root


def test_p1_p3_neither_painters_nor_writers_see_person_path_profile_or_target(
    tmp_path, monkeypatch
):
    root, writer = hidden_root(tmp_path / "data"), Writer()
    monkeypatch.setattr(pipbench_plan, "load_chat", lambda name, **more: writer)
    plan = plan_pipbench(
        root,
        methods=METHODS,
        writers=["spy/vlm"],
        text_encoder="static",
        paint=PaintOptions(width=48, height=48),
    )
    painter = plan.painters["sketch"] = Watched(plan.painters["sketch"])
    assert execute(plan, tmp_path / "run").exit_code == 0
    assert len(painter.seen) == 10
    assert any(request.references for request in painter.seen)
    told = repr(writer.seen) + repr(painter.seen)
    hashes = [open_picture(root / case.target).sha256 for case in plan.cases]
    secret = ["HIDDENPATH", "PERSON", "FILE", "SPLIT", "PROFILETEXT", str(tmp_path), *hashes]
    assert [word for word in secret if word in told] == []


def test_p3_ready_pictures_are_still_found_by_person_and_split(tmp_path):
    root = hidden_root(tmp_path / "data")
    ready = tmp_path / "ready" / "SPLIT"
    ready.mkdir(parents=True)
    for person in range(2):
        (ready / f"PERSON{person}.png").write_bytes(png_bytes(halves(*WARM, seed=person)))
    pattern = f"{tmp_path / 'ready'}?pattern={{split}}/{{person_id}}.png"
    plan = plan_pipbench(root, methods="", outputs={"mine": pattern})
    assert execute(plan, tmp_path / "run").exit_code == 0
