"""What one released row says: words, negation (M6, M16)."""

import pytest

from eyeprint.records.concept_negation import is_negated


@pytest.mark.parametrize(
    ("question", "negated"),
    [
        ("Is <sks> in the image?", False),
        ("Is <sks> not in the image?", True),
        ("Is <sks> not present in this photo? Answer Yes or No.", True),
        ("Is <sks> in this photo? Answer yes or no, not more.", False),
        ("Isn't <sks> here?", False),
        ("Doesn’t this picture show <sks>?", False),
        ("Isn't it true that <sks> isn't here?", True),
        ("Does this picture show nothing that <sks> likes?", True),
        ("Is <sks> absent from this picture?", True),
        ("Is this picture without <sks>?", True),
        ("Is there no sign of <sks> here?", True),
        ("Is it true that <sks> cannot be seen here?", True),
        ("Does <sks> not like what is shown?", True),
        ("Would <sks> dislike this?", False),
        ("Is <sks> in the image or not?", False),
        ("<sks> is here, isn't it?", False),
        ("Look well. Is <sks> here?", False),
        ("Do not guess. Is <sks> here?", False),
        ("Is <sks> knotting a rope in the notary's office?", False),
    ],
)
def test_m16_negated_questions_are_told(question: str, negated: bool):
    assert is_negated(question) is negated
