"""The offline writer: the mix kept, one person's style, two persons apart, three pipelines."""

import numpy as np
import pytest

from eyeprint.maths.diversity import mean_pairwise_cosine
from eyeprint.models.fakes import HashEncoder
from eyeprint.people.candidate_cues import CueSettings, Phrase, cues_of
from eyeprint.people.candidate_mix import MixSettings, faults_of_mix, without_redundant
from eyeprint.people.candidate_reading import goes_with, suits
from eyeprint.people.candidate_style import Style, StyleSettings, weighted_sample, worded
from eyeprint.people.candidates import CandidateSettings, write_offline
from eyeprint.people.candidates_offline import compose_prompts
from eyeprint.people.evidence import evidence_panel, evidence_panels
from eyeprint.people.questionnaire import questionnaire
from eyeprint.people.theory import SLOTS, aesthetic_tags, theory
from eyeprint.randomness import stream
from eyeprint.records.candidates import (
    CATEGORIES,
    PIPELINES,
    CandidatePrompt,
    CandidateSet,
    Prior,
)
from eyeprint.records.profiles import Profile

# Both persons of the paper's Table 9, with labels of the questionnaire.
USER_1 = Profile(
    id="user-1",
    answers={
        "Q1": "Medicine", "Q2": "Female", "Q3": ("Easygoing",), "Q4": "Minimalist and functional",
        "Q5": ("Urban exploration", "Exhibitions"), "Q6": ("Minimalist and smart casual",),
        "Q7": ("Anime and comics", "Gaming", "Music", "Reading", "Pets"),
        "Q8": ("Fashion and beauty", "Pets", "Food"), "Q9": ("Bilibili", "Xiaohongshu"),
        "Q10": "INTP", "Q11": 4, "Q12": 7, "Q13": 2, "Q14": 5, "Q15": 3,
        "Q16": ("Self-Direction", "Stimulation", "Hedonism"), "Q17": "Never used",
        "Q18": ("Urban minimalist tones",),
    },
)  # fmt: skip
USER_2 = Profile(
    id="user-2",
    answers={
        "Q1": "Science", "Q2": "Male", "Q3": ("Student organisation leader", "Easygoing"),
        "Q4": "Cosy and healing", "Q5": ("Natural scenery", "Historical sites", "Cultural tours"),
        "Q6": ("Athleisure",), "Q7": ("Gaming", "Handicrafts", "Exploring nature", "Pets"),
        "Q8": ("Film and anime commentary", "Game streaming", "Pets", "Food"), "Q9": ("Bilibili",),
        "Q10": "ISFJ", "Q11": 4, "Q12": 3, "Q13": 4, "Q14": 4, "Q15": 0,
        "Q16": ("Hedonism", "Security"), "Q17": "1 to 3 times a year",
        "Q18": ("Cool ocean tones",),
    },
)  # fmt: skip


def made_up(number: int) -> Profile:
    """Return a profile of random answers, as an agent has them before any rule."""
    draw = stream(1, "test", number)
    answers: dict[str, object] = {}
    for question in questionnaire().asked:
        labels = [option.label for option in question.options if option.sampled]
        if question.type == "rating":
            answers[question.id] = draw.between(question.low, question.high)
        elif question.type == "single":
            answers[question.id] = draw.pick(labels)
        else:
            answers[question.id] = tuple(draw.sample(labels, draw.between(1, 3)))
    return Profile.model_validate({"id": f"p{number}", "answers": answers})


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_p37_every_set_keeps_the_whole_mix(pipeline):
    settings = CandidateSettings(pipeline=pipeline)
    for number in range(25):
        found = write_offline(made_up(number), settings)
        assert found.log == () and len(found.prompts) == 20
        assert faults_of_mix(found.prompts, settings.mix) == ()
        assert list(found.counts().values()) == [6, 4, 3, 3, 2, 2]
        assert without_redundant(found.prompts, settings.mix)[1] == []


@pytest.mark.parametrize("answers", [{}, {"Q4": "Retro"}, {"Q12": 1, "Q13": 7}])
def test_p33_sparse_profiles_get_whole_sets_too(answers):
    found = write_offline(Profile(id="sparse", answers=answers))
    assert len(found.prompts) == 20 and found.log == ()
    assert all("None" not in prompt.text and "  " not in prompt.text for prompt in found.prompts)


def test_p33_the_same_input_gives_the_same_set_whoever_is_beside():
    alone = write_offline(USER_1)
    write_offline(USER_2)
    assert write_offline(USER_1) == alone
    assert write_offline(USER_1, CandidateSettings(seed=8)).prompts != alone.prompts


