"""Lines that speak of a concept are found, told, and left out (M14)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import UsageError
from eyeprint.methods.dialogue_conflicts import conflicts, without_conflicts
from eyeprint.methods.dialogues import KINDS, Turn, dialogue, dialogues
from eyeprint.people.tables import read_table
from eyeprint.records.concepts import Concept, Tastes

MUG = Concept(
    name="Aunt Vera's mug",
    category="object",
    kind="mug",
    descriptions={"simple": "<sks> is a blue, chipped, striped mug."},
)


def person(likes: tuple[str, ...] = (), dislikes: tuple[str, ...] = (), **more) -> Concept:
    tastes = {"lifestyle": Tastes(likes=likes, dislikes=dislikes)} if likes or dislikes else {}
    return Concept(name="Ann", category="human", tastes=tastes, **more)


def told(text: str, concept: Concept, least: int = 2) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.why, one.words) for one in conflicts([Turn("Go on.", text)], concept, least)]


@pytest.mark.parametrize(
    ("liked", "text", "found"),
    [
        ("hiking", "People who hike wear boots.", ("hike",)),
        ("hiking", "Long HIKES tire.", ("HIKES",)),
        ("tea", "The team met.", ()),
        ("tea", "A cup of tea.", ("tea",)),
        ("tea", "Teas differ.", ("Teas",)),
        ("K-pop music", "What is K-Pop?", ("K-Pop",)),
        ("K-pop music", "Is kpop old?", ("kpop",)),
        ("K-pop music", "What is pop music?", ()),
        ("kpop", "A K-pop group.", ("K-pop",)),
        ("wireless keyboards", "The keyboard is wireless.", ("wireless", "keyboard")),
        ("wireless keyboards", "The keyboard is old. So is wireless radio.", ()),
        ("second-hand shopping", "A shop for second hand goods.", ("second", "hand", "shop")),
        ("movies", "A good movie.", ("movie",)),
        ("books and movies", "A good movie.", ()),
        ("swimming", "They swim daily.", ("swim",)),
        ("striped shirts", "A shirt with a stripe.", ("stripe", "shirt")),
        ("hobbies", "A hobby.", ("hobby",)),
        ("glasses", "His glass is empty.", ("glass",)),
        ("gas", "A ga.", ()),
        ("咖啡", "我每天喝咖啡。", ("咖啡",)),
        ("咖啡", "我每天喝茶。", ()),
        ("café crème", "A Café Crème, please.", ("Café", "Crème")),
        ("the", "The.", ()),
        ("liking to be with people", "People like to be.", ()),
    ],
)
def test_m14_things_liked_are_found_as_whole_words_in_any_number(liked, text, found):
    want = [("taste", found)] if found else []
    # The order of words is the taste's own.
    got = told(text, person(likes=(liked,)))
    assert [(why, set(words)) for why, words in got] == [(why, set(words)) for why, words in want]
    assert told(text, person(dislikes=(liked,))) == got


def test_m14_a_preference_that_is_only_a_text_is_read_phrase_by_phrase():
    ann = person(preference="<sks> likes jazz and rock climbing. <sks> dislikes horror movies.")
    assert told("He plays jazz.", ann) == [("taste", ("jazz",))]
    assert told("Climb that rock!", ann) == [("taste", ("rock", "Climb"))]
    assert told("Horror is a genre.", ann) == [("taste", ("Horror",))]
    assert told("They dislike rock and movies.", ann) == []


def test_m14_a_look_needs_two_words_of_the_short_description_in_one_sentence():
    assert told("A blue sky.", MUG) == []
    assert told("A blue mug.", MUG) == [("look", ("blue", "mug"))]
    assert told("A mug. A blue plate.", MUG) == []
    assert told("A blue sky.", MUG, least=1) == [("look", ("blue",))]
    assert told("Blue stripes, no chips.", MUG, least=3) == [("look", ("Blue", "chips", "stripes"))]
    only_kind = Concept(name="x", category="object", kind="mug")
    assert told("A mug.", only_kind) == [("look", ("mug",))]
    with pytest.raises(UsageError, match="least_words is 0"):
        conflicts([], MUG, 0)


def test_m14_the_shortest_description_serves_where_there_is_no_short_one():
    cat = Concept(
        name="Tom",
        category="animal",
        descriptions={
            "detailed": "<sks> sits by a window.",
            "moderate": "A grey cat.",
        },
    )
    assert told("A grey cat by a window.", cat) == [("look", ("grey", "cat"))]
    assert told("It sits by a window.", cat) == []
    assert told("Anything.", Concept(name="Tom", category="animal")) == []


def test_m14_names_and_placeholders_are_found_as_written():
    assert told("This is <sks>.", MUG) == [("name", ("<sks>",))]
    assert told("And <sks_3>!", MUG) == [("name", ("<sks_3>",))]
    ann = person()
    assert told("Ann came.", ann) == [("name", ("Ann",))]
    assert told("Annual reports, ann.", ann) == []
    odd = Concept(name="C++ (old)", category="object")
    assert told("My C++ (old) book.", odd) == [("name", ("C++ (old)",))]


def test_m14_a_conflict_says_where_it_stands():
    talk = dialogues("preference")[0]._replace(
        turns=(Turn("Hi.", "Tea? No.\nCoffee then."), Turn("Is tea bad?", "No."))
    )
    found = conflicts(talk, person(likes=("tea",)))
    assert [(one.turn, one.role, one.line) for one in found] == [
        (0, "assistant", "Tea?"),
        (1, "user", "Is tea bad?"),
    ]
    assert found == conflicts(talk.turns, person(likes=("tea",)))


def test_m14_turns_with_conflicts_are_left_out_and_later_ones_taken():
    talk = [Turn(str(n), "tea" if n in (1, 3) else "water") for n in range(6)]
    kept = without_conflicts(talk, person(likes=("tea",)), 3)
    assert kept.turns == (talk[0], talk[2], talk[4])
    assert kept.left_out == (1, 3)
    assert [(one.turn, one.words) for one in kept.conflicts] == [(1, ("tea",)), (3, ("tea",))]
    assert without_conflicts(talk, person(likes=("tea",))).turns == (*kept.turns, talk[5])
    with pytest.raises(UsageError, match="5 turns are wanted, but only 4 of 6 say nothing of Ann"):
        without_conflicts(talk, person(likes=("tea",)), 5)


def test_m14_what_stands_after_the_last_wanted_turn_is_not_counted():
    talk = [Turn("1", "water"), Turn("2", "tea")]
    kept = without_conflicts(talk, person(likes=("tea",)), 1)
    assert kept.left_out == () and kept.conflicts == ()


def test_m14_a_concept_without_anything_keeps_every_turn():
    for kind in KINDS:
        turns = dialogue(kind, 100)
        assert without_conflicts(turns, Concept(name="Zzyzx", category="human")).turns == turns


def test_m15_our_dialogues_speak_of_a_persons_tastes_only_where_their_topic_is_it():
    fan = person(likes=("K-pop music", "chess boards"), dislikes=("espresso",))
    about = {kind: {one.id for one in dialogues(kind) if conflicts(one, fan)} for kind in KINDS}
    assert about == {
        "general": set(),
        "recognition": set(),
        "preference": {"kpop_groups", "coffee_and_tea", "hobbies"},
    }
    kept = without_conflicts(dialogue("preference", 100), fan)
    assert kept.left_out and not conflicts(kept.turns, fan)
    assert len(kept.turns) + len(kept.left_out) == 100


def test_m10_m14_general_dialogues_name_nothing_that_our_own_people_like_or_dislike():
    rows = read_table("preference_keywords.toml")["subdomain"]
    keywords = [keyword for row in rows for keyword in row["keywords"]]
    assert len(keywords) >= 150
    turns = dialogue("general", 120)
    named = [(keyword, conflicts(turns, person(likes=(keyword,)))) for keyword in keywords]
    assert [(keyword, found) for keyword, found in named if found] == []


words = st.sampled_from(["tea", "Teas", "team", "blue", "mugs", "stripe", "and", "go."])


@given(st.lists(st.lists(words, min_size=1, max_size=6).map(" ".join), max_size=8))
def test_m14_what_is_kept_has_no_conflict_and_nothing_else_is_lost(texts):
    drinker = MUG.model_copy(update={"tastes": {"lifestyle": Tastes(likes=("tea",))}})
    talk = [Turn(text, "Fine.") for text in texts]
    kept = without_conflicts(talk, drinker)
    assert conflicts(kept.turns, drinker) == []
    assert [turn for n, turn in enumerate(talk) if n not in kept.left_out] == list(kept.turns)
    assert {one.turn for one in kept.conflicts} == set(kept.left_out)
    assert [one.turn for one in conflicts(talk, drinker)] == [one.turn for one in kept.conflicts]
    # The slow twin: word by word, by hand-made lists of what each counts as.
    for n, text in enumerate(texts):
        bad = False
        for sentence in text.split(". "):
            seen = [word.strip(".").lower() for word in sentence.split()]
            looks = {"blue": 1, "mugs": 2, "stripe": 3}
            bad |= "tea" in seen or "teas" in seen
            bad |= len({looks[word] for word in seen if word in looks}) >= 2
        assert bad == (n in kept.left_out)
