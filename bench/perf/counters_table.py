# SPDX-License-Identifier: Apache-2.0
"""Prints the differences of the profiler's figures from Nsight Compute's, and the overhead of sessions, as tables in markdown."""
import csv
import json
import sys
from collections import defaultdict
from pathlib import Path

WARM_UP = 2  # launches of each kernel that are not compared
SHARED = ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_")
GLOBAL = ("l1tex__t_sectors_pipe_lsu_mem_global_op_", "l1tex__t_requests_pipe_lsu_mem_global_op_")
SIDES = ("ld.sum", "st.sum")
# Counters of the CPU device, by the metrics of ncu that count the same. That with "sass" counts the instructions of the code.
# The hardware counts more wavefronts and conflicts: those with data that returns from the L2 cache, which differ from launch to launch.
CODE_WAVEFRONTS = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_"
CODE = {"sectors": ("global", GLOBAL[0]), "requests": ("global", GLOBAL[1]), "wavefronts": ("shared", CODE_WAVEFRONTS)}


def load(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def read_ncu(path):
    """Returns the mean of each metric of each kernel."""
    values = defaultdict(lambda: defaultdict(list))
    if not path.exists():
        return {}
    lines = [line for line in path.read_text().splitlines() if line.startswith('"')]
    for row in csv.DictReader(lines):
        name = row["Kernel Name"].split("(")[0]
        values[name][row["Metric Name"]].append(float(row["Metric Value"].replace(",", "")))
    return {name: {metric: sum(each[WARM_UP:]) / len(each[WARM_UP:]) for metric, each in metrics.items() if len(each) > WARM_UP}
            for name, metrics in values.items()}


def of_one_call(row):
    """Returns the sums of one call. Other than in ncu, no launch is left out."""
    counters = {name: value / row["calls"] for name, value in row["counters"].items() if name.endswith(".sum") and value is not None}
    counters["dram__bytes_read.sum"] = counters.get("dram__bytes_read.sum", counters.get("dram__bytes_op_read.sum"))
    counters["dram__bytes_write.sum"] = counters.get("dram__bytes_write.sum", counters.get("dram__bytes_op_write.sum"))
    return counters


def rate(metrics, seconds):
    moved = metrics.get("dram__bytes_read.sum"), metrics.get("dram__bytes_write.sum")
    return None if None in moved or not seconds else sum(moved) / seconds / 1e9


def show(value, digits=1):
    return "-" if value is None else f"{value:,.{digits}f}"


def difference(value, reference):
    return "-" if value is None or not reference else f"{(value / reference - 1) * 100:+.2f} %"


def compare(metrics, reference, prefixes):
    """Says whether both profilers have the same counts."""
    worst = None
    for prefix in prefixes:
        for side in SIDES:
            mine, other = metrics.get(prefix + side), reference.get(prefix + side)
            if mine is None or other is None:
                continue
            worst = max(worst or 0, abs(mine - other) / other if other else abs(mine))
    return "-" if worst is None else "equal" if worst == 0 else f"{worst * 100:.3f} %"


def kernels(counters, counts, events, ncu, ncu_counts):
    by_counts = {row["name"]: of_one_call(row) for row in counts["kernels"]} if counts else {}
    by_events = {row["name"]: row for row in events["kernels"]} if events else {}
    lines = ["| kernel | ncu us | counters us | events us | events / ncu | ncu GB/s | counters GB/s | difference | sectors, requests | wavefronts, conflicts |",
             "|---|" + "---|" * 9]
    for row in sorted(counters["kernels"], key=lambda each: each["name"]):
        name, metrics = row["name"], of_one_call(row)
        reference = ncu.get(name, {})
        time = reference.get("gpu__time_duration.sum")
        time = time / 1e9 if time else None
        mine = row["seconds"]["mean"]
        event = by_events.get(name, {}).get("seconds", {}).get("mean")
        lines.append(f"| {name} | {show(time and time * 1e6, 2)} | {show(mine and mine * 1e6, 2)} | {show(event and event * 1e6, 2)} | "
                     f"{difference(event, time)} | {show(rate(reference, time))} | {show(rate(metrics, mine))} | "
                     f"{difference(rate(metrics, mine), rate(reference, time))} | {compare(by_counts.get(name, {}), ncu_counts.get(name, {}), GLOBAL)} | "
                     f"{compare(by_counts.get(name, {}), ncu_counts.get(name, {}), SHARED)} |")
    return lines


def sum_of(metrics, prefix):
    return sum(metrics[prefix + side] for side in SIDES) if prefix + SIDES[0] in metrics else None


def emulated(report, ncu, ncu_code):
    """Compares the counts of the CPU device with ncu's. The last columns are what the hardware counts beyond the wavefronts of the code,
    and its conflicts beyond those of the CPU device."""
    lines = ["| kernel | " + " | ".join(CODE) + " | conflicts | further wavefronts of the hardware | further conflicts |", "|---|" + "---|" * (len(CODE) + 3)]
    for row in sorted(report["kernels"], key=lambda each: each["name"]):
        name, cells, counted = row["name"], [], row["counters"]
        reference = {**ncu.get(name, {}), **ncu_code.get(name, {})}
        for what, (space, prefix) in CODE.items():
            mine = {prefix + side: counted[f"cpu.{space}_{access}_{what}"] for access, side in zip(("load", "store"), SIDES)}
            cells.append(compare(mine, reference, (prefix,)))
        conflicts = counted["cpu.shared_load_bank_conflicts"] + counted["cpu.shared_store_bank_conflicts"]
        pairs = (sum_of(reference, SHARED[0]), sum_of(reference, CODE_WAVEFRONTS)), (sum_of(reference, SHARED[1]), conflicts)
        further = [None if None in pair else pair[0] - pair[1] for pair in pairs]
        lines.append(f"| {name} | {' | '.join(cells)} | {show(conflicts, 0)} | {show(further[0], 0)} | {show(further[1], 0)} |")
    return lines


def range_of(report):
    """Compares the counters of a range with the sums of its kernels, which were counted one by one."""
    lines = ["| counter | of the range | of its kernels | difference |", "|---|---|---|---|"]
    for name, value in next(each for each in report["ranges"] if each["name"]).get("counters", {}).items():
        total = sum(row["counters"].get(name) or 0 for row in report["kernels"])
        lines.append(f"| {name} | {show(value, 0)} | {show(total, 0)} | {difference(value, total)} |")
    return lines + [f"\nMissing: {part['why']}" for part in report["missing"] if part["what"] == "counters"]


def overhead(rows):
    lines = ["| kernel us | timeline | launches | without ms | with ms | ratio | 95 % interval |", "|---|" + "---|" * 6]
    for row in rows:
        lines.append(f"| {row['kernel_us']} | {'yes' if row['timeline'] else 'no'} | {row['launches']} | {row['plain_ms']:.2f} | "
                     f"{row['profiled_ms']:.2f} | {row['ratio']:.4f} | {row['low']:.4f} to {row['high']:.4f} |")
    return lines


def short_blocks(reports):
    lines = ["| source | us | timed | calls | note |", "|---|" + "---|" * 4]
    for report in reports:
        for row in report["kernels"]:
            lines.append(f"| {report['source']} | {row['seconds']['mean'] * 1e6:.2f} | {row['timed']} | {row['calls']} | {row['note']} |")
    return lines


def memory(rows):
    return ["| timeline | launches | kB before | kB after |", "|---|---|---|---|"] + [
        f"| {'yes' if row['timeline'] else 'no'} | {row['launches']} | {row['kilobytes_before']} | {row['kilobytes_after']} |" for row in rows]


def main():
    folder = Path(sys.argv[1])
    counters, events = load(folder / "counters.json"), load(folder / "events.json")
    if counters:
        machine = counters["machine"]
        print(f"# Profiles of {machine['device']}, {machine['date'][:10]}\n\nDriver {machine['driver']}.\n")
        for part in counters["missing"]:
            print(f"Missing {part['what']}: {part['why']} {part['remedy']}\n")
        print("\n".join(kernels(counters, load(folder / "counts.json"), events, read_ncu(folder / "ncu-rates.csv"), read_ncu(folder / "ncu-metrics.csv"))))
    counted = load(folder / "emulated.json")
    if counted:
        print("\n## CPU device\n")
        print("\n".join(emulated(counted, read_ncu(folder / "ncu-metrics.csv"), read_ncu(folder / "ncu-code.csv"))))
    for name, write in (("range", range_of), ("activity", short_blocks), ("overhead", overhead), ("memory", memory)):
        content = load(folder / f"{name}.json")
        if content:
            print(f"\n## {name}\n")
            print("\n".join(write(content)))


if __name__ == "__main__":
    main()
