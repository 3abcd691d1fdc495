"""Sets side by side: folders of persons, data roots, candidates; table, page, files."""

import json

import numpy as np
import pytest
from PIL import Image

from eyeprint.errors import DataError, UsageError
from eyeprint.models.fakes import HashEncoder
from eyeprint.people.candidates import CandidateSettings
from eyeprint.people.picture_audit import PictureAuditSettings
from eyeprint.protocols.candidates import build_candidates
from eyeprint.protocols.picture_audit import audit_sets, is_set, open_set
from eyeprint.protocols.picture_audit_page import grids, headline, write_audit
from eyeprint.records.case_files import write_cases
from eyeprint.records.cases import Case
from eyeprint.records.profiles import Profile

FEW = PictureAuditSettings(clusters_high=4, draws=100)
COLOURS = ((200, 40, 40), (40, 160, 60), (40, 60, 200), (220, 200, 60), (120, 40, 160))


def folder_of_people(root, noise: int, people: int = 5, each: int = 4):
    """Make folders of pictures in each person's colour, with noise of their own."""
    draw = np.random.default_rng(noise)
    for person in range(people):
        place = root / f"p{person}"
        place.mkdir(parents=True)
        for number in range(each):
            base = np.array(COLOURS[person], float)
            wild = draw.uniform(0, 255, size=3)
            colour = (base * (100 - noise) + wild * noise) / 100
            pixels = np.clip(draw.normal(colour, 12, size=(24, 24, 3)), 0, 255)
            Image.fromarray(pixels.astype(np.uint8)).save(place / f"{number}.png")
    return root


@pytest.fixture(scope="module")
def candidate_sets(tmp_path_factory):
    root = tmp_path_factory.mktemp("sets")
    styles = ("Retro", "Cosy and healing", "Natural and green", "Tech and e-sports", "Retro")
    people = [Profile(id=f"a{i}", answers={"Q4": s, "Q12": 7, "Q13": 1})
              for i, s in enumerate(styles)]  # fmt: skip
    for pipeline in ("profile", "profile_free", "no_openness"):
        build_candidates(people, root / pipeline, settings=CandidateSettings(pipeline=pipeline))
    return [root / "profile", root / "profile_free", root / "no_openness"]


def test_p75_sets_are_called_by_their_own_folders(candidate_sets, tmp_path):
    for name, source in zip(("candidates", "tags.v2"), candidate_sets, strict=False):
        (tmp_path / name).mkdir()
        (tmp_path / name / "candidates.jsonl").write_bytes(
            (source / "candidates.jsonl").read_bytes()
        )
    places = [tmp_path / "candidates", tmp_path / "tags.v2" / "candidates.jsonl"]
    found = audit_sets(places, encoder="static", settings=FEW)
    assert [audit.name for audit in found.audits] == ["candidates", "tags.v2"]


def test_p75_folders_of_pictures_are_compared(tmp_path):
    tight = folder_of_people(tmp_path / "tight", 5)
    loose = folder_of_people(tmp_path / "loose", 90)
    found = audit_sets([tight, loose], settings=FEW)
    left, right = found.audits
    assert (left.name, left.kind, left.encoder, left.people) == ("tight", "pictures", "palette", 5)
    assert left.vectors == 20 and left.within.mean > right.within.mean
    assert left.entropy.mean < right.entropy.mean
    assert found.differences[0].within.n == 5 and found.faults == ()
    assert headline(found).startswith("Of 2 sets, loose varies most within a person")


def test_p77_the_three_pipelines_side_by_side_before_any_picture(candidate_sets):
    found = audit_sets(candidate_sets, encoder=HashEncoder(), settings=FEW)
    assert [a.name for a in found.audits] == ["profile", "profile_free", "no_openness"]
    assert all(a.kind == "prompts" and a.vectors == 100 for a in found.audits)
    assert len(found.differences) == 3
    note = grids(found)[0].note
    assert "Prompts read by hash" in note and "not painted yet" in note


def test_p78_ratings_stand_beside_the_sets(candidate_sets, tmp_path):
    ratings = tmp_path / "hsq.csv"
    ratings.write_text("set_id,annotator,score,group\ns,a,4,ours\nt,a,9,ours\n")
    found = audit_sets(candidate_sets[:1], encoder=HashEncoder(), settings=FEW, ratings=ratings)
    assert found.quality[0].mean.mean == 4.0 and len(found.faults) == 1
    assert [grid.id for grid in grids(found)] == ["sets", "hsq"]


