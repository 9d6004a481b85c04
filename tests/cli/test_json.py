"""--json: what every subcommand tells a script, and every way to fail."""
import json
import unittest

from command import CommandTest, device_of, needs_nvrtc

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


if __name__ == "__main__":
    unittest.main()
