# SPDX-License-Identifier: Apache-2.0
"""Measures ways of one operation in turns, and summarises them without an assumption about their distribution."""
import math
import random
import statistics
import time

CONFIDENCE = 0.95


def interval_ranks(count):
    """Returns the ranks, from 0, of the order statistics that enclose the median with CONFIDENCE; None for few samples.

    The number of samples below the median is binomial with p = 1/2, whatever the distribution of the samples is.
    """
    tail, low = 0.0, -1
    for rank in range(count // 2):
        tail += math.comb(count, rank) / 2 ** count
        if 2 * tail > 1 - CONFIDENCE:
            break
        low = rank
    return (low, count - 1 - low) if low >= 0 else None


def summary(samples):
    ordered = sorted(samples)
    ranks = interval_ranks(len(ordered))
    low, high = ranks or (0, len(ordered) - 1)
    return {"median": statistics.median(ordered), "low": ordered[low], "high": ordered[high], "samples": len(ordered),
            "confidence": CONFIDENCE if ranks else None}


def loop_of(statement, names, after=None):
    """Returns a function that repeats a statement and returns the nanoseconds of one."""
    space = {**names, "_now": time.perf_counter_ns}
    exec(f"def loop(count):\n began = _now()\n for _ in range(count):\n  {statement}\n return (_now() - began) / count", space)
    loop = space["loop"]

    def run(count):
        took = loop(count)
        if after:
            after()
        return took
    return run


def reason_of(error):
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:200]


def orders(names, seed=1):
    """Yields orders of the names without end, in which each one follows each other one equally often, and never itself.

    A way that runs twice in a row finds its own data in the caches of the processor, which no other way does.
    """
    shuffle, last = random.Random(seed).shuffle, None
    order = list(names)
    while True:
        shuffle(order)
        if len(order) == 1 or order[0] != last:
            last = order[-1]
            yield list(order)


def alternate(ways, batch, rounds):
    """Runs each way in each round; a way that raises is reported with its exception, and the others go on.

    Each round compares the first way with the others by a difference and a quotient, because the speed of a machine varies
    between the rounds.
    """
    samples, failures = {name: [] for name in ways}, {}
    for turn, order in zip(range(-2, rounds), orders(ways)):
        for name in order:
            if name in failures:
                continue
            try:
                took = ways[name](batch)
            except Exception as error:  # each failure of a peer is a cell of the table
                failures[name] = {"failure": reason_of(error)}
                continue
            if turn >= 0:  # earlier turns warm up
                samples[name].append(took)
    cells = {name: failures.get(name) or summary(samples[name]) for name in ways}
    first, *others = ways
    for name in others:
        if first not in failures and name not in failures:
            pairs = list(zip(samples[first], samples[name]))
            cells[name]["above"] = summary([took - least for least, took in pairs])
            cells[name]["times"] = summary([took / least for least, took in pairs])
    return cells
