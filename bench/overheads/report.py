# SPDX-License-Identifier: Apache-2.0
"""Writes results of benchmarks as Markdown and as SVG, which matplotlib draws."""
import json

COLUMNS = ("bare", "bare, function", "cucore C", "cucore Python", "cuda.core", "CuPy", "Triton", "PyTorch", "Numba")


def figure(value):
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def cell(result):
    """Microseconds: the median, and its interval."""
    if not result:
        return ""
    if "failure" in result:
        return result["failure"].replace("|", "\\|")
    median, low, high = (result[name] / 1000 for name in ("median", "low", "high"))
    return f"{figure(median)} ({figure(low)}–{figure(high)})" if result["samples"] > 1 else figure(median)


def header(machine):
    names = ("device", "python", "cores", "date", "image_bytes", "stored_bytes", "load")
    return ", ".join(f"{name.replace('_', ' ')} {machine[name]}" for name in names if name in machine)


def excess(cell, target):
    """Returns how far a cell exceeds a target, and the figure that decides: "0.25" and "bare + 0.05" are microseconds, and
    "bare + 1 %" is a part of the bare call. Returns None without a target or without a bare call."""
    if not target or "median" not in cell or (target.startswith("bare") and "above" not in cell):
        return None
    if not target.startswith("bare"):
        median = cell["median"] / 1000
        return median - float(target), figure(median)
    more = target.removeprefix("bare + ")
    if more.endswith("%"):
        percent = 100 * (cell["times"]["median"] - 1)
        return percent - float(more.removesuffix(" %")), f"{percent:+.1f} %"
    above = cell["above"]["median"] / 1000
    return above - float(more), f"{above:+.3f}"


def verdict(row, column, target):
    """Returns "yes" or "no", with the figure that decides."""
    found = excess(row["cells"].get(column, {}), target)
    if found is None:
        return "–"
    return f"{'yes' if found[0] <= 0 else 'no'} ({found[1]})"


def verdicts(result):
    """One line per row with a target: whether C and Python reach it. Differences from the bare call are medians of those of
    each round."""
    lines = ["| row | target C / Python, µs | C | Python |", "|---|---|---|---|"]
    for row in result["rows"]:
        in_c, in_python = row["target"]["C"], row["target"]["Python"]
        if in_c or in_python:
            lines.append(f"| {row['title']} | {in_c or '–'} / {in_python or '–'} | {verdict(row, 'cucore C', in_c)} | "
                         f"{verdict(row, 'cucore Python', in_python)} |")
    return "\n".join(lines) + "\n"


def table(result):
    present = [name for name in COLUMNS if any(name in row["cells"] for row in result["rows"])]
    lines = [header(result["machine"]), "", "| µs, median (95 % interval) | " + " | ".join(present) + " | target C / Python |",
             "|---" * (len(present) + 2) + "|"]
    for row in result["rows"]:
        target = " / ".join(value or "–" for value in row["target"].values())
        lines.append(f"| {row['title']} | " + " | ".join(cell(row["cells"].get(name)) for name in present) + f" | {target} |")
    lines += ["", *(f"- {name}: {reason}" for name, reason in result["missing"].items())]
    return "\n".join(lines).rstrip() + "\n"


def write(result, out):
    """Writes a result as JSON, as tables and as a plot to a folder, and prints the tables."""
    name = result["name"]
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n")
    text = table(result) + "\n" + verdicts(result)
    (out / f"{name}.md").write_text(text)
    print(text)
    print(plot(result, out / f"{name}.svg"))


def new_figure(width, height):
    """Returns matplotlib's pyplot and a figure; raises ImportError if it is not installed."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "cucore"  # equal results have equal files
    from matplotlib import pyplot
    return pyplot, pyplot.figure(figsize=(width, height), layout="tight")


def plot(result, path):
    """Draws the medians with their intervals, one line per row; returns a sentence about the file."""
    try:
        pyplot, drawn = new_figure(9, 7)
    except ImportError:
        return f"{path} is not drawn, because matplotlib is not installed"
    axes = drawn.add_subplot()
    rows = result["rows"][::-1]
    for index, name in enumerate(COLUMNS):
        cells = [(place, row["cells"][name]) for place, row in enumerate(rows) if "median" in row["cells"].get(name, {})]
        if not cells:
            continue
        medians = [found["median"] / 1000 for _, found in cells]
        errors = [[(found["median"] - found["low"]) / 1000 for _, found in cells],
                  [(found["high"] - found["median"]) / 1000 for _, found in cells]]
        axes.errorbar(medians, [place + 0.3 - 0.08 * index for place, _ in cells], xerr=errors, fmt="o", markersize=4, label=name)
    axes.set_yticks(range(len(rows)), [row["title"] for row in rows])
    axes.set_xscale("log")
    axes.set_xlabel("µs, median and 95 % interval")
    axes.set_title(result["machine"]["device"])
    axes.grid(axis="x", alpha=0.3)
    axes.legend(fontsize="small")
    drawn.savefig(path, metadata={"Date": None})
    pyplot.close(drawn)
    return f"{path} is drawn"


def scaling_table(result):
    lines = [header(result["machine"]), "", "| series | size | operation | µs, median (95 % interval) |", "|---|---|---|---|"]
    for series in result["series"].values():
        for point in series["points"]:
            lines += [f"| {series['unit']} | {point['x']} | {name} | {cell(found)} |" for name, found in point["figures"].items()]
    return "\n".join(lines) + "\n"


def scaling_plot(result, path):
    """Draws each series with logarithmic axes; returns a sentence about the file."""
    try:
        pyplot, drawn = new_figure(9, 3 * len(result["series"]))
    except ImportError:
        return f"{path} is not drawn, because matplotlib is not installed"
    for place, series in enumerate(result["series"].values(), 1):
        axes = drawn.add_subplot(len(result["series"]), 1, place)
        for name in series["points"][0]["figures"]:
            points = [(point["x"], point["figures"][name]) for point in series["points"]]
            axes.plot([x for x, _ in points], [found["median"] / 1000 for _, found in points], "o-", label=name)
            axes.fill_between([x for x, _ in points], [found["low"] / 1000 for _, found in points],
                              [found["high"] / 1000 for _, found in points], alpha=0.3)
        axes.set(xscale="symlog", yscale="log", xlabel=series["unit"], ylabel="µs")
        axes.legend(fontsize="small")
    drawn.savefig(path, metadata={"Date": None})
    pyplot.close(drawn)
    return f"{path} is drawn"
