#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Collects the native files of a build for the jar and the NuGet package of another platform: natives.py BUILD FOLDER STRIP

FOLDER receives the files as the build option extra_natives expects them: stripped, with a run path to their own folder.
Requires patchelf.
"""
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import elf  # noqa: E402

# The files in the packages, and those of the build. package.py and java_build.py fail if a platform lacks one.
FILES = {
    "cucore-remote-directory.so": "src/plugins/remote/cucore-remote-directory.so",
    "cucore-remote-http.so": "src/plugins/remote/cucore-remote-http.so",
    "cucore-remote-redis.so": "src/plugins/remote/cucore-remote-redis.so",
    "cucore-worker": "src/programs/worker/cucore-worker",
    "libcucore-array.so.0": "src/array/libcucore-array.so.0",
    "libcucore-arrayjni.so": "bindings/java/libcucore-arrayjni.so",
    "libcucore-cpu.so": "src/cpu/driver/libcucore-cpu.so.0",
    "libcucore-perf.so.0": "src/perf/libcucore-perf.so.0",
    "libcucore-perfjni.so": "bindings/java/libcucore-perfjni.so",
    "libcucore.so.0": "src/cucore/libcucore.so.0",
    "libcucorecs.so": "bindings/csharp/libcucorecs.so",
    "libcucorejni.so": "bindings/java/libcucorejni.so",
}


def collect(build, folder, strip):
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name, place in FILES.items():
        target = folder / name
        subprocess.run([strip, "--strip-unneeded", "-R", ".comment", "-o", target, build / place], check=True)
        subprocess.run(["patchelf", "--set-rpath", "$ORIGIN", target], check=True)
        if elf.read(target).machine.replace("_", "-") != folder.name.removeprefix("linux-"):
            sys.exit(f"natives.py: {build / place} is for {elf.read(target).machine}; expected the machine of {folder.name}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("natives.py: expected BUILD FOLDER STRIP")
    collect(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
