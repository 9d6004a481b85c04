# SPDX-License-Identifier: Apache-2.0
"""Writes the parts of the page as constants of C++: embed.py OUTPUT FILE..."""
import sys
from pathlib import Path

MOST = 8000  # characters of one literal; compilers join neighbours


def literals(text):
    parts = [text[at:at + MOST] for at in range(0, len(text), MOST)]
    return "\n".join(f'R"page({part})page"' for part in parts)


def main():
    lines = ['// Made by embed.py.', '#include "perf/report/page/page.hpp"', "", "namespace cucore::perf {", ""]
    for path in map(Path, sys.argv[2:]):
        lines.append(f"const char* const PAGE_{path.suffix[1:].upper()} =\n{literals(path.read_text())};\n")
    Path(sys.argv[1]).write_text("\n".join([*lines, "}  // namespace cucore::perf", ""]))


if __name__ == "__main__":
    main()
