# SPDX-License-Identifier: Apache-2.0
"""The command line itself: help, version, errors, colours, output that fails."""
import json
import unittest

from command import CommandTest, needs_nvrtc

SUBCOMMANDS = ["info", "compile", "link", "bundle", "inspect", "analyze", "sign", "verify", "run", "bench", "profile", "roof", "cache"]


class Usage(CommandTest):
    def test_help_of_each_subcommand_shows_an_example(self):
        for name in SUBCOMMANDS:
            text = self.succeeds(name, "--help")
            self.assertIn("Example", text)
            self.assertIn(f"cucore {name}", text)

    def test_help_says_the_exit_codes(self):
        text = self.succeeds("--help")
        self.assertIn("0 done; 1 the operation failed; 2 the command line is wrong", text)
        for name in SUBCOMMANDS:
            self.assertIn(name, text)

    def test_version(self):
        self.assertRegex(self.succeeds("--version"), r"^cucore \d+\.\d+\.\d+\n$")

    def test_no_argument_and_help_print_the_help(self):
        self.assertEqual(self.succeeds(), self.succeeds("--help"))
        self.assertEqual(self.succeeds("help"), self.succeeds("--help"))
        self.assertEqual(self.succeeds("help", "cache", "list"), self.succeeds("cache", "list", "--help"))

    def test_options_without_a_subcommand_are_a_usage_error(self):
        self.fails(2, "--verbose", says="cucore requires a subcommand; expected one of info, compile")
        self.fails(2, "cache", says="cucore cache requires a subcommand; expected one of stats, list")

    def test_a_missing_option_points_to_the_help_of_its_subcommand(self):
        self.assertIn("'cucore compile --help'", self.fails(2, "compile", "saxpy.cu", says="--output"))
        self.assertIn("'cucore cache trim --help'", self.fails(2, "cache", "trim", says="--max-size"))

    def test_a_mistyped_name_is_answered_with_the_nearest(self):
        for arguments, message, hint in (
                (["compil", "a.cu"], "'compil' is not a subcommand; did you mean 'compile'?", "cucore --help' lists the subcommands"),
                (["cache", "lst"], "'lst' is not a subcommand; did you mean 'list'?", "cucore cache --help' lists the subcommands"),
                (["compile", "a.cu", "--archh=sm_90"], "'--archh' is not an option of cucore compile; did you mean '--arch'?",
                 "cucore compile --help' lists the options"),
                (["info", "--loud"], "'--loud' is not an option of cucore info", "cucore info --help' lists the options")):
            text = self.fails(2, *arguments, says=message)
            self.assertIn(hint, text)
            self.assertEqual("did you mean" in text, "did you mean" in message)

    def test_an_unknown_subcommand_or_option_is_named(self):
        self.fails(2, "explode", says=["explode", ", ".join(SUBCOMMANDS)])
        self.fails(2, "info", "--loud", says="--loud")

    def test_an_input_without_an_end_is_refused(self):
        self.fails(1, "inspect", "/dev/zero", says=["/dev/zero", "1073741824 bytes"])

    def test_missing_arguments_are_named(self):
        self.fails(2, "inspect", says="file")
        self.fails(2, "compile", "saxpy.cu", says="--output")
        self.fails(2, "compile", "saxpy.cu", "-o", "x", "--target", "exe", says=["exe", "cubin"])

    def test_a_driver_that_is_none_is_refused_before_anything_runs(self):
        self.fails(1, "--driver", "amd", "info", says="amd")
        self.fails(1, "info", "--driver", "amd", says="amd")

    def test_a_driver_library_that_is_missing_is_told_of(self):
        text = self.succeeds("info", "--driver", "/nowhere/libcuda.so.1")
        self.assertIn("/nowhere/libcuda.so.1", text)

    def test_output_that_cannot_be_written_is_a_failure(self):
        with open("/dev/full", "wb") as full:
            result = self.run_command("info", stdout=full, stderr=-1)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"cannot write the standard output", result.stderr)


