"""The dialogues that come with the package: their shape, their neutrality, their order."""

import re
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import UnknownName, UsageError
from eyeprint.methods.dialogues import (
    KINDS,
    Dialogue,
    Turn,
    dialogue,
    dialogues,
    dialogues_digest,
    first_turns,
)
from eyeprint.methods.token_estimates import estimated_tokens

EVERY = [(kind, one) for kind in KINDS for one in dialogues(kind)]
TURNS = [(one.id, n, turn) for _, one in EVERY for n, turn in enumerate(one.turns)]
PICTURES = re.compile(
    r"\b(attached (image|picture|photo)|(this|the) image|in this picture|as an ai)\b", re.IGNORECASE
)
TASTE = re.compile(
    r"\b(i|we|my \w+|our \w+) (really |also |just |absolutely |always )?"
    r"(love|like|prefer|hate|enjoy|dislike|adore|loathe|detest|want|loved|liked|hated|enjoyed)s?\b"
    r"|\bi'?(d| would) (love|like|rather|prefer)|\bfavou?rite|\bi('m| am) (a|into|fond|keen)\b"
    r"|\b(can't|cannot) stand\b|\bfan of\b",
    re.IGNORECASE,
)
LOOKS = re.compile(
    r"\b(my|our) (\w+ )?(hair|beard|face|skin|eyes?|nose|chin|glasses|moustache|dog|cat|pet|mug"
    r"|coat|clothes|shirt|dress|height|figure|avatar|look)\b"
    r"|\bi (look (like|old|young)|wear|dye|have (a|an) \w+ (hair|beard|face|nose))\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize(
    ("kind", "count"), [("general", 12), ("recognition", 10), ("preference", 10)]
)
def test_m14_m15_there_are_so_many_dialogues_of_ten_turns_of_each_kind(kind, count):
    told = dialogues(kind)
    assert len(told) == count
    assert {len(one.turns) for one in told} == {10}
    assert {one.kind for one in told} == {kind}
    assert all(one.topic for one in told)
    assert len(dialogue(kind, 10 * count)) == 10 * count


def test_m14_every_dialogue_and_every_message_of_a_user_is_another():
    assert len({one.id for _, one in EVERY}) == len({one.topic for _, one in EVERY}) == len(EVERY)
    said = [re.sub(r"\W+", " ", turn.user).casefold().strip() for *_, turn in TURNS]
    assert len(set(said)) == len(said) == 320
    assert len({turn.assistant for *_, turn in TURNS}) == 320


def test_m14_texts_are_whole_and_name_no_concept():
    for id, n, turn in TURNS:
        for text in turn:
            assert text == text.strip() and text, (id, n)
            assert not re.search(r"\bsks|<\w", text, re.IGNORECASE), (id, n)
            assert not PICTURES.search(text), (id, n)
        assert turn.assistant[-1] in '.?!"', (id, n)
        assert 40 <= len(turn.assistant.split()) <= 110, (id, n)
        assert len(turn.user.split()) <= 60, (id, n)


def test_m15_users_tell_nothing_of_their_tastes_or_looks():
    for id, n, turn in TURNS:
        assert not TASTE.search(turn.user), (id, n, turn.user)
        assert not LOOKS.search(turn.user), (id, n, turn.user)


@pytest.mark.parametrize(
    ("said", "pattern"),
    [
        ("I really like tea.", TASTE),
        ("my sister hates jazz", TASTE),
        ("What is your favourite film?", TASTE),
        ("I'd rather walk.", TASTE),
        ("My long hair is dry.", LOOKS),
        ("I wear glasses.", LOOKS),
    ],
)
def test_m15_the_patterns_of_the_test_above_do_find_tastes_and_looks(said, pattern):
    assert pattern.search(said)


def test_m15_assistants_tell_users_nothing_about_themselves_either():
    told = re.compile(
        r"\b(you|your \w+) (really |seem to |clearly )?(like|love|prefer|hate|dislike|enjoy)\b"
        r"|\b(since|as) you (are|have) (a|an|such)\b|\byour (hair|face|beard|skin|eyes)\b",
        re.IGNORECASE,
    )
    assert told.search("as you are a fan") and told.search("Your hair is long.")
    for id, n, turn in TURNS:
        assert not told.search(turn.assistant), (id, n)


def test_m14_voices_of_users_vary():
    """Some users write in full, some in lower case and without a stop, some at length."""
    for kind in KINDS:
        said = [turn.user for turn in dialogue(kind, 100)]
        lower = sum(text[0].islower() for text in said)
        lengths = sorted(len(text.split()) for text in said)
        assert lower >= 10
        assert lengths[0] <= 5 and lengths[-1] >= 20


