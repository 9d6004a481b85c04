# SPDX-License-Identifier: Apache-2.0
"""cucore profile on the CPU device: a kernel, a program, all outputs, and wrong input.

    test_command.py PROGRAM LIBRARY_FOLDER SCHEMAS
"""
import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM, LIBRARIES, SCHEMAS = (Path(path).resolve() for path in sys.argv[1:4])
del sys.argv[1:]
COMMAND = os.environ["CUCORE_COMMAND"]

# Each thread reads a float of another line of 128 bytes, and stores it to its own place.
PTX = """.version 7.0
.target sm_52
.address_size 64
.file 1 "strided.cu"
.visible .entry strided(.param .u64 x, .param .u64 y) {
  .reg .b32 %r<2>;
  .reg .b64 %rd<6>;
  .reg .f32 %f<2>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 128;
  mul.wide.u32 %rd4, %r1, 4;
  add.s64 %rd3, %rd1, %rd3;
  add.s64 %rd4, %rd2, %rd4;
  .loc 1 7 3
  ld.global.f32 %f1, [%rd3];
  st.global.f32 [%rd4], %f1;
  ret;
}
.visible .entry other() { ret; }
"""
LAUNCH = ["strided.ptx", "--kernel", "strided", "--block", "64", "--arg", "buf:f32:2048", "--arg", "buf:f32:64"]


