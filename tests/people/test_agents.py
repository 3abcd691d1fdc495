"""Algorithm 1 (P24–P27, P31, P32): against its plain-set twin, and as a folder."""

from __future__ import annotations

import json
from collections import Counter
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyeprint.errors import FolderBusy, FolderMismatch, StoreError, UsageError
from eyeprint.maths.diversity import jaccard
from eyeprint.people.agent_sampling import AgentSampler, AgentSettings
from eyeprint.people.agents import (
    AgentCounts,
    SignatureWindow,
    build_agents,
    grow_agents,
)
from eyeprint.people.consistency import ConsistencySettings, consistency
from eyeprint.people.questionnaire import profile_text, questionnaire, signature
from eyeprint.randomness import stream
from eyeprint.records.profile_files import read_profiles
from eyeprint.records.profiles import Profile
from eyeprint.store.folder_lock import FolderLock

# Large choices make signatures alike, so that the similarity threshold has work to do.
ALIKE = {q.id: (0.0,) * 5 + (1.0,) for q in questionnaire().asked if q.type == "multi"}
ALIKE["Q16"] = (1.0, 0.0, 0.0)


def plain_algorithm_1(n, seed, chosen):
    """Algorithm 1 line by line, with sets and answers; returns agents and counts."""
    sampler = AgentSampler(chosen)
    rules = consistency(chosen.consistency)
    accepted, signatures, outcomes, attempts = [], [], Counter(), 0
    for number in count():
        block = sampler.block(seed, number)
        for place in range(chosen.block):
            if len(accepted) == n or attempts == chosen.attempts_for(n):
                return accepted, outcomes, attempts
            attempts += 1
            answers = sampler.answers(block, place)
            penalty, rejected = 0, ""
            for conflict in rules.conflicts(answers):
                if conflict.kind == "hard":
                    rejected = conflict.rule.id
                    break
                penalty += 1
            if rejected:
                outcomes[rejected] += 1
                continue
            if penalty > chosen.penalty_most:
                outcomes["penalty"] += 1
                continue
            mine = signature(Profile(id="x", answers=answers), chosen.signature)
            last = signatures[-chosen.window :] if chosen.window else []
            if max((jaccard(mine, other) for other in last), default=0.0) > chosen.similarity_most:
                outcomes["similarity"] += 1
                continue
            signatures.append(mine)
            accepted.append(answers)
    raise AssertionError


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32),
    penalty=st.integers(0, 4),
    similarity=st.sampled_from([0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.42, 1.0]),
    window=st.sampled_from([0, 1, 3, 200]),
    alike=st.booleans(),
    reading=st.sampled_from(["listed", "contextual"]),
    n=st.integers(1, 12),
)
def test_p26_accepts_exactly_what_the_plain_set_twin_accepts(
    seed, penalty, similarity, window, alike, reading, n
):
    chosen = AgentSettings(
        penalty_most=penalty,
        similarity_most=similarity,
        window=window,
        attempts_most=90,
        block=32,
        sizes=ALIKE if alike else {},
        consistency=ConsistencySettings(stimulation_security=reading),
        texts=False,
    )
    counts = AgentCounts()
    agents = list(grow_agents(n, seed, chosen, counts))
    expected, outcomes, attempts = plain_algorithm_1(n, seed, chosen)
    assert [agent.answers for agent in agents] == expected
    found = +Counter(counts.hard) + Counter(penalty=counts.penalty, similarity=counts.similarity)
    assert found == +outcomes
    assert counts.attempts == attempts
    assert attempts == counts.accepted + sum(found.values())