@pytest.mark.parametrize("total", [1, 7, 40])
def test_p37_other_totals_are_kept_by_largest_remainder(total):
    settings = CandidateSettings(mix=MixSettings(total=total))
    found = write_offline(USER_2, settings)
    assert found.counts() == {c: settings.mix.quotas()[c] for c in CATEGORIES}


def test_p37_a_set_that_is_begun_is_filled_up():
    cues, mix = cues_of(USER_1), MixSettings()
    begun = list(write_offline(USER_1).prompts[:12])
    more, log, _ = compose_prompts(cues, mix, seed=99, beside=begun)
    assert len(more) == 8 and log == []
    assert not {p.subject for p in more} & {p.subject for p in begun}


def test_p37_a_dry_table_is_told_in_the_log():
    mix = MixSettings(total=100, shared_at_most=1, subject_likeness=0.01)
    _, log, _ = compose_prompts(cues_of(Profile(id="x"), "profile_free"), mix)
    assert "count" in {line.rule for line in log}


def test_p18_two_people_differ_and_one_persons_prompts_belong_together():
    encoder = HashEncoder(dim=512)
    sets = [write_offline(made_up(number)) for number in range(12)]
    rows = [encoder.encode([p.text for p in one.prompts]) for one in sets]
    within = np.mean([mean_pairwise_cosine(r) for r in rows])
    between = mean_pairwise_cosine(np.concatenate(rows))
    assert within > between + 0.1


def test_p18_the_papers_two_users_get_what_their_profiles_say():
    one, two = write_offline(USER_1), write_offline(USER_2)
    assert one.metrics["openness"] == "6.5 of 7" and two.metrics["openness"] == "3.5 of 7"
    assert "ambiguity" in one.traits["Openness"] and "familiar" in two.traits["Openness"]
    assert {"cool grey", "white", "graphite"} & set(one.parameters.palette)
    assert {"navy", "teal", "pale blue", "ocean blue"} & set(two.parameters.palette)
    assert "minimalist and functional" in one.narrative and "medicine" in one.narrative
    first = one.parameters.palette[0]
    assert all(first in prompt.text for prompt in one.prompts)  # one style in all prompts


def test_p18_bright_for_the_extravert_and_quiet_for_the_introvert():
    def styles(mbti: str) -> set[str]:
        cues = cues_of(Profile(id="x", answers={"Q10": mbti}))
        return {p.text for slot in ("style", "lighting") for p in cues.slots[slot]}

    assert {"lively", "bright, open light"} <= styles("ENFP")
    assert {"quiet", "soft, low light"} <= styles("INFP")


def test_p39_every_part_of_the_output_is_there():
    found = write_offline(USER_1)
    assert found.profile_text.startswith("Field of study: medicine")
    assert found.synthesis and found.style.endswith(".") and len(found.scenarios) >= 3
    parts = found.parameters
    assert all([parts.style_tags, parts.lighting, parts.composition, parts.constraints])
    assert set(found.traits) == {"Openness", "CMA", "EVT", "Schwartz"}
    assert {prior.row for prior in found.priors} >= {"openness", "values", "evt", "cma", "hobbies"}


def test_p77_without_openness_nothing_tells_of_it():
    found = write_offline(USER_1, CandidateSettings(pipeline="no_openness"))
    text = found.model_dump_json().lower()
    assert "openness" not in text.replace("no_openness", "")
    assert not any(prior.id.startswith("openness") for prior in found.priors)


def test_p77_the_ablation_changes_the_prompts_of_an_open_person_only_through_openness():
    shut = USER_1.model_copy(update={"answers": dict(USER_1.answers) | {"Q12": 1, "Q13": 7}})
    ablated = CandidateSettings(pipeline="no_openness")
    assert write_offline(USER_1, ablated) == write_offline(shut, ablated)
    assert write_offline(USER_1).prompts != write_offline(shut).prompts


def test_p74_profile_free_sets_are_of_the_same_scale_and_complexity():
    free = CandidateSettings(pipeline="profile_free")
    ours = [write_offline(made_up(n)) for n in range(10)]
    theirs = [write_offline(made_up(n), free) for n in range(10)]
    lengths = [np.mean([len(p.text.split()) for s in sets for p in s.prompts])
               for sets in (ours, theirs)]  # fmt: skip
    assert lengths[0] == pytest.approx(lengths[1], rel=0.2)
    assert all(s.profile_text == "" and s.narrative == "" and not s.metrics for s in theirs)
    assert sum(len(words) for words in cues_of(made_up(1), "profile_free").slots.values()) == sum(
        CueSettings().tags.values()
    )


