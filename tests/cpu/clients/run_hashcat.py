# SPDX-License-Identifier: Apache-2.0
"""Runs hashcat on the CPU device: its self-tests, a search of a known password, and a benchmark per mode.

    python3 tests/cpu/clients/run_hashcat.py COMPAT [--hashcat PROGRAM] [--cuda TOOLKIT] [--log FOLDER] [MODE ...]

COMPAT is the folder with libcuda.so.1 and libnvrtc.so.13. Only hashcat's CUDA backend is used; it compiles its
kernels with NVRTC. hashcat tests each kernel with a known hash before it uses it. A mode passes if it finds the
password and its benchmark returns a speed. The script ends with 1 if a mode fails.
"""
import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PASSWORD = "hello123"
WORDS = ("abc", "12345678", PASSWORD, "password")
LIMIT = 300  # seconds of one run, with the compile of its kernels


def md5(text):
    return hashlib.md5(text.encode()).hexdigest()


# The hash of the password in each mode, as hashcat reads it.
HASHES = {
    "0": md5(PASSWORD),
    "10": md5(PASSWORD + "salt") + ":salt",
    "100": hashlib.sha1(PASSWORD.encode()).hexdigest(),
    "1400": hashlib.sha256(PASSWORD.encode()).hexdigest(),
    "1700": hashlib.sha512(PASSWORD.encode()).hexdigest(),
    "2600": md5(md5(PASSWORD)),
    "17400": hashlib.sha3_256(PASSWORD.encode()).hexdigest(),
}


class Session:
    """A home and the names by which hashcat opens the libraries."""

    def __init__(self, folder, options):
        self.folder, self.options = folder, options
        libraries = folder / "lib"
        libraries.mkdir()
        compat = options.compat.resolve()
        for name, target in (("libcuda.so", "libcuda.so.1"), ("libcuda.so.1", "libcuda.so.1"),
                             ("libnvrtc.so", "libnvrtc.so.13")):
            (libraries / name).symlink_to(compat / target)
        self.environment = dict(os.environ, HOME=str(folder), LD_LIBRARY_PATH=str(libraries), CUCORE_CPU_PTX_DIR="off",
                                CUDA_HOME=str(options.cuda))
        (folder / "words").write_text("\n".join(WORDS) + "\n")

    def run(self, name, *arguments):
        command = [self.options.hashcat, "--backend-ignore-opencl", "--potfile-disable", "--quiet", *arguments]
        try:
            result = subprocess.run(command, env=self.environment, cwd=self.folder, capture_output=True, text=True,
                                    errors="replace", timeout=LIMIT, check=False)
        except subprocess.TimeoutExpired:
            return "", "did not end"
        text = result.stdout + result.stderr
        if self.options.log:
            (self.options.log / f"hashcat-{name}.txt").write_text(text)
        lines = [line for line in text.splitlines() if line.strip()]
        return result.stdout, "" if result.returncode == 0 else (lines or ["no output"])[-1][:80]

    def search(self, mode):
        (self.folder / "hash").write_text(HASHES[mode] + "\n")
        output, reason = self.run(f"search-{mode}", "-m", mode, "-a", "0", "hash", "words")
        return reason or ("found" if f":{PASSWORD}" in output else "not found")

    def benchmark(self, mode):
        output, reason = self.run(f"benchmark-{mode}", "-b", "-m", mode, "--machine-readable")
        speed = re.search(rf"^\d+:{mode}:.*:(\d+)$", output, re.MULTILINE)
        return reason or (f"{int(speed[1]) / 1e6:.2f} MH/s" if speed else "no speed")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("compat", type=Path)
    parser.add_argument("--hashcat", default="hashcat")
    parser.add_argument("--cuda", type=Path, default=Path("/usr/local/cuda"))
    parser.add_argument("--log", type=Path)
    parser.add_argument("mode", nargs="*")
    options = parser.parse_intermixed_args()
    if not shutil.which(options.hashcat):
        sys.exit(f"{options.hashcat} is not installed")
    passed, modes = 0, options.mode or list(HASHES)
    unknown = set(modes) - set(HASHES)
    if unknown:
        parser.error(f"unknown modes: {', '.join(sorted(unknown))}")
    print("| mode | search | benchmark |\n|---|---|---|")
    for mode in modes:
        with tempfile.TemporaryDirectory() as folder:
            session = Session(Path(folder), options)
            search, speed = session.search(mode), session.benchmark(mode)
        passed += search == "found" and speed.endswith("MH/s")
        print(f"| {mode} | {search} | {speed} |", flush=True)
    print(f"\n{passed} of {len(modes)} modes pass")
    return 0 if passed == len(modes) else 1


if __name__ == "__main__":
    sys.exit(main())
