# SPDX-License-Identifier: Apache-2.0
"""Files that the command writes: it destroys no other file, and leaves no temporary file behind."""
import os
import resource
import signal
import stat
import subprocess
import time
import unittest

from command import COMMAND, CommandTest, device_of, needs_nvrtc

PTX = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) { ret; }\n"
SEED = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
KEY = ("-----BEGIN PRIVATE KEY-----\n"
       "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE KEY-----\n")


class FilesTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("80.ptx", PTX)
        self.write("90.ptx", PTX.replace("sm_80", "sm_90"))
        self.succeeds("bundle", "80.ptx", "90.ptx", "-o", "a.cuco")
        self.write("key", KEY)
        self.write("x.bin", bytes(16))
        self.write("y.bin", bytes(16))
        os.link(self.folder / "80.ptx", self.folder / "hard.ptx")
        (self.folder / "soft.ptx").symlink_to("80.ptx")
        (self.folder / "same").symlink_to(".")

    def contents(self):
        return {str(path.relative_to(self.folder)): os.readlink(path) if path.is_symlink()
                else path.read_bytes() for path in self.folder.rglob("*")
                if path.is_symlink() or path.is_file()}


class Destroyed(FilesTest):
    """Each of these would replace an input, or write one file twice."""

    RUN = ["--driver", "cpu", "run", "80.ptx", "-b", "1"]
    ARRAYS = ["--arg", "buf:f32:file=x.bin", "--arg", "buf:f32:file=y.bin"]

    def refused(self, *arguments, says=("name",), **how):
        before = self.contents()
        with self.subTest(arguments):
            self.fails(2, *arguments, says=list(says), **how)
            self.assertEqual(self.contents(), before)

    def test_keys(self):
        self.refused("sign", "a.cuco", "--key", "key", "-o", "key", says=["key", "an input"])
        os.link(self.folder / "key", self.folder / "key2")
        self.refused("sign", "80.ptx", "--key", "key", "-o", "key2", says=["key2", "one file"])

    def test_sign_replaces_a_container_and_nothing_else(self):
        self.refused("sign", "80.ptx", "--key", "key", "-o", "80.ptx")
        self.refused("sign", "80.ptx", "--key", "key", "-o", "hard.ptx")
        self.succeeds("sign", "a.cuco", "--key", "key", "-o", "a.cuco")

    def test_link_and_bundle(self):
        for output in ("80.ptx", "hard.ptx", "soft.ptx", "./80.ptx", "same/80.ptx"):
            self.refused("link", "90.ptx", "80.ptx", "-o", output)
            self.refused("bundle", "90.ptx", "80.ptx", "-o", output)
            self.refused("compile", "80.ptx", "-o", output, "-t", "cubin", "-a", "sm_90")

    def test_the_standard_streams_are_files_too(self):
        with open(self.folder / "80.ptx", "rb") as source:
            self.refused("compile", "-", "-x", "ptx", "-o", "80.ptx", "-t", "cubin", "-a", "sm_90",
                         stdin=source)
        with open(self.folder / "80.ptx", "ab") as out:
            self.refused("bundle", "80.ptx", "90.ptx", "-o", "-", stdout=out, stderr=-1)

    def test_what_the_compiler_reads_and_writes(self):
        compile_it = ["compile", "saxpy.cu", "-o", "out.ptx", "-a", "compute_80"]
        for option in ("--time", "--time-trace", "--create-pch"):
            self.refused(*compile_it, option, "saxpy.cu", says=["saxpy.cu", "an input"])
            self.refused(*compile_it, option, "out.ptx", says=["out.ptx", "two outputs"])
            self.refused("cache", "explain", "saxpy.cu", option, "saxpy.cu")
        self.refused(*compile_it[:3], "fill.cu", "-t", "ptx", "--pre-include", "fill.cu")
        self.refused(*compile_it[:3], "90.ptx", "--use-pch", "90.ptx")
        self.refused(*compile_it[:3], "90.ptx", "-x", "nvvm", "--extra-source", "90.ptx")

    def test_one_of_many(self):
        self.refused("compile", "80.ptx", "90.ptx", "-o", ".", "-t", "ptx", says=["80.ptx"])
        self.refused("compile", "80.ptx", "90.ptx", "-o", "same", "-t", "ptx", says=["80.ptx"])
        self.refused("compile", "80.ptx", "same/80.ptx", "-o", "out", says=["both become"])
        os.mkdir(self.folder / "out")
        (self.folder / "out" / "80.cubin").symlink_to("90.cubin")
        self.refused("compile", "80.ptx", "90.ptx", "-o", "out", "-t", "cubin", says=["80.cubin"])

    def test_run(self):
        for output in ("x.bin", "same/y.bin", "80.ptx", "hard.ptx"):
            self.refused(*self.RUN, *self.ARRAYS, "--output", "0=" + output)
        self.refused(*self.RUN, *self.ARRAYS, "--output", "0=e.bin", "--expect", "1=file=x.bin",
                     "--output", "1=x.bin")
        self.refused(*self.RUN, *self.ARRAYS, "--output", "0=o.bin", "--output", "1=o.bin",
                     says=["o.bin", "two outputs"])
        self.refused(*self.RUN, *self.ARRAYS, "--output", "0=o.bin", "--output", "1=same/o.bin",
                     says=["o.bin", "two outputs"])
        self.refused(*self.RUN, *self.ARRAYS, "--output", "0=-", "--output", "1=-",
                     says=["two outputs"])

    def test_null_takes_everything(self):
        self.succeeds("bundle", "80.ptx", "90.ptx", "-o", "/dev/null")