def plain_draw(seed, chosen, number):
    """The sampler once more, a candidate at a time, from the same raw numbers."""
    asked = questionnaire().asked
    columns = [1 + (sum(o.sampled for o in q.options) if q.type == "multi" else 0) for q in asked]
    raw = (
        stream(seed, "agents", number).numpy().bit_generator.random_raw(chosen.block * sum(columns))
    )
    numbers = iter((int(x) >> 11) / 2**53 for x in raw)
    for _ in range(chosen.block):
        answers = {}
        for q in asked:
            if q.type == "rating":
                answers[q.id] = q.low + int(next(numbers) * (q.high - q.low + 1))
                continue
            labels = [o.label for o in q.options if o.sampled]
            if q.type == "single":
                answers[q.id] = labels[int(next(numbers) * len(labels))]
                continue
            mark, size, weights = next(numbers), 0, q.sizes
            while mark >= sum(weights[: size + 1]) / sum(weights):
                size += 1
            keys = [next(numbers) for _ in labels]
            best = sorted(range(len(labels)), key=keys.__getitem__)[: size + 1]
            answers[q.id] = tuple(labels[i] for i in sorted(best))
        yield answers


@pytest.mark.parametrize("seed", [3, 7])
def test_p25_the_sampler_draws_what_a_plain_sampler_draws(seed):
    chosen = AgentSettings(block=128)
    sampler = AgentSampler(chosen)
    block = sampler.block(seed, 2)
    found = [sampler.answers(block, place) for place in range(128)]
    assert found == list(plain_draw(seed, chosen, 2))


def test_p25_every_candidate_is_a_right_answer_and_every_sampled_option_is_drawn():
    sampler = AgentSampler(AgentSettings())
    block = sampler.block(1, 0)
    seen = Counter()
    for place in range(1500):
        answers = sampler.answers(block, place)
        assert questionnaire().faults_of(answers) == ()
        for q, answer in answers.items():
            seen.update((q, a) for a in (answer if isinstance(answer, tuple) else (answer,)))
    for question in questionnaire().asked:
        for option in question.options:
            assert bool(seen[question.id, option.label]) == option.sampled


def test_p25_distributions_are_settings():
    weights = {
        "Q1": {"Law": 0.0, "Science": 50.0},
        "Q12": {str(i): 0.0 for i in range(1, 7)},
        "Q7": {"Film": 30.0},
    }
    sampler = AgentSampler(AgentSettings(weights=weights, sizes={"Q7": (1.0,)}, block=2000))
    block = sampler.block(5, 0)
    drawn = [sampler.answers(block, place) for place in range(2000)]
    fields = Counter(answers["Q1"] for answers in drawn)
    assert "Law" not in fields
    assert 0.8 < fields["Science"] / 2000 < 0.9  # 50 of 50 + 8
    assert {answers["Q12"] for answers in drawn} == {7}
    hobbies = Counter(answers["Q7"][0] for answers in drawn)
    assert 0.67 < hobbies["Film"] / 2000 < 0.76  # 30 of 30 + 12
    assert all(len(answers["Q7"]) == 1 for answers in drawn)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"weights": {"Q77": {}}}, "there is no question 'Q77'"),
        ({"weights": {"Q1": {"Alchemy": 1.0}}}, "weights of Q1: 'Alchemy'"),
        ({"weights": {"Q1": {"Other": 1.0}}}, "weights of Q1: 'Other'"),
        ({"weights": {"Q12": {"8": 1.0}}}, "weights of Q12: '8'"),
        ({"weights": {"Q2": dict.fromkeys(questionnaire()["Q2"].labels, 0.0)}}, "nor all 0"),
        ({"weights": {"Q2": {"Male": -1.0}}}, "must not be negative"),
        ({"weights": {"Q7": {"Film": 0.0}}}, "need weights above 0"),
        ({"sizes": {"Q1": (1.0,)}}, "Q1 is no multiple question"),
        ({"sizes": {"Q16": (1.0, 1.0, 1.0, 1.0)}}, "sizes of Q16: 4 weights, but at most 3"),
    ],
)
def test_p25_wrong_distributions_are_told(given, told):
    with pytest.raises(UsageError) as error:
        AgentSampler(AgentSettings(**given))
    assert told in str(error.value)


