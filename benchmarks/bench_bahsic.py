"""BAHSIC: seconds, peak memory, ratio to plain NumPy, and growth in n and d. Run by `make bench`.

Each measurement runs in a process of its own, so that its peak memory is its own; memory is told
beyond the data and the imported libraries. The peer is :func:`plain_bahsic`, a straightforward
vectorised NumPy version of algorithm 1 with the same schedule of removals: for every feature the
distances without it, one exponential an entry, one inner product. Where it would take hours it is
timed on its first removals and scaled up by the number it would have to score; that is said.
Ratios compare runs on the same machine a moment apart; the load is printed with them.
"""

import argparse
import os
import time

import numpy as np
from measuring import answer, growth_exponent, load, measured, median_cost, repeat_apart, run_apart

SIZES = [(300, 200), (100, 2000), (100, 20000), (1000, 2000)]
GROWTH_IN_N = [(250, 1000), (500, 1000), (1000, 1000), (2000, 1000)]
GROWTH_IN_D = [(200, 1000), (200, 2000), (200, 4000), (200, 8000)]
VARIANTS = {"default": {}, "1 context": {"n_contexts": 1}}
PEER_BUDGET = 20.0
REPETITIONS = 3


def make_data(n, d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, np.sign(X[:, 0] * X[:, 1]).astype(int)


def removal_schedule(d, step):
    """Sizes of the sets in which every removal is scored."""
    sizes = []
    while d > 1:
        sizes.append(d)
        d -= min(max(1, int(step * d)), d - 1)
    return sizes


def plain_bahsic(X, y, *, step=0.25, budget=np.inf):
    """Vectorised NumPy BAHSIC; returns the order so far and the share of the work done."""
    n = len(X)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    L = (y[:, None] == y[None, :]) / np.array([np.sum(y == label) for label in y])
    np.fill_diagonal(L, 0)
    row = L.sum(axis=1)
    weights = L + row.sum() / ((n - 1) * (n - 2)) - (row[:, None] + row[None, :]) / (n - 2)
    np.fill_diagonal(weights, 0)
    start, scored = time.perf_counter(), 0
    total = sum(removal_schedule(X.shape[1], step))
    remaining, removed = np.arange(X.shape[1]), []
    while len(remaining) > 1:
        block = X[:, remaining]
        norms = (block**2).sum(axis=1)
        distances = norms[:, None] + norms[None, :] - 2 * block @ block.T
        rate = 4.0 / (distances.sum() / (n * (n - 1)))
        left = np.empty(len(remaining))
        for j in range(len(remaining)):
            gap = block[:, j][:, None] - block[:, j][None, :]
            left[j] = np.sum(weights * np.exp(-rate * (distances - gap * gap)))
            scored += 1
            if time.perf_counter() - start > budget:
                return removed, scored / total
        n_drop = min(max(1, int(step * len(remaining))), len(remaining) - 1)
        worst = np.argsort(-left, kind="stable")[:n_drop]
        removed += remaining[worst].tolist()
        remaining = np.delete(remaining, worst)
    return removed + remaining.tolist(), 1.0


def measure_here(task):
    """Run one measurement in this process."""
    X, y = make_data(task["n"], task["d"])
    if task["who"] == "plain":
        (_, share), cost = measured(lambda: plain_bahsic(X, y, budget=PEER_BUDGET))
        return {**cost, "seconds": cost["seconds"] / share, "share": share}
    from hsieve import BAHSIC

    BAHSIC(2).fit(X[:20, :20], np.arange(20) % 2)
    selector = BAHSIC(2, **VARIANTS[task["who"]])
    return measured(lambda: selector.fit(X, y))[1]


def median_of(who, n, d, repetitions):
    return median_cost(repeat_apart(__file__, {"who": who, "n": n, "d": d}, repetitions))


def growth(sizes, axis, repetitions):
    """Exponent of the growth of time along one axis, and the seconds as text."""
    seconds = [median_of("default", n, d, repetitions).seconds for n, d in sizes]
    shown = ", ".join(f"{size}: {s:.2f} s" for size, s in zip(sizes, seconds, strict=True))
    return growth_exponent([size[axis] for size in sizes], seconds), shown


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--task", help=argparse.SUPPRESS)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    options = parser.parse_args()
    if options.task:
        answer(options.task, measure_here)
        return
    print(f"BAHSIC, full ranking, {os.cpu_count()} cores, {load()} at the start")
    print("     n      d    variant   seconds     GB  plain NumPy   ratio")
    for n, d in SIZES:
        peer = run_apart(__file__, {"who": "plain", "n": n, "d": d})
        note = "" if peer["share"] == 1 else f"  (plain: {peer['share']:.1%} run, scaled up)"
        for variant in VARIANTS:
            ours = median_of(variant, n, d, options.repetitions)
            print(
                f"{n:>6} {d:>6} {variant:>10} {ours.seconds:>9.2f} {ours.memory:>6.2f} "
                f"{peer['seconds']:>10.1f} s {peer['seconds'] / ours.seconds:>6.0f}x{note}",
                flush=True,
            )
    for name, sizes, axis in (("n", GROWTH_IN_N, 0), ("d", GROWTH_IN_D, 1)):
        slope, shown = growth(sizes, axis, options.repetitions)
        print(f"growth in {name}: exponent {slope:.2f}   ({shown})", flush=True)
    print(f"{load()} at the end")


if __name__ == "__main__":
    main()
