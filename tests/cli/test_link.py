# SPDX-License-Identifier: Apache-2.0
"""cucore link and bundle: several images become one, and inspect shows the result."""
import json
import subprocess
import unittest
from pathlib import Path

from command import CommandTest, library_is_there, needs_nvrtc

HELPER = "__device__ float helper(float x) { return x * 3.0f; }\n"
USER = ("__device__ float helper(float);\n"
        "template <class T> __global__ void use(T* p) { *p = helper(*p); }\n")
NVCC = "/usr/local/cuda/bin/nvcc"

needs_linker = unittest.skipUnless(library_is_there("nvrtc") and library_is_there("nvjitlink"),
                                   "NVRTC and nvJitLink are not both installed")
needs_nvcc = unittest.skipUnless(Path(NVCC).exists(), "nvcc is not installed")


class LinkTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("helper.cu", HELPER)
        self.write("user.cu", USER)

    def compile_both(self, kind, *more):
        for name, arguments in (("helper", []), ("user", ["--name", "use<float>"])):
            self.compile(f"{name}.cu", f"{name}.{kind}", "--arch", "sm_90", *arguments, *more)
        return [f"user.{kind}", f"helper.{kind}"]

    def inspect(self, name):
        return json.loads(self.succeeds("inspect", name, "--json"))


