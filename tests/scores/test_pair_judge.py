"""Pair judges: what they are shown, how replies are read, and the certificate before it counts."""

import asyncio
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import BudgetReached, UsageError
from eyeprint.models.fakes import ScriptedChat
from eyeprint.models.kinds import Reply
from eyeprint.people.questionnaire import questionnaire
from eyeprint.records.profiles import AestheticPriors
from eyeprint.records.tie_rule import TieRule
from eyeprint.records.verdicts import Comparison
from eyeprint.scores.judge_certificate import (
    FILLER,
    NOTE,
    PLANTED,
    CertificateSettings,
    certify,
    with_words,
)
from eyeprint.scores.offline_judge import (
    OfflineJudge,
    OfflineJudgeSettings,
    colour_meant,
    palette_share,
)
from eyeprint.scores.pair_judge import (
    ChatJudge,
    PairJudgeSettings,
    PairQuestion,
    flip_of,
    pair_request,
    verdict_of,
    verdict_of_reply,
)
from tests.methods.made_pictures import COOL, WARM, halves

A, B = halves(*WARM), halves(*COOL)
PRIORS = AestheticPriors(warmth=0.9, colours=("orange",))


def question(first=A, second=B, flipped=False, priors=PRIORS, number=1, **more):
    shown = (second, first) if flipped else (first, second)
    pair = Comparison(
        id=f"q{number}",
        case_id="c",
        person_id="p",
        prompt="a door",
        model_a="m",
        model_b="n",
        picture_a=first.sha256,
        picture_b=second.sha256,
    )
    return PairQuestion(pair, *shown, flipped, "I like warm rooms.", priors, **more)


def read(text, flipped=False, settings=None, outcome="answered"):
    reply = Reply(text=text, outcome=outcome)
    return verdict_of_reply(question(flipped=flipped), "j", reply, settings or PairJudgeSettings())


def said(verdict, confidence=0.9, **more):
    return json.dumps({"verdict": verdict, "confidence": confidence, "reason": "r"} | more)


def test_p50_a_judge_sees_profile_request_and_two_pictures_in_order():
    asked = question(flipped=True)
    request = pair_request(asked, PairJudgeSettings())
    system, user = request.messages
    assert "I like warm rooms." in system.text
    assert [part.sha256 for part in user.images] == [B.sha256, A.sha256]
    assert user.text.index("Request: a door") < user.text.index("Picture A:")
    assert all(name in user.text for name in PairJudgeSettings().aspects)
    assert "m" not in user.text.split() and "n" not in user.text.split()


def test_p50_references_are_shown_only_when_asked_for():
    asked = question(references=(halves(*WARM, seed=5),))
    assert len(pair_request(asked, PairJudgeSettings()).messages[1].images) == 2
    shown = pair_request(asked, PairJudgeSettings(show_references=True))
    assert len(shown.messages[1].images) == 3


@pytest.mark.parametrize(
    ("stated", "flipped", "choice"),
    [
        ("A", False, "a"),
        ("A", True, "b"),
        ("B", False, "b"),
        ("B", True, "a"),
        ("Image A", False, "a"),
        ("img2", False, "b"),
        ("tie", True, "tie"),
        ("neither", False, "tie"),
    ],
)
def test_p50_a_verdict_names_the_model_whatever_the_order(stated, flipped, choice):
    assert read(said(stated), flipped).choice == choice


def test_p51_the_two_tie_routes_are_told_apart():
    low, explicit = read(said("A", 0.69)), read(said("tie", 0.9))
    assert (low.choice, low.tie, low.stated) == ("tie", "low_confidence", "a")
    assert (explicit.choice, explicit.tie) == ("tie", "explicit")


def test_p51_exactly_the_threshold_is_no_tie_unless_asked_for():
    assert read(said("A", 0.70)).choice == "a"
    released = PairJudgeSettings(ties=TieRule(tie_at_threshold=True))
    assert read(said("A", 0.70), settings=released).tie == "low_confidence"


@pytest.mark.parametrize(
    ("stated", "number"), [("80%", 0.8), ("high", None), (None, None), (0.4, 0.4)]
)
def test_p51_confidences_are_kept_as_stated(stated, number):
    verdict = read(said("A", stated))
    assert (verdict.confidence_stated, verdict.confidence) == (stated, number)
    assert verdict.choice == ("tie" if number == 0.4 else "a")


def test_p50_the_released_answer_is_read_too():
    text = json.dumps(
        {
            "comparison_and_choice": {
                "final_decision": {"preferred_image": "img2", "confidence": 0.8}
            }
        }
    )
    assert read(text).choice == "b"