class Screens(CommandTest):
    """The text on terminals of several widths. Examples stay whole, because a reader copies them."""

    COMMANDS = [[], *([name] for name in SUBCOMMANDS),
                *(["cache", name] for name in ("stats", "list", "remove", "verify", "trim", "clear", "explain"))]

    def test_the_help_fits_each_terminal(self):
        for columns in (60, 80, 120):
            for command in self.COMMANDS:
                text = self.screen(*command, "--help", columns=columns)
                self.assertIn("\nUsage: cucore", text)
                for line in text.split("\nExample", 1)[0].splitlines():
                    self.assertLessEqual(len(line), columns, line)
                for line in text.splitlines():
                    self.assertTrue(len(line) <= columns or line.startswith("  "), line)

    def test_the_help_of_a_wide_terminal_uses_it(self):
        self.assertGreater(max(map(len, self.screen("compile", "--help", columns=120).splitlines())), 90)

    def test_the_help_has_no_gaps_and_each_command_a_sentence_and_an_example(self):
        for command in self.COMMANDS[1:]:
            text = self.succeeds(*command, "--help")
            self.assertNotIn("\n\n\n", text)
            self.assertRegex(text.splitlines()[0], r"^[A-Z].*\.$")
            self.assertIn("\nExample", text)
            self.assertIn(f"  cucore {' '.join(command)}", text.split("\nExample", 1)[1])

    def test_a_missing_library_is_explained_within_the_terminal(self):
        for columns in (60, 80, 120):
            text = self.screen("info", columns=columns, env={"CUCORE_NVRTC": "/nowhere"})
            self.assertIn("not available: cannot load NVRTC", text)
            for line in text.splitlines():
                self.assertTrue(len(line) <= columns or line.count(" /") == 1 or "device" in line, line)
        piped = self.succeeds("info", env={"CUCORE_NVRTC": "/nowhere"})
        self.assertIn("not available: cannot load NVRTC: tried $CUCORE_NVRTC=/nowhere (no such file); correct or unset", piped)

    def test_messages_name_options_and_not_members_of_structures(self):
        self.fails(1, "compile", "saxpy.cu", "-o", "x.ptx", "-a", "foo", says='--arch is "foo"')

    @needs_nvrtc
    def test_a_missing_header_names_the_option(self):
        self.write("hdr.cu", '#include "mine.h"\n')
        self.fails(1, "compile", "hdr.cu", "-o", "x.ptx", "-a", "compute_80", says="set --include-path to the folder of mine.h")

    def test_values_that_the_parser_refuses(self):
        for arguments, message in (
                (["compile"], "cucore compile requires the argument 'file'"),
                (["compile", "saxpy.cu"], "cucore compile requires --output FILE"),
                (["cache", "trim"], "cucore cache trim requires --max-size SIZE"),
                (["compile", "saxpy.cu", "-o", "x", "-t", "exe"], "--target is 'exe'; expected one of cubin, cuco, ltoir, ptx"),
                (["compile", "saxpy.cu", "-o", "x.ptx", "-D"], "--define has no value; expected --define MACRO"),
                (["compile", "a.cu", "b.cu", "-o", "d", "-j", "-1"], "--jobs is '-1'; expected a number from 0 to 4294967295"),
                (["compile", "a.cu", "b.cu", "-o", "d", "--time-limit", "-1"], "--time-limit is '-1'; expected a number from 0"),
                (["run", "saxpy.cu", "-b", "1", "-b", "2"], "--block is given 2 times; expected once"),
                (["run", "saxpy.cu", "-b", "a"], "--block is 'a'; expected a number"),
                (["run", "saxpy.cu", "-b", "0"], "--block has the number 0; expected 1 to 4294967295"),
                (["run", "saxpy.cu", "-b", "1", "--arg", "buf:f32:x"], "the number of elements is 'x'; expected a number"),
                (["compile", "saxpy.cu", "-o", "x.exe"], "x.exe does not end in the suffix of a target; expected .cuco")):
            self.fails(2, *arguments, says=message)


class Colours(CommandTest):
    def test_a_pipe_gets_none(self):
        self.assertNotIn("\x1b", self.fails(1, "inspect", "nowhere", says="nowhere"))

    def test_a_terminal_gets_them_unless_told_otherwise(self):
        self.assertIn("\x1b[1;31merror:", self.run_in_terminal("inspect", "nowhere"))
        for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            text = self.run_in_terminal("inspect", "nowhere", env=env)
            self.assertIn("cannot open nowhere", text)
            self.assertNotIn("\x1b", text)

    def test_an_empty_no_color_means_nothing(self):
        self.assertIn("\x1b", self.run_in_terminal("inspect", "nowhere", env={"NO_COLOR": ""}))


class Info(CommandTest):
    def test_text_and_json_tell_of_all_libraries(self):
        text = self.succeeds("info")
        all_of_it = json.loads(self.succeeds("info", "--json"))
        names = [library["name"] for library in all_of_it["libraries"]]
        self.assertEqual(names[:4], ["driver", "nvrtc", "nvjitlink", "nvvm"])
        self.assertEqual(names[-1], "array")
        self.assertLessEqual(set(names[4:-1]), {"cublas", "cublaslt", "cufft", "cusolver", "curand", "cusparse",
                                                "nccl", "cupti", "nvml"})
        for library in all_of_it["libraries"][4:-1]:
            self.assertTrue(library["available"], library)
        for name in names:
            self.assertIn(name, text)
        for library in all_of_it["libraries"]:
            self.assertNotEqual(library["available"], bool(library["reason"]), library)
            self.assertEqual(library["available"], bool(library["path"]), library)

    def test_a_missing_compiler_is_told_of_with_the_place_and_is_no_failure(self):
        result = json.loads(self.succeeds("info", "--json", env={"CUCORE_NVRTC": "/nowhere"}))
        nvrtc = result["libraries"][1]
        self.assertFalse(nvrtc["available"])
        self.assertIn("/nowhere", nvrtc["reason"])


if __name__ == "__main__":
    unittest.main()
