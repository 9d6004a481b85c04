# SPDX-License-Identifier: Apache-2.0
"""Compares cucore.perf with Triton's do_bench, in one process, on one stream and with the same work: peers.py FOLDER.

Writes peers.md and peers.json into the folder. Needs PyTorch and Triton. Three tables:

- medians: of works of 50 microseconds and more. do_bench does not subtract the time of two events around nothing;
  the column with offset adds it to the median of cucore.perf
- verdicts: each comparison of two works is made twice; the verdicts have to agree
- sample: a block of work under perf.profile(), with both efficiencies
"""
import json
import statistics
import sys
from pathlib import Path

import torch
import triton.testing

import cucore
from cucore import perf

ROUNDS = 3
COMPARISONS = 20
MEBI = 1 << 20
ALIGNED = 1024  # elements


def works():
    """Works by name, from about 50 microseconds on."""
    def floats(mebi):
        return torch.rand(mebi * MEBI // 4, device="cuda")

    a, b, c = floats(512), floats(512), floats(512)
    small, other = floats(64), floats(64)
    square, half = torch.rand(2048, 2048, device="cuda"), torch.rand(4096, 4096, device="cuda").half()
    table, product = floats(256).reshape(-1, 4096), torch.empty_like(half)
    return {
        "copy of 64 MiB": lambda: other.copy_(small),
        "copy of 512 MiB": lambda: c.copy_(a),
        "add of 512 MiB": lambda: torch.add(a, b, out=c),
        "sum of 512 MiB": lambda: a.sum(),
        "softmax of 256 MiB": lambda: torch.softmax(table, 1),
        "f32 product of 2048": lambda: square @ square,
        "f16 product of 4096": lambda: torch.mm(half, half, out=product),
    }


def do_bench(work):
    """The median in seconds."""
    return triton.testing.do_bench(work, warmup=10, rep=60, return_mode="median") * 1e-3


def medians(stream):
    rows = []
    for name, work in works().items():
        theirs, ours = [], []
        for _ in range(ROUNDS):
            theirs.append(do_bench(work))
            ours.append(perf.measure(work, name=name, stream=stream, max_time=1.0))
        median = statistics.median(each.median for each in ours)
        offset = statistics.median(each.event_offset for each in ours)
        peer = statistics.median(theirs)
        rows.append({"work": name, "do_bench": peer, "cucore": median, "offset": offset, "ratio": median / peer,
                     "ratio_with_offset": (median + offset) / peer, "samples": ours[0].samples})
    return rows


def verdicts(stream):
    """The same comparison twice, for works that differ by 0 to 19 parts of a thousand.

    All counts are multiples of 1024. With others, torch takes a kernel without wide accesses.
    """
    count = 64 * MEBI
    thousandth = count // 1000 // ALIGNED * ALIGNED
    source = torch.rand(count * 2, device="cuda")
    target = torch.empty_like(source)
    rows = []
    for step in range(COMPARISONS):
        size = count + thousandth * step

        def one():
            target[:count].copy_(source[:count])

        def more():
            target[:size].copy_(source[:size])

        pairs = [perf.compare(one, more, stream=stream, max_time=1.0) for _ in range(2)]
        rows.append({"more": size / count - 1, "ratios": [p.ratio for p in pairs], "verdicts": [p.verdict.name for p in pairs]})
    return rows


def table(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(line) + " |" for line in lines), ""])


def report(result):
    us = "{:.2f}".format
    lines = [[r["work"], us(r["do_bench"] * 1e6), us(r["cucore"] * 1e6), us(r["offset"] * 1e6), f"{r['ratio']:.4f}", f"{r['ratio_with_offset']:.4f}"]
             for r in result["medians"]]
    agreed = sum(r["verdicts"][0] == r["verdicts"][1] for r in result["verdicts"])
    return "\n".join([
        f"# cucore.perf compared with do_bench on {result['device']}", "",
        "Medians in microseconds, of the medians of three rounds in turn.", "",
        table(["work", "do_bench", "cucore.perf", "events around nothing", "ratio", "ratio with these events"], lines),
        f"The verdicts of {agreed} of {len(result['verdicts'])} comparisons were the same twice.", "",
        table(["more work", "ratios", "verdicts"],
              [[f"{r['more']:.2%}", ", ".join(f"{x:.4f}" for x in r["ratios"]), ", ".join(r["verdicts"])] for r in result["verdicts"]])])


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    device = cucore.Device(0)
    stream = cucore.Stream(device)
    with torch.cuda.stream(torch.cuda.ExternalStream(stream.native)):
        result = {"device": device.name, "medians": medians(stream), "verdicts": verdicts(stream)}
    (folder / "peers.json").write_text(json.dumps(result, indent=1))
    (folder / "peers.md").write_text(report(result))
    print(report(result))


if __name__ == "__main__":
    main()
