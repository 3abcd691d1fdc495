"""Deterministic stand-ins for models, shipped so that users can test their code too.

They have no canned wisdom: a chat repeats or follows a script, an encoder hashes words.
Their names say what they are, and appear in every result made with them.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from eyeprint.config import fingerprint_of
from eyeprint.models.kinds import Chat, ChatRequest, Encoded, Reply, Usage, Vectors
from eyeprint.randomness import stable_digest


def _words(text: str) -> int:
    return len(text.split())


TOKENS_PER_PICTURE = 100
"""What the chats here count for a picture of any size."""


def _usage(request: ChatRequest, text: str) -> Usage:
    """Count words, and 100 for a picture, as tokens: a number that a test can foresee."""
    given = sum(
        _words(message.text) + TOKENS_PER_PICTURE * len(message.images)
        for message in request.messages
    )
    return Usage(input_tokens=given, output_tokens=_words(text))


class EchoChat:
    """Answers with the last message, as it is.

    >>> from eyeprint.models.kinds import Message
    >>> one = ChatRequest(messages=(Message(role="user", text="a red door"),))
    >>> asyncio.run(EchoChat().reply(one)).text
    'a red door'
    """

    def __init__(self, name: str = "echo", seconds: float = 0.0) -> None:
        self.name = name
        self.seconds = seconds
        """How long an answer takes."""

    async def reply(self, request: ChatRequest) -> Reply:
        """Answer with the request's last message."""
        if self.seconds:
            await asyncio.sleep(self.seconds)
        text = request.messages[-1].text
        outcome = "answered" if text.strip() else "empty"
        return Reply(
            text=text,
            outcome=outcome,
            finish_reason="stop",
            served_model=self.name,
            usage=_usage(request, text),
        )


class ScriptedChat:
    """Answers from a script: a list in order, or a function of the request.

    An entry is a text or a whole :class:`Reply`. A list that has run out is an error, as
    a test that asks more than it planned for should fail.

    >>> from eyeprint.models.kinds import Message
    >>> one = ChatRequest(messages=(Message(role="user", text="Hi"),))
    >>> asyncio.run(ScriptedChat(["first", "second"]).reply(one)).text
    'first'
    """

    def __init__(
        self,
        script: Iterable[str | Reply] | Callable[[ChatRequest], str | Reply],
        name: str = "scripted",
    ) -> None:
        self.name = name
        self.requests: list[ChatRequest] = []
        """Every request so far, in order."""
        self._function = script if callable(script) else None
        self._entries = iter(()) if callable(script) else iter(script)

    async def reply(self, request: ChatRequest) -> Reply:
        """Answer with the next entry of the script."""
        self.requests.append(request)
        if self._function is not None:
            entry = self._function(request)
        else:
            try:
                entry = next(self._entries)
            except StopIteration:
                raise IndexError(
                    f"ScriptedChat was asked {len(self.requests)} times, more than its script has."
                ) from None
        if isinstance(entry, Reply):
            return entry
        outcome = "answered" if entry.strip() else "empty"
        return Reply(
            text=entry,
            outcome=outcome,
            finish_reason="stop",
            served_model=self.name,
            usage=_usage(request, entry),
        )


class FlakyChat:
    """Fails the first calls of each distinct request, then lets the inner model answer.

    >>> from eyeprint.models.kinds import Message
    >>> one = ChatRequest(messages=(Message(role="user", text="Hi"),))
    >>> chat = FlakyChat(EchoChat(), failures=1)
    >>> [asyncio.run(chat.reply(one)).outcome for _ in range(2)]
    ['failed', 'answered']
    """

    def __init__(self, inner: Chat, failures: int = 1, reply: Reply | None = None) -> None:
        self.name = inner.name
        self.inner = inner
        self.failures = failures
        self.bad = reply or Reply(outcome="failed", failure="server_error", detail="told to fail")
        """What the failing calls return: a failed, empty, truncated or refused reply."""
        self._seen: Counter[ChatRequest] = Counter()

    async def reply(self, request: ChatRequest) -> Reply:
        """Fail while this request is new, then answer."""
        self._seen[request] += 1
        if self._seen[request] <= self.failures:
            return self.bad
        return await self.inner.reply(request)


class CountingChat:
    """Counts the calls that reach the inner model, and how many ran at once.

    >>> from eyeprint.models.kinds import Message
    >>> chat = CountingChat(EchoChat())
    >>> _ = asyncio.run(chat.reply(ChatRequest(messages=(Message(role="user", text="Hi"),))))
    >>> chat.calls
    1
    """

    def __init__(self, inner: Chat) -> None:
        self.name = inner.name
        self.inner = inner
        self.per_request: Counter[ChatRequest] = Counter()
        self.at_once = 0
        self.most_at_once = 0

    @property
    def calls(self) -> int:
        """Calls so far."""
        return self.per_request.total()

    async def reply(self, request: ChatRequest) -> Reply:
        """Count, and let the inner model answer."""
        self.per_request[request] += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            return await self.inner.reply(request)
        finally:
            self.at_once -= 1


class HashEncoder:
    """Hashed bags of words as unit vectors: texts that share words are close (CHECKLIST X2).

    Row = Σ over words of ±1 at the word's hashed place, divided by its length. Equal in
    every process and on every machine; no meaning beyond shared words.

    >>> rows = HashEncoder(dim=64).encode(["a red door", "A red door!", ""])
    >>> round(float(rows[0] @ rows[1]), 6), float(rows[2] @ rows[2])
    (1.0, 0.0)
    """

    def __init__(self, dim: int = 256, most_words: int = 256) -> None:
        self.name = "hash"
        self.dim = dim
        self.most_words = most_words
        """Words that are read; the rest of a text is cut."""

    @property
    def fingerprint(self) -> str:
        """Identity of the hashing and its limits."""
        return fingerprint_of(["hash-encoder-1", self.dim, self.most_words])

    def encode_counted(self, texts: Sequence[str]) -> Encoded:
        """Encode, and say which texts had more words than are read."""
        rows = np.zeros((len(texts), self.dim), dtype=np.float64)
        cut = np.zeros(len(texts), dtype=np.bool_)
        for i, text in enumerate(texts):
            words = re.findall(r"\w+", text.lower())
            cut[i] = len(words) > self.most_words
            for word in words[: self.most_words]:
                digest = stable_digest(word)
                place = int.from_bytes(digest[:8], "little") % self.dim
                rows[i, place] += 1.0 if digest[8] & 1 else -1.0
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        vectors: Vectors = (rows / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
        return Encoded(vectors, cut)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode: row i belongs to text i."""
        return self.encode_counted(texts).vectors
