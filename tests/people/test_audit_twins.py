"""Twins found by hashing against all pairs compared one by one."""

import numpy as np
import pytest

from eyeprint.maths.diversity import jaccard
from eyeprint.maths.ngrams import words
from eyeprint.people.audit_shingles import MinHash, word_runs
from eyeprint.people.audit_twins import (
    TwinSettings,
    groups,
    lookalikes,
    text_candidates,
    text_recall,
    vector_recall,
    verified_copies,
)
from tests.people.made_people import caption

LIMITS = TwinSettings()


def crowd(people: int, planted: dict[int, tuple[int, float]], posts: int = 4) -> list[list[str]]:
    """People with captions; ``planted[i] = (j, share)``: i has this share of j's captions."""
    found = [[caption((i, at), 60) for at in range(posts)] for i in range(people)]
    for twin, (original, share) in planted.items():
        kept = round(share * posts)
        found[twin] = found[original][:kept] + found[twin][kept:]
    return found


def found_copies(texts: list[list[str]], limits: TwinSettings = LIMITS):
    keys = [word_runs(own).union(limits.run) for own in texts]
    family = MinHash(limits.bands * limits.rows)
    signatures = np.stack([family.signature(one) for one in keys])
    has = np.array([len(one) > 0 for one in keys])
    pairs, likely, looked = text_candidates(signatures, has, limits)
    return verified_copies(pairs, likely, keys.__getitem__, limits, looked)


def all_pairs(texts: list[list[str]], limit: float) -> dict[tuple[int, int], float]:
    sets = [
        {tuple(run[i : i + 6]) for run in map(words, own) for i in range(len(run) - 5)}
        for own in texts
    ]
    found = {}
    for i, one in enumerate(sets):
        for j in range(i + 1, len(sets)):
            if one and sets[j] and jaccard(one, sets[j]) >= limit:
                found[i, j] = jaccard(one, sets[j])
    return found


def test_copies_are_those_of_all_pairs_and_few_pairs_are_looked_at():
    # Sharing 3 of 4 captions is J = 3/5, all 4 is J = 1; half of them is 1/3: no copy.
    planted = {100 + i: (i, (0.75, 1.0, 0.5)[i % 3]) for i in range(60)}
    texts = crowd(300, planted)
    wanted = all_pairs(texts, LIMITS.jaccard)
    found = found_copies(texts)
    assert len(wanted) == 40
    known = dict(zip(map(tuple, found.pairs.tolist()), found.similarity, strict=True))
    assert known == wanted
    assert found.candidates < 300 * 299 / 2 / 5


def test_recall_near_the_limit_is_what_the_formula_says():
    # Two bands of two places find little, so that misses are common enough to be counted.
    weak = TwinSettings(bands=2, rows=2, slack=1.0, jaccard=0.55, run=6)
    planted = {i: (i - 1, 0.75) for i in range(1, 400, 2)}
    texts = crowd(400, planted)
    wanted = all_pairs(texts, 0.55)
    found = found_copies(texts, weak)
    recall = len(found.pairs) / len(wanted)
    expected = text_recall(0.6, weak)  # 1 - (1 - 0.36)² = 0.59
    assert expected == pytest.approx(0.5904)
    # Four standard errors of a share of 200.
    assert abs(recall - expected) < 4 * np.sqrt(0.59 * 0.41 / 200)


def test_people_without_text_are_nobodys_copy():
    assert (
        len(found_copies([[""], ["one two"], ["one two"], [], [caption(1), caption(2)]]).pairs) == 0
    )


def test_a_crowd_of_equal_people_is_one_group_without_all_its_pairs():
    texts = [[caption("same", 40)]] * 700
    found = found_copies(texts)
    assert [len(group) for group in groups(found.pairs)] == [700]
    assert len(found.pairs) == 699


def test_the_likeliest_pairs_are_verified_first_and_the_rest_is_told():
    texts = crowd(40, {20: (0, 0.75), 21: (1, 1.0), 22: (2, 1.0)})
    found = found_copies(texts, TwinSettings(most_pairs=2))
    assert found.pairs.tolist() == [[1, 21], [2, 22]]
    assert found.left_out >= 1


def test_lookalikes_are_those_of_all_pairs():
    draws = np.random.default_rng(5)
    rows = draws.standard_normal((400, 32)) + 4 * draws.standard_normal(32)
    for i in range(100):
        rows[300 + i] = rows[i] + draws.standard_normal(32) * (0.02 + 0.004 * i)
    found = lookalikes(rows, LIMITS)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    away = unit - unit.mean(axis=0)
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    cosine = away @ away.T
    wanted = {(i, j): cosine[i, j] for i in range(400) for j in range(i) if cosine[i, j] >= 0.95}
    known = dict(zip(map(tuple, found.pairs.tolist()), found.similarity, strict=True))
    assert len(wanted) > 50
    assert set(known) <= {(j, i) for i, j in wanted}
    assert len(known) >= 0.97 * len(wanted)
    for (j, i), similarity in known.items():
        assert similarity == pytest.approx(wanted[i, j], abs=1e-5)


def test_without_the_deviation_from_the_average_everybody_would_look_alike():
    draws = np.random.default_rng(6)
    rows = 20 * np.ones(16) + draws.standard_normal((60, 16))
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    assert (unit @ unit.T).min() > 0.95
    assert len(lookalikes(rows, LIMITS).pairs) == 0


@pytest.mark.parametrize("cosine", [0.95, 0.8])
def test_vector_recall_is_the_share_of_tables_that_agree(cosine: float):
    # 4 bits, 2 tables over many pairs in the plane, against the formula.
    weak = TwinSettings(bits=4, tables=2, cosine=cosine - 1e-6, centre_from=10_000)
    draws = np.random.default_rng(7)
    found = 0
    for trial in range(60):
        a = draws.standard_normal((2, 24))
        q, _ = np.linalg.qr(a.T)
        pair = np.stack([q[:, 0], cosine * q[:, 0] + np.sqrt(1 - cosine**2) * q[:, 1]])
        found += len(lookalikes(pair, weak.model_copy(update={"seed": trial})).pairs)
    expected = vector_recall(cosine, weak)
    assert abs(found / 60 - expected) < 4 * np.sqrt(expected * (1 - expected) / 60) + 1e-9


def test_zero_vectors_are_nobodys_twin():
    assert len(lookalikes(np.zeros((30, 8))).pairs) == 0


def test_groups_join_chains():
    assert groups(np.array([[4, 5], [0, 1], [1, 2], [2, 9]])) == [[0, 1, 2, 9], [4, 5]]
    assert groups(np.zeros((0, 2), np.int64)) == []
