"""cucore compile and cucore inspect: from source to files, and what the files hold."""
import json
import os
import unittest
from pathlib import Path

from command import CommandTest, needs_nvrtc

CONTAINER = b"\x89CUCO\r\n\x1a"


@needs_nvrtc
class Compile(CommandTest):
    def test_the_suffix_chooses_the_kind(self):
        self.assertTrue(self.compile("saxpy.cu", "a.cuco").startswith(CONTAINER))
        self.assertIn(b".entry saxpy", self.compile("saxpy.cu", "a.ptx"))
        self.assertTrue(self.compile("saxpy.cu", "a.cubin", "--arch", "sm_90").startswith(b"\x7fELF"))
        self.assertGreater(len(self.compile("saxpy.cu", "a.ltoir", "-a", "sm_90")), 0)

    def test_the_target_beats_the_suffix(self):
        self.assertIn(b".entry saxpy", self.compile("saxpy.cu", "a.out", "--target", "ptx"))
        self.assertTrue(self.compile("saxpy.cu", "b.out", "--target", "cuco").startswith(CONTAINER))

    def test_a_container_holds_machine_code_for_a_real_architecture(self):
        for arch, kind in [("sm_90", "CUBIN"), ("compute_80", "PTX")]:
            self.compile("saxpy.cu", "a.cuco", "--arch", arch)
            shown = json.loads(self.succeeds("inspect", "a.cuco", "--json"))
            self.assertEqual((shown["kind"], shown["arch"]), (kind, arch))

    def test_equal_inputs_give_equal_files(self):
        self.assertEqual(self.compile("saxpy.cu", "a.cuco"), self.compile("saxpy.cu", "b.cuco"))

    def test_a_compressed_container_is_smaller_and_holds_the_same(self):
        plain = self.compile("saxpy.cu", "a.cuco")
        self.assertLess(len(self.compile("saxpy.cu", "b.cuco", "--compress")), len(plain))
        shown = [json.loads(self.succeeds("inspect", name, "--json")) for name in ("a.cuco", "b.cuco")]
        self.assertEqual(shown[0]["symbols"], shown[1]["symbols"])

    def test_templates_are_instantiated_by_name(self):
        self.compile("fill.cu", "a.cuco", "--name", "fill<float>", "-n", "fill<int>")
        shown = json.loads(self.succeeds("inspect", "a.cuco", "--json"))
        names = {symbol["expression"] for symbol in shown["symbols"]}
        self.assertLessEqual({"fill<float>", "fill<int>"}, names)

    def test_macros_include_folders_and_flags_reach_the_compiler(self):
        (self.folder / "headers").mkdir()
        self.write("headers/value.h", "#define FROM_HEADER 3\n")
        self.write("m.cu", '#include "value.h"\n#if FROM_LINE + FROM_HEADER != 7\n#error wrong\n'
                           '#endif\n#ifndef BARE\n#error bare\n#endif\n__global__ void f() {}\n')
        self.compile("m.cu", "m.ptx", "-I", "headers", "-DFROM_LINE=4", "-D", "BARE")
        self.compile("m.cu", "m.ptx", "-Iheaders", "--flag=-DFROM_LINE=4", "--flag=-DBARE")

    def test_the_standard_input_and_output(self):
        result = self.run_command("compile", "-", "-t", "ptx", "-o", "-", input=self.read("saxpy.cu"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(b".entry saxpy", result.stdout)
        self.assertNotIn(b"bytes", result.stdout)

    def test_quiet_prints_nothing_and_a_pipe_gets_no_sign_of_progress(self):
        result = self.run_command("compile", "saxpy.cu", "-o", "a.cuco", "-q")
        self.assertEqual((result.stdout, result.stderr), (b"", b""))

    def test_warnings_of_a_success_are_shown(self):
        self.write("w.cu", "__global__ void f() { int unused; }\n")
        result = self.run_command("compile", "w.cu", "-o", "w.ptx")
        self.assertEqual(result.returncode, 0)
        self.assertIn(b"unused", result.stderr)


@needs_nvrtc
class CompileFailures(CommandTest):
    def test_a_wrong_program_shows_the_compilers_log_and_leaves_no_file(self):
        self.write("bad.cu", "__global__ void f() { undeclared = 1; }\n")
        text = self.fails(1, "compile", "bad.cu", "-o", "bad.cuco", says="bad.cu")
        self.assertIn("undeclared", text)
        self.assertIn("CUCORE_ERROR_COMPILATION", text)
        self.assertEqual(sorted(os.listdir(self.folder)), ["bad.cu", "fill.cu", "saxpy.cu"])

    def test_an_old_output_survives_a_failed_compile(self):
        before = self.compile("saxpy.cu", "a.cuco")
        self.write("saxpy.cu", "nonsense\n")
        self.fails(1, "compile", "saxpy.cu", "-o", "a.cuco", says="saxpy.cu")
        self.assertEqual(self.read("a.cuco"), before)

    def test_files_that_cannot_be_read_or_written_are_named(self):
        self.fails(1, "compile", "none.cu", "-o", "a.cuco", says=["none.cu", "No such file"])
        self.fails(1, "compile", ".", "-o", "a.cuco", says=["directory"])
        self.fails(1, "compile", "saxpy.cu", "-o", "no/a.cuco", says=["no/a.cuco", "No such file"])
        self.fails(1, "compile", "saxpy.cu", "-o", "/dev/full", "-t", "ptx", says="No space")

    def test_an_output_that_says_nothing_asks_for_a_target(self):
        self.fails(2, "compile", "saxpy.cu", "-o", "result", says=["result", "--target"])

    def test_an_architecture_that_is_none_is_named(self):
        self.fails(1, "compile", "saxpy.cu", "-o", "a.cubin", "--arch", "sm_1", says="sm_1")

    def test_a_missing_compiler_says_where_it_was_looked_for(self):
        self.fails(1, "compile", "saxpy.cu", "-o", "a.ptx", says=["NVRTC", "/nowhere"],
                   env={"CUCORE_NVRTC": "/nowhere"})


@needs_nvrtc
class Inspect(CommandTest):
    def test_the_kind_is_told_by_the_bytes(self):
        self.compile("saxpy.cu", "a.ptx")
        self.compile("saxpy.cu", "a.cubin", "--arch", "sm_90")
        for name, kind in [("a.ptx", "PTX"), ("a.cubin", "CUBIN")]:
            self.write("unknown.bin", self.read(name))
            shown = json.loads(self.succeeds("inspect", "unknown.bin", "--json"))
            self.assertEqual(shown["kind"], kind)
            self.assertFalse(shown["container"])

    def test_parameters_are_known_with_no_device(self):
        self.compile("saxpy.cu", "a.cuco")
        shown = json.loads(self.succeeds("inspect", "a.cuco", "--json",
                                         env={"CUCORE_DRIVER": "/nowhere/driver.so"}))
        parameters = [(p["offset"], p["size"]) for p in shown["symbols"][0]["parameters"]]
        self.assertEqual(parameters, [(0, 4), (8, 8), (16, 8), (24, 4)])
        self.assertIn("4 parameters", self.succeeds("inspect", "a.cuco"))

    def test_globals_and_constants_are_shown_with_their_size(self):
        self.write("g.cu", "__constant__ int table[4]; __device__ double sum;\n"
                           "__global__ void f() { sum = table[threadIdx.x]; }\n")
        self.compile("g.cu", "g.cuco")
        shown = json.loads(self.succeeds("inspect", "g.cuco", "--json"))
        sizes = {symbol["name"]: (symbol["kind"], symbol["size"])
                 for symbol in shown["symbols"] if symbol["kind"] != "kernel"}
        self.assertEqual(sizes, {"table": ("constant", 16), "sum": ("global", 8)})

    def test_every_flipped_byte_of_a_container_is_refused(self):
        good = self.compile("saxpy.cu", "a.cuco")
        for at in range(0, len(good), max(1, len(good) // 40)):
            self.write("bad.cuco", good[:at] + bytes([good[at] ^ 0x10]) + good[at + 1:])
            self.fails(1, "inspect", "bad.cuco", says="")

    def test_truncated_files_are_refused(self):
        for name, arguments in [("a.cuco", []), ("a.cubin", ["--arch", "sm_90"])]:
            good = self.compile("saxpy.cu", name, *arguments)
            for size in (1, 8, 63, len(good) // 2, len(good) - 1):
                self.write("cut", good[:size])
                self.fails(1, "inspect", "cut", says="")


class InspectStrangers(CommandTest):
    def test_what_is_no_object_code_is_refused_by_name(self):
        self.write("empty", b"")
        self.write("noise", bytes(range(256)) * 10)
        self.fails(1, "inspect", "empty", says=["empty", "neither"])
        self.fails(1, "inspect", "noise", says=["noise", "neither"])
        self.fails(1, "inspect", "saxpy.cu", says=["saxpy.cu", "neither"])
        self.fails(1, "inspect", "nowhere", says=["nowhere", "No such file"])

    def test_a_program_of_the_host_is_refused_with_the_reason(self):
        self.write("host", Path("/bin/true").read_bytes())
        self.fails(1, "inspect", "host", says="")


if __name__ == "__main__":
    unittest.main()
