# SPDX-License-Identifier: Apache-2.0
"""Builds the driver-API samples of NVIDIA/cuda-samples, runs them on the CPU device, and prints a table.

    python3 tests/cpu/clients/run_samples.py SAMPLES COMPAT [--cuda TOOLKIT] [--log FOLDER] [--limit SECONDS] [SAMPLE ...]

SAMPLES is a checkout of cuda-samples, and COMPAT the folder with libcuda.so.1. The kernels are built as
PTX. A sample passes if it ends with 0 before the limit, by default five minutes. BlackScholes_nvrtc prices two
thousand million options in 512 launches, which takes most of it on two busy cores. The script
ends with 1 if a sample fails that KNOWN_FAILURES does not name.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SAMPLES = (
    "0_Introduction/clock_nvrtc", "0_Introduction/matrixMulDrv", "0_Introduction/matrixMulDynlinkJIT",
    "0_Introduction/matrixMul_nvrtc", "0_Introduction/simpleAssert_nvrtc",
    "0_Introduction/simpleAtomicIntrinsics_nvrtc", "0_Introduction/simpleDrvRuntime",
    "0_Introduction/simpleTextureDrv", "0_Introduction/vectorAddDrv", "0_Introduction/vectorAddMMAP",
    "0_Introduction/vectorAdd_nvrtc", "1_Utilities/deviceQueryDrv",
    "2_Concepts_and_Techniques/inlinePTX_nvrtc", "2_Concepts_and_Techniques/threadMigration",
    "3_CUDA_Features/memMapIPCDrv", "3_CUDA_Features/ptxjit", "4_CUDA_Libraries/jitLto",
    "5_Domain_Specific/BlackScholes_nvrtc", "5_Domain_Specific/binomialOptions_nvrtc",
    "5_Domain_Specific/quasirandomGenerator_nvrtc")
KNOWN_FAILURES = {
    "simpleDrvRuntime": "it uses the CUDA runtime",
    "ptxjit": "it uses the CUDA runtime",
}
# The kernel of a sample that is read from a file, and the kind of the file.
PTX_FILES = ("memMapIpc_kernel.cu", "ptxjit_kernel.cu")
WITH_PROCESSES = ("memMapIPCDrv",)
WITHOUT_DRIVER = ("matrixMulDynlinkJIT",)  # it opens the driver itself


class Build:
    """The compiles of one sample in a folder of its own."""

    def __init__(self, sample, folder, options):
        self.sample, self.folder, self.cuda, self.compat = sample, folder, options.cuda, options.compat.resolve()
        self.common = (options.samples / "Common").resolve()

    def call(self, *command):
        subprocess.run([str(word) for word in command], cwd=self.folder, check=True, capture_output=True, text=True)

    def files(self):
        """The samples read kernels, headers and data from the folder of the program."""
        for path in [*self.sample.iterdir(), *self.sample.glob("data/*")]:
            if path.is_file():
                shutil.copy(path, self.folder)
        for folder in (self.cuda / "include", self.cuda / "include/cccl"):
            for path in folder.iterdir():
                link = self.folder / path.name
                if not link.exists():
                    link.symlink_to(path.resolve())

    def kernels(self):
        for kernel in self.sample.glob("*_kernel.cu"):
            if self.sample.name.endswith("_nvrtc"):
                continue
            kind = "ptx" if kernel.name in PTX_FILES else "fatbin"
            target = ("-arch=compute_75",) if kind == "ptx" else ("-gencode", "arch=compute_75,code=compute_75")
            self.call(self.cuda / "bin/nvcc", f"-{kind}", *target, kernel, "-o", self.folder / f"{kernel.stem}64.{kind}")

    def program(self):
        sources = [path for suffix in ("*.cpp", "*.c") for path in self.sample.glob(suffix)]
        if self.sample.name in WITH_PROCESSES:
            sources.append(self.common / "helper_multiprocess.cpp")
        objects = []
        for source in sources:
            compiler = "gcc" if source.suffix == ".c" else "g++"
            objects.append(self.folder / (source.name + ".o"))
            self.call(compiler, "-O2", "-w", "-I", self.common, "-I", self.cuda / "include", "-c", source, "-o", objects[-1])
        # The stub has the name libcuda.so.1, which the file in COMPAT has only as a link.
        driver = [] if self.sample.name in WITHOUT_DRIVER else ["-lcuda"]
        self.call("g++", *objects, "-o", self.folder / "sample", "-L", self.cuda / "lib64/stubs", "-L", self.cuda / "lib64",
                  "-Wl,--as-needed", *driver, "-lnvrtc", "-lnvJitLink", "-lcudart", "-ldl", "-lrt", "-lpthread")


def last_reason(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    marked = [line for line in lines if any(word in line.lower() for word in ("error", "fail", "not support", "waiv"))]
    return (marked or lines or ["no output"])[-1][:90]


def run(sample, options, folder):
    build = Build(sample, folder, options)
    try:
        build.files()
        build.kernels()
        build.program()
    except subprocess.CalledProcessError as error:
        return "not built", last_reason(error.stderr), error.stderr
    environment = dict(os.environ, LD_LIBRARY_PATH=f"{build.compat}:{options.cuda / 'lib64'}", CUCORE_CPU_DEVICES="2")
    try:
        result = subprocess.run([folder / "sample"], cwd=folder, env=environment, capture_output=True, text=True,
                                errors="replace", timeout=options.limit, check=False)
    except subprocess.TimeoutExpired:
        return "timeout", "", ""
    text = result.stdout + result.stderr
    if result.returncode == 0:
        return "passes", "", text
    return ("waived" if result.returncode == 2 else "fails"), last_reason(text), text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("samples", type=Path)
    parser.add_argument("compat", type=Path)
    parser.add_argument("--cuda", type=Path, default=Path("/usr/local/cuda"))
    parser.add_argument("--log", type=Path)
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("sample", nargs="*")
    options = parser.parse_intermixed_args()
    chosen = [name for name in SAMPLES if not options.sample or Path(name).name in options.sample]
    missing = set(options.sample) - {Path(name).name for name in chosen}
    if missing:
        parser.error(f"unknown samples: {', '.join(sorted(missing))}")
    failed, known = [], []
    print("| sample | result | last message |\n|---|---|---|")
    for name in chosen:
        with tempfile.TemporaryDirectory() as folder:
            result, reason, text = run((options.samples / "Samples" / name).resolve(), options, Path(folder))
        short = Path(name).name
        if result != "passes":
            (known if short in KNOWN_FAILURES else failed).append(short)
        if options.log:
            (options.log / f"{short}.txt").write_text(text)
        print(f"| `{short}` | {result} | {reason} |", flush=True)
    print(f"\n{len(chosen) - len(failed) - len(known)} of {len(chosen)} pass")
    for name in known:
        print(f"known failure: {name}, {KNOWN_FAILURES[name]}")
    for name in failed:
        print(f"failed: {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