def check_schema(value, name):
    try:
        import jsonschema
    except ImportError:
        return
    jsonschema.Draft202012Validator(json.loads((SCHEMAS / name).read_text())).validate(value)


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "strided.ptx").write_text(PTX)

    def how(self, **variables):
        environment = dict(os.environ, LD_LIBRARY_PATH=":".join(filter(None, [str(LIBRARIES), os.environ.get("LD_LIBRARY_PATH")])))
        environment.pop("CUCORE_PROFILE", None)
        return {"cwd": self.folder, "env": environment | variables, "stdin": subprocess.DEVNULL, "text": True}

    def command(self, *arguments):
        return [COMMAND, "--driver", "cpu", "profile", *map(str, arguments)]

    def run_profile(self, *arguments, **variables):
        return subprocess.run(self.command(*arguments), capture_output=True, check=False, timeout=120, **self.how(**variables))

    def profile(self, *arguments):
        done = self.run_profile(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    # ---- a kernel

    def test_the_text_begins_with_the_reason_and_its_line(self):
        lines = self.profile(*LAUNCH).splitlines()
        self.assertRegex(lines[0], r"^profile on .* \(sm_\d+\): .*, counted without times$")
        self.assertEqual(lines[2], "strided: uncoalesced access at strided.cu:7 (P203)")
        self.assertIn("4.5 times the bytes that the threads request", lines[3])
        [row] = [line for line in lines if line.startswith("strided  ")]
        self.assertEqual(row.split(), ["strided", "1", "x", "64", "1", "640.0", "512.0", "B", "2.304", "kB", "18.0"])

    def test_json(self):
        report = json.loads(self.profile(*LAUNCH, "--launches", "3", "--json"))
        check_schema(report, "cucore.report-1.json")
        [kernel] = report["kernels"]
        self.assertEqual((kernel["name"], kernel["calls"], report["source"]), ("strided", 3, "emulated"))
        self.assertEqual(kernel["counters"]["cpu.global_load_sectors"], 3 * 64)
        self.assertEqual(kernel["counters"]["cpu.global_store_sectors"], 3 * 64 * 4 // 32)
        [finding] = [each for each in report["findings"] if each["id"] == "P203"]
        self.assertEqual((finding["file"], finding["line"]), ("strided.cu", 7))

    def test_csv(self):
        [row] = csv.DictReader(self.profile(*LAUNCH, "--csv").splitlines())
        self.assertEqual((row["name"], row["calls"]), ("strided", "1"))

    def test_files(self):
        self.profile(*LAUNCH, "--html", "a.html", "--trace", "b.trace")
        self.assertIn("uncoalesced access", (self.folder / "a.html").read_text())
        check_schema(json.loads((self.folder / "b.trace").read_text()), "chrome.trace-1.json")

    def test_a_file_on_the_standard_output_is_alone(self):
        self.assertIn("</html>", self.profile(*LAUNCH, "--html", "-").splitlines()[-1])
        check_schema(json.loads(self.profile(*LAUNCH, "--trace", "-")), "chrome.trace-1.json")
        for other in ("--csv", "--json"):
            done = self.run_profile(*LAUNCH, "--trace", "-", other)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"--trace - and {other} both write to the standard output", done.stderr + done.stdout)

    def test_counters_are_explained(self):
        report = json.loads(self.profile(*LAUNCH, "--preset", "quick", "--json"))
        self.assertIn("counters", [part["what"] for part in report["missing"]])
        self.assertNotIn("..", self.profile(*LAUNCH, "--preset", "quick"))

    def test_different_sectors_and_parameters(self):
        [kernel] = json.loads(self.profile(*LAUNCH, "--launches", "3", "--json"))["kernels"]
        self.assertEqual(kernel["resources"]["parameters"], 16)
        self.assertEqual(kernel["bytes"]["compulsory"], 3 * 32 * (64 + 64 * 4 // 32), "each thread reads a sector of its own")

    def test_counts_of_a_good_kernel(self):
        lines = self.profile("strided.ptx", "--kernel", "other", "--grid", "200", "--block", "256").splitlines()
        self.assertEqual(lines[2], "other: its counts show nothing wasteful")
        self.assertIn("100 % of the threads of its warps active", lines[3])
        self.assertEqual([line for line in lines if "COUNTERS" in line or "P216" in line], [])

    def test_threads_that_wait_for_others(self):
        work = "".join(f"  add.u32 %r2, %r2, {i};\n" for i in range(60))
        (self.folder / "branch.ptx").write_text(f""".version 7.0
.target sm_52
.address_size 64
.visible .entry halves(.param .u64 x) {{
  .reg .pred %p;
  .reg .b32 %r<4>;
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 1;
  setp.eq.u32 %p, %r2, 0;
  @%p bra even;
{work}  bra end;
even:
{work}end:
  ret;
}}
""")
        lines = self.profile("branch.ptx", "--kernel", "halves", "--block", "64", "--arg", "buf:f32:64").splitlines()
        self.assertRegex(lines[2], r"^halves: divergent branches .*\(P208\)$")
        self.assertRegex(lines[3], r"^  4[6-9] % of the threads of its warps wait, while others take another path\.$")
        done = self.profile("branch.ptx", "--kernel", "halves", "--block", "16", "--arg", "buf:f32:64").splitlines()
        self.assertRegex(done[3], r"^  4[6-9] % of the threads", "lanes that a block lacks do not wait")

    def test_the_plot_of_counts(self):
        done = self.run_profile(*LAUNCH, "--plot", "a.svg")
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("arning", done.stderr)
        self.assertIn('set title "instructions of kernels"', (self.folder / "a.svg.gp").read_text())

    # ---- a program

    def test_a_program_writes_what_it_writes(self):
        done = self.run_profile("--", PROGRAM)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr, r"^profile on .*\n")
        self.assertRegex(done.stderr, r"(?m)^observed_kernel +1 x 1 +3 ")

    def test_options_of_the_program_are_its_own(self):
        report = self.profile("--html", "a.html", "--trace", "b.trace", "--json", "--", PROGRAM, "--log")
        check_schema(json.loads(report), "cucore.report-1.json")
        self.assertEqual([(each["name"], each["calls"]) for each in json.loads(report)["kernels"]], [("observed_kernel", 3)])
        self.assertIn("observed_kernel", (self.folder / "a.html").read_text())
        self.assertIn("traceEvents", (self.folder / "b.trace").read_text())

    def test_the_output_of_the_program_goes_aside(self):
        done = self.run_profile("--csv", "--", "sh", "-c", f"echo hello; cd /; exec {PROGRAM}")
        self.assertEqual((done.returncode, done.stderr), (0, "hello\n"))
        self.assertEqual([row["name"] for row in csv.DictReader(done.stdout.splitlines())], ["observed_kernel"])

    def test_the_exit_code_is_that_of_the_program(self):
        for script, code in (("exit 7", 7), ("kill -9 $$", 137)):
            done = self.run_profile("--", "sh", "-c", script)
            self.assertEqual((done.returncode, done.stdout), (code, ""))
            self.assertIn("no profile: sh used no device through libcucore", done.stderr)
        done = self.run_profile("--", "sh", "-c", f"{PROGRAM}; exit 5")
        self.assertEqual(done.returncode, 5)
        self.assertIn("observed_kernel", done.stderr)

    def test_a_report_that_cannot_be_written_is_an_error(self):
        for options in (["--html", "none/a.html"], ["--trace", "strided.ptx/a.trace"]):
            done = self.run_profile(*options, "--", "sh", "-c", "echo started")
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            self.assertIn(f"cannot write {options[1]}: ", done.stderr)
        remove = ["--html", "new/a.html", "--trace", "b.trace", "--"]
        for code in (0, 3):
            (self.folder / "new").mkdir()
            done = self.run_profile(*remove, "sh", "-c", f"{PROGRAM}; rmdir new; exit {code}")
            self.assertEqual(done.returncode, code or 1)
            self.assertIn("observed_kernel", done.stderr)
            self.assertIn("error: cannot write new/a.html: No such file or directory", done.stderr)
            self.assertIn("traceEvents", (self.folder / "b.trace").read_text())
        done = self.run_profile("--trace", "b.trace", "--", "true")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no profile: true used no device", done.stderr)

    def test_a_report_that_is_cut_is_an_error(self):
        limited = ["sh", "-c", f"trap '' XFSZ; ulimit -f 8; exec {PROGRAM}"]
        (self.folder / "a.html").write_text("old")
        done = self.run_profile("--html", "a.html", "--", *limited)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("observed_kernel", done.stderr)
        self.assertIn("cannot write a.html: process", done.stderr)
        self.assertEqual((self.folder / "a.html").read_text(), "old")

    def test_a_report_that_is_absent_is_an_error(self):
        done = self.run_profile("--json", "--", "true")
        failure = json.loads(done.stdout)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertEqual((failure["status"], failure["exit_code"]), ("CUCORE_ERROR_NOT_FOUND", 1))
        self.assertIn("no profile: true used no device", failure["message"])
        done = self.run_profile("--json", "--", "sh", "-c", "exit 7")
        self.assertEqual((done.returncode, json.loads(done.stdout)["exit_code"]), (7, 7))
        done = self.run_profile("--csv", "--", "true")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("no profile: true used no device", done.stderr)

    def test_each_process_has_a_report(self):
        done = self.run_profile("--html", "a.html", "--", "sh", "-c", f"{PROGRAM} & {PROGRAM}; wait")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"^cucore: 2 processes have a profile; this is that of process \d+\n")
        self.assertIn("observed_kernel", (self.folder / "a.html").read_text())
        done = self.run_profile("--", "sh", "-c", f"{PROGRAM} & sleep 0.1; echo $$; exec {PROGRAM}")
        self.assertIn(f"2 processes have a profile; this is that of process {done.stdout.strip()}\n", done.stderr)

    # nohup ignores SIGHUP, also in the processes that the tests start.
    @staticmethod
    def take_signals():
        signal.signal(signal.SIGHUP, signal.SIG_DFL)

    def start_waiting_program(self):
        temporary = self.folder / "temporary"
        temporary.mkdir(exist_ok=True)
        started = subprocess.Popen(self.command("--html", "a.html", "--", PROGRAM, "--wait"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=self.take_signals, **self.how(TMPDIR=str(temporary)))
        self.assertEqual(started.stdout.readline(), "ready\n")
        return started, temporary

    def test_a_signal_goes_to_the_program(self):
        started, temporary = self.start_waiting_program()
        started.terminate()
        errors = started.communicate(timeout=60)[1]
        self.assertEqual(started.returncode, -signal.SIGTERM)
        self.assertIn("observed_kernel", errors)
        self.assertIn("observed_kernel", (self.folder / "a.html").read_text())
        self.assertEqual(list(temporary.iterdir()), [])
        started, temporary = self.start_waiting_program()  # which does not handle SIGHUP
        started.send_signal(signal.SIGHUP)
        self.assertIn("no profile", started.communicate(timeout=60)[1])
        self.assertEqual(started.returncode, -signal.SIGHUP)
        self.assertEqual(list(temporary.iterdir()), [])

    def test_a_closed_pipe_does_not_cost_the_files(self):
        temporary = self.folder / "temporary"
        temporary.mkdir()
        for options in ([], ["--csv"]):
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run(self.command("--html", "a.html", *options, "--", PROGRAM), stdout=writer, stderr=writer, check=False, timeout=120,
                                  **self.how(TMPDIR=str(temporary)))
            os.close(writer)
            self.assertEqual(done.returncode, 1 if options else 0)
            self.assertIn("observed_kernel", (self.folder / "a.html").read_text())
            (self.folder / "a.html").unlink()
            self.assertEqual(list(temporary.iterdir()), [])

    def test_no_folder_for_temporary_files(self):
        done = self.run_profile("--", PROGRAM, TMPDIR="/nonexistent")
        self.assertEqual(done.returncode, 1)
        self.assertIn("error: cannot use the folder for temporary files, which TMPDIR sets: ", done.stderr)

    def test_names_may_have_colons(self):
        (self.folder / "d.html:x").mkdir()
        done = self.run_profile("--html", "d.html:x/report.html", "--", PROGRAM)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("observed_kernel", (self.folder / "d.html:x/report.html").read_text())

    def test_ranges_of_nvtx_go_to_cupti(self):
        library = os.environ.get("FAKE_CUPTI")
        if not library:
            self.skipTest("the build has no CUPTI")
        print_variable = ["profile", "--", "sh", "-c", 'echo "$NVTX_INJECTION64_PATH"']
        for cupti, driver, own, expected in (
            (library, "nvidia", "", library),
            (library, "cpu", "", ""),
            (library, "nvidia", "/opt/own.so", "/opt/own.so"),
            ("/nowhere/libcupti.so", "nvidia", "", ""),
        ):
            environment = dict(os.environ, CUCORE_CUPTI=cupti, CUCORE_DRIVER=driver, NVTX_INJECTION64_PATH=own)
            done = subprocess.run([COMMAND, *print_variable], env=environment, capture_output=True, text=True, check=False, timeout=120)
            self.assertEqual((done.returncode, done.stdout), (0, expected + "\n"), done.stderr)

    def test_the_profile_ends_before_cupti(self):
        library, driver = os.environ.get("FAKE_CUPTI"), os.environ.get("FAKE_DRIVER")
        if not library:
            self.skipTest("the build has no CUPTI")
        environment = dict(os.environ, CUCORE_CUPTI=library, CUCORE_DRIVER=driver)
        done = subprocess.run([COMMAND, "profile", "--json", "--", PROGRAM], env=environment, capture_output=True, text=True, check=False, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads(done.stdout)["source"], "activity")

    def test_no_folder_is_left(self):
        done = self.run_profile("--", "sh", "-c", 'echo "$CUCORE_PROFILE"')
        self.assertTrue(done.stdout.strip().endswith("/report.%p.text"), done.stdout)
        self.assertFalse(Path(done.stdout.strip()).parent.exists())

    # ---- wrong input

    def fails(self, code, message, *arguments):
        done = self.run_profile(*arguments)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertIn(message, done.stderr.splitlines()[0])

    def test_wrong_input(self):
        self.fails(2, "requires the argument 'file'")
        self.fails(2, "strided.ptx is code; expected --kernel NAME", "strided.ptx")
        self.fails(2, "requires --block EXTENT", "strided.ptx", "--kernel", "strided")
        self.fails(2, "--block is 'x'; expected a number", "strided.ptx", "--kernel", "strided", "--block", "x")
        self.fails(2, "b.ptx is one argument too many", "strided.ptx", "b.ptx", "--kernel", "strided", "--block", "1")
        self.fails(1, "it contains strided, other", "strided.ptx", "--kernel", "stride", "--block", "1")
        self.fails(1, "argument 0", "strided.ptx", "--kernel", "strided", "--block", "1", "--arg", "i32:1", "--arg", "buf:f32:1")
        self.fails(1, "cannot open none.ptx", "none.ptx", "--kernel", "strided", "--block", "1")
        self.fails(1, "--device 7", *LAUNCH, "--device", "7")
        self.fails(2, "strided.ptx", *LAUNCH, "--html", "strided.ptx")
        self.fails(2, "--plot a.png: the name of a plot must end in .svg", *LAUNCH, "--plot", "a.png")
        self.fails(2, "--preset is 'bogus'; expected one of quick, balanced, flops, memory, roof, all", *LAUNCH, "--preset", "bogus")
        for launches in ("0", "-3", "99999999999"):
            self.fails(2, f"--launches is '{launches}'; expected a number from 1 to 4294967295", *LAUNCH, "--launches", launches)

    def test_wrong_input_for_a_program(self):
        self.fails(1, "cannot run ./none: No such file or directory", "--", "./none")
        self.fails(2, "--grid is of a kernel", "--grid", "4", "--", PROGRAM)
        for option in (["-a", "sm_90"], ["-D", "X"], ["-I", "."], ["--std", "c++20"]):
            self.fails(2, " is of a kernel, and needs --kernel NAME", *option, "--", PROGRAM)
        self.fails(2, "must end in .html", "--html", "a.page", "--", PROGRAM)
        done = self.run_profile("--json", "--csv", "--", PROGRAM)
        self.assertEqual((done.returncode, json.loads(done.stdout)["message"]), (2, "--csv and --json exclude each other"))


if __name__ == "__main__":
    unittest.main()
