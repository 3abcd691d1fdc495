"""The whole audit in memory: planted faults come out, and nothing else."""

import numpy as np
import pytest

from eyeprint.models.fakes import HashEncoder
from eyeprint.people.audit import Auditor, mean_vector
from eyeprint.people.audit_report import AuditReport, AuditSettings, Encoder
from eyeprint.people.audit_twins import TwinSettings
from eyeprint.records.files import People
from eyeprint.records.people import Persona
from eyeprint.store.embeddings import person_vectors
from tests.people.made_people import caption, copy_of, person, record


def audit(people: list[Persona], embed: bool = False, settings: AuditSettings | None = None):
    auditor = Auditor(settings)
    encoder = HashEncoder(dim=64)
    for one in people:
        auditor.add(one, person_vectors(one, encoder).captions if embed else None)
    about = Encoder(name="hash", fingerprint=encoder.fingerprint, dim=64, cut_texts=0)
    return auditor.report(People.of(people), "memory", encoder=about if embed else None)


def test_lawful_people_come_out_clean():
    found = audit([person(i) for i in range(6)])
    assert (found.breaks, found.clean_people, found.by_person) == (0, 6, {})
    assert found.copies.pairs == ()
    assert found.repeats.captions == 0
    assert found.lookalikes is None
    assert found.mean_pairwise_cosine is None
    assert found.regional_unknown == 6


def test_a_planted_copy_and_its_repeated_captions_are_found():
    # 24 of 30 captions are the original's: J = 24 / 36 = 0.667.
    people = [person(i) for i in range(30)] + [copy_of(77, record(3), fresh=6)]
    found = audit(people, embed=True)
    assert [(p.one, p.other) for p in found.copies.pairs] == [("made-003", "made-077")]
    assert found.copies.pairs[0].similarity == pytest.approx(24 / 36, abs=0.01)
    assert found.copies.groups == (("made-003", "made-077"),)
    assert (found.repeats.wordings, found.repeats.captions) == (24, 48)
    first = found.repeats.first[0]
    assert first.people == 2
    assert first.posts == (("made-003", "p6"), ("made-077", "p6"))
    assert first.opening.startswith(" ".join(record(3)["posts"][6]["caption"].split()[:12]))


def test_a_caption_twice_in_one_person_is_a_broken_rule_and_no_repeat_between_people():
    value = record(0)
    value["posts"][1].update(value["posts"][0] | {"id": "p1"})
    found = audit([Persona.model_validate(value), person(1)])
    assert found.repeats.wordings == 0
    assert found.by_person == {"made-000": {"caption.repeated": 1}}


def test_breaks_are_counted_by_rule_and_person_with_the_first_examples():
    people = [person(i, preferences=[]) for i in range(3)] + [person(3)]
    value = record(4)
    for post in value["posts"][:5]:
        post["caption"] = caption(post["id"], 30)
        post["elements"] = {"objects": post["caption"].split()[0]}
    people.append(Persona.model_validate(value))
    found = audit(people, settings=AuditSettings(examples=2))
    counts = {r.rule: (r.breaks, r.people) for r in found.rules if r.breaks}
    assert counts == {"preferences.count": (3, 3), "caption.length": (5, 1)}
    told = {r.rule: [(e.person, e.post) for e in r.examples] for r in found.rules if r.breaks}
    assert told["preferences.count"] == [("made-000", None), ("made-001", None)]
    assert told["caption.length"] == [("made-004", "p0"), ("made-004", "p1")]
    assert found.by_person["made-004"] == {"caption.length": 5}
    assert found.clean_people == 1
    assert len(found.rules) == 18


def test_v23_mean_pairwise_cosine_is_that_of_averaged_captions():
    people = [person(i) for i in range(5)]
    encoder = HashEncoder(dim=64)
    means = [person_vectors(p, encoder).captions.mean(axis=0) for p in people]
    pairs = [
        float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
        for i, a in enumerate(means)
        for b in means[i + 1 :]
    ]
    assert audit(people, embed=True).mean_pairwise_cosine == pytest.approx(np.mean(pairs), abs=1e-6)


def test_a_person_in_other_words_is_a_lookalike_and_no_copy():
    # The same words in another order: no trigram is shared, a bag of words is the same.
    people = [person(i) for i in range(25)]
    value = record(60)
    for post, own in zip(value["posts"], people[4].posts, strict=True):
        post["caption"] = " ".join(reversed(own.caption.split()))
    people.append(Persona.model_validate(value))
    found = audit(people, embed=True)
    assert found.copies.pairs == ()
    assert found.lookalikes is not None
    assert [(p.one, p.other) for p in found.lookalikes.pairs] == [("made-004", "made-060")]
    assert "deviations" in found.lookalikes.measure


def test_blank_captions_take_no_part_in_the_mean():
    rows = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert mean_vector(rows).tolist() == [0.5, 0.5]
    assert mean_vector(np.zeros((2, 3))).tolist() == [0, 0, 0]
    assert mean_vector(np.zeros((0, 3))).tolist() == [0, 0, 0]


@pytest.mark.parametrize("people", [[], [Persona(id="a")], [Persona(id="a"), Persona(id="b")]])
def test_nobody_and_people_of_nothing_are_audited(people: list[Persona]):
    found = audit(people, embed=True)
    assert found.numbers.people == len(people)
    assert found.copies.pairs == ()


def test_a_report_survives_its_json():
    found = audit([person(i) for i in range(4)] + [copy_of(9, record(1), 3)], embed=True)
    assert AuditReport.model_validate_json(found.model_dump_json()) == found


def test_the_same_people_give_the_same_report():
    people = [person(i) for i in range(5)]
    assert audit(people, embed=True) == audit(people, embed=True)


def test_limits_reach_the_twins():
    people = [person(0), copy_of(9, record(0), 20)]
    assert audit(people).copies.pairs == ()
    loose = AuditSettings(twins=TwinSettings(jaccard=0.15, rows=1))
    assert len(audit(people, settings=loose).copies.pairs) == 1