@pytest.mark.parametrize("kind", KINDS)
def test_m38_a_shorter_dialogue_is_the_beginning_of_a_longer_one(kind):
    whole = dialogue(kind, 100)
    assert len(whole) == 100
    for turns in (0, 1, 5, 10, 11, 50, 99):
        assert dialogue(kind, turns) == whole[:turns]
    assert whole[:10] == dialogues(kind)[0].turns
    assert whole[10:20] == dialogues(kind)[1].turns


def test_m14_another_dialogue_can_come_first_and_the_ones_before_it_come_last():
    told = dialogues("general")
    assert dialogue("general", 10, first=3) == told[3].turns
    whole = dialogue("general", 120, first=3)
    assert whole[-10:] == told[2].turns
    assert sorted(whole) == sorted(dialogue("general", 120))


def test_m38_what_is_not_there_is_said_with_what_is():
    with pytest.raises(UsageError, match=r"121 turns .* general dialogues have 0 to 120"):
        dialogue("general", 121)
    with pytest.raises(UsageError, match="-1 turns"):
        dialogue("general", -1)
    with pytest.raises(UsageError, match=r"101 turns .* preference dialogues have 0 to 100"):
        dialogue("preference", 101)
    with pytest.raises(UsageError, match=r"first dialogue 12: .* 0 to 11"):
        dialogue("general", 1, first=12)
    with pytest.raises(UsageError, match="first dialogue -1"):
        dialogue("general", 0, first=-1)
    with pytest.raises(UnknownName, match="Did you mean 'preference'"):
        dialogues("preferences")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"1 turns .* 0 to 0"):
        first_turns((), 1)


@given(
    sizes=st.lists(st.integers(0, 4), min_size=1, max_size=5),
    turns=st.integers(0, 20),
    first=st.integers(0, 4),
)
def test_m14_first_turns_equal_a_slow_twin(sizes, turns, first):
    told = [
        Dialogue(str(d), "", "", tuple(Turn(f"{d}.{n}", "so") for n in range(size)))
        for d, size in enumerate(sizes)
    ]
    if turns > sum(sizes) or first >= len(told):
        with pytest.raises(UsageError):
            first_turns(told, turns, first)
        return
    slow = []
    for step in range(len(told)):
        for turn in told[(first + step) % len(told)].turns:
            if len(slow) < turns:
                slow.append(turn)
    assert list(first_turns(told, turns, first)) == slow


def tokens(turns) -> int:
    return sum(estimated_tokens(text) for text in chain.from_iterable(turns))


def test_m15_m44_ten_turns_of_each_kind_are_about_as_long():
    """Compared by tokens: no kind's dialogues are much longer than another's."""
    lengths = {kind: tokens(dialogue(kind, 100)) for kind in KINDS}
    assert max(lengths.values()) < 1.15 * min(lengths.values())
    for _, one in EVERY:
        assert 850 <= tokens(one.turns) <= 1400, one.id
    # Figure 15 says that related dialogues level off there.
    assert min(lengths.values()) > 6000


def test_m14_the_digest_is_of_all_texts():
    assert re.fullmatch("[0-9a-f]{64}", dialogues_digest())


@given(st.text(max_size=60))
def test_m15_estimated_tokens_equal_a_slow_twin(text):
    whole, other = 0, 0
    for mark in text:
        code = ord(mark)
        ranges = (
            (0x1100, 0x11FF),  # Hangul letters
            (0x2E80, 0x9FFF),  # radicals, kana, Han
            (0xA960, 0xA97F),
            (0xAC00, 0xD7FF),  # Hangul syllables
            (0xF900, 0xFAFF),
            (0xFE30, 0xFE4F),
            (0xFF00, 0xFFEF),  # full-width forms
            (0x1F000, 0x1FAFF),  # emoji
            (0x20000, 0x3FFFF),
        )
        if any(low <= code <= high for low, high in ranges):
            whole += 1
        else:
            other += 1
    assert estimated_tokens(text) == whole + -(-other // 4)


def test_m15_estimated_tokens_of_known_texts():
    # 12 letters and signs are 3 tokens; 1 more makes a fourth. Each of 5 Han characters is one,
    # and "AB" beside them a sixth. Cyrillic counts as alphabetic: 8 letters are 2.
    golden = {"twelve chars": 3, "twelve chars!": 4, "我选择这个AB": 6, "картинка": 2, "😀": 1}
    assert {text: estimated_tokens(text) for text in golden} == golden
