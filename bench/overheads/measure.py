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


def loop_of(statement, names, after=None, untimed=0):
    """Returns a function that repeats a statement and returns the nanoseconds of one. The first `untimed` calls do not count."""
    space = {**names, "_now": time.perf_counter_ns}
    first = f" for _ in range({untimed}):\n  {statement}\n" if untimed else ""
    exec(f"def loop(count):\n{first} began = _now()\n for _ in range(count):\n  {statement}\n return (_now() - began) / count", space)
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


def balanced_rows(count):
    """Returns orders of the numbers below `count` in which each one follows each other one equally often. They are a square of
    Williams, for an odd count together with its mirror image."""
    zigzag = [(step + 1) // 2 if step % 2 else -(step // 2) for step in range(count)]
    rows = [[(place + row) % count for place in zigzag] for row in range(count)]
    return rows + [row[::-1] for row in rows] if count % 2 else rows


class Orders:
    """Chooses the order of each round. In all rounds of a square, each way follows each other one equally often. At most one
    way in a square follows itself, between two rounds: it finds its own data in the caches of the processor."""

    def __init__(self, seed=1):
        self.random, self.names, self.rows, self.last = random.Random(seed), None, [], None

    def next(self, names):
        """Returns the names in the order of the next round."""
        if len(names) < 3:
            return list(names)
        if names != self.names or not self.rows:
            self.names, self.rows = list(names), balanced_rows(len(names))
            self.random.shuffle(self.rows)
        row = next((row for row in self.rows if names[row[0]] != self.last), self.rows[0])
        self.rows.remove(row)
        self.last = names[row[-1]]
        return [names[place] for place in row]


def alternate(ways, batch, rounds):
    """Runs each way in each round; a way that raises is reported with its exception, and the others go on.

    Each round compares the bare way with the others by a difference and a quotient, because the speed of a machine varies
    between the rounds.
    """
    samples, failures, orders = {name: [] for name in ways}, {}, Orders()
    for turn in range(-2, rounds):
        for name in orders.next([name for name in ways if name not in failures]):
            try:
                took = ways[name](batch)
            except Exception as error:  # each failure of a peer is a cell of the table
                failures[name] = {"failure": reason_of(error)}
                continue
            if turn >= 0:  # earlier turns warm up
                samples[name].append(took)
    cells = {name: failures.get(name) or summary(samples[name]) for name in ways}
    for name in ways:
        if "bare" in ways and name != "bare" and not {"bare", name} & set(failures):
            pairs = list(zip(samples["bare"], samples[name]))
            cells[name]["above"] = summary([took - least for least, took in pairs])
            cells[name]["times"] = summary([took / least for least, took in pairs])
    return cells
