"""What a method can see of a case: the short prompt and nameless references (P1, P3).

The target and the profile must not be reachable from what a method is given: not as a
field, not through a picture's facts, not through anything that hangs on it.
"""

import asyncio
import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eyeprint.methods.picture_catalog import picture_method_names
from eyeprint.methods.picture_setting import PictureMethodSettings
from eyeprint.methods.rewrite import method_models
from eyeprint.models.fakes import ScriptedChat
from eyeprint.models.pictures import open_picture
from eyeprint.protocols.pipbench_album import Album
from eyeprint.protocols.pipbench_paint import PlanItem, Planner
from eyeprint.records.case_files import open_cases, write_cases
from eyeprint.records.cases import Case, PictureAsk
from eyeprint.records.pictures import Picture
from eyeprint.records.profiles import Profile
from tests.people.made_pictures import made_picture, write_picture

SECRETS = ("target-picture", "person-anna", "profile-of-anna", "real-split")


@pytest.fixture
def album(tmp_path: Path) -> Album:
    case = Case(
        id="case-7",
        person_id="person-anna",
        split="real-split",
        prompt="a kite",
        references=("person-anna/liked-1.png", "person-anna/liked-2.png"),
        target="person-anna/target-picture.png",
    )
    for number, path in enumerate((*case.references, str(case.target))):
        write_picture(tmp_path / path, made_picture(number, 32, 32))
    profile = Profile(id="person-anna", answers={"Q12": 7}, text="profile-of-anna")
    write_cases(tmp_path, [case], [profile])
    return Album(open_cases(tmp_path))


def reachable(thing: Any) -> list[Any]:
    """Return everything that can be reached from an object by fields, items and attributes."""
    found, queue, seen = [], [thing], set()
    while queue:
        one = queue.pop()
        if id(one) in seen or isinstance(one, type):
            continue
        seen.add(id(one))
        found.append(one)
        if isinstance(one, dict):
            queue += [*one, *one.values()]
        elif isinstance(one, (list, tuple, set, frozenset)):
            queue += list(one)
        elif isinstance(one, np.ndarray):
            if one.base is not None:
                queue.append(one.base)
        elif not isinstance(one, (str, bytes, int, float, bool, type(None))):
            queue += list(getattr(one, "__dict__", {}).values())
            queue += [getattr(one, name) for name in getattr(type(one), "__slots__", ())]
            queue += list((getattr(one, "__pydantic_extra__", None) or {}).values())
            # What a function or a bound method carries along.
            queue += [cell.cell_contents for cell in getattr(one, "__closure__", None) or ()]
            queue += [getattr(one, "__self__", None), getattr(one, "__func__", None)]
    return found


def test_p1_the_type_has_no_place_for_target_person_split_or_profile():
    fields = {field.name for field in dataclasses.fields(PictureAsk)}
    assert fields == {"case_id", "prompt", "references", "seed"}


def test_p3_nothing_of_the_target_or_the_profile_can_be_reached(album: Album):
    case = album.cases["case-7"]
    album.open(str(case.target))  # even when the album holds it already
    ask = album.ask(case, seed=3)
    everything = reachable(ask)
    texts = [thing for thing in everything if isinstance(thing, str)]
    assert "a kite" in texts
    for secret in (*SECRETS, str(album.cases.root)):
        assert not [text for text in texts if secret in text]
    target = album.open(str(case.target))
    assert not [one for one in everything if isinstance(one, Picture) and one == target]
    assert target.sha256 not in texts
    assert not [one for one in everything if isinstance(one, (Case, Profile, Album, Path))]


@pytest.mark.parametrize("writer", ["offline", "scripted"])
def test_p3_nothing_of_the_case_hangs_on_the_models_that_a_method_may_ask(
    album: Album, writer: str
):
    case = album.cases["case-7"]
    chats = {"scripted": ScriptedChat(["a kite"])}
    planner = Planner(PictureMethodSettings(), 3, album, chats, method_models("static"))
    models = planner.models(PlanItem(case, "vprag_refs", writer))
    everything = reachable(models)
    assert models.caption in everything and models.person in everything
    texts = [thing for thing in everything if isinstance(thing, str)]
    for secret in (*SECRETS, str(album.cases.root)):
        assert not [text for text in texts if secret in text]
    assert not [one for one in everything if isinstance(one, (Case, Profile, Album, PlanItem))]


def test_p3_the_walk_looks_into_functions():
    case = Case(id="7", person_id="person-anna", prompt="a kite", references=("1.png",))

    class Holder:
        def told(self) -> str:
            return ""

    holder = Holder()
    holder.case = case
    assert case in reachable(lambda: case.id)
    assert case in reachable(holder.told)


def test_p3_the_walk_itself_finds_what_is_hidden(album: Album):
    """The check can fail: a path, a target and a profile that hang on an ask are found."""
    case = album.cases["case-7"]
    ask = album.ask(case, seed=3)
    leaky = dataclasses.replace(ask, references=album.references(case))
    assert any("person-anna" in t for t in reachable(leaky) if isinstance(t, str))
    object.__setattr__(ask.references[0], "hidden", {"x": [album.open(str(case.target))]})
    target = album.open(str(case.target))
    assert any(isinstance(one, Picture) and one == target for one in reachable(ask))


def test_p1_pictures_lose_the_names_and_marks_of_their_files(album: Album):
    ask = album.ask(album.cases["case-7"], seed=3)
    for number, picture in enumerate(ask.references, start=1):
        facts = picture.facts
        assert facts.source == f"reference {number}"
        assert (facts.file_sha256, facts.format, facts.done) == ("", "", ())


def test_p3_pixels_cannot_be_written_back_through_an_ask(album: Album):
    ask = album.ask(album.cases["case-7"], seed=3)
    with pytest.raises(ValueError, match="read-only"):
        ask.references[0].pixels[0, 0] = 0


@pytest.mark.parametrize("writer", ["offline", "scripted"])
@pytest.mark.parametrize("name", picture_method_names())
def test_p1_no_method_tells_a_model_anything_of_the_person(album: Album, name: str, writer: str):
    """The run's own planner: every request and plan, with the target's pixels looked for too."""
    case = album.cases["case-7"]
    target = album.open(str(case.target))
    chat = ScriptedChat(lambda request: "a kite over a green hill in soft light, with a red tail")
    planner = Planner(
        PictureMethodSettings(), 3, album, {"scripted": chat}, method_models("static")
    )
    plan = asyncio.run(planner.plan(PlanItem(case, name, writer)))
    assert plan.prompt
    told = plan.model_dump_json() + "".join(r.model_dump_json() for r in chat.requests)
    for secret in (*SECRETS, target.sha256, str(album.cases.root)):
        assert secret not in told
    shown = [part for request in chat.requests for m in request.messages for part in m.images]
    assert all(open_picture(part.data) != target for part in shown)
