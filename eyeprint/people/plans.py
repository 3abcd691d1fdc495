"""Which posts a person gets: kinds by quota, company and hours varied, in batches (V17)."""

from __future__ import annotations

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.maths.apportion import largest_remainder
from eyeprint.people.phrases import HOURS
from eyeprint.randomness import Stream
from eyeprint.records.people import POST_KINDS, PostKind


class PostSettings(Settings):
    """How many posts of which kind, and how they vary."""

    posts: int = Field(default=30, ge=1)
    kind_shares: tuple[float, float, float, float] = (0.35, 0.25, 0.25, 0.15)
    """Activity, appreciation, shared, selfie; whole numbers by largest remainder."""
    batch_low: int = Field(default=6, ge=1)
    batch_high: int = Field(default=8, ge=1)
    hour_shares: tuple[float, float, float, float] = (0.17, 0.43, 0.18, 0.22)
    """Dawn, day, dusk, night."""
    group_shares: tuple[float, float, float, float] = (0.45, 0.0, 0.70, 0.25)
    """Share of group posts in each kind; appreciation posts show nobody."""

    trade_shares: tuple[float, float, float, float] = (0.5, 0.3, 0.2, 0.3)
    """Share of scenarios about the person's trade in each kind, while they last."""


Wanted = tuple[PostKind, str, str]
"""Kind, "solo" or "group", and the hour to aim at."""


def plan_posts(settings: PostSettings, draw: Stream) -> list[list[Wanted]]:
    """Plan kinds, company and hours of all posts, in batches of 6–8.

    >>> from eyeprint.randomness import stream
    >>> plan = plan_posts(PostSettings(), stream(7, "posts", "p"))
    >>> [sum(kind == k for batch in plan for kind, _, _ in batch) for k in POST_KINDS]
    [11, 8, 7, 4]
    """
    counts = largest_remainder(settings.kind_shares, settings.posts).tolist()
    wanted: list[tuple[PostKind, str]] = []
    for kind, count, share in zip(POST_KINDS, counts, settings.group_shares, strict=True):
        groups = round(share * count)
        wanted += [(kind, "group" if i < groups else "solo") for i in range(count)]
    hours: list[str] = []
    for hour, count in zip(
        HOURS, largest_remainder(settings.hour_shares, settings.posts).tolist(), strict=True
    ):
        hours += [hour] * count
    hours = draw.shuffled(hours)
    mixed = [(kind, social, hours[i]) for i, (kind, social) in enumerate(draw.shuffled(wanted))]
    batches, start = [], 0
    for size in batch_sizes(settings, draw):
        batches.append(mixed[start : start + size])
        start += size
    return batches


def batch_sizes(settings: PostSettings, draw: Stream) -> list[int]:
    """Split the posts into batches of 6–8; a remainder too small joins its neighbours.

    >>> from eyeprint.randomness import stream
    >>> sizes = batch_sizes(PostSettings(), stream(7, "sizes", "p"))
    >>> sum(sizes), min(sizes) >= 6, max(sizes) <= 8
    (30, True, True)
    """
    low, high = settings.batch_low, settings.batch_high
    left, sizes = settings.posts, []
    while left:
        fits = [
            size
            for size in range(low, high + 1)
            if size <= left and (left - size == 0 or left - size >= low)
            and any(low * k <= left - size <= high * k for k in range(left // low + 1))
        ]  # fmt: skip
        size = draw.pick(fits) if fits else min(left, high)
        sizes.append(size)
        left -= size
    return sizes
