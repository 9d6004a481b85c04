# SPDX-License-Identifier: Apache-2.0
"""--json: the report of every subcommand for a script, and every way to fail."""
import json
import os
import re
import unittest

from command import CommandTest, device_of, library_is_there, needs_nvrtc

SUBCOMMANDS = ["info", "compile", "link", "bundle", "inspect", "analyze", "sign", "verify", "run", "bench", "profile", "roof", "cache"]
CACHE = ["stats", "list", "remove", "verify", "trim", "clear", "explain"]

PTX = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) { ret; }\n"


class JsonFailures(CommandTest):
    KEYS = {"status", "code", "exit_code", "message", "origin", "native_code", "native_name", "log",
            "diagnostics"}

    def test_every_subcommand_fails_with_one_object(self):
        io, wrong = "CUCORE_ERROR_NOT_FOUND", "CUCORE_ERROR_INVALID_ARGUMENT"
        self.write("x.ptx", PTX)
        self.write("k", b"0123456789abcdef")
        for code, status, arguments in (
                (1, io, ["inspect", "none"]), (1, io, ["compile", "none.cu", "-o", "x.cuco"]),
                (1, io, ["link", "none.cubin", "-o", "x.cubin"]),
                (1, io, ["bundle", "none", "nix", "-o", "x.cuco"]),
                (1, io, ["sign", "none", "--secret", "k"]), (1, io, ["verify", "none"]),
                (3, "CUCORE_ERROR_SIGNATURE", ["verify", "x.ptx", "--secret", "k"]),
                (1, "CUCORE_ERROR_INVALID_CODE", ["inspect", "saxpy.cu"]),
                (1, "CUCORE_ERROR_IO", ["inspect", "."]),
                (1, "CUCORE_ERROR_IO", ["sign", "x.ptx", "--secret", "k", "-o", "/dev/full"]),
                (1, wrong, ["--driver", "amd", "info"]), (2, wrong, ["explode"]), (2, wrong, []),
                (2, wrong, ["info", "--loud"]), (2, wrong, ["run", "x.ptx", "-b", "0"]),
                (2, wrong, ["compile", "x.ptx", "-o", "x"]), (2, wrong, ["link", "-o", "x.ptx"])):
            failure = self.fails_in_json(code, *arguments, status=status)
            self.assertEqual(set(failure), self.KEYS)
            self.assertTrue(failure["message"])
            self.assertGreater(failure["code"], 100)

    def test_the_message_is_that_of_people(self):
        failure = self.fails_in_json(1, "inspect", "none", status="CUCORE_ERROR_NOT_FOUND")
        self.fails(1, "inspect", "none", says=failure["message"])

    def test_names_that_are_no_utf8(self):
        failure = self.fails_in_json(1, "inspect", b"n\xff.cubin", status="CUCORE_ERROR_NOT_FOUND")
        self.assertIn("n\ufffd.cubin", failure["message"])

    def test_the_word_may_stand_first(self):
        result = self.run_command("--json", "inspect", "none")
        self.assertEqual(json.loads(result.stdout)["exit_code"], 1)

    def test_a_full_disk_is_told_of_on_stderr(self):
        with open("/dev/full", "wb") as full:
            result = self.run_command("info", "--json", stdout=full, stderr=-1)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"cannot write the standard output", result.stderr)

    @needs_nvrtc
    def test_a_compilers_diagnostics_are_parsed(self):
        self.write("bad.cu", "__global__ void f() {\n  undeclared = 1;\n}\n")
        failure = self.fails_in_json(1, "compile", "bad.cu", "-o", "x.ptx",
                                     status="CUCORE_ERROR_COMPILATION")
        self.assertIn("undeclared = 1;", failure["log"])
        self.assertEqual((failure["origin"], failure["native_name"]),
                         ("nvrtc", "NVRTC_ERROR_COMPILATION"))
        first = failure["diagnostics"][0]
        self.assertEqual((first["severity"], first["file"], first["line"], first["column"]),
                         ("error", "bad.cu", 2, 3))
        self.assertIn('"undeclared" is undefined', first["text"])