@needs_linker
class Link(LinkTest):
    def test_ltoir_to_a_cubin_into_which_the_helper_is_inlined(self):
        said = json.loads(self.succeeds("link", *self.compile_both("ltoir"), "-o", "both.cubin",
                                        "--arch", "sm_90", "--lto", "--json"))
        self.assertEqual((said["kind"], said["arch"], said["linker"]),
                         ("CUBIN", "sm_90", "nvJitLink"))
        symbols = self.inspect("both.cubin")["symbols"]
        self.assertEqual([symbol["name"] for symbol in symbols], ["_Z3useIfEvPT_"])
        self.assertGreater(symbols[0]["resources"]["registers"], 0)
        self.assertGreater(symbols[0]["resources"]["code_size"], 0)

    def test_ltoir_to_ptx_without_a_call(self):
        inputs = self.compile_both("ltoir")
        self.assertIn("PTX for compute_90",
                      self.succeeds("link", *inputs, "-o", "x", "-t", "ptx", "-a", "compute_90"))
        self.assertIn(b".entry _Z3useIfEvPT_", self.read("x"))
        self.assertNotIn(b"call", self.read("x"))

    def test_mixed_inputs_to_a_container_that_tells_how_it_was_made(self):
        self.compile("user.cu", "user.cuco", "-t", "ptx", "--arch", "compute_90", "--rdc", "-n",
                     "use<float>")
        self.compile("helper.cu", "helper.cubin", "--arch", "sm_90", "--rdc")
        self.succeeds("link", "user.cuco", "helper.cubin", "-o", "both.cuco", "--arch", "sm_90")
        told = self.inspect("both.cuco")
        self.assertEqual(told["metadata"]["producer"], "nvJitLink")
        self.assertRegex(told["metadata"]["build"], r"^V\d+\.\d+\.\d+$")
        self.assertEqual(self.inspect("user.cuco")["metadata"]["build"], told["metadata"]["build"])
        self.assertEqual(len(told["metadata"]["inputs"]), 2)
        self.assertIn("use<float>", {symbol["expression"] for symbol in told["symbols"]})
        self.assertIn("registers", self.succeeds("inspect", "both.cuco"))

    def test_options_reach_the_linker(self):
        inputs = self.compile_both("ltoir")
        self.succeeds("link", *inputs, "-o", "x.cuco", "-a", "sm_90", "--ftz", "--no-fma",
                      "--maxrregcount", "24", "-O", "3", "--lineinfo", "--name", "renamed",
                      "--split-compile=-1", "--ptxas=-v", "--optimize-unused-variables",
                      "--flag=-prec-div=0", "--kernels-used", "_Z3useIfEvPT_")
        told = self.inspect("x.cuco")
        options = told["metadata"]["options"]
        self.assertLessEqual({"-ftz=1", "-fma=0", "-maxrregcount=24", "-O3", "-lineinfo", "-Xptxas=-v",
                              "-optimize-unused-variables", "-prec-div=0",
                              "-kernels-used=_Z3useIfEvPT_", "-lto"}, set(options), options)
        self.assertEqual(told["name"], "renamed")

    def test_a_reference_that_is_missing(self):
        self.compile_both("ltoir")
        text = self.fails(1, "link", "user.ltoir", "-o", "out.cubin", "--arch", "sm_90",
                          says=["user.ltoir", "helper"])
        self.assertIn("CUCORE_ERROR_LINKING", text)
        self.assertFalse((self.folder / "out.cubin").exists())

    def refuses_both(self, first, second, name="helper(float)"):
        """One message with the names, and otherwise only the log on stderr."""
        text = self.fails(1, "link", first, second, "-o", "out.cubin", "-a", "sm_90",
                          says=[f"'{name}' is defined in {first} and {second}", "keep one"])
        lines = text.splitlines()
        self.assertIn("CUCORE_ERROR_LINKING", text)
        self.assertFalse([line for line in lines if "Multiple definition" in line], text)
        self.assertFalse((self.folder / "out.cubin").exists())

    def test_a_definition_that_two_inputs_have(self):
        self.write("other.cu", HELPER.replace("3.0f", "4.0f"))
        for kind in ("ptx", "cubin", "ltoir"):
            for name in ("helper", "other"):
                arch = "compute_90" if kind == "ptx" else "sm_90"
                self.compile(f"{name}.cu", f"{name}.{kind}", "--arch", arch, "--rdc")
        for first in ("ptx", "cubin", "ltoir"):
            for second in ("ptx", "cubin", "ltoir"):
                self.refuses_both(f"helper.{first}", f"other.{second}")

    def test_the_same_kernel_twice(self):
        self.compile("saxpy.cu", "a.ptx", "--arch", "compute_90")
        self.compile("saxpy.cu", "b.cubin", "--arch", "sm_90", "--rdc")
        self.refuses_both("a.ptx", "b.cubin", "saxpy")

    def test_equal_inputs_give_equal_files(self):
        inputs = self.compile_both("ltoir")
        for name in ("a.cuco", "b.cuco"):
            self.succeeds("link", *inputs, "-o", name, "-a", "sm_90", "--name", "x")
        self.assertEqual(self.read("a.cuco"), self.read("b.cuco"))

    def test_machine_code_that_is_linked_already(self):
        """nvJitLink skips it silently, and a link without kernels would not be a failure."""
        self.compile("saxpy.cu", "whole.cubin", "--arch", "sm_90")
        self.compile("saxpy.cu", "part.cubin", "--arch", "sm_90", "--rdc")
        self.compile("saxpy.cu", "saxpy.ptx", "--arch", "compute_90")
        for inputs in (["whole.cubin"], ["part.cubin", "whole.cubin"]):
            self.fails(1, "link", *inputs, "-o", "out.cubin", "-a", "sm_90",
                       says=["whole.cubin (CUBIN) is linked already", "--rdc"])
        self.assertFalse((self.folder / "out.cubin").exists())
        # Another image of the bundle is used.
        self.succeeds("bundle", "whole.cubin", "saxpy.ptx", "-o", "both.cuco")
        for name in ("part.cubin", "both.cuco"):
            self.succeeds("link", name, "-o", "out.cubin", "-a", "sm_90")
            self.assertEqual([symbol["name"] for symbol in self.inspect("out.cubin")["symbols"]],
                             ["saxpy"])

    @needs_nvcc
    def test_what_nvcc_has_linked_already(self):
        def nvcc(*arguments):
            subprocess.run([NVCC, *arguments], cwd=self.folder, check=True)
        nvcc("-arch=sm_90", "-c", "saxpy.cu", "-o", "whole.o")
        nvcc("-arch=sm_90", "-lib", "saxpy.cu", "-o", "whole.a")
        nvcc("-gencode", "arch=compute_90,code=sm_90", "-gencode",
             "arch=compute_80,code=compute_80", "-fatbin", "saxpy.cu", "-o", "whole.fatbin")
        for name in ("whole.o", "whole.a", "whole.fatbin"):
            self.fails(1, "link", name, "-o", "out.cubin", "-a", "sm_90",
                       says=[name, "is linked already"])
        # For another device its PTX is used, which can be linked.
        self.succeeds("link", "whole.fatbin", "-o", "out.cubin", "-a", "sm_80")
        self.assertEqual(len(self.inspect("out.cubin")["symbols"]), 1)

    @needs_nvcc
    def test_object_files_archives_and_fat_binaries(self):
        def nvcc(*arguments):
            subprocess.run([NVCC, "-arch=sm_90", *arguments], cwd=self.folder, check=True)
        nvcc("-dc", "helper.cu", "-o", "helper.o")
        nvcc("-lib", "helper.o", "-o", "helper.a")
        nvcc("-rdc=true", "-fatbin", "helper.cu", "-o", "helper.fatbin")
        self.compile("user.cu", "user.cubin", "--arch", "sm_90", "--rdc", "-n", "use<float>")
        for name in ("helper.o", "helper.a", "helper.fatbin"):
            self.assertIn("CUBIN for sm_90", self.succeeds("link", "user.cubin", name, "-o",
                                                           "x.cubin", "-a", "sm_90"))
        self.assertEqual(self.inspect("helper.o")["kind"], "OBJECT")
        # Their definitions are also compared; for an archive the member is named.
        self.compile("helper.cu", "second.cubin", "--arch", "sm_90", "--rdc")
        for name, shown in (("helper.o", "helper.o"), ("helper.a", "helper.a(helper.o)"),
                            ("helper.fatbin", "helper.fatbin")):
            self.fails(1, "link", "second.cubin", name, "-o", "out.cubin", "-a", "sm_90",
                       says=f"'helper(float)' is defined in second.cubin and {shown}")
        archive = self.inspect("helper.a")
        self.assertEqual([(member["name"], member["kind"]) for member in archive["members"]],
                         [("helper.o", "OBJECT")])
        self.assertIn("helper.o, OBJECT", self.succeeds("inspect", "helper.a"))


    @needs_nvcc
    def test_definitions_inside_archives_and_of_ltoir_inside_objects(self):
        def nvcc(*arguments):
            subprocess.run([NVCC, *arguments], cwd=self.folder, check=True)
        long_name = "a_member_whose_name_is_long.o"
        nvcc("-arch=sm_90", "-dc", "helper.cu", "-o", "one.o")
        nvcc("-arch=sm_90", "-dc", "helper.cu", "-o", long_name)
        nvcc("-lib", "one.o", long_name, "-o", "both.a")
        nvcc("-dc", "-gencode", "arch=compute_90,code=lto_90", "helper.cu", "-o", "lto.o")
        self.fails(1, "link", "both.a", "-o", "out.cubin", "-a", "sm_90",
                   says=f"'helper(float)' is defined in both.a(one.o) and both.a({long_name})")
        self.fails(1, "link", "one.o", "lto.o", "-o", "out.cubin", "-a", "sm_90", "--lto",
                   says="'helper(float)' is defined in one.o and lto.o")
        # Static functions of one name in two members are two functions.
        self.write("static.cu", "static " + HELPER + "extern \"C\" __global__ void k%d(float* p) "
                   "{ *p = helper(*p); }\n")
        for i in (1, 2):
            self.write(f"static{i}.cu", self.read("static.cu").decode() % i)
            nvcc("-arch=sm_90", "-dc", f"static{i}.cu", "-o", f"static{i}.o")
        nvcc("-lib", "static1.o", "static2.o", "-o", "static.a")
        self.succeeds("link", "static.a", "one.o", "-o", "out.cubin", "-a", "sm_90")


