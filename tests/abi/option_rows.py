# SPDX-License-Identifier: Apache-2.0
"""Every field of the options of programs and linkers has its rows: a flag or code that
reads it, and an option of the command. Without its rows the library would ignore it.

    option_rows.py ROOT
"""
import re
import sys
import unittest
from pathlib import Path

from public_header import PublicHeader

ROOT = Path(sys.argv.pop(1))
C = PublicHeader(ROOT / "include/cucore.h")
COMPILE = ROOT / "src/cucore/core/compile"
# struct: rows of its flags, sources of its command
STRUCTS = {
    "cucore_program_options": ("nvrtc_options.inc", "source.cpp"),
    "cucore_linker_options": ("linker_options.inc", "link.cpp"),
}
ROW = re.compile(r"^[A-Z]+\((\w+),", re.M)
# Fields that the command sets from elsewhere, with the reason.
WITHOUT_OPTION = {
    "header_names": "headers are files", "header_sources": "headers are files",
    "extra_source_names": "--extra-source has the names of files", "extra_source_sizes": "of the files",
}


def fields(struct):
    return [field for field in C.structs()[struct]
            if field != "struct_size" and not field.endswith("_count")]


def is_read(field, text):
    return re.search(rf"(?:\b(?:options|from|o)\.|\w::){field}\b", text)


class OptionRows(unittest.TestCase):
    def test_the_compiler_receives_every_field(self):
        code = "".join(path.read_text() for path in sorted(COMPILE.glob("*.cpp")))
        for struct, (table, _) in STRUCTS.items():
            rows = ROW.findall((COMPILE / table).read_text())
            self.assertGreater(len(rows), 10, f"{table}: the check sees no rows")
            for field in fields(struct):
                has_row = field in rows or field.removesuffix("s") in rows
                self.assertTrue(has_row or is_read(field, code),
                                f"{struct}.{field} has no row in {table}, and no source of {COMPILE.name}/ reads it")

    def test_flags_of_the_caller_come_last(self):
        for table, _ in STRUCTS.values():
            last = ROW.findall((COMPILE / table).read_text())[-1]
            self.assertEqual(last.removesuffix("s"), "flag", f"{table}: the row of flags must be the last one")

    def test_the_command_has_every_field(self):
        for struct, (_, source) in STRUCTS.items():
            text = (ROOT / "src/programs/cli" / source).read_text()
            for field in fields(struct):
                excused = field in WITHOUT_OPTION or field.startswith("reserved")
                self.assertTrue(excused or is_read(field, text), f"{struct}.{field} has no row in {source}")


if __name__ == "__main__":
    unittest.main()
