"""Softmax weights, entropy and effective number against plain loops."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.maths.attention import effective_number, entropy, softmax_weights

similarities = st.lists(st.floats(-1, 1), min_size=1, max_size=40)


@given(similarities, st.floats(0.02, 5))
def test_v31_weights_agree_with_the_written_formula(values, tau):
    powers = [math.exp(s / tau) for s in values]
    expected = [power / sum(powers) for power in powers]
    assert np.allclose(softmax_weights(values, tau), expected, atol=1e-12)


@given(similarities, st.floats(-1e3, 1e3))
def test_v31_a_constant_added_to_all_changes_nothing(values, shift):
    moved = softmax_weights(np.array(values) + shift, 0.1)
    assert np.allclose(softmax_weights(values, 0.1), moved, atol=1e-8)


def test_v31_golden_two_posts():
    # s = (0.5, 0.4), tau = 0.1: e^0 : e^-1 = 1 : 0.367879, sum 1.367879.
    assert softmax_weights([0.5, 0.4], 0.1) == pytest.approx([0.731059, 0.268941], abs=1e-6)


def test_v31_no_temperature_overflows():
    assert softmax_weights([1.0, -1.0], 1e-320).tolist() == [1.0, 0.0]
    assert softmax_weights([], 0.1).tolist() == []


@given(similarities)
def test_v32_entropy_agrees_with_the_sum_and_its_bounds(values):
    weights = softmax_weights(values, 0.3)
    expected = -sum(w * math.log(w) for w in weights if w > 0)
    assert entropy(weights) == pytest.approx(expected, abs=1e-12)
    assert -1e-12 <= entropy(weights) <= math.log(len(values)) + 1e-12


def test_v32_effective_number_of_equal_and_of_one():
    assert effective_number([0.2] * 5) == pytest.approx(5)
    assert effective_number([1.0, 0.0]) == 1.0
    assert math.copysign(1, entropy([1.0])) == 1


@pytest.mark.parametrize("tau", [0.0, -1.0, math.nan, math.inf])
def test_v31_bad_temperatures_are_refused(tau):
    with pytest.raises(ValueError, match="temperature"):
        softmax_weights([0.1], tau)


def test_v31_not_a_number_is_refused():
    with pytest.raises(ValueError, match="finite"):
        softmax_weights([math.nan])
    with pytest.raises(ValueError, match="finite"):
        entropy([-0.1, 1.1])