@pytest.mark.parametrize(
    ("text", "sent", "outcome"),
    [
        ("I prefer the first one.", "answered", "unread"),
        (said("C"), "answered", "unread"),
        ('{"verdict": "A", "conf', "answered", "truncated"),
        ("[1, 2]", "answered", "unread"),
        ("I can't judge that.", "refused", "refused"),
        ("", "empty", "empty"),
        ("", "failed", "failed"),
    ],
)
def test_x9_what_cannot_be_read_is_no_verdict_and_says_why(text, sent, outcome):
    verdict = read(text, outcome=sent)
    assert (verdict.choice, verdict.outcome) == (None, outcome)


def test_p50_aspects_and_reason_are_kept():
    verdict = read("Sure!\n```json\n" + said("B", aspects={"mood": "B, calmer"}) + "\n```")
    assert verdict.aspects == {"mood": "B, calmer"}
    assert verdict.reason == "r"


def test_x6_orders_come_from_each_comparisons_own_stream_and_are_balanced():
    flips = [flip_of(f"case-{i}", "j", 3) for i in range(400)]
    assert flips == [flip_of(f"case-{i}", "j", 3) for i in range(400)]
    assert 160 < sum(flips) < 240
    assert flips != [flip_of(f"case-{i}", "k", 3) for i in range(400)]


def offline(asked, **settings):
    return asyncio.run(OfflineJudge(OfflineJudgeSettings(**settings)).compare(asked))


@pytest.mark.parametrize("flipped", [False, True])
def test_p12_p50_the_offline_judge_prefers_what_the_profile_leads_one_to_expect(flipped):
    assert offline(question(flipped=flipped)).choice == "a"
    cool = AestheticPriors(warmth=-0.9, colours=("navy",))
    assert offline(question(flipped=flipped, priors=cool)).choice == "b"


def test_p51_the_offline_judge_ties_equal_pictures_and_says_it_is_unsure_of_near_ones():
    assert offline(question(second=A)).tie == "explicit"
    near = offline(question(second=halves(*WARM, seed=3)))
    assert near.tie == "low_confidence"
    assert 0.5 <= near.confidence < 0.7


def test_p50_the_offline_judge_gives_no_verdict_without_answers():
    verdict = offline(question(priors=None))
    assert (verdict.choice, verdict.outcome) == (None, "unread")


def test_p12_palette_share_counts_the_area_near_a_favourite_colour():
    # The lower half of B is (20, 50, 110): navy lies within 30 of it, and far from the upper half.
    from eyeprint.models.picture_reading import read_picture

    reading = read_picture(B)
    assert palette_share(reading, ("nonsense",), 30.0) is None
    share = palette_share(reading, ("navy",), 30.0)
    assert 0.3 < share <= 1.0
    assert palette_share(reading, ("orange",), 30.0) == 0.0


@given(
    warmth=st.floats(-1, 1),
    brightness=st.floats(-1, 1),
    energy=st.floats(-1, 1),
    flip=st.booleans(),
)
def test_p50_the_offline_judge_does_not_see_the_order(warmth, brightness, energy, flip):
    priors = AestheticPriors(warmth=warmth, brightness=brightness, energy=energy)
    one = offline(question(priors=priors, flipped=flip))
    other = offline(question(priors=priors, flipped=not flip))
    assert one.choice == other.choice


def certificate(judge, pairs=4, **limits):
    samples = [
        question(halves(*WARM, seed=i), halves(*COOL, seed=i), number=i) for i in range(pairs)
    ]
    return asyncio.run(certify(judge, samples, CertificateSettings(pairs=pairs, **limits)))


def probe(found, name):
    return next(each for each in found.probes if each.name == name)


def test_p50_the_offline_judge_passes_its_certificate():
    found = certificate(OfflineJudge())
    assert found.passed, found


def judge_that(answers):
    return ChatJudge(ScriptedChat(answers))


def test_p50_an_always_first_judge_shows_bias_of_100_percent_and_fails():
    found = certificate(judge_that(lambda request: said("A", 0.95)))
    position = probe(found, "position")
    assert position.share == 1.0 and not position.passed
    assert "4 times the first" in position.detail
    assert probe(found, "identical").share == 1.0
    assert not found.passed


def test_p51_a_judge_that_always_ties_has_no_bias_to_show():
    found = certificate(judge_that(lambda request: said("tie", 0.9)))
    assert probe(found, "position").share is None
    assert found.passed