class JsonResults(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("80.ptx", PTX)
        self.write("90.ptx", PTX.replace("sm_80", "sm_90"))
        self.write("key", b"a secret of some length")

    def json(self, *arguments):
        result = self.run_command(*arguments, "--json")
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        return json.loads(result.stdout)

    def test_bundle_sign_and_verify(self):
        self.assertEqual(self.json("bundle", "80.ptx", "90.ptx", "-o", "a.cuco")["kind"], "BUNDLE")
        signed = self.json("sign", "a.cuco", "--secret", "key")
        self.assertEqual(signed["algorithm"], "HMAC-SHA256")
        verified = self.json("verify", "a.cuco", "--secret", "key")
        self.assertEqual(verified["signature_key"], signed["signature_key"])
        self.assertEqual(verified["file_size"], len(self.read("a.cuco")))
        self.assertEqual(self.json("inspect", "a.cuco", "--secret", "key")["signature"], "valid")

    @needs_nvrtc
    def test_compile_with_its_warnings(self):
        self.write("w.cu", "__global__ void f() {\n  int unused;\n}\n")
        said = self.json("compile", "w.cu", "-o", "w.ptx", "-a", "compute_80")
        self.assertEqual((said["kind"], said["arch"], said["container"]), ("PTX", "compute_80", False))
        self.assertEqual([(one["severity"], one["line"]) for one in said["diagnostics"]],
                         [("warning", 2)])

    @needs_nvrtc
    @unittest.skipUnless(device_of("cpu"), "the CPU device is not built")
    def test_run(self):
        run = ["--driver", "cpu", "run", "fill.cu", "-k", "fill<float>", "-b", "4", "--arg",
               "buf:f32:4"]
        told = self.json(*run, "--arg", "f32:1.5", "--print", "2")
        self.assertEqual(told["arrays"], [{"argument": 0, "type": "f32", "count": 4,
                                           "values": [1.5, 1.5]}])
        self.assertGreaterEqual(told["milliseconds"], 0)
        self.assertEqual(self.json(*run, "--arg", "f32:nan")["arrays"][0]["values"], ["nan"] * 4)
        failure = self.fails_in_json(1, *run, "--arg", "f32:1", "--expect", "0=2",
                                     status="CUCORE_ERROR_INVALID_ARGUMENT")
        self.assertIn("4 of 4 elements differ", failure["message"])


class JsonHelp(CommandTest):
    def json(self, *arguments):
        result = self.run_command(*arguments)
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        return json.loads(result.stdout)

    def test_version(self):
        for arguments in (["--version", "--json"], ["--json", "--version"]):
            told = self.json(*arguments)
            self.assertEqual(list(told), ["cucore"])
            self.assertEqual(told["cucore"], self.succeeds("--version").split()[1])

    def test_help_lists_the_subcommands(self):
        told = self.json("--help", "--json")
        self.assertEqual(told["command"], "cucore")
        self.assertEqual([one["name"] for one in told["subcommands"]], SUBCOMMANDS)
        self.assertEqual([one["name"] for one in self.json("cache", "--json", "--help")["subcommands"]],
                         CACHE)

    def test_help_of_each_subcommand_has_every_option(self):
        for words in [[]] + [[name] for name in SUBCOMMANDS] + [["cache", name] for name in CACHE]:
            with self.subTest(words):
                told, text = self.json(*words, "--help", "--json"), self.succeeds(*words, "--help")
                self.assertEqual(told["command"], " ".join(["cucore", *words]))
                self.assertEqual(told["help"], text)
                self.assertIn(told["description"], text)
                names = {name for option in told["options"] for name in option["names"]}
                rows = re.findall(r"^  (-\S+)", text, re.M)
                self.assertGreater(len(rows), 0)
                for row in rows:
                    for name in row.replace("[no-]", "").split(","):
                        self.assertIn(name, names)
                    if "[no-]" in row:
                        self.assertIn(row.replace("[no-]", "no-"), names)

    def test_options_say_what_they_take(self):
        options = {tuple(one["names"]): one for one in self.json("compile", "--help", "--json")["options"]}
        output = options["-o", "--output"]
        self.assertEqual((output["value"], output["required"], output["repeatable"]), ("FILE", True, False))
        self.assertIn("file to write", output["description"])
        self.assertTrue(options["-D", "--define"]["repeatable"])
        self.assertEqual(options["--ftz", "--no-ftz"]["value"], "")
        arguments = self.json("link", "--help", "--json")["arguments"]
        self.assertEqual([(one["name"], one["required"], one["repeatable"]) for one in arguments],
                         [("files", True, True)])


class JsonCache(CommandTest):
    def environment(self, changes):
        return super().environment({"CUCORE_CACHE_DIR": str(self.folder / "cache")} | (changes or {}))

    def json(self, *arguments, code=0):
        result = self.run_command(*arguments, "--json")
        self.assertEqual((result.returncode, result.stderr), (code, b""))
        return json.loads(result.stdout)

    def fill(self):
        self.succeeds("compile", "saxpy.cu", "-o", "out.cuco", "--cache", "--arch", "sm_90")

    def test_an_empty_cache(self):
        cleared = self.json("cache", "clear")
        self.assertEqual(cleared, {"folder": str(self.folder / "cache"), "removed": 0, "entries": 0,
                                   "bytes": 0})
        self.assertEqual(self.json("cache", "list"),
                         {"folder": str(self.folder / "cache"), "entries": []})
        self.assertEqual(self.json("cache", "verify"),
                         {"folder": str(self.folder / "cache"), "files": 0, "damaged": []})
        self.assertEqual(self.json("cache", "trim", "--max-size", "1G"), cleared)

    @needs_nvrtc
    def test_list_and_trim(self):
        self.fill()
        entry, = self.json("cache", "list")["entries"]
        self.assertEqual((entry["kind"], entry["arch"], entry["name"], entry["sound"], entry["problem"]),
                         ("CUBIN", "sm_90", "saxpy.cu", True, ""))
        self.assertRegex(entry["key"], "^[0-9a-f]{64}$")
        self.assertRegex(entry["used"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertGreater(entry["size"], 0)
        trimmed = self.json("cache", "clear")
        self.assertGreaterEqual(trimmed["removed"], 1)
        self.assertEqual((trimmed["entries"], trimmed["bytes"]), (0, 0))

    @needs_nvrtc
    def test_damage_is_a_failure_with_the_files(self):
        self.fill()
        key = self.json("cache", "list")["entries"][0]["key"]
        file = next(path for path in (self.folder / "cache").rglob("*")
                    if path.is_file() and key[2:12] in path.name)
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(bytes(data))
        listed = self.json("cache", "list")["entries"][0]
        told = self.json("cache", "verify", code=1)
        self.assertTrue(JsonFailures.KEYS < set(told))
        self.assertEqual([one["key"] for one in told["damaged"]], [key])
        self.assertTrue(told["damaged"][0]["problem"])
        self.assertEqual(told["exit_code"], 1)
        self.assertEqual(self.json("cache", "verify")["damaged"], [])
        self.assertEqual(listed["key"], key)

    @needs_nvrtc
    def test_explain(self):
        arguments = ["cache", "explain", "saxpy.cu", "--arch", "sm_90"]
        self.json("cache", "clear")
        missed = self.json(*arguments)
        self.assertEqual((missed["file"], missed["outcome"]), ("saxpy.cu", "miss"))
        self.assertIn("nothing of that name", missed["reason"])
        self.fill()
        hit = self.json(*arguments)
        self.assertEqual((hit["outcome"], hit["reason"]), ("hit", "nothing has to be built"))
        self.assertEqual(hit["key"], missed["key"])
        self.assertRegex(hit["key"], "^[0-9a-f]{64}$")
        changed = self.json(*arguments, "--maxrregcount", "32")
        self.assertEqual(changed["outcome"], "miss")
        self.assertTrue(any(line.startswith("  +") for line in changed["details"]), changed)
        self.assertEqual(self.succeeds(*arguments).splitlines()[0], "hit: nothing has to be built")


@unittest.skipUnless(os.environ.get("CUCORE_WORKER"), "CUCORE_WORKER is not set")
@unittest.skipUnless(library_is_there("nvjitlink"), "nvJitLink is not installed")
class JsonMany(CommandTest):
    def test_one_object_for_all_files(self):
        self.write("a.ptx", PTX)
        self.write("b.ptx", PTX)
        self.write("bad.ptx", PTX.replace("ret;", "frobnicate.u32 %r1; ret;"))
        run = ["compile", "a.ptx", "b.ptx"]
        how = ["-o", "out", "-t", "cubin", "-a", "sm_90", "--json"]
        result = self.run_command(*run, *how)
        self.assertEqual((result.returncode, result.stderr), (0, b""), result.stdout)
        told = json.loads(result.stdout)
        self.assertEqual([(one["source"], one["file"], one["kind"]) for one in told["files"]],
                         [("a.ptx", "out/a.cubin", "CUBIN"), ("b.ptx", "out/b.cubin", "CUBIN")])
        self.assertEqual((told["folder"], told["failures"]), ("out", []))
        result = self.run_command(*run, "bad.ptx", *how)
        self.assertEqual((result.returncode, result.stderr), (1, b""), result.stdout)
        told = json.loads(result.stdout)
        self.assertEqual(len(told["files"]), 2)
        failure, = told["failures"]
        self.assertEqual(failure["source"], "bad.ptx")
        self.assertTrue(JsonFailures.KEYS < set(failure), failure)
        self.assertIn("1 of 3 files", told["message"])


if __name__ == "__main__":
    unittest.main()
