# SPDX-License-Identifier: Apache-2.0
"""cucore run: arguments from the command line; results are shown, written and checked."""
import json
import resource
import struct
import unittest

from command import COMMAND, CommandTest, device_of, needs_nvrtc  # noqa: F401

HAS_GPU = device_of("nvidia")
HAS_CPU = device_of("cpu")
SHAPE = ["--grid", "4", "--block", "256"]
ARGUMENTS = ["--arg", "f32:2.0", "--arg", "buf:f32:1024:iota", "--arg", "buf:f32:1024:fill=1.0",
             "--arg", "i32:1024"]


class RunUsage(CommandTest):
    """All of this is detected before a device is opened."""

    def wrong(self, *arguments, says):
        self.fails(2, "run", "saxpy.cu", *SHAPE, *arguments, says=says)

    def test_scalars_that_are_none(self):
        self.wrong("--arg", "f32:two", says=["f32:two", "'two' is not a value of f32"])
        self.wrong("--arg", "i8:128", says="out of the range of i8")
        self.wrong("--arg", "u32:-1", says="not a value of u32")
        self.wrong("--arg", "f31:1", says=["'f31' is not a type", "f64"])
        self.wrong("--arg", "3", says="'3' is not a type")
        self.wrong("--arg", "i32:", says="not a value of i32")
        self.wrong("--arg", "i32:0x-5", says="not a value of i32")

    def test_arrays_that_are_none(self):
        self.wrong("--arg", "buf:f32", says="number of elements")
        self.wrong("--arg", "buf:f32:many", says="many")
        self.wrong("--arg", "buf:f32:4:fill=x", says="'x'")
        self.wrong("--arg", "buf:f32:4:sorted", says=["sorted", "iota"])
        for count in ("18446744073709551615", "4611686018427387904", "999999999999"):
            self.wrong("--arg", "buf:f32:" + count, says="too big")

    @unittest.skipIf(b"__asan_init" in COMMAND.read_bytes(), "a sanitizer ends the process")
    def test_memory_that_there_is_not(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        self.fails(1, "run", "saxpy.cu", *SHAPE, "--arg", "buf:f32:1000000000",
                   says="not enough memory", preexec_fn=limit)

    def test_files_of_arrays(self):
        self.write("odd", b"12345")
        self.write("two", struct.pack("2f", 1, 2))
        run = ["run", "saxpy.cu", *SHAPE, "--arg"]
        self.fails(1, *run, "buf:f32:file=none", says=["none", "No such file"])
        self.fails(1, *run, "buf:f32:file=odd", says=["odd", "not a multiple"])
        self.fails(1, *run, "buf:f32:3:file=two", says=["2 elements", "not 3"])

    def test_tolerances(self):
        for text in ("inf", "nan", "-1", "-inf", "1e400", "x", ""):
            result = self.run_command("run", "saxpy.cu", *SHAPE, "--tolerance", text)
            self.assertEqual(result.returncode, 2, text)
            self.assertIn(b"--tolerance", result.stderr)
            self.assertLess(len(result.stderr), 200, result.stderr)

    def test_extents(self):
        for option in ("--grid", "--block"):
            for text in ("0", "1,2,3,4", "1,,2", "x", "4294967296", "-1"):
                self.fails(2, "run", "saxpy.cu", "--block", "1", f"{option}={text}", says=option)
        self.fails(2, "run", "saxpy.cu", says="--block")

    def test_results_of_what_is_no_array(self):
        self.wrong("--arg", "buf:i8:4", "--expect", "0=300", says="--expect 0=300: '300' is out of the range of i8")
        for option in ("--output", "--expect"):
            self.wrong("--arg", "i32:1", option, "0=x", says="argument 0 is not an array")
            self.wrong("--arg", "i32:1", option, "7=x", says="argument 7 is not an array")
            self.wrong(option, "x", says="INDEX")
        self.wrong("--print", "some", says="--print")

    def test_graphs_without_a_number_or_without_a_launch(self):
        for text in ("0", "-1", "x", "4294967296", ""):
            self.wrong(f"--graph={text}", says="--graph")
        self.wrong("--graph", "0", says="--graph has the number 0; expected 1 to 4294967295")
        self.wrong("--graph", "4294967296", says="--graph has the number 4294967296; expected 1 to 4294967295")
        self.wrong("--graph", "x", says="--graph is 'x'; expected a number")
        self.wrong("--dot", "g.dot", says="--dot has no graph to write; add --graph N, the number of launches")
        self.wrong("--graph", "1", "--dot", "saxpy.cu", says="saxpy.cu is an input and also the output")
        self.wrong("--arg", "buf:f32:4", "--graph", "1", "--dot", "y", "--output", "0=y", says="y")
        self.assertFalse((self.folder / "g.dot").exists())

    def test_help_describes_graphs(self):
        text = self.succeeds("run", "--help")
        self.assertRegex(text, r"--graph N +capture the launch into a graph")
        self.assertRegex(text, r"--dot FILE +write the graph of --graph to a file")

    def test_a_missing_driver_says_what_to_do(self):
        self.fails(1, "--driver", "/nowhere/driver.so", "run", "saxpy.cu", *SHAPE,
                   says="/nowhere/driver.so")


class RunOn:
    """Does the same on each kind of device."""
    driver = ""

    def launch(self, *arguments):
        return self.succeeds("--driver", self.driver, "run", *arguments)

    def refuse(self, *arguments, says):
        return self.fails(1, "--driver", self.driver, "run", *arguments, says=says)

    def test_source_is_compiled_on_the_fly_and_results_are_printed(self):
        text = self.launch("saxpy.cu", "--kernel", "saxpy", *SHAPE, *ARGUMENTS, "--print", "4")
        self.assertIn("[1] f32 x 1024: 0 1 2 3 ...", text)
        self.assertIn("[2] f32 x 1024: 1 3 5 7 ...", text)
        self.assertRegex(text.splitlines()[0], r"saxpy took [\d.]+ ms")

    def test_the_only_kernel_needs_no_name_and_zero_prints_nothing(self):
        self.assertEqual(self.launch("saxpy.cu", *SHAPE, *ARGUMENTS, "--print", "0"), "")

    def test_containers_and_ptx_run_too(self):
        for name in ("a.cuco", "a.ptx"):
            self.compile("saxpy.cu", name, "--arch", "compute_75")
            self.assertIn("1 3 5 7", self.launch(name, *SHAPE, *ARGUMENTS))

    def test_templates_and_plain_cpp_kernels_are_found_by_their_source_names(self):
        text = self.launch("fill.cu", "--kernel", "fill<short>", "--block", "4", "--arg",
                           "buf:i16:4", "--arg", "i16:-7", "--print", "all")
        self.assertIn("[0] i16 x 4: -7 -7 -7 -7\n", text)
        self.write("plain.cu", "__global__ void one(int* p) { *p = 1; }\n")
        self.assertIn(": 1\n", self.launch("plain.cu", "-k", "one", "-b", "1", "--arg", "buf:i32:1"))

    def test_arrays_come_from_files_and_go_to_files(self):
        self.write("x.bin", struct.pack("4f", 1, 2, 3, 4))
        self.launch("saxpy.cu", "--block", "4", "--arg", "f32:10", "--arg", "buf:f32:file=x.bin",
                    "--arg", "buf:f32:4", "--arg", "i32:4", "--output", "2=y.bin")
        self.assertEqual(struct.unpack("4f", self.read("y.bin")), (10, 20, 30, 40))

    def test_an_array_on_the_standard_output_is_alone_there(self):
        run = ["run", "--driver", self.driver, "fill.cu", "-k", "fill<float>", "-b", "2", "--arg",
               "buf:f32:2", "--arg", "f32:1.5", "--output", "0=-"]
        for how in ([], ["--json"], ["--print", "all"]):
            result = self.run_command(*run, *how)
            self.assertEqual((result.returncode, result.stdout), (0, struct.pack("2f", 1.5, 1.5)),
                             result.stderr)

    def test_what_a_kernel_prints_is_no_part_of_a_result(self):
        self.write("prints.cu", """extern "C" __global__ void prints(int* p) {
            printf("said by a kernel\\n"); p[0] = 7; }""")
        run = ["run", "--driver", self.driver, "prints.cu", "-b", "1", "--arg", "buf:i32:1"]
        result = self.run_command(*run, "--json")
        self.assertEqual(json.loads(result.stdout)["arrays"][0]["values"], [7])
        self.assertEqual(result.stderr, b"said by a kernel\n")
        result = self.run_command(*run, "--output", "0=-")
        self.assertEqual((result.stdout, result.stderr), (struct.pack("i", 7), b"said by a kernel\n"))
        self.assertIn("said by a kernel\n", self.succeeds(*run))

    def test_expectations_hold_or_fail_with_the_first_difference(self):
        run = ["fill.cu", "-k", "fill<float>", "-b", "4", "--arg", "buf:f32:4", "--arg", "f32:1.5"]
        self.launch(*run, "--expect", "0=1.5")
        self.launch(*run, "--expect", "0=1.50001", "--tolerance", "0.001")
        self.refuse(*run, "--expect", "0=2", says="4 of 4 elements differ; element 0 is 1.5, not 2")
        self.write("e.bin", struct.pack("4f", 1.5, 1.5, 9, 1.5))
        self.refuse(*run, "--expect", "0=file=e.bin", says="element 2 is 1.5, not 9")

    def test_not_a_number_is_expected_in_any_form_and_infinity_is_near_nothing(self):
        self.write("special.cu", """extern "C" __global__ void special(float* x) {
            x[0] = __int_as_float(0x7fffffff); x[1] = __int_as_float(0xffc00001);
            x[2] = __int_as_float(0x7f800000); x[3] = 1; }""")
        run = ["special.cu", "-b", "1", "--arg", "buf:f32:4"]
        nan, inf = float("nan"), float("inf")

        def expect(values, *how):
            self.write("e.bin", struct.pack("4f", *values))
            return [*run, "--expect", "0=file=e.bin", *how]

        for how in ([], ["--tolerance", "0.5"]):
            self.launch(*expect([nan, nan, inf, 1], *how))
            self.refuse(*expect([nan, nan, inf, nan], *how), says="element 3 is 1, not nan")
            self.refuse(*expect([1, nan, inf, 1], *how), says="element 0 is nan, not 1")
            self.refuse(*expect([nan, nan, -inf, 1], *how), says="element 2 is inf, not -inf")
            self.refuse(*expect([nan, nan, inf, inf], *how), says="element 3 is 1, not inf")

    def test_a_kernel_that_is_not_there_is_named_with_those_that_are(self):
        self.refuse("saxpy.cu", "-k", "saxpi", *SHAPE, *ARGUMENTS, says=["saxpi", "saxpy"])

    def test_wrong_arguments_are_found_before_the_launch(self):
        self.refuse("saxpy.cu", *SHAPE, *ARGUMENTS[:-2], says="argument")
        self.refuse("saxpy.cu", *SHAPE, "--arg", "f64:2.0", *ARGUMENTS[2:], says="argument 0")
        self.refuse("saxpy.cu", "--grid", "1", "--block", "99999", *ARGUMENTS, says="block")

    def test_arguments_of_another_class_are_refused(self):
        self.write("all.cu", """template <class T> __global__ void all(float a, int* b, long c, double d, char e) {
            b[0] = a + c + d + e;
        }""")
        good = ["f32:1", "buf:i32:4", "i64:2", "f64:0.5", "u8:3"]
        run = ["all.cu", "-k", "all<int>", "-b", "1"]

        def arguments(values):
            return [word for value in values for word in ("--arg", value)]

        self.assertIn("[1] i32 x 4: 6 0 0 0", self.launch(*run, *arguments(good)))
        for index, wrong, expected in [
                (0, "i32:2", "a float of 4 bytes; write f32:VALUE"),
                (0, "u32:7", "float"), (0, "buf:f32:1", "float"),
                (1, "u64:4096", "a pointer of 8 bytes; write buf:TYPE:COUNT"),
                (1, "f64:1.5", "pointer"), (1, "i32:0", "pointer"),
                (2, "f64:2", "an integer of 8 bytes; write i64:VALUE or u64:VALUE"),
                (2, "buf:i64:4", "integer"), (3, "i64:1", "float of 8 bytes; write f64:VALUE"),
                (3, "buf:f64:8", "float"), (4, "f32:1", "integer of 1 byte; write i8:VALUE or u8:VALUE"),
                (4, "buf:u8:4", "integer")]:
            values = good[:index] + [wrong] + good[index + 1:]
            self.refuse(*run, *arguments(values),
                        says=[f"argument {index} of kernel all<int> is {wrong};", expected])
        # Sizes are checked by the launch itself.
        self.refuse(*run, *arguments(good[:2] + ["i32:1"] + good[3:]),
                    says=["argument 2 of kernel all<int>", "4 bytes", "8 bytes (integer)"])

    def test_a_graph_repeats_the_launch_and_is_timed_with_plain_launches(self):
        text = self.launch("saxpy.cu", *SHAPE, *ARGUMENTS, "--print", "4", "--graph", "3")
        self.assertIn("[2] f32 x 1024: 1 7 13 19 ...", text)  # the arrays of the graph: three launches of it
        self.assertRegex(text.splitlines()[0], r"saxpy took [\d.]+ ms in 3 plain launches, [\d.]+ ms in 3 launches of a graph$")
        self.launch("saxpy.cu", *SHAPE, *ARGUMENTS, "--graph", "1", "--expect", "1=file=" + self.iota(1024))
        told = json.loads(self.launch("saxpy.cu", *SHAPE, *ARGUMENTS, "--graph", "100", "--json", "--print", "2"))
        self.assertEqual((told["launches"], told["arrays"][1]["values"]), (100, [1, 201]))
        self.assertGreaterEqual(told["milliseconds"], 0)
        self.assertGreater(told["graph_milliseconds"], 0)
        self.assertNotIn("launches", json.loads(self.launch("saxpy.cu", *SHAPE, *ARGUMENTS, "--json")))

    def iota(self, count):
        self.write("iota.bin", struct.pack(f"{count}f", *range(count)))
        return "iota.bin"

    def test_a_graph_is_written_in_the_language_of_graphviz(self):
        run = ["saxpy.cu", *SHAPE, *ARGUMENTS, "--graph", "2", "--dot"]
        self.assertIn("[2] f32 x 1024: 1 5 9 13", self.launch(*run, "g.dot"))
        written = self.read("g.dot").decode()
        self.assertRegex(written, r"^digraph \{\n  n\d+ \[label=.*saxpy.*\];\n\}\n$")
        self.assertRegex(self.launch(*run, "-"), r"^digraph \{\n.*saxpy.*\n\}\n$")  # and nothing else
        self.assertRegex(self.launch(*run, "-", "--json"), r"^digraph \{\n.*saxpy.*\n\}\n$")

    def test_a_fault_in_a_graph_is_told_of(self):
        self.write("bad.cu", "__global__ void bad(int* p) { p[1ull << 40] = 1; }\n")
        text = self.refuse("bad.cu", "-b", "1", "--arg", "buf:i32:1", "--graph", "2", "--dot", "g.dot", says="")
        self.assertIn("CUCORE_ERROR_KERNEL_FAULT", text)
        self.assertFalse((self.folder / "g.dot").exists())

    def test_bytes_may_be_any_value_of_their_size(self):
        self.write("s.cu", """struct S { float value; };
        extern "C" __global__ void s(S in, float* out) { *out = in.value; }""")
        for value in ("f32:1.5", "u32:0x3fc00000"):
            self.assertIn(": 1.5\n", self.launch("s.cu", "-b", "1", "--arg", value, "--arg", "buf:f32:1"))

    def test_a_device_that_is_not_there_is_named(self):
        self.refuse("saxpy.cu", "--device", "99", *SHAPE, *ARGUMENTS, says="99")

    def test_a_kernel_that_faults_is_told_of(self):
        self.write("bad.cu", "__global__ void bad(int* p) { p[1ull << 40] = 1; }\n")
        text = self.refuse("bad.cu", "-b", "1", "--arg", "buf:i32:1", says="")
        self.assertIn("CUCORE_ERROR_KERNEL_FAULT", text)


@needs_nvrtc
@unittest.skipUnless(HAS_CPU, "the CPU device is not built")
class RunOnCpuDevice(RunOn, CommandTest):
    driver = "cpu"

    def test_a_distance_that_says_nothing_is_not_printed(self):
        self.write("stray.cu", "__global__ void stray(long at, int*) { *(int*)at = 1; }\n")
        for address, says in (("-4096", "near the null pointer"),
                              ("-9223372036854775808", "far from every allocation")):
            text = self.refuse("stray.cu", "-k", "stray", "-b", "1", "--arg", "i64:" + address,
                               "--arg", "buf:i32:4", says=says)
            self.assertNotRegex(text, r"\d{16} bytes")


@needs_nvrtc
@unittest.skipUnless(HAS_GPU, "no GPU")
class RunOnGpu(RunOn, CommandTest):
    driver = "nvidia"


if __name__ == "__main__":
    unittest.main()
