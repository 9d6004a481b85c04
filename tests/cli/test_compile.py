# SPDX-License-Identifier: Apache-2.0
"""cucore compile and cucore inspect: from source to files, and the content of the files."""
import hashlib
import json
import os
import re
import subprocess
import unittest
from pathlib import Path

from command import CommandTest, library_is_there, needs_nvrtc, public_header

NVCC = "/usr/local/cuda/bin/nvcc"
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

    def test_quoted_includes_search_the_folder_of_the_file(self):
        (self.folder / "sub").mkdir()
        for folder in ("", "sub/"):
            self.write(f"{folder}near.h", "#define NEAR 1\n")
            for include in ('#include "near.h"', '  #  include"near.h"'):
                self.write(f"{folder}near.cu", f"// first\n{include}\n__global__ void f(int* p) {{ *p = NEAR; }}\n")
                self.compile(f"{folder}near.cu", "near.ptx")
                self.fails(1, "compile", f"{folder}near.cu", "-o", "near.ptx", "--no-source-include", says="near.h")

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


    def test_every_option_of_a_program_has_a_flag(self):
        header = public_header()
        struct = re.search(r"typedef struct cucore_program_options \{(.*?)\n\}", header, re.S)[1]
        struct = re.sub(r"/\*.*?\*/", "", struct, flags=re.S)
        fields = set(re.findall(r"(\w+);", struct))
        help_text = self.succeeds("compile", "--help").replace("[no-]", "")
        # Fields under another name, or without a name.
        known = {"arch", "standard", "struct_size", "reserved", "reserved_1", "name", "header_names",
                 "header_sources", "relocatable_device_code", "extensible_whole_program",
                 "device_code_optimize", "link_time_optimization", "restrict_pointers",
                 "max_register_count", "syntax_only", "bundled_headers", "use_libdevice",
                 "pch_directory", "ofast_compile", "diag_suppressions", "diag_warnings", "define_macros",
                 "undefine_macros", "ptxas_options", "extra_sources", "extra_source_names",
                 "extra_source_sizes"}
        for field in fields - known:
            if field.endswith("_count"):
                continue
            option = "--" + field.replace("_", "-")
            self.assertTrue(option in help_text or option.rstrip("s") in help_text, option)
        for option in ("--rdc", "--ewp", "--dopt", "--lto", "--restrict", "--maxrregcount",
                       "--syntax-only", "--use-bundled-headers", "--libdevice", "--pch-dir",
                       "--ofast-compile", "--diag-suppress", "--define", "--undefine", "--ptxas",
                       "--extra-source"):
            self.assertIn(option, help_text)

    def test_options_reach_the_compiler(self):
        self.write("pre.h", "#define PRE 1\n")
        self.write("o.cu", "#ifdef GONE\n#error gone\n#endif\n#ifndef PRE\n#error pre\n#endif\n"
                           "__global__ void f(float* p) { *p = *p * 2.0f + p[1]; }\n")
        self.compile("o.cu", "o.cuco", "-a", "sm_90", "-D", "GONE", "-U", "GONE", "--pre-include",
                     "pre.h", "--no-fma", "--use-fast-math", "--lineinfo", "--maxrregcount=32",
                     "--rdc", "--ptxas=-v", "--diag-suppress", "177", "--diag-suppress=550",
                     "--restrict", "--split-compile", "2", "--random-seed", "x", "--no-warnings")
        options = json.loads(self.succeeds("inspect", "o.cuco", "--json"))["metadata"]["options"]
        self.assertLessEqual({"--fmad=false", "--use_fast_math", "--generate-line-info",
                              "--maxrregcount=32", "--relocatable-device-code=true",
                              "--ptxas-options=-v", "--diag-suppress=177", "--diag-suppress=550",
                              "--restrict", "--split-compile=2", "--frandom-seed=x",
                              "--disable-warnings", "--pre-include=pre.h"}, set(options), options)


@needs_nvrtc
class CompilePtx(CommandTest):
    def setUp(self):
        super().setUp()
        self.compile("saxpy.cu", "saxpy.ptx", "--arch", "compute_80")

    @unittest.skipUnless(library_is_there("nvjitlink"), "nvJitLink is not installed")
    def test_a_ptx_becomes_a_cubin(self):
        self.assertTrue(self.compile("saxpy.ptx", "a.cubin", "-a", "sm_90").startswith(b"\x7fELF"))
        self.compile("saxpy.ptx", "a.cuco", "-a", "sm_90", "--maxrregcount", "24", "--lineinfo")
        told = json.loads(self.succeeds("inspect", "a.cuco", "--json"))
        self.assertEqual(told["kind"], "CUBIN")
        self.assertLessEqual({"-maxrregcount=24", "-lineinfo"}, set(told["metadata"]["options"]))
        result = self.run_command("compile", "-", "-x", "ptx", "-t", "cubin", "-o", "-", "-a",
                                  "sm_90", input=self.read("saxpy.ptx"))
        self.assertTrue(result.stdout.startswith(b"\x7fELF"), result.stderr)

    def test_what_a_ptx_cannot_be_or_have(self):
        self.fails(1, "compile", "saxpy.ptx", "-o", "b.ptx", says="PTX")
        self.fails(1, "compile", "saxpy.ptx", "-o", "a.cubin", "-a", "sm_90", "--restrict", "--std",
                   "c++20", says=["restrict", "standard"])
        self.write("junk.ptx", "junk")
        self.fails(1, "compile", "junk.ptx", "-o", "a.cubin", "-a", "sm_90", says="junk.ptx")


