"""The tasks of the paper, and how they are chosen."""

import re
import tomllib

import pytest

from eyeprint.errors import UnknownName, UsageError
from eyeprint.protocols.vptt_tasks import FILE, all_tasks, choose_tasks


def ids(names: str) -> list[str]:
    return [task.id for task in choose_tasks(names)]


def test_v47_the_four_large_tasks_are_free_and_two_of_each_kind():
    tasks = choose_tasks("q3")
    assert [(task.id, task.kind) for task in tasks] == [
        ("cultural_site", "generation"),
        ("social_media_post", "generation"),
        ("empty_living_room", "editing"),
        ("garden_editing", "editing"),
    ]
    assert {(task.mode, task.headline) for task in tasks} == {("free", "score")}
    # The one wording that the paper prints.
    post = all_tasks()["social_media_post"]
    assert post.text == "A Photo showing my next social media post with my style and content."
    assert [task.id for task in tasks if task.published] == ["social_media_post"]


def test_v48_the_two_tasks_of_the_human_study_take_three_phrases():
    tasks = choose_tasks("q1")
    assert [(task.kind, task.text.rstrip(".")) for task in tasks] == [
        ("generation", "A preferred outdoor spot"),
        ("editing", "Here is a convention center. Add a preferred event"),
    ]
    assert {(task.mode, task.headline) for task in tasks} == {("three_phrases", "score_c")}
    assert all(task.published for task in tasks)


def test_tasks_are_chosen_by_stage_kind_id_and_own_wording():
    assert ids("all") == list(all_tasks())
    assert ids("q1") == ids("q2") == ["outdoor_spot", "convention_center"]
    assert ids("editing") == ["empty_living_room", "garden_editing", "convention_center"]
    assert ids("garden_editing,q3")[0] == "garden_editing"
    (own,) = choose_tasks("mine=A street, quiet, at noon")
    assert (own.id, own.text, own.mode) == ("mine", "A street, quiet, at noon", "free")
    assert ids("mine=A street,garden_editing") == ["mine", "garden_editing"]


def test_what_is_no_task_is_named():
    with pytest.raises(UnknownName, match="garden_editing"):
        choose_tasks("garden_edit")
    for nothing in ("", " , ", "mine=", "=text"):
        with pytest.raises(UsageError):
            choose_tasks(nothing)
    with pytest.raises(UsageError, match="Two tasks"):
        choose_tasks("garden_editing,garden_editing=A pond")


def test_the_file_of_tasks_says_everything_of_each():
    known = {"id", "text", "kind", "mode", "headline", "stage", "published"}
    for table in tomllib.loads(FILE.read_text(encoding="utf-8"))["task"]:
        assert set(table) == known
        assert re.fullmatch(r"[a-z_]+", table["id"])