class Links(FilesTest):
    def test_a_link_to_a_file_that_is_still_to_come_stays_a_link(self):
        os.mkdir(self.folder / "real")
        (self.folder / "link.cuco").symlink_to("real/b.cuco")
        (self.folder / "chain.cuco").symlink_to(self.folder / "link.cuco")
        self.succeeds("bundle", "80.ptx", "90.ptx", "-o", "chain.cuco")
        self.assertTrue((self.folder / "chain.cuco").is_symlink())
        self.assertTrue((self.folder / "link.cuco").is_symlink())
        self.assertEqual(self.read("real/b.cuco"), self.read("a.cuco"))

    def test_links_that_lead_nowhere(self):
        (self.folder / "gone.cuco").symlink_to("no/b.cuco")
        (self.folder / "loop.cuco").symlink_to("loop.cuco")
        before = self.contents()
        self.fails(1, "bundle", "80.ptx", "90.ptx", "-o", "gone.cuco", says="No such file")
        self.fails(1, "bundle", "80.ptx", "90.ptx", "-o", "loop.cuco", says="symbolic links")
        self.assertEqual(self.contents(), before)

    def test_two_links_to_one_new_file_are_one_output(self):
        for name in ("a.bin", "b.bin"):
            (self.folder / name).symlink_to("new.bin")
        self.fails(2, *Destroyed.RUN, *Destroyed.ARRAYS, "--output", "0=a.bin", "--output",
                   "1=b.bin", says=["a.bin", "b.bin", "one file"])

    def test_a_private_file_stays_private(self):
        os.chmod(self.folder / "a.cuco", 0o600)
        self.succeeds("sign", "a.cuco", "--key", "key")
        self.assertEqual(stat.S_IMODE((self.folder / "a.cuco").stat().st_mode), 0o600)


class Leftovers(FilesTest):
    def test_a_file_that_may_not_grow(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        before = self.contents()
        for output in ("a.cuco", "new.cuco"):
            self.fails(1, "sign", "a.cuco", "--key", "key", "-o", output, says="File too large",
                       preexec_fn=limit)
            self.assertEqual(self.contents(), before)

    def test_names_that_are_taken_are_not_written_through(self):
        result = subprocess.run(
            ["sh", "-c", 'for i in 1 2 3; do ln -s precious .cucore.$$.$i.tmp; done; exec "$@"',
             "sh", COMMAND, "sign", "a.cuco", "--key", "key"], cwd=self.folder, check=False,
            capture_output=True, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertFalse((self.folder / "precious").exists())

    @needs_nvrtc
    def test_interrupted_compiles_leave_nothing(self):
        self.write("slow.cu", "#define A(x) x x x x x x x x\n__global__ void k(int* p) {\n"
                              "  A(A(A(A(A(p[p[0]] += p[1] * p[2];)))))\n}\n")
        for arguments in (["-o", "slow.cubin"], ["-o", "slow.cubin", "--json"], ["-o", "-", "-t", "cubin"]):
            before = self.contents()
            with self.subTest(arguments):
                process = subprocess.Popen(
                    [COMMAND, "compile", "slow.cu", "-a", "sm_90", "-q", *arguments],
                    cwd=self.folder, env=self.environment({}), stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                time.sleep(1.5)
                process.send_signal(signal.SIGINT)
                output, errors = process.communicate(timeout=100)
                self.assertEqual(process.returncode, -signal.SIGINT, errors)
                self.assertEqual(output, b"")
                self.assertEqual(self.contents(), before)

    def test_an_interrupted_write_leaves_nothing(self):
        """Many runs, each ended at some point of its work."""
        self.write("big.ptx", PTX + "// a long comment\n" * 300_000)
        before = self.contents()
        for delay in range(40):
            process = subprocess.Popen([COMMAND, "bundle", "big.ptx", "90.ptx", "-o", "new.cuco"],
                                       cwd=self.folder, stdout=subprocess.DEVNULL)
            time.sleep(delay / 1000)
            process.send_signal((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[delay % 3])
            process.wait(timeout=60)
            (self.folder / "new.cuco").unlink(missing_ok=True)
            self.assertEqual(self.contents(), before)


@needs_nvrtc
@unittest.skipUnless(device_of("cpu"), "the CPU device is not built")
class Outputs(FilesTest):
    def test_an_output_may_be_new_or_old(self):
        self.write("old.bin", b"old")
        self.succeeds(*Destroyed.RUN[:3], "fill.cu", "-k", "fill<float>", "-b", "4", "--arg",
                      "buf:f32:file=x.bin", "--arg", "f32:1", "--output", "0=old.bin")
        self.assertEqual(self.read("old.bin"), b"\0\0\x80?" * 4)
        self.assertEqual(self.read("x.bin"), bytes(16))


if __name__ == "__main__":
    unittest.main()