NVVM = """target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-\
f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
declare float @__nv_sinf(float)
define void @k(float* %p) {
  %x = load float, float* %p
  %y = call float @__nv_sinf(float %x)
  store float %y, float* %p
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (float*)* @k, !"kernel", i32 1}
!nvvmir.version = !{!1}
!1 = !{i32 2, i32 0}
"""


@unittest.skipUnless(library_is_there("nvvm"), "libNVVM is not installed")
class CompileNvvm(CommandTest):
    def test_ir_becomes_ptx(self):
        self.write("k.ll", NVVM)
        self.assertIn(b".entry k", self.compile("k.ll", "k.ptx", "-a", "compute_90", "--libdevice"))
        self.assertIn("PTX", self.succeeds("compile", "k.ll", "-o", "k.cuco", "-a", "compute_90",
                                           "--libdevice"))

    def test_wrong_ir_shows_the_log(self):
        self.write("k.ll", NVVM.replace("ret void", "ret junk"))
        text = self.fails(1, "compile", "k.ll", "-o", "k.ptx", "-a", "compute_90", says="k.ll")
        self.assertIn("error", text)


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

    def test_what_is_no_source_is_told_of(self):
        self.write("zeros.cu", b"__global__ void f() {}\0")
        self.fails(1, "compile", "zeros.cu", "-o", "a.ptx", says=["zeros.cu is not text", "22"])
        self.compile("saxpy.cu", "a.cuco")
        self.compile("saxpy.cu", "a.cubin", "-a", "sm_90")
        for name, kind in (("a.cuco", "container"), ("a.cubin", "CUBIN")):
            self.fails(1, "compile", name, "-o", "b.ptx", says=[name, kind, "already compiled"])

    def test_an_output_that_says_nothing_asks_for_a_target(self):
        self.fails(2, "compile", "saxpy.cu", "-o", "-", says=["the standard output", "--target"])
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

    def test_classes_of_parameters_are_shown(self):
        for arch in ("compute_80", "sm_90", "sm_100"):
            self.compile("saxpy.cu", "a.cuco", "--arch", arch)
            shown = json.loads(self.succeeds("inspect", "a.cuco", "--json"))
            classes = [p["class"] for p in shown["symbols"][0]["parameters"]]
            self.assertEqual(classes, ["float", "pointer", "pointer", "integer"])
            self.assertIn("0: 4 bytes at offset 0, float\n", self.succeeds("inspect", "a.cuco"))

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


SPILLING = """extern "C" __global__ void __launch_bounds__(1024, 2) spill(float* p, int n) {
  float a[64];
  for (int i = 0; i < 64; ++i) a[i] = p[threadIdx.x + i * n];
  #pragma unroll 1
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < 64; ++i) a[i] = a[i] * a[(i * 7 + 3) % 64] + p[i + k];
  for (int i = 0; i < 64; ++i) p[threadIdx.x + i * n] = a[i];
}
"""