def test_p31_bits_are_the_signature():
    chosen = AgentSettings(block=200)
    sampler = AgentSampler(chosen)
    block = sampler.block(11, 0)
    sets = [
        signature(Profile(id="x", answers=sampler.answers(block, i)), chosen.signature)
        for i in range(200)
    ]
    assert block.sizes.tolist() == [len(s) for s in sets]
    shared = np.bitwise_count(block.words[0] & block.words).sum(axis=1)
    assert shared.tolist() == [len(sets[0] & s) for s in sets]


def test_p26_the_window_is_empty_at_first_and_forgets_the_oldest():
    window = SignatureWindow(2, 1)
    rows = [np.array([bits], dtype=np.uint64) for bits in (0b0011, 0b1100, 0b110000)]
    assert window.similarity(rows[0], 2) == 0.0
    window.add(rows[0], 2)
    assert window.similarity(rows[0], 2) == 1.0
    # {0, 1} against {0, 1, 2, 3}: 2 of 4.
    assert window.similarity(np.array([0b1111], dtype=np.uint64), 4) == 0.5
    window.add(rows[1], 2)
    window.add(rows[2], 2)
    assert window.similarity(rows[0], 2) == 0.0
    assert window.similarity(rows[1], 2) == 1.0


def test_p27_thresholds_of_the_paper():
    chosen = AgentSettings()
    assert (chosen.penalty_most, chosen.similarity_most, chosen.window) == (3, 0.42, 200)


def test_p26_p27_accepted_agents_keep_the_papers_promises():
    rules = consistency()
    agents = list(grow_agents(300, 3, AgentSettings(texts=False)))
    assert [agent.id for agent in agents[:2]] == ["a-00000", "a-00001"]
    assert all((rules.score(agent.answers) or 0) >= 97 for agent in agents)
    signatures = [signature(agent) for agent in agents]
    for i, mine in enumerate(signatures):
        last = signatures[max(0, i - 200) : i]
        assert max((jaccard(mine, other) for other in last), default=0) <= 0.42


def test_p26_fewer_agents_are_the_first_of_more():
    few = list(grow_agents(5, 9))
    more = list(grow_agents(20, 9))
    assert more[:5] == few
    assert few[0].text == profile_text(few[0])
    assert list(grow_agents(5, 10)) != few


def test_p26_attempts_are_bounded():
    counts = AgentCounts()
    chosen = AgentSettings(attempts_most=50, similarity_most=0.0)
    # Every signature has five rating bins, so two with nothing in common are rare.
    agents = list(grow_agents(40, 1, chosen, counts))
    assert len(agents) == counts.accepted < 40
    assert counts.attempts == 50
    told = list(counts.told())
    assert f"{counts.accepted} agents of 50 attempts" in told[0]
    assert f"rejected as too similar: {counts.similarity}" in told
    assert any(line.startswith("rejected by H1: ") for line in told)


def test_p26_conflicts_are_counted_over_all_candidates():
    counts = AgentCounts()
    list(grow_agents(400, 2, AgentSettings(texts=False), counts))
    # 9 of 49 uniform rating pairs break H1; with about 640 attempts the share is 0.18 ± 0.05.
    assert 0.13 < counts.conflicts["H1"] / counts.attempts < 0.24
    assert counts.hard["H1"] == counts.conflicts["H1"]  # the first rule of all
    assert counts.conflicts["B1"] > 0


def contents(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir() if not p.name.startswith(".")}


def test_p26_a_folder_of_agents_and_the_same_command_again(tmp_path):
    first = build_agents(30, 3, tmp_path / "a")
    assert first.made
    profiles, faults = read_profiles(tmp_path / "a")
    assert len(profiles) == 30
    assert not faults
    assert profiles == tuple(grow_agents(30, 3))
    assert all(p.kind == "agent" and p.text for p in profiles)
    manifest = json.loads((tmp_path / "a" / "agents.json").read_text())
    assert manifest["state"] == "whole"
    assert manifest["counts"]["accepted"] == 30
    assert manifest["settings"]["similarity_most"] == 0.42
    before = contents(tmp_path / "a")
    again = build_agents(30, 3, tmp_path / "a")
    assert not again.made
    assert again.counts == first.counts
    assert "unchanged" in list(again.told())[-1]
    assert contents(tmp_path / "a") == before
    build_agents(30, 3, tmp_path / "b")
    assert contents(tmp_path / "b") == before


