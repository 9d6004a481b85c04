# SPDX-License-Identifier: Apache-2.0
"""Output to a terminal: no text from a file controls it, and a failed write does not crash."""
import json
import os
import resource
import subprocess
import unittest

import forge
from command import COMMAND, CommandTest, needs_nvrtc

PTX = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) { ret; }\n"
# A forged line, a title for the window, a C1 code, a text that runs backwards.
EVIL = "\nsigned   valid, by key 0\x1b]0;x\x07\x9b\u202e.ptx"
CONTROLS = ["\x1b", "\x07", "\x9b", "\u202e", "\r", "\x7f"]


class Untrusted(CommandTest):
    def assert_harmless(self, text):
        for control in CONTROLS:
            self.assertNotIn(control, text)
        self.assertNotIn("\nsigned   valid", text)

    def seen(self, *arguments):
        result = self.run_command(*arguments)
        return (result.stdout + result.stderr).decode()

    def test_names_of_files(self):
        self.write(EVIL, PTX)
        for arguments in (["inspect", EVIL], ["verify", EVIL], ["sign", EVIL], ["run", EVIL],
                          ["run", EVIL, "-b", "1"], ["link", EVIL, "-o", "no/" + EVIL],
                          ["bundle", EVIL, EVIL, "-o", "x.cuco"], ["compile", "no" + EVIL, "-o", "x"],
                          ["compile", EVIL, EVIL, "-o", "out"], ["inspect", "no" + EVIL], [EVIL],
                          ["compile", EVIL, "-x", "cuda", "-o", "x.ptx", "-a", "compute_80"],
                          ["info", "--" + EVIL], ["cache", EVIL], ["--driver", EVIL, "info"],
                          ["verify", EVIL, "-k", EVIL], ["compile", EVIL, "-o", "x.cubin", "-a", EVIL],
                          ["run", EVIL, "-b", EVIL], ["run", EVIL, "-b", "1", "--arg", EVIL],
                          ["cache", "list", "-C", EVIL], ["cache", "trim", "--max-size", EVIL]):
            with self.subTest(arguments):
                self.assert_harmless(self.seen(*arguments))

    def test_what_a_container_says(self):
        name = EVIL.encode()
        self.write("A" * len(name[:-4]) + ".ptx", PTX)
        self.write("90.ptx", PTX.replace("sm_80", "sm_90"))
        self.write("a.ptx", PTX)
        self.succeeds("bundle", "A" * len(name[:-4]) + ".ptx", "90.ptx", "-o", "a.cuco")
        self.write("a.cuco", forge.replace(self.read("a.cuco"), b"A" * len(name[:-4]) + b".ptx", name))
        for arguments in (["inspect", "a.cuco"], ["verify", "a.cuco"], ["run", "a.cuco", "-b", "1"],
                          ["link", "a.cuco", "-o", "x.cubin", "-a", "sm_90"],
                          ["bundle", "a.cuco", "a.ptx", "-o", "b.cuco"]):
            with self.subTest(arguments):
                self.assert_harmless(self.seen(*arguments))
                text = self.seen(*arguments, "--json")
                self.assert_harmless(text)
                json.loads(text)
        self.assertIn(r"\nsigned   valid, by key 0\x1b]0;x\x07\u009b\u202e.ptx",
                      self.seen("inspect", "a.cuco"))
        self.assertIn(EVIL, json.loads(self.seen("inspect", "a.cuco", "--json"))["name"])

    def test_members_of_an_archive(self):
        member = b"evil\x1b[2J\x07.o/".ljust(16) + b"0".ljust(32) + b"4".ljust(10) + b"`\n" + b"data"
        self.write("a.a", b"!<arch>\n" + member)
        self.assert_harmless(self.seen("inspect", "a.a"))

    def test_members_that_share_a_name(self):
        def member(name, contents=b""):
            return name.ljust(16) + b"0".ljust(32) + str(len(contents)).encode().ljust(10) + b"`\n" + contents
        names = member(b"//", b"x" * 200000 + b"/\n")
        self.write("a.a", b"!<arch>\n" + names + b"".join(member(b"/%d" % i) for i in range(200)))
        self.assertLess(len(self.seen("inspect", "a.a")), 1 << 20)

    def test_no_end_of_the_memory_is_a_crash(self):
        for arch in ("sm_80", "sm_90"):
            kernels = "".join(f".visible .entry a_kernel_with_a_name_{i}(.param .u64 a) {{ {'ret; ' * 60}}}\n"
                              for i in range(8000))
            self.write(f"{arch}.ptx", PTX.split(".visible")[0].replace("sm_80", arch) + kernels)
        self.succeeds("bundle", "sm_80.ptx", "sm_90.ptx", "-o", "a.cuco")
        for kilobytes in range(50000, 90000, 500):
            limit = (kilobytes << 10, kilobytes << 10)
            result = self.run_command("inspect", "a.cuco", "--json",
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))
            self.assertIn(result.returncode, (0, 1, 127), result.stderr)  # 127: from the loader

    @needs_nvrtc
    def test_logs_and_the_source_lines_in_them(self):
        self.write("evil.cu", b"#error \x1b]0;x\x07 \xc2\x9b31m \xe2\x80\xae\x7f\n")
        arguments = ["compile", "evil.cu", "-o", "x.ptx", "-a", "compute_80"]
        for how in ([], ["--brief-diagnostics"]):
            self.assert_harmless(self.seen(*arguments, *how))
            self.assert_harmless(self.seen(*arguments, *how, "--json"))
            painted = self.run_in_terminal(*arguments, *how)
            self.assertIn(r"\x1b]0;x\x07 \u009b31m \u202e\x7f", painted)
            for control in ("\x1b]", "\x07", "\x9b", "\u202e", "\x7f"):
                self.assertNotIn(control, painted)

    def test_characters_that_nobody_sees(self):
        for character, shown in (("\u2800", r"\u2800"), ("\u3164", r"\u3164"), ("\u034f", r"\u034f"),
                                 ("\u115f", r"\u115f"), ("\uffa0", r"\uffa0"), ("\ufe0f", r"\ufe0f"),
                                 ("\U000e0100", r"\U000e0100"), ("\u180e", r"\u180e")):
            result = self.run_command("inspect", f"n{character}.cubin")
            self.assertIn(f"n{shown}.cubin", result.stderr.decode())

    def test_text_that_is_no_utf8(self):
        result = self.run_command("inspect", b"n\xff\xc0\x80.cubin")
        self.assertIn(r"n\xff\xc0\x80.cubin", result.stderr.decode())

    def test_other_alphabets_stay(self):
        self.assertIn("größe-大小.ptx", self.seen("inspect", "größe-大小.ptx"))