@needs_nvrtc
class InspectMachineCode(CommandTest):
    def test_what_a_kernel_needs_is_what_ptxas_says(self):
        self.write("spill.cu", SPILLING + "extern \"C\" __global__ void plain(int* p) {\n"
                   "  __shared__ int s[32]; s[threadIdx.x] = *p; __syncthreads(); *p = s[3]; }\n")
        for arch in ("sm_75", "sm_80", "sm_90", "sm_100", "sm_120"):
            self.compile("spill.cu", "a.cuco", "-a", arch, "--ptxas=-v")
            told = json.loads(self.succeeds("inspect", "a.cuco", "--json"))
            needs = {symbol["name"]: symbol["resources"] for symbol in told["symbols"]}
            said = {}
            for name, stack, stores, loads, registers in re.findall(
                    r"entry function '(\w+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores, "
                    r"(\d+) bytes spill loads.*?Used (\d+) registers", told["log"], re.S):
                said[name] = tuple(map(int, (stack, stores, loads, registers)))
            self.assertEqual({name: (need["stack"], need["spill_stores"], need["spill_loads"],
                                     need["registers"]) for name, need in needs.items()}, said)
            self.assertGreater(needs["spill"]["spill_stores"], 0)
            self.assertEqual(needs["plain"]["static_shared"], 128)
            self.assertEqual(needs["spill"]["max_threads"], 1024)
        text = self.succeeds("inspect", "a.cuco")
        self.assertIn("bytes spill stores", text)

    def test_sections_and_their_digests(self):
        data = self.compile("saxpy.cu", "a.cuco", "-a", "sm_90")
        sections = json.loads(self.succeeds("inspect", "a.cuco", "--json"))["sections"]
        self.assertIn("CUBIN", {section["type"] for section in sections})
        for section in sections:
            stored = data[section["offset"]:section["offset"] + section["stored_size"]]
            self.assertEqual(section["sha256"], hashlib.sha256(stored).hexdigest())
        self.assertIn(sections[0]["sha256"], self.succeeds("inspect", "a.cuco", "-v"))
        text = self.succeeds("inspect", "a.cuco")
        self.assertNotIn(sections[0]["sha256"], text)
        self.assertNotIn("_sha256", text)
        self.assertNotIn("--frandom-seed=", text)
        self.assertIn("--frandom-seed=", self.succeeds("inspect", "a.cuco", "-v"))
        self.assertLess(text.index("  kernel    saxpy"), text.index("sections "))
        self.assertLess(text.index("  kernel    saxpy"), text.index("made"))

    def test_the_source_and_the_options_are_told_of(self):
        self.compile("saxpy.cu", "a.cuco", "-a", "sm_90", "--no-fma")
        metadata = json.loads(self.succeeds("inspect", "a.cuco", "--json"))["metadata"]
        self.assertEqual(metadata["source_sha256"],
                         hashlib.sha256(self.read("saxpy.cu")).hexdigest())
        self.assertEqual(metadata["producer"], "NVRTC")
        self.assertIn("    --fmad=false\n", self.succeeds("inspect", "a.cuco"))

    @unittest.skipUnless(os.path.exists(NVCC), "nvcc is not installed")
    def test_the_entries_of_a_fat_binary(self):
        for mode in ("none", "speed", "size"):
            subprocess.run([NVCC, "-fatbin", f"--compress-mode={mode}", "saxpy.cu", "-o", "a.fatbin",
                            "-gencode", "arch=compute_90,code=sm_90", "-gencode",
                            "arch=compute_75,code=compute_75"], cwd=self.folder, check=True)
            told = json.loads(self.succeeds("inspect", "a.fatbin", "--json"))
            self.assertEqual({(entry["kind"], entry["arch"]) for entry in told["entries"]},
                             {("CUBIN", "sm_90"), ("PTX", "compute_75")})
            for entry in told["entries"]:
                self.assertEqual([symbol["name"] for symbol in entry["symbols"]], ["saxpy"])
                self.assertEqual(len(entry["symbols"][0]["parameters"]), 4)
            self.assertEqual(told["symbols"][0]["name"], "saxpy")
            self.assertIn("entries  2", self.succeeds("inspect", "a.fatbin"))


class InspectStrangers(CommandTest):
    def test_what_is_no_object_code_is_refused_by_name(self):
        self.write("empty", b"")
        self.write("noise", bytes(range(256)) * 10)
        self.fails(1, "inspect", "empty", says=["empty", "neither"])
        self.fails(1, "inspect", "noise", says=["noise", "neither"])
        self.fails(1, "inspect", "saxpy.cu", says=["saxpy.cu", "neither"])
        self.fails(1, "inspect", "nowhere", says=["nowhere", "No such file"])

    def test_archives_name_their_members(self):
        def member(name, data):
            return name.ljust(16).encode() + b"0           0     0     644     " + \
                f"{len(data)}".ljust(10).encode() + b"`\n" + data + b"\n" * (len(data) % 2)
        long_name = "a_name_of_more_than_15.o"
        self.write("x.a", b"!<arch>\n" + member("/", b"\0\0\0\0") +
                   member("//", f"{long_name}/\n".encode()) + member("short.o/", b"odd") +
                   member("/0", b"") + member("#1/8", b"bsd.o\0\0\0" + b"data"))
        told = json.loads(self.succeeds("inspect", "x.a", "--json"))
        self.assertEqual([(one["name"], one["size"]) for one in told["members"]],
                         [("short.o", 3), (long_name, 0), ("bsd.o", 12)])
        self.assertIn("members  3", self.succeeds("inspect", "x.a"))

    def test_a_program_of_the_host_is_refused_with_the_reason(self):
        self.write("host", Path("/bin/true").read_bytes())
        self.fails(1, "inspect", "host", says="")


if __name__ == "__main__":
    unittest.main()