class LinkFailures(LinkTest):
    PTX = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n"

    def test_an_output_that_does_not_say_what(self):
        self.write("x.ptx", self.PTX)
        self.fails(2, "link", "x.ptx", "-o", "out.bin", says=["does not end in the suffix of a target", "--target"])
        self.fails(2, "link", "x.ptx", "-o", "out.ltoir", says=["CUBIN or PTX", "LTOIR"])

    def test_inputs_that_are_none(self):
        self.write("x.ptx", self.PTX)
        self.write("empty", b"")
        self.write("garbage", bytes(range(1, 256)) * 8192)
        for name, word in (("none", "No such file"), (".", "directory"), ("empty", "it is empty"),
                           ("garbage", "neither"), ("helper.cu", "neither")):
            text = self.fails(1, "link", "x.ptx", name, "-o", "out.cubin", says=[name, word])
            self.assertEqual(len(text.splitlines()), 1, text)
        self.fails(2, "link", "-o", "out.cubin", says="files")
        self.fails(2, "link", "x.ptx", says="--output")
        self.assertFalse((self.folder / "out.cubin").exists())

    def test_the_standard_input_is_there_once(self):
        self.fails(2, "bundle", "-", "-", "-o", "x.cuco", input=self.PTX.encode(),
                   says="- is named twice")
        self.write("y.ptx", self.PTX.replace("sm_90", "sm_80"))
        self.succeeds("bundle", "-", "y.ptx", "-o", "x.cuco", input=self.PTX.encode())

    def test_names_of_files_at_their_limits(self):
        longest = "n" * 250 + ".cuco"
        self.write("y.ptx", self.PTX.replace("sm_90", "sm_80"))
        self.write(b"n\xff.ptx".decode(errors="surrogateescape"), self.PTX)
        self.succeeds("bundle", b"n\xff.ptx", "y.ptx", "-o", longest)
        told = json.loads(self.succeeds("inspect", longest, "--json"))
        self.assertEqual(told["name"], "n\ufffd.ptx")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir() if "tmp" in path.name),
                         [])

    def test_the_output_may_not_be_an_input(self):
        self.write("x.ptx", self.PTX)
        (self.folder / "y.ptx").symlink_to("x.ptx")
        for output in ("x.ptx", "./x.ptx", "y.ptx"):
            self.fails(2, "link", "x.ptx", "-o", output, says=[output, "another output"])
            self.fails(2, "bundle", "x.ptx", "x.ptx", "-o", output, says="another output")
            self.fails(2, "compile", "x.ptx", "-o", output, "-t", "cubin", says="another output")
        self.assertEqual(self.read("x.ptx").decode(), self.PTX)


