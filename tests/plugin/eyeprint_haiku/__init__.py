"""What another package needs to add a method, a chat model and an encoder to eyeprint."""

import numpy as np

from eyeprint.models.kinds import Encoded, Reply
from eyeprint.records.work import Material


def haiku(person, query, settings, models):
    """Give the writer three words of the person's."""
    words = " ".join(person.captions).split()[:3]
    return Material(person_id=person.id, query=query, method="haiku", about=" ".join(words))


class Shouting:
    """A chat model that repeats loudly."""

    def __init__(self, name):
        self.name = name

    async def reply(self, request):
        """Answer in capitals."""
        return Reply(text=request.messages[-1].text.upper())


class Letters:
    """An encoder that counts letters."""

    fingerprint, dim = "letters-1", 26

    def __init__(self, name):
        self.name = name

    def encode_counted(self, texts):
        """Encode by letter counts."""
        rows = np.array([[t.lower().count(chr(97 + i)) for i in range(26)] for t in texts], float)
        rows = rows.reshape(-1, 26)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
        return Encoded(vectors.astype(np.float32), np.zeros(len(rows), dtype=bool))

    def encode(self, texts):
        """Encode."""
        return self.encode_counted(texts).vectors


def shouting(name):
    """Make the chat model of a name."""
    return Shouting(name)


def letters(name):
    """Make the encoder of a name."""
    return Letters(name)
