"""VPRAG by loops and dictionaries, from the paper's text: the twin of the fast one."""

import math
from collections.abc import Callable

from eyeprint.records.people import CATEGORIES, Persona

Vector = list[float]


def dot(a: Vector, b: Vector) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def slow_vprag(
    person: Persona,
    query: str,
    embed: Callable[[str], Vector],
    tau: float,
    budget: int,
    three_phrases: bool,
) -> dict:
    posts = [post for post in person.posts if post.caption.strip()]
    asked = embed(query)
    if not posts:
        return {"kept": [], "elements": []}
    similarity = [dot(embed(post.caption), asked) for post in posts]
    top = max(similarity)
    powers = [math.exp((s - top) / tau) for s in similarity]
    weights = [power / sum(powers) for power in powers]
    entropy = -sum(w * math.log(w) for w in weights if w > 0)
    n_eff = math.exp(entropy)
    names = dict.fromkeys(CATEGORIES)
    for post in person.posts:
        names.update(dict.fromkeys(post.elements))
    close = {}
    for name in names:
        text = f"{name}: {CATEGORIES[name]}" if name in CATEGORIES else name
        close[name] = dot(embed(text), asked)
    order = sorted(names, key=lambda name: -close[name])
    total = 3 if three_phrases else budget * len(order)
    keep = max(1, min(math.floor(n_eff + 1e-6), 2 * total, len(posts)))
    kept = sorted(range(len(posts)), key=lambda i: (-weights[i], i))[:keep]
    chosen: list[tuple[str, str]] = []
    used: set[str] = set()
    for name in order:
        if three_phrases and len(chosen) >= 3:
            break
        pools = {}
        for i in kept:
            phrases = list(dict.fromkeys(p for p in posts[i].elements.get(name, ()) if p.strip()))
            if phrases:
                pools[i] = sorted(phrases, key=lambda p: -dot(embed(p), asked))
        if not pools:
            continue
        units = 1 if three_phrases else budget
        quota = quotas(
            {i: weights[i] * len(pool) for i, pool in pools.items()},
            {i: len(pool) for i, pool in pools.items()},
            units,
        )
        found = []
        for i, pool in pools.items():
            taken = 0
            for phrase in pool:
                if taken < quota[i] and phrase.casefold() not in used:
                    used.add(phrase.casefold())
                    found.append(phrase)
                    taken += 1
        room = min(units, sum(len(pool) for pool in pools.values()))
        rest = [p for pool in pools.values() for p in pool]
        for phrase in sorted(rest, key=lambda p: -dot(embed(p), asked)):
            if len(found) < room and phrase.casefold() not in used:
                used.add(phrase.casefold())
                found.append(phrase)
        chosen += [(p, name) for p in sorted(found, key=lambda p: -dot(embed(p), asked))]
    return {"kept": [posts[i].id for i in kept], "n_eff": n_eff, "elements": chosen}


def quotas(claims: dict[int, float], caps: dict[int, int], units: int) -> dict[int, int]:
    """Floor shares, then one unit each to the largest remainders, never beyond a cap."""
    given = dict.fromkeys(claims, 0)
    left = min(units, sum(caps.values()))
    while left:
        open_ones = [i for i in claims if given[i] < caps[i]]
        mass = sum(claims[i] for i in open_ones)
        share = {i: (claims[i] / mass if mass else 1 / len(open_ones)) * left for i in open_ones}
        before = left
        whole = {i: math.floor(share[i] + 1e-9) for i in open_ones}
        for i in open_ones:
            step = min(whole[i], caps[i] - given[i])
            given[i] += step
            left -= step
        fraction = {i: share[i] - whole[i] for i in open_ones}
        over = before - sum(whole.values())
        for i in sorted(open_ones, key=lambda i: (-round(fraction[i], 9), open_ones.index(i))):
            if left and over and given[i] < caps[i]:
                given[i] += 1
                left -= 1
                over -= 1
    return given