def test_p43_a_panel_names_prompt_keywords_and_the_priors_behind_them():
    found = write_offline(USER_2)
    prompt = found.prompts[0]
    panel = evidence_panel(found, prompt, "pictures/1.png")
    assert panel.prompt == prompt.text and panel.picture == "pictures/1.png"
    assert panel.keywords == prompt.keywords and panel.priors
    assert {prior.id for prior in panel.priors} <= set(prompt.priors)
    assert all(word.lower() in prompt.text.lower() for word in panel.properties)
    assert panel.priors[0].source in panel.explanation
    painted = {(found.profile_id, prompt.text): "a.png", ("nobody", "x"): "b.png"}
    assert [p.picture for p in evidence_panels([found], painted)] == ["a.png"]
    # A chat model names no priors: those count whose words stand in the prompt.
    bare = found.model_copy(update={"prompts": (prompt.model_copy(update={"priors": ()}),)})
    assert evidence_panel(bare, bare.prompts[0]).properties


def phrases(*texts: str) -> tuple[Phrase, ...]:
    return tuple(Phrase(text, 1.0, text) for text in texts)


def a_prompt(shown: str, category: str, place: int = 0, **slots: str) -> str:
    style = Style({slot: phrases(*slots.get(slot, "").split("; ")) if slot in slots else ()
                   for slot in SLOTS})  # fmt: skip
    draw = stream(3, "test", f"{shown}{place}")
    return worded(Phrase(shown, 1.0, ""), "", category, style, place, draw, StyleSettings()).text


@pytest.mark.parametrize(
    ("phrase", "text", "expected"),
    [
        ("candle light", "a surfer at the edge of the sea", False),
        ("even window light", "a bowl of apples on a kitchen table", True),
        ("diffused light in fog", "a scholar in a lecture hall", False),
        ("bright midday sun", "northern lights above a frozen lake", False),
        ("warm late-afternoon light", "a market hall at noon", False),
        ("moonlight through a window", "a field facing the morning sun", False),
        ("documentary", "fantasy concept painting", False),
        ("picture-book", "fine-art photograph", False),
        ("cinematic", "wide-screen film still", False),
        ("cinematic", "fine-art photograph", True),
        ("no bright colour", "hot pink, gold and silver", False),
        ("strong contrast", "low-contrast, hazy light", False),
        ("horizon", "a cup on a desk", False),
    ],
)
def test_p18_phrases_that_contradict_each_other_are_known(phrase, text, expected):
    assert goes_with(phrase, text) is expected


def test_p18_a_prompt_leaves_out_what_contradicts_it():
    told = a_prompt(
        "a surfer at the edge of the sea",
        "portrait",
        medium="fine-art photograph",
        style="picture-book; warm",
        lighting="candle light",
        palette="hot pink; gold; white",
        composition="top-down table view",
        constraints="no bright colour; sharp edges",
    )
    for words in ("picture-book", "candle", "table", "no bright"):
        assert words not in told.lower()
    assert "warm fine-art photograph" in told.lower() and "sharp edges" in told.lower()


def test_p18_an_adjective_is_not_said_twice():
    for place in range(4):
        told = a_prompt("a quiet garden", "landscape", place, medium="dramatic photograph",
                        style="quiet; dramatic; warm")  # fmt: skip
        assert "warm dramatic photograph" in told.lower()


def test_p18_a_style_has_no_colour_that_another_one_says():
    drawn = weighted_sample(
        phrases("yellow", "sunny yellow", "teal", "deep teal"), 4, stream(1, "x", "y")
    )
    assert len(drawn) == 2
    assert {phrase.text.split()[-1] for phrase in drawn} == {"yellow", "teal"}


def test_p38_words_of_light_and_mood_can_follow_one_another_in_a_list():
    entries = [entry.words for entry in theory().values()] + [aesthetic_tags()]
    for words in entries:
        for light in words.get("lighting", ()):
            assert " with " not in light, light  # "with clear light with open shadows"
        for mood in words.get("mood", ()):
            assert "," not in mood, mood
        for style in words.get("style", ()):
            assert " with " not in style and not style.endswith(("art", "photo")), style
    assert not suits("top-down table view", "hybrid")


def test_p43_a_priors_word_inside_another_word_is_no_evidence():
    prior = Prior(id="evt/ink", row="evt", source="s", words=("ink", "fine art"))
    prompt = CandidatePrompt(text="A pink drink, fine art print.", category="still_life")
    made = CandidateSet(profile_id="u", priors=(prior,), prompts=(prompt,))
    assert evidence_panel(made, prompt).properties == ("fine art",)