def test_p75_files_hold_everything(candidate_sets, tmp_path):
    found = audit_sets(candidate_sets[:2], names=["<ours>", "free"], encoder=HashEncoder(),
                       settings=FEW)  # fmt: skip
    written = write_audit(found, tmp_path / "audit.json", tmp_path / "audit.html")
    assert [path.name for path in written] == ["audit.json", "audit.html"]
    value = json.loads(written[0].read_text())
    assert [s["name"] for s in value["sets"]] == ["<ours>", "free"]
    assert value["sets"][0]["within"]["mean"] == found.audits[0].within.mean
    assert "per_person" not in value["sets"][0]
    page = written[1].read_text()
    assert "&lt;ours&gt;" in page and "<ours>" not in page
    assert page.count("<svg") >= 2 and "http://" not in page.replace("http://www.w3.org", "")


def test_p75_a_picture_that_cannot_be_read_is_named(tmp_path):
    root = folder_of_people(tmp_path / "set", 5)
    (root / "p0" / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\nxx")
    found = audit_sets([root], settings=FEW)
    assert len(found.faults) == 1 and "bad.png" in found.faults[0]
    assert found.audits[0].vectors == 20 and "1 could not be read." in found.audits[0].notes


def test_p75_a_data_root_gives_each_persons_references_and_targets_once(tmp_path):
    folder_of_people(tmp_path / "images", 20, people=2, each=3)
    cases = [
        Case(id=str(n), person_id=f"p{n // 2}", prompt="x",
             references=(f"images/p{n // 2}/0.png", f"images/p{n // 2}/1.png"),
             target=f"images/p{n // 2}/2.png")
        for n in range(4)
    ]  # fmt: skip
    write_cases(tmp_path, cases)
    found = open_set(tmp_path)
    assert found.kind == "pictures" and len(found.items) == 6
    assert set(found.people) == {"p0", "p1"}


def test_p75_pictures_and_prompts_are_not_mixed(tmp_path, candidate_sets):
    root = folder_of_people(tmp_path / "set", 5)
    with pytest.raises(UsageError, match="two commands"):
        audit_sets([root, candidate_sets[0]])
    with pytest.raises(UsageError, match="names for 1"):
        audit_sets([root], names=["a", "b"])
    with pytest.raises(UsageError, match="reads texts"):
        audit_sets([root], encoder=HashEncoder())


def test_p75_what_is_no_set_says_what_one_is(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="one folder of pictures for each person"):
        open_set(tmp_path / "empty")
    with pytest.raises(DataError, match="no such file"):
        open_set(tmp_path / "none")
    assert not is_set(tmp_path / "empty") and not is_set("mini")
    assert is_set(folder_of_people(tmp_path / "set", 5))


def test_p75_sets_of_one_name_are_told_apart(tmp_path):
    places = [folder_of_people(tmp_path / side / "pictures", 5) for side in ("a", "b")]
    found = audit_sets(places, settings=FEW)
    assert [audit.name for audit in found.audits] == ["a/pictures", "b/pictures"]


def test_p76_sets_of_unlike_size_are_compared_over_the_same_numbers_of_clusters(tmp_path):
    small = folder_of_people(tmp_path / "small", 5, people=4)
    large = folder_of_people(tmp_path / "large", 5, people=5)
    found = audit_sets([large, small], settings=PictureAuditSettings(draws=50))
    assert [[at.k for at in audit.by_k] for audit in found.audits] == [[2, 3], [2, 3]]
    told = "K ends at 3 in all sets: the smallest holds 4 people."
    assert all(told in audit.notes for audit in found.audits)
    alone = audit_sets([large], settings=PictureAuditSettings(draws=50)).audits[0]
    assert [at.k for at in alone.by_k] == [2, 3, 4]


def test_p75_equal_sets_share_the_headline_and_uploads_count(tmp_path):
    one = folder_of_people(tmp_path / "one", 5)
    two = folder_of_people(tmp_path / "two", 5)
    found = audit_sets([one, two], settings=FEW)
    assert headline(found).count("one and two have the") == 2
    assert "one and two vary most" in headline(found)
    (one / "p0" / "uploads").mkdir()
    (one / "p0" / "0.png").rename(one / "p0" / "uploads" / "0.png")
    assert audit_sets([one], settings=FEW).audits[0].vectors == 20
