"""Bradley–Terry the slow and obvious way: games one by one, and a loop that ends when it rests."""

import math

SCALE = 400 / math.log(10)


def wins_of(games, models):
    """games: (left, right, share won by left)."""
    table = [[0.0] * models for _ in range(models)]
    for left, right, share in games:
        table[left][right] += share
        table[right][left] += 1 - share
    return table


def mm_strengths(wins, prior_games=0.0, rounds=200_000):
    """Zermelo's loop: γ_i = W_i / Σ_j N_ij / (γ_i + γ_j); the fixed player has γ = 1."""
    n = len(wins)
    gamma = [1.0] * n
    for _ in range(rounds):
        old = list(gamma)
        for i in range(n):
            won = sum(wins[i]) + prior_games / 2
            below = prior_games / (gamma[i] + 1.0)
            for j in range(n):
                if j != i:
                    below += (wins[i][j] + wins[j][i]) / (gamma[i] + gamma[j])
            gamma[i] = won / below
        if not prior_games:
            # Without a prior only ratios matter: keep them from drifting away.
            middle = math.exp(sum(math.log(g) for g in gamma) / n)
            gamma = [g / middle for g in gamma]
        if max(abs(math.log(a / b)) for a, b in zip(gamma, old, strict=True)) < 1e-13:
            break
    theta = [math.log(g) for g in gamma]
    return [t - sum(theta) / n for t in theta]


def ratings(wins, prior_games=0.0):
    return [1500 + SCALE * t for t in mm_strengths(wins, prior_games)]


def reaches(wins, start):
    """Everybody whom ``start`` won points off, directly or through others."""
    seen, todo = {start}, [start]
    while todo:
        here = todo.pop()
        for other, share in enumerate(wins[here]):
            if share > 0 and other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


def strong(wins):
    return all(len(reaches(wins, i)) == len(wins) for i in range(len(wins)))


def joined(wins):
    n = len(wins)
    both = [[wins[i][j] + wins[j][i] for j in range(n)] for i in range(n)]
    return len(reaches(both, 0)) == n