def test_p26_another_run_does_not_go_into_the_same_folder(tmp_path):
    build_agents(5, 3, tmp_path)
    for n, seed, chosen in ((6, 3, None), (5, 4, None), (5, 3, AgentSettings(penalty_most=2))):
        with pytest.raises(FolderMismatch, match="other settings, seeds"):
            build_agents(n, seed, tmp_path, chosen)


def test_p26_agents_that_were_changed_since_are_not_taken_for_the_same(tmp_path):
    build_agents(5, 3, tmp_path)
    path = tmp_path / "profiles.jsonl"
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(StoreError, match="not what was written"):
        build_agents(5, 3, tmp_path)
    path.unlink()
    with pytest.raises(StoreError, match="not what was written"):
        build_agents(5, 3, tmp_path)


def test_x6_an_interrupted_build_leaves_no_half_file_and_is_made_again(tmp_path):
    def stop(number):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_agents(1500, 3, tmp_path, AgentSettings(texts=False), stop)
    assert set(contents(tmp_path)) == {"agents.json"}
    report = build_agents(1500, 3, tmp_path, AgentSettings(texts=False))
    assert report.made
    assert report.counts.accepted == 1500


def test_p26_strangers_damage_and_busy_folders_are_refused(tmp_path):
    (tmp_path / "strange").mkdir()
    (tmp_path / "strange" / "notes.txt").write_text("mine")
    with pytest.raises(FolderMismatch, match=r"notes\.txt"):
        build_agents(2, 3, tmp_path / "strange")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "agents.json").write_text("{}")
    with pytest.raises(StoreError, match="cannot be read"):
        build_agents(2, 3, tmp_path / "bad")
    (tmp_path / "busy").mkdir()
    lock = FolderLock(tmp_path / "busy")
    lock.take()
    try:
        with pytest.raises(FolderBusy):
            build_agents(2, 3, tmp_path / "busy")
    finally:
        lock.release()
    with pytest.raises(UsageError, match="ask for one or more"):
        build_agents(0, 3, tmp_path / "none")


def test_p26_a_short_build_says_so_and_says_it_again(tmp_path):
    chosen = AgentSettings(attempts_most=10)
    for made in (True, False):
        report = build_agents(50, 3, tmp_path, chosen)
        assert report.made is made
        assert 0 < report.counts.accepted < 10
        assert any("the attempts are used up" in line for line in report.told())
    assert json.loads((tmp_path / "agents.json").read_text())["state"] == "short"


def test_p25_p26_settings_that_no_machine_can_hold_are_refused():
    with pytest.raises(UsageError, match="no finite sum"):
        next(grow_agents(1, 0, AgentSettings(weights={"Q2": {"Female": 1e308, "Male": 1e308}})))
    for wrong in ({"block": 10**8}, {"window": 10**12}):
        with pytest.raises(UsageError, match="less than or equal"):
            AgentSettings.checked(wrong, "settings")


def test_p26_what_the_message_of_a_changed_file_advises_helps(tmp_path):
    build_agents(5, 3, tmp_path)
    path = tmp_path / "profiles.jsonl"
    before = path.read_bytes()
    path.write_bytes(before + b"\n")
    with pytest.raises(StoreError, match=r"Delete both it and .*agents\.json"):
        build_agents(5, 3, tmp_path)
    path.unlink()
    (tmp_path / "agents.json").unlink()
    assert build_agents(5, 3, tmp_path).made
    assert path.read_bytes() == before


def test_p26_without_a_rule_only_likeness_rejects(tmp_path):
    (tmp_path / "none.toml").write_text("")
    free = AgentSettings(consistency=ConsistencySettings(rules=str(tmp_path / "none.toml")))
    counts = AgentCounts()
    assert len(list(grow_agents(30, 1, free, counts))) == 30
    assert (counts.hard, counts.penalty, counts.conflicts) == ({}, 0, {})
    assert counts.attempts == 30 + counts.similarity