@needs_nvrtc
class Bundle(LinkTest):
    def setUp(self):
        super().setUp()
        self.compile("saxpy.cu", "a.cubin", "--arch", "sm_90")
        self.compile("saxpy.cu", "b.ptx", "--arch", "compute_80")

    def test_images_of_several_kinds(self):
        self.assertIn("2 images: CUBIN for sm_90, PTX for compute_80",
                      self.succeeds("bundle", "a.cubin", "b.ptx", "-o", "both.cuco"))
        told = self.inspect("both.cuco")
        self.assertEqual([(image["kind"], image["arch"]) for image in told["images"]],
                         [("CUBIN", "sm_90"), ("PTX", "compute_80")])
        self.assertGreater(told["images"][0]["symbols"][0]["resources"]["registers"], 0)
        self.assertIn("image    PTX for compute_80", self.succeeds("inspect", "both.cuco"))

    def test_each_image_tells_how_it_was_made(self):
        for arch in ("sm_90", "compute_80"):
            self.compile("fill.cu", f"{arch}.cuco", "--arch", arch, "--name", "fill<float>")
        self.succeeds("bundle", "sm_90.cuco", "compute_80.cuco", "-o", "both.cuco")
        text = self.succeeds("inspect", "both.cuco")
        for arch in ("sm_90", "compute_80"):
            self.assertIn(f"--gpu-architecture={arch}", text)
        for image in self.inspect("both.cuco")["images"]:
            self.assertEqual(image["metadata"]["name_expressions"], ["fill<float>"])

    def test_what_no_device_would_get(self):
        self.compile("fill.cu", "other.cubin", "--arch", "sm_90", "--name", "fill<int>")
        self.compile("fill.cu", "third.cubin", "--arch", "sm_90", "--name", "fill<char>")
        result = self.run_command("bundle", "a.cubin", "b.ptx", "other.cubin", "third.cubin", "-o",
                                  "x.cuco")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stderr.decode().count("more than one CUBIN for sm_90"), 1)
        self.assertEqual(self.run_command("bundle", "a.cubin", "b.ptx", "-o", "x.cuco").stderr, b"")

    def test_the_same_image_twice(self):
        self.fails(1, "bundle", "a.cubin", "b.ptx", "a.cubin", "-o", "x.cuco",
                   says=["images[2]", "images[0]", "CUBIN for sm_90"])
        self.assertFalse((self.folder / "x.cuco").exists())

    def test_bundles_are_taken_apart_and_compressed(self):
        self.compile("saxpy.cu", "c.cubin", "--arch", "sm_80")
        self.succeeds("bundle", "a.cubin", "b.ptx", "-o", "two.cuco")
        said = json.loads(self.succeeds("bundle", "two.cuco", "c.cubin", "-o", "three.cuco", "-z",
                                        "--json"))
        self.assertEqual(len(said["images"]), 3)
        self.assertEqual({section["compression"] for section in self.inspect("three.cuco")["sections"]
                          if section["type"] in ("CUBIN", "PTX")}, {"zstd"})

    def test_what_is_no_bundle(self):
        self.fails(1, "bundle", "a.cubin", "-o", "one.cuco", says="two images")
        self.write("x.a", b"!<arch>\n")
        self.fails(1, "bundle", "a.cubin", "x.a", "-o", "x.cuco", says="LIBRARY")
        self.fails(1, "bundle", "a.cubin", "b.ptx", "-o", "/dev/full", says="No space")
        self.assertFalse((self.folder / "one.cuco").exists())


if __name__ == "__main__":
    unittest.main()
