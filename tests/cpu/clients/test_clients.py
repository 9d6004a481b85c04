# SPDX-License-Identifier: Apache-2.0
"""Programs that compile to machine code at run time, on the CPU device through the folder compat."""
import hashlib
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CLIENT, COMPAT, TOOLKIT = (Path(argument) for argument in sys.argv[1:4])
del sys.argv[1:4]
NVCC = TOOLKIT / "bin" / "nvcc"
# nvJitLinkInputType
FATBIN, OBJECT, LIBRARY, ANY = "4", "5", "6", "10"
CALLER = """extern "C" __device__ int scale(int x, int n);
extern "C" __global__ void k(int* p, int n) { p[threadIdx.x] = scale(threadIdx.x, n); }
"""
CALLEE = 'extern "C" __device__ int scale(int x, int n) { return x * n; }\n'
NO_BINARY = "cuLibraryLoadData returns 209"


def toolkit_folder():
    for folder in (TOOLKIT / "lib64", TOOLKIT / "lib"):
        if (folder / "libnvrtc.so.13").exists() and (folder / "libnvJitLink.so.13").exists():
            return folder
    return None


def exported_names(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in lines.splitlines() if " T " in line}


class Clients(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.work = Path(work.name)
        self.folder = self.work / "cache" / "ptx"
        self.cubin = self.work / "k.cubin"

    def run_client(self, *arguments, path=None, **variables):
        environment = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": str(path or COMPAT),
                       "CUCORE_CPU_PTX_DIR": str(self.folder), "CUCORE_NVRTC": str(toolkit_folder()),
                       "CUCORE_NVJITLINK": str(toolkit_folder()), **variables}
        # The clients free nothing at their end.
        environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        result = subprocess.run([CLIENT, *arguments], env=environment, capture_output=True, text=True,
                                timeout=100, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        return result.stdout.strip()


@unittest.skipUnless(toolkit_folder(), "no toolkit of CUDA 13")
class Compiles(Clients):
    def store(self, way="store_cubin", **variables):
        self.run_client(way, self.cubin, **variables)
        return self.folder / (hashlib.sha256(self.cubin.read_bytes()).hexdigest() + ".ptx")

    def test_each_way_of_a_compile(self):
        for way in ("nvrtc_cubin", "link_ptx", "link_cubin", "link_lto", "numba"):
            with self.subTest(way):
                self.assertEqual(self.run_client(way), "ok")

    @unittest.skipUnless(shutil.which("nm"), "no nm")
    def test_all_functions_of_nvidia_are_there(self):
        for name in ("libnvrtc.so.13", "libnvJitLink.so.13"):
            real, ours = (exported_names(folder / name) for folder in (toolkit_folder(), COMPAT))
            self.assertGreater(len(real), 20)
            self.assertEqual(real - ours, set(), name)

    def test_the_folder_serves_other_processes(self):
        file = self.store()
        self.assertIn(".visible .entry k", file.read_text())
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(self.folder.stat().st_mode), 0o700)
        self.assertEqual(self.run_client("load", self.cubin), "ok")
        file.unlink()
        self.assertEqual(self.run_client("load", self.cubin), NO_BINARY)

    def test_the_folder_serves_links(self):
        for way in ("store_link_ptx", "store_link_lto"):
            with self.subTest(way):
                file = self.store(way)
                self.assertIn(".entry k", file.read_text())
                self.assertEqual(self.run_client("load", self.cubin), "ok")
                file.unlink()
                self.assertEqual(self.run_client("load", self.cubin), NO_BINARY)

    def test_calls_through_the_library_of_cuda_12(self):
        real = str(toolkit_folder() / "libnvrtc.so.13")
        output = self.run_client("nvrtc_cubin", CLIENT_NVRTC="libnvrtc.so.12", CUCORE_NVRTC=real)
        self.assertEqual(output, "ok")

    def test_the_folder_can_be_switched_off(self):
        self.store(CUCORE_CPU_PTX_DIR="off")
        self.assertFalse(self.folder.exists())
        self.assertEqual(self.run_client("nvrtc_cubin", CUCORE_CPU_PTX_DIR="off"), "ok")
        self.assertEqual(self.run_client("load", self.cubin, CUCORE_CPU_PTX_DIR="off"), NO_BINARY)

    def test_the_default_folder_is_the_cache_of_the_user(self):
        places = [({"XDG_CACHE_HOME": str(self.work / "x"), "HOME": str(self.work)}, "x/cucore-cpu"),
                  ({"XDG_CACHE_HOME": "relative", "HOME": str(self.work / "h")}, "h/.cache/cucore-cpu")]
        for variables, place in places:
            self.run_client("store_cubin", self.cubin, CUCORE_CPU_PTX_DIR="", **variables)
            self.assertEqual(len(list((self.work / place).glob("*.ptx"))), 1, place)

    def test_files_that_others_can_write_are_not_used(self):
        file = self.store()
        for place in (self.folder, file):
            mode = stat.S_IMODE(place.stat().st_mode)
            for writable in (0o020, 0o002):
                place.chmod(mode | writable)
                self.assertEqual(self.run_client("load", self.cubin), NO_BINARY, (place, writable))
            place.chmod(mode)
        self.assertEqual(self.run_client("load", self.cubin), "ok")
        moved = self.folder / "moved"
        file.rename(moved)
        file.symlink_to(moved)
        self.assertEqual(self.run_client("load", self.cubin), NO_BINARY)
        file.unlink()
        os.mkfifo(file, 0o600)
        self.assertEqual(self.run_client("load", self.cubin), NO_BINARY)

    def test_a_damaged_file_is_refused(self):
        file = self.store()
        text = file.read_bytes()
        for damaged in (b"", b"no PTX", text[:len(text) // 2]):
            file.write_bytes(damaged)
            self.assertIn("cuLibraryLoadData returns", self.run_client("load", self.cubin))

    def test_a_changed_cubin_is_unknown(self):
        self.store()
        data = bytearray(self.cubin.read_bytes())
        data[len(data) // 2] ^= 1
        self.cubin.write_bytes(data)
        self.assertEqual(self.run_client("load", self.cubin), NO_BINARY)

    def test_old_files_are_removed(self):
        self.folder.mkdir(parents=True, mode=0o700)
        old = self.folder / ("0" * 64 + ".ptx")
        with old.open("wb") as file:
            file.truncate(600 << 20)  # sparse
        os.utime(old, (1, 1))
        new = self.store()
        self.assertFalse(old.exists())
        self.assertTrue(new.exists())

    def test_line_information_contains_the_ptx(self):
        real = f"{toolkit_folder()}:{COMPAT}"
        self.store("store_line_info", path=real)
        self.assertFalse(self.folder.exists())
        self.assertEqual(self.run_client("load", self.cubin), "ok")
        self.store("store_cubin", path=real)
        self.assertEqual(self.run_client("load", self.cubin), NO_BINARY)

    def test_the_search_finds_the_library_behind_this_one(self):
        path = f"{COMPAT}:{toolkit_folder()}"
        self.assertEqual(self.run_client("nvrtc_cubin", path=path, CUCORE_NVRTC=""), "ok")


@unittest.skipUnless(toolkit_folder() and NVCC.exists() and shutil.which("ar") and shutil.which("g++"), "no nvcc")
class LinksOfFiles(Clients):
    @classmethod
    def setUpClass(cls):
        work = tempfile.TemporaryDirectory()
        cls.addClassCleanup(work.cleanup)
        cls.files = Path(work.name)
        for name, text in (("caller", CALLER), ("callee", CALLEE)):
            (cls.files / f"{name}.cu").write_text(text)
            for kind, file in (("-dc", f"{name}.o"), ("-fatbin", f"{name}.fatbin")):
                cls.call(NVCC, kind, "-rdc=true", "-gencode", "arch=compute_90,code=[sm_90,compute_90]", f"{name}.cu", "-o", file)
        cls.call("ar", "rcs", "libcallee.a", "callee.o")

    @classmethod
    def call(cls, *command):
        subprocess.run(command, cwd=cls.files, check=True, timeout=100)

    def test_each_type_of_input(self):
        for way in ("link_data", "link_files"):
            for caller, callee in ((FATBIN, FATBIN), (OBJECT, OBJECT), (OBJECT, LIBRARY), (FATBIN, LIBRARY)):
                with self.subTest(way, caller=caller, callee=callee):
                    self.assertEqual(self.run_client(way, *self.inputs(caller, callee)), "ok")

    def test_the_linker_finds_the_type(self):
        for way in ("link_data", "link_files"):
            for kinds in ((FATBIN, FATBIN), (OBJECT, LIBRARY)):
                with self.subTest(way, kinds=kinds):
                    _, first, _, second = self.inputs(*kinds)
                    self.assertEqual(self.run_client(way, ANY, first, ANY, second), "ok")

    def inputs(self, caller, callee):
        names = {FATBIN: "{}.fatbin", OBJECT: "{}.o", LIBRARY: "lib{}.a"}
        return [caller, self.files / names[caller].format("caller"), callee, self.files / names[callee].format("callee")]


class WithoutNvrtc(Clients):
    def test_a_wrong_variable_is_reported(self):
        for name in ("libnvrtc.so.13", "libnvrtc.so.12"):
            for wrong in (self.work / "missing.so", COMPAT, COMPAT / name):
                with self.subTest(name, wrong=wrong):
                    output = self.run_client("missing", CLIENT_NVRTC=name, CUCORE_NVRTC=str(wrong))
                    self.assertEqual(output, f"11: {name} of NVIDIA is not found; set CUCORE_NVRTC to its file")


if __name__ == "__main__":
    unittest.main()
