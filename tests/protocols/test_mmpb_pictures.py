"""Pictures of an MMPB run: looked at once, never taken for one another."""

import json

import pytest

from eyeprint.errors import StoreError
from eyeprint.protocols.mmpb_pictures import INDEX, ConceptPictures
from tests.protocols.made_concepts import concept_data


@pytest.fixture
def data(tmp_path):
    return concept_data(tmp_path / "data", per_category=1)


def looked_at(data, folder, max_side=None):
    pictures = ConceptPictures(data, folder, max_side)
    return pictures, list(pictures.prepare(data.questions, 2))[-1]


def swap(data):
    """Give the files of two questions each other's names; return the names."""
    one, other = data[0].image, data[1].image
    first, second = (data.root / one).read_bytes(), (data.root / other).read_bytes()
    (data.root / one).write_bytes(second)
    (data.root / other).write_bytes(first)
    return one, other


@pytest.mark.parametrize("max_side", [None, 16])
def test_x17_files_that_changed_names_between_two_sessions_are_looked_at_again(
    data, tmp_path, max_side
):
    before, _ = looked_at(data, tmp_path / "run", max_side)
    first, second = before.part(data[0].image), before.part(data[1].image)
    one, other = swap(data)
    after, looked = looked_at(data, tmp_path / "run", max_side)
    assert looked == 2
    assert (after.part(one), after.part(other)) == (second, first)
    assert first.sha256 != second.sha256


def test_x17_a_picture_that_changes_while_a_run_goes_on_stops_it(data, tmp_path):
    pictures, _ = looked_at(data, tmp_path / "run")
    one, _ = swap(data)
    with pytest.raises(StoreError, match="not the one that was there when the run began"):
        pictures.part(one)


def test_x17_what_is_damaged_in_the_index_is_looked_at_again(data, tmp_path):
    _, all_of_them = looked_at(data, tmp_path / "run")
    index = tmp_path / "run" / INDEX
    lines = index.read_text().splitlines()
    row = json.loads(lines[0])
    spoilt = [json.dumps(row | {"file": "0" * 64}), "[1]", lines[1][:20], *lines[2:]]
    index.write_text("\n".join(spoilt) + "\n")
    assert looked_at(data, tmp_path / "run")[1] == 2
    assert len(index.read_text().splitlines()) == all_of_them