class Streams(CommandTest):
    """The exit code is that of the operation, even if its report cannot be written."""

    RUNS = ((1, ["inspect", "none"]), (2, ["explode"]), (2, ["-v"]), (0, ["inspect", "k.ptx"]),
            (3, ["verify", "k.ptx", "-k", "public.pem"]), (0, ["--version"]), (0, ["info", "-v"]))
    PUBLIC = ("-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
              "-----END PUBLIC KEY-----\n")

    def setUp(self):
        super().setUp()
        self.write("k.ptx", PTX)
        self.write("public.pem", self.PUBLIC)
        self.succeeds("cache", "clear")  # creates the folder

    def environment(self, changes):
        return super().environment({"CUCORE_CACHE_DIR": str(self.folder / "cache")} | (changes or {}))

    def shell(self, arguments, redirection):
        command = f'exec "$@" {redirection}'
        return subprocess.run(["sh", "-c", command, "sh", COMMAND, *arguments], cwd=self.folder,
                              env=self.environment({}), capture_output=True, timeout=60, check=False)

    def test_stderr_that_takes_nothing(self):
        for redirection in ("2>&-", "2>/dev/full"):
            for code, arguments in self.RUNS:
                with self.subTest(f"{arguments} {redirection}"):
                    self.assertEqual(self.shell(arguments, redirection).returncode, code)

    def test_stdout_that_takes_nothing_is_a_failure_with_a_message(self):
        runs = [["--help"], ["--version"], ["info"], ["info", "--json"], ["run", "--help"],
                ["inspect", "k.ptx"], ["verify", "k.ptx"], ["--version", "--json"],
                ["cache", "stats"], ["cache", "list", "--json"], ["link", "--help", "--json"]]
        for redirection in (">&-", ">/dev/full"):
            for arguments in runs:
                with self.subTest(f"{arguments} {redirection}"):
                    result = self.shell(arguments, redirection)
                    self.assertEqual(result.returncode, 1, result.stderr)
                    self.assertIn(b"cannot write the standard output: ", result.stderr)

    def test_a_failure_keeps_its_exit_code_where_its_json_cannot_be_written(self):
        result = self.shell(["explode", "--json"], ">/dev/full")
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"explode", result.stderr)

    def test_no_file_takes_the_place_of_a_closed_stream(self):
        before = self.read("k.ptx")
        for redirection in (">&-", "2>&-", "<&- >&- 2>&-"):
            self.shell(["sign", "k.ptx", "-k", "none", "-o", "x.cuco"], redirection)
            self.shell(["bundle", "k.ptx", "k.ptx", "-o", "x.cuco"], redirection)
            self.assertEqual(self.read("k.ptx"), before)
            if os.path.exists(self.folder / "x.cuco"):
                self.assertTrue(self.read("x.cuco").startswith(b"\x89CUCO"))
        self.assertNotEqual(self.shell(["inspect", "-"], "<&-").returncode, 0)


if __name__ == "__main__":
    unittest.main()
