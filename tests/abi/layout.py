# SPDX-License-Identifier: Apache-2.0
"""Structs and enumerators match layout.txt, to which lines are only added.

    layout.py HEADER            checks
    layout.py HEADER --print    prints the lines of the present header, to add the new ones
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from public_header import PublicHeader

HEADER = Path(sys.argv.pop(1))
TABLE = Path(__file__).with_name("layout.txt")


def compile_and_run(source):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "layout.c"
        path.write_text(source)
        program = path.with_suffix("")
        subprocess.run(["cc", "-std=c99", f"-I{HEADER.parent}", path, "-o", program], check=True)
        return subprocess.run([program], check=True, capture_output=True, text=True).stdout


def measure():
    """The header's lines: 'size TYPE N', 'field TYPE.FIELD OFFSET SIZE', 'value NAME N'."""
    header = PublicHeader(HEADER)
    lines = ['#include <cucore.h>', '#include <stdio.h>', '#include <string.h>', 'int main(void) {']
    for struct, fields in header.structs().items():
        if "struct_size" not in fields:  # the others may grow at their end
            lines.append(f'printf("size {struct} %zu\\n", sizeof({struct}));')
        lines += [f'printf("field {struct}.{field} %zu %zu\\n", offsetof({struct}, {field}), '
                  f'sizeof((({struct} *)0)->{field}));' for field in fields]
    lines += [f'printf("value {name} %d\\n", (int){name});' for name in header.enumerators()]
    return compile_and_run("\n".join(lines + ["return 0;", "}"])).splitlines()


class Layout(unittest.TestCase):
    maxDiff = None

    def test_nothing_moved_and_every_line_is_recorded(self):
        recorded = [line for line in TABLE.read_text().splitlines()
                    if line and not line.startswith("#")]
        measured = measure()
        moved = sorted(set(recorded) - set(measured))
        unrecorded = sorted(set(measured) - set(recorded))
        self.assertEqual(moved, [], "these no longer hold: existing callers would break")
        self.assertEqual(unrecorded, [], "new: add these lines to layout.txt")

    def test_every_initialiser_is_zero_but_for_the_size(self):
        header = PublicHeader(HEADER)
        checks = "".join(
            f"{{ static {struct} made = {macro}; static {struct} zero;"
            f"  zero.struct_size = sizeof zero;"
            f"  if (memcmp(&made, &zero, sizeof zero) != 0) puts(\"{macro}\"); }}"
            for struct, macro in header.initialisers().items())
        source = ("#include <cucore.h>\n#include <stdio.h>\n#include <string.h>\n"
                  f"int main(void) {{ {checks} return 0; }}")
        self.assertEqual(compile_and_run(source), "")

    def test_every_struct_with_a_size_has_an_initialiser_and_the_size_first(self):
        header = PublicHeader(HEADER)
        sized = {name for name, fields in header.structs().items() if "struct_size" in fields}
        self.assertEqual(sized, set(header.initialisers()))
        for name in sized:
            self.assertEqual(header.structs()[name][0], "struct_size", name)

    def test_every_enum_is_32_bits_wide(self):
        header = PublicHeader(HEADER)
        forced = [name for name in header.enumerators() if name.endswith("_FORCE_INT32")]
        self.assertEqual(len(forced), header.text.count("typedef enum"))
        self.assertEqual({header.enumerators()[name] for name in forced}, {0x7fffffff})


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        print("\n".join(measure()))
    else:
        unittest.main()
