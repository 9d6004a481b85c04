# SPDX-License-Identifier: Apache-2.0
"""Prints the roofs of several rounds, their spread and the products of cuBLAS as a table in markdown."""
import json
import sys
from pathlib import Path


def scaled(value):
    if value is None:
        return "-"
    for factor, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1, ""), (1e-3, "m"), (1e-6, "u"), (0, "n")):
        if value >= factor:
            return f"{value / (factor or 1e-9):.4g} {prefix}".rstrip()
    return str(value)


def table(rounds, products):
    machine = rounds[0]["machine"]
    seconds = ", ".join(f"{each['seconds']:.2f}" for each in rounds)
    lines = [f"# Roof of {machine['device']}, {machine['date'][:10]}", "",
             f"Driver {machine['driver']}, clock limits {machine['clock_limit_mhz']} and {machine['memory_clock_mhz']} MHz. "
             f"The measurements took {seconds} s.", "",
             "| rate | " + " | ".join(f"round {i + 1}" for i in range(len(rounds))) + " | spread | cuBLAS | roof / cuBLAS |",
             "|---|" + "---|" * (len(rounds) + 3)]
    for name in rounds[0]["values"]:
        values = [each["values"][name] for each in rounds]
        known = [value for value in values if value]
        spread = f"{(max(known) / min(known) - 1) * 100:.1f} %" if known else "-"
        product = products.get(name)
        ratio = f"{known[0] / product:.2f}" if product and known else "-"
        lines.append(f"| {name} | " + " | ".join(scaled(value) for value in values) + f" | {spread} | {scaled(product)} | {ratio} |")
    return "\n".join(lines)


def main():
    folder = Path(sys.argv[1])
    rounds = [json.loads(path.read_text()) for path in sorted(folder.glob("roof-*.json"))]
    print(table(rounds, json.loads((folder / "products.json").read_text())))


if __name__ == "__main__":
    main()