def test_p50_a_judge_that_obeys_words_in_a_picture_fails_the_planted_probe():
    planted = [with_words(halves(*WARM, seed=i), PLANTED).sha256 for i in range(4)]

    def obey(request):
        first, second = request.messages[1].images[-2:]
        if first.sha256 in planted:
            return said("A", 0.99)
        if second.sha256 in planted:
            return said("B", 0.99)
        return said("tie", 0.9)

    found = certificate(judge_that(obey))
    assert probe(found, "planted").share == 1.0
    assert found.failed() == ("planted",)


@pytest.mark.parametrize("answer", ["A", "B"])
def test_p50_a_judge_that_obeys_a_note_in_the_request_fails_the_planted_probe(answer):
    def obey(request):
        return said(answer, 1.0) if NOTE.strip() in told(request) else said("tie", 0.9)

    found = certificate(judge_that(obey))
    assert found.failed() == ("planted",)
    planted = probe(found, "planted")
    # 4 samples: 8 pairs with words in a picture, none lost; 4 with a note, all of them.
    assert (planted.asked, planted.counted, planted.share) == (12, 4, 1.0)
    assert planted.detail.endswith("in 0 of 8 pairs; a note in the request made a winner of one "
                                   "and the same picture in 4 of 4")  # fmt: skip


def test_p50_one_kind_of_planted_words_does_not_hide_the_other():
    calls = 0

    def half(request):
        nonlocal calls
        if NOTE.strip() not in told(request):
            return said("tie", 0.9)
        calls += 1
        return said("A", 1.0) if calls % 2 else said("tie", 0.9)

    # 2 of 4 notes are obeyed. Over all 12 planted pairs that would be a sixth, and would pass.
    planted = probe(certificate(judge_that(half)), "planted")
    assert planted.share == 0.5 and not planted.passed


def told(request):
    return request.messages[1].parts[0].text


def test_p50_a_judge_that_likes_long_requests_fails_the_length_probe():
    def wordy(request):
        return said("A", 0.9) if FILLER.strip() in told(request) else said("tie", 0.9)

    assert certificate(judge_that(wordy)).failed() == ("length",)


def test_x9_a_judge_that_refuses_fails_and_its_refusals_are_counted():
    found = certificate(judge_that(lambda r: Reply(text="I can't.", outcome="refused")))
    refusals = probe(found, "refusals")
    assert refusals.share == 1.0
    assert refusals.detail == "28 refused; the first: I can't."
    assert not found.passed


def test_p50_planted_pictures_differ_from_their_twins_in_the_order_of_letters_only():
    words, twin = with_words(A, PLANTED), with_words(A, "SOOHCE HIST NEO")
    assert words != twin and words.width == A.width
    changed = np.any(words.pixels != twin.pixels, axis=2).mean()
    assert 0 < changed < 0.15
    assert sorted(PLANTED.replace(" ", "")) == sorted("SOOHCEHISTNEO")


def test_p50_a_certificate_needs_a_question():
    with pytest.raises(ValueError, match="at least one question"):
        asyncio.run(certify(OfflineJudge(), []))


def test_p8_p50_the_offline_judge_knows_every_colour_of_the_questionnaires_palettes():
    colours = {c for option in questionnaire()["Q18"].options for c in option.words["colours"]}
    assert len(colours) > 25
    assert [name for name in sorted(colours) if colour_meant(name) is None] == []


def test_p50_a_certificate_asks_at_once_and_waits_for_all():
    under_way, most, done = 0, 0, 0

    class Slow(OfflineJudge):
        async def compare(self, asked):
            nonlocal under_way, most, done
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0.001)
            under_way -= 1
            done += 1
            if done == 1:
                raise BudgetReached("no money left")
            return await super().compare(asked)

    with pytest.raises(BudgetReached):
        certificate(Slow())
    # 4 pairs, 7 questions each: none is left alone when one finds no money.
    assert (most, done) == (28, 28)


def test_x9_the_first_reason_of_lost_replies_is_told():
    found = certificate(judge_that(lambda request: Reply(outcome="refused", detail="no\nway")))
    assert probe(found, "refusals").detail == "28 refused; the first: no way"


def test_p50_a_judge_of_another_package_is_held_to_its_question():
    class Odd(OfflineJudge):
        async def compare(self, asked):
            found = await super().compare(asked)
            return found.model_copy(update={"comparison_id": "other", "model_a": "x", "judge": "y"})

    class Silent(OfflineJudge):
        async def compare(self, asked):
            return None

    asked = question()
    found = asyncio.run(verdict_of(Odd(), asked))
    pair = asked.comparison
    assert (found.comparison_id, found.model_a, found.judge) == (pair.id, pair.model_a, "offline")
    with pytest.raises(UsageError, match="judge 'offline' gave NoneType"):
        asyncio.run(verdict_of(Silent(), asked))
