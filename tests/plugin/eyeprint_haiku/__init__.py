"""What another package needs to add methods, models, a painter and a judge to eyeprint."""

import numpy as np

from eyeprint.models.kinds import Encoded, Painted, Reply
from eyeprint.records.cases import PaintPlan
from eyeprint.records.pictures import Picture
from eyeprint.records.work import Material
from eyeprint.scores.pair_judge import decided


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


async def mirror(ask, settings, models):
    """Ask for a picture like the first reference."""
    return PaintPlan(
        case_id=ask.case_id, method="mirror", way="edit", prompt=ask.prompt, references=(0,)
    )


mirror.way = "edit"
mirror.paradigm = "Joint conditioning"


class Flat:
    """A painter of one colour: that of the first reference, or gray."""

    fingerprint, ways = "flat-1", frozenset({"text", "edit"})

    def __init__(self, name):
        self.name = name

    async def paint(self, request, way="text"):
        """Paint."""
        colour = request.references[0].pixels.mean((0, 1)) if request.references else 128
        return Painted(Picture.of(np.full((32, 32, 3), colour, np.uint8)))


def flat(name):
    """Make the painter of a name."""
    return Flat(name)


class Brightest:
    """A judge that prefers what is brighter."""

    name, fingerprint = "brightest", "brightest-1"

    def __init__(self, settings):
        self.settings = settings

    async def compare(self, question):
        """Judge."""
        one, other = (p.pixels.mean() for p in (question.first, question.second))
        side = "tie" if one == other else "first" if one > other else "second"
        return decided(question, self.name, side, 0.9, self.settings)
