"""Our chats behind Inspect's interface: what became of a reply, and what it took."""

from __future__ import annotations

import pytest

from eyeprint.models.inspect_provider import output_of
from eyeprint.models.kinds import Outcome, Reply, Usage

STOPS: dict[Outcome, str] = {
    "answered": "stop",
    "empty": "stop",
    "truncated": "max_tokens",
    "refused": "content_filter",
}


@pytest.mark.inspect
@pytest.mark.parametrize("outcome", STOPS)
def test_x9_what_became_of_a_reply_of_ours_is_told_to_inspect(outcome: Outcome):
    pytest.importorskip("inspect_ai")
    reply = Reply(text="Yes", outcome=outcome, usage=Usage(input_tokens=5, output_tokens=2))
    output = output_of(reply, "eyeprint/echo")
    assert (output.stop_reason, output.completion) == (STOPS[outcome], "Yes")
    assert (output.usage.input_tokens, output.usage.total_tokens) == (5, 7)
