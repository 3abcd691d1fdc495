"""What a run's tables say of the paper's claims, with one unconditioned model, several, or none."""

from eyeprint.protocols.pipbench_summary import claims_of
from eyeprint.scores.image_table import ImageRow, image_tables


def tables(means, splits=("synthetic", "real")):
    """Tables of (method, painter) -> CLS-R; the real split lies 1 higher, fusion's 3."""
    rows = []
    for shift, split in enumerate(splits):
        for (method, painter), value in means.items():
            more = shift * (3 if method == "fusion" else 1)
            label = f"{method} · {painter}"
            rows.append(
                ImageRow(split, "p", split, label, {"CLS-R": value + more}, method=method,
                         painter=painter)
            )  # fmt: skip
    return image_tables(rows)


def test_p65_all_models_are_held_against_the_only_unconditioned_one():
    found = claims_of(
        tables({("no_preference", "x"): 60.0, ("fusion", "x"): 64.0, ("edit_1ref", "y"): 59.0})
    )
    real = next(each for each in found["beaten"] if each["split"] == "real")
    assert list(real["better"]) == ["fusion · x"]
    assert list(real["not_better"]) == ["edit_1ref · y"]
    beyond = {gap["model"]: gap["beyond_reference"] for gap in found["gaps"]}
    # fusion gains 3, the unconditioned model 1: 2 are left; joint conditioning gains 1 too.
    assert beyond == {"no_preference · x": None, "fusion · x": 2.0, "edit_1ref · y": 0.0}


def test_p64_p65_with_two_painters_each_model_meets_the_one_of_its_own():
    found = claims_of(
        tables(
            {
                ("no_preference", "x"): 60.0,
                ("no_preference", "y"): 70.0,
                ("fusion", "x"): 64.0,
                ("fusion", "y"): 68.0,
                ("edit_1ref", "z"): 90.0,
            },
            splits=("real",),
        )
    )
    (beaten,) = found["beaten"]
    # 68 beats 60, which another painter painted, and not its own 70; z has none to meet.
    assert list(beaten["better"]) == ["fusion · x"]
    assert list(beaten["not_better"]) == ["fusion · y"]


def test_p65_without_an_unconditioned_model_nothing_is_said_to_be_beaten():
    found = claims_of(tables({("outputs:a", "folder"): 60.0, ("outputs:b", "folder"): 64.0}))
    assert found["beaten"] == []
    assert {gap["beyond_reference"] for gap in found["gaps"]} == {None}
