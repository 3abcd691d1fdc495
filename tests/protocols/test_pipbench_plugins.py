"""Methods and painters of other packages: what they promise is held against them (P59–P65)."""

from importlib.metadata import EntryPoint

import numpy as np
import pytest

from eyeprint.errors import UsageError
from eyeprint.methods import picture_catalog
from eyeprint.models.kinds import Painted
from eyeprint.protocols.pipbench import execute
from eyeprint.protocols.pipbench_plan import plan_pipbench
from eyeprint.protocols.pipbench_settings import PaintOptions
from eyeprint.protocols.pipbench_summary import read_rows
from eyeprint.records.cases import PaintPlan
from tests.protocols.made_root import make_root

SMALL = PaintOptions(width=48, height=48)


@pytest.fixture
def root(tmp_path):
    return make_root(tmp_path / "data", people=1, cases=1)


@pytest.fixture
def register(monkeypatch):
    """Return what registers a picture method under the name "mine"."""

    def register(method):
        point = EntryPoint("mine", "pack:mine", picture_catalog.GROUP)
        monkeypatch.setattr(picture_catalog, "plugins", lambda group: {"mine": point})
        monkeypatch.setattr(picture_catalog, "imported", lambda point: method)

    return register


def planned(registered="text", **more):
    async def mine(ask, settings, models):
        facts = {"case_id": ask.case_id, "method": "mine", "prompt": ask.prompt}
        return PaintPlan(**(facts | more))

    mine.way = registered
    return mine


def paint(root, out):
    plan = plan_pipbench(root, methods="mine", paint=SMALL)
    return execute(plan, out), list(read_rows(out / "results.jsonl"))


def test_p59_a_plan_is_filed_under_the_case_and_name_that_it_was_asked_for(
    root, tmp_path, register
):
    register(planned(case_id="another", method="other", writer="bob"))
    end, rows = paint(root, tmp_path / "run")
    assert end.exit_code == 0
    assert [(row["case"], row["method"], row["writer"]) for row in rows] == [("0", "mine", "")]
    plan = PaintPlan.model_validate_json((tmp_path / "run/plans.jsonl").read_text())
    assert (plan.case_id, plan.method, plan.writer) == ("0", "mine", "")


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (5, "something that cannot be called"),
        (planned("teleport"), "the way 'teleport': .* text, edit, tune, feedback"),
        (lambda ask, settings, models: {"prompt": "x"}, "'mine' gave dict, and not a PaintPlan"),
        (planned("edit"), "its plan is of the way 'text'"),
    ],
)
def test_p59_a_method_that_keeps_no_methods_promise_is_named(
    root, tmp_path, register, method, words
):
    register(method)
    with pytest.raises(UsageError, match=words):
        paint(root, tmp_path / "run")


@pytest.mark.parametrize(
    ("plan", "fault"),
    [
        ({"prompt": " \n "}, "empty"),
        ({"prompt": None}, "failed"),
        ({"way": "edit", "references": (-1,)}, "data"),
        ({"way": "edit", "references": (0, 99)}, "data"),
    ],
)
def test_p61_a_plan_that_cannot_be_painted_leaves_its_picture_out(
    root, tmp_path, register, plan, fault
):
    # Python would take reference -1 for the last one.
    register(planned(plan.get("way", "text"), **plan))
    end, rows = paint(root, tmp_path / "run")
    assert end.exit_code == 1
    assert [(row["picture"], row["fault"]) for row in rows] == [(None, fault)]


@pytest.mark.parametrize("gift", [None, "a.png", Painted(np.zeros((4, 4, 3), np.uint8))])
def test_p64_a_painter_that_gives_no_picture_of_ours_is_named(root, tmp_path, monkeypatch, gift):
    plan = plan_pipbench(root, methods="no_preference", paint=SMALL)

    async def paint(request, way="text"):
        return gift

    monkeypatch.setattr(plan.painters["sketch"], "paint", paint)
    with pytest.raises(UsageError, match="painter 'sketch' gave no Painted with a Picture"):
        execute(plan, tmp_path / "run")


def test_p64_a_failures_kind_is_one_short_line(root, tmp_path, monkeypatch):
    plan = plan_pipbench(root, methods="no_preference", paint=SMALL)

    async def paint(request, way="text"):
        return Painted(None, "odd\nkind " * 50, "why " * 9999)

    monkeypatch.setattr(plan.painters["sketch"], "paint", paint)
    assert list(execute(plan, tmp_path / "run").failures) == [("odd kind " * 50)[:40]]
