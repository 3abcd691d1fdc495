"""``eyeprint people audit`` as a person runs it."""

import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import typer

from eyeprint.cli.people_audit import register
from eyeprint.errors import DataError, UsageError
from eyeprint.models.fakes import HashEncoder
from eyeprint.people.audit_map import MapSettings
from eyeprint.people.audit_report import AuditReport, AuditSettings
from eyeprint.protocols import people_audit
from eyeprint.protocols.people_audit import audit_people, write_report
from eyeprint.records.save import save_people
from tests.people.made_people import copy_of, person, record


def run(*arguments: str) -> int:
    app = typer.Typer()
    app.callback()(lambda: None)
    register(app)
    code = app(["audit", *arguments], standalone_mode=False)
    return code or 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Thirty people, one of them a copy of another, one with a name that is HTML."""
    people = [person(i) for i in range(28)] + [copy_of(40, record(2), 3)]
    people.append(person(29, id="<script>alert(1)</script>", preferences=["red & <b>blue</b>"]))
    save_people(people, tmp_path / "people" / "people.jsonl")
    return tmp_path / "people"


@pytest.fixture(autouse=True)
def _hash_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people_audit, "load_encoder", lambda name: HashEncoder(dim=48))


def test_v23_terminal_json_page_and_picture(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    names = {kind: str(tmp_path / f"audit.{kind}") for kind in ("json", "html", "svg")}
    code = run(
        str(folder), "--json", names["json"], "--html", names["html"], "--picture", names["svg"]
    )
    assert code == 0
    shown = capsys.readouterr().out
    assert "29 of 30 people keep every rule" in shown
    assert "made-002" in shown
    assert max(len(line) for line in shown.splitlines() if "wrote" not in line) <= 100
    told = json.loads(Path(names["json"]).read_text(encoding="utf-8"))
    assert told["encoder"]["name"] == "hash"
    assert told["by_person"] == {"<script>alert(1)</script>": {"preferences.count": 1}}
    assert [m["coloured_by"] for m in told["maps"]] == ["age", "region"]
    assert AuditReport.model_validate(told).numbers.people == 30
    picture = ElementTree.fromstring(Path(names["svg"]).read_text(encoding="utf-8"))
    # 30 people on each map, and their legends: three age groups, one area.
    circles = picture.findall(".//{http://www.w3.org/2000/svg}circle")
    assert len(circles) == 30 + 3 + 30 + 1


def test_the_page_is_whole_and_nothing_of_a_record_becomes_html(folder: Path, tmp_path: Path):
    page = tmp_path / "audit.html"
    run(str(folder), "--html", str(page))
    text = page.read_text(encoding="utf-8")
    assert "<script" not in text.lower()
    assert "&lt;script&gt;alert(1)" in text
    assert not re.search(r'(?:src|href)="https?:', text)
    menu = re.findall(r'<a href="#([\w-]+)">', text)
    assert {"numbers", "broken", "twins", "probes", "maps", "settings"} <= set(menu)
    assert all(f'id="{name}"' in text for name in menu)


def test_vectors_are_kept_beside_the_people_and_found_again(folder: Path):
    encoder = HashEncoder(dim=48)
    first = audit_people(folder, encoder=encoder)
    assert list((folder / ".vectors").rglob("*.npy"))
    asked: list[str] = []

    class Watched(HashEncoder):
        def encode_counted(self, texts):  # type: ignore[no-untyped-def]
            asked.extend(texts)
            return super().encode_counted(texts)

    again = audit_people(folder, encoder=Watched(dim=48))
    assert again.model_dump(exclude={"encoder"}) == first.model_dump(exclude={"encoder"})
    # The interests of the map are short and not kept; no caption is embedded twice.
    assert not [text for text in asked if len(text.split()) > 100]


def test_without_an_encoder_the_rest_is_still_done(folder: Path):
    found = audit_people(folder, encoder="none")
    assert found.encoder is None
    assert found.maps == ()
    assert found.lookalikes is None
    assert len(found.copies.pairs) == 1
    assert any("Nothing was embedded" in note for note in found.notes)


def test_without_scikit_learn_the_rest_is_done_and_the_absence_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setitem(sys.modules, "sklearn.manifold", None)
    found = audit_people(folder)
    assert found.maps == ()
    assert found.mean_pairwise_cosine is not None
    assert any("eyeprint[audit]" in note for note in found.notes)
    with pytest.raises(DataError, match=r"no maps to draw.*eyeprint\[audit\]"):
        write_report(found, picture_file=tmp_path / "x.svg")
    write_report(found, html_file=tmp_path / "x.html")
    assert "eyeprint[audit]" in (tmp_path / "x.html").read_text(encoding="utf-8")


def test_many_people_are_looked_at_quickly_unless_an_encoder_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    wanted: list[str] = []

    def load(name: str) -> HashEncoder:
        wanted.append(name)
        return HashEncoder(dim=48)

    monkeypatch.setattr(people_audit, "load_encoder", load)
    monkeypatch.setattr(people_audit, "QUICK_FROM", 30)
    plain = AuditSettings(maps=MapSettings(n_tsne=0))
    assert any("static encoder" in note for note in audit_people(folder, settings=plain).notes)
    audit_people(folder, encoder="minilm", settings=plain)
    monkeypatch.setattr(people_audit, "QUICK_FROM", 31)
    audit_people(folder, settings=plain)
    assert wanted == ["static", "minilm", "auto"]


def test_the_number_of_people_on_maps_is_a_setting(folder: Path, tmp_path: Path):
    run(str(folder), "--json", str(tmp_path / "a.json"), "--n-tsne", "12")
    maps = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["maps"]
    assert [len(one["points"]) for one in maps] == [12, 12]
    assert maps[0]["title"] == "Captions of the first 12 people"
    run(str(folder), "--json", str(tmp_path / "a.json"), "--n-tsne", "0")
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["maps"] == []


def test_records_that_cannot_be_read_are_told_and_the_code_is_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
):
    with (folder / "people.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "cut", "posts": [\n')
    assert run(str(folder), "--encoder", "none") == 1
    shown = capsys.readouterr().out
    assert "1 record could not be read" in shown
    assert "people.jsonl:31" in shown.replace("\n", "")


def test_bad_usage(folder: Path, tmp_path: Path):
    with pytest.raises(UsageError, match=r"\.svg"):
        run(str(folder), "--picture", str(tmp_path / "a.png"))
    with pytest.raises(DataError, match="no such file"):
        run(str(tmp_path / "nowhere"))


def test_the_shipped_people_leave_no_vectors_in_the_package():
    found = audit_people("mini")
    assert found.breaks == 0
    shipped = Path(people_audit.SHIPPED["mini"])
    assert not (shipped / ".vectors").exists()


def test_a_picture_without_maps_is_told_after_the_other_files_are_written(tmp_path):
    from eyeprint.cli.main import run_command

    files = [f"--json={tmp_path / 'a.json'}", f"--picture={tmp_path / 'a.svg'}"]
    assert run_command(["people", "audit", "mini", "--encoder", "none", *files]) == 1
    assert (tmp_path / "a.json").exists()
    assert not (tmp_path / "a.svg").exists()
