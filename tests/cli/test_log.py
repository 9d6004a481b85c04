# SPDX-License-Identifier: Apache-2.0
"""Compilers' logs: unchanged in a pipe, with colours and source lines on a terminal."""
import re
import unittest

from command import CommandTest, library_is_there, needs_nvrtc


def plain(text):
    return re.sub(r"\x1b\[[0-9;]*[mK]", "", text).replace("\r", "")


@needs_nvrtc
class Logs(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("bad.cu", "__global__ void f() {\n\tundeclared = 1;\n}\n")
        self.write("warn.cu", "__global__ void f() {\n  int unused;\n}\n")

    def in_pipe(self, *arguments):
        return self.run_command(*arguments).stderr.decode()

    def test_a_terminal_gets_colours(self):
        seen = self.run_in_terminal("compile", "bad.cu", "-o", "x.ptx")
        self.assertIn("\x1b[1mbad.cu(2): \x1b[0m\x1b[1;31merror\x1b[0m", seen)
        self.assertIn("undeclared = 1;", seen)
        seen = self.run_in_terminal("compile", "warn.cu", "-o", "x.ptx")
        self.assertIn("\x1b[1;33mwarning\x1b[0m", seen)

    def test_no_color_and_pipes_get_none(self):
        seen = self.run_in_terminal("compile", "bad.cu", "-o", "x.ptx", env={"NO_COLOR": "1"})
        self.assertIn("undeclared = 1;", seen)
        self.assertNotIn("\x1b[1", seen)
        self.assertNotIn("\x1b", self.in_pipe("compile", "bad.cu", "-o", "x.ptx"))
        self.assertNotIn("\x1b", self.in_pipe("compile", "warn.cu", "-o", "x.ptx"))

    def test_nothing_of_the_log_is_lost_or_told_twice(self):
        for source in ("bad.cu", "warn.cu"):
            seen = plain(self.run_in_terminal("compile", source, "-o", "x.ptx"))
            for line in self.in_pipe("compile", source, "-o", "x.ptx").splitlines():
                self.assertIn(line, seen)
            self.assertEqual(seen.count("undeclared = 1;") + seen.count("int unused;"), 1, seen)

    def test_source_lines_that_the_compiler_leaves_out_are_shown(self):
        seen = plain(self.run_in_terminal("compile", "bad.cu", "-o", "x.ptx", "--brief-diagnostics"))
        self.assertIn("    2 | \tundeclared = 1;", seen)
        self.assertNotIn("|", self.in_pipe("compile", "bad.cu", "-o", "x.ptx",
                                           "--brief-diagnostics"))

    @unittest.skipUnless(library_is_there("nvjitlink"), "nvJitLink is not installed")
    def test_ptxas_speaks_of_lines_and_the_terminal_shows_them(self):
        self.write("bad.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n"
                              ".visible .entry k()\n{\n  frobnicate.u32 %r1;\n  ret;\n}\n")
        seen = plain(self.run_in_terminal("compile", "bad.ptx", "-o", "x.cubin", "-a", "sm_80"))
        self.assertIn("    6 |   frobnicate.u32 %r1;", seen)


if __name__ == "__main__":
    unittest.main()
