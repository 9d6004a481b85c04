# SPDX-License-Identifier: Apache-2.0
"""The manual page, the completions and --help: made from one another, so their texts agree."""
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from command import CommandTest

SUBCOMMANDS = ["info", "compile", "link", "bundle", "inspect", "analyze", "sign", "verify", "run", "bench", "profile", "roof", "cache"]
BUILD = Path(os.environ["CUCORE_CLI_BUILD"])


class Manual(CommandTest):
    def test_every_option_is_in_it(self):
        page = (BUILD / "cucore.1").read_text().replace("\\-", "-")
        for name in SUBCOMMANDS:
            self.assertIn(f".SS {name}\n", page)
            for option in re.findall(r"--(?:\[no-\])?[a-z-]+", self.succeeds(name, "--help")):
                self.assertIn(option, page)

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_it_is_well_formed(self):
        result = subprocess.run(["groff", "-man", "-Tutf8", "-ww", BUILD / "cucore.1"],
                                capture_output=True, check=True)
        self.assertEqual(result.stderr, b"")
        self.assertIn(b"EXIT STATUS", (BUILD / "cucore.1").read_bytes())

    def test_the_help_fits_a_terminal(self):
        for name in SUBCOMMANDS:
            for line in self.succeeds(name, "--help").splitlines():
                self.assertLessEqual(len(line), 100, line)


class Completions(CommandTest):
    def complete(self, *words):
        script = (f"source {BUILD / 'cucore.bash'}; COMP_WORDS=({' '.join(map(repr, words))}); "
                  f"COMP_CWORD={len(words) - 1}; _cucore; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        return subprocess.run(["bash", "-c", script], capture_output=True, text=True,
                              check=True).stdout.split()

    def test_subcommands_and_their_options(self):
        self.assertEqual(self.complete("cucore", ""), SUBCOMMANDS)
        self.assertEqual(self.complete("cucore", "ver"), ["verify"])
        self.assertEqual(self.complete("cucore", "sign", "--key"), ["--key", "--key-format"])
        self.assertIn("--no-ftz", self.complete("cucore", "--json", "link", "--no-f"))
        self.assertIn("--driver", self.complete("cucore", "--d"))
        self.assertEqual(self.complete("cucore", "sign", "a"), [])

    def test_subcommands_of_the_cache(self):
        self.assertEqual(self.complete("cucore", "cache", ""),
                         ["stats", "list", "remove", "verify", "trim", "clear", "explain"])
        self.assertEqual(self.complete("cucore", "cache", "tr"), ["trim"])
        self.assertEqual(self.complete("cucore", "cache", "trim", "--max"), ["--max-size"])
        self.assertEqual(self.complete("cucore", "cache", "list", ""), [])

    def test_values(self):
        self.assertEqual(self.complete("cucore", "compile", "a.cu", "--target", ""), ["cubin", "cuco", "ltoir", "ptx"])
        self.assertEqual(self.complete("cucore", "compile", "-t", "c"), ["cubin", "cuco"])
        self.assertEqual(self.complete("cucore", "cache", "explain", "--target", ""), ["ptx", "cubin", "ltoir"])
        self.assertEqual(self.complete("cucore", "link", "-O", ""), ["0", "3"])
        self.assertEqual(self.complete("cucore", "compile", "--language", ""), ["cuda", "ptx", "nvvm"])
        for words in (["--driver", ""], ["info", "--driver", ""]):
            self.assertEqual(self.complete("cucore", *words), ["nvidia", "cpu", "auto"])
        self.assertEqual(self.complete("cucore", "sign", "--key-format", ""), ["pem", "der", "hex", "raw"])
        for option in ("-o", "--arch", "--define", "--name"):
            self.assertEqual(self.complete("cucore", "compile", option, ""), [], "not a list of words")


if __name__ == "__main__":
    unittest.main()
