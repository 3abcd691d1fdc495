"""Items of a run: their names in the folder."""

import json

from hypothesis import given
from hypothesis import strategies as st

from eyeprint.protocols.vptt_drafts import Item
from eyeprint.protocols.vptt_tasks import Task, choose_tasks

TASK = choose_tasks("cultural_site")[0]
odd = st.text(st.sampled_from('a|"[],\\ \ud800'), max_size=4)


def item(person: str, task: str, method: str, writer: str) -> Item:
    return Item(person, Task.model_construct(**{**dict(TASK), "id": task}), method, writer)


@given(st.tuples(odd, odd, odd, odd), st.tuples(odd, odd, odd, odd))
def test_x17_two_items_never_share_a_key(one, other):
    assert (item(*one).key == item(*other).key) == (one == other)
    item(*one).key.encode()
    assert json.loads(item(*one).key) == list(one)


def test_x17_a_bar_in_an_id_does_not_move_to_the_next_field():
    assert item("a|b", "c", "m", "plain").key != item("a", "b|c", "m", "plain").key
