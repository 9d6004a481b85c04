# SPDX-License-Identifier: Apache-2.0
"""Runs the CUDA tests of Numba on the CPU device. Prints counts per test module, failures, and reasons of skips.

    /usr/bin/python3 tests/cpu/clients/run_numba.py COMPAT [--cuda TOOLKIT] [--limit SECONDS] [--log FOLDER] [MODULE ...]

COMPAT is the folder with libcuda.so.1. Numba is that of the interpreter; the changes below serve
version 0.56 of Debian with CUDA 13. Each module runs in a process of its own, because a failed test
may leave a context behind. The script ends with 1 if a test fails that KNOWN_FAILURES does not name, or if a
module ends without a result.
"""
import argparse
import fnmatch
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PACKAGES = ("numba.cuda.tests.cudadrv", "numba.cuda.tests.cudapy", "numba.cuda.tests.doc_examples")
MESSAGES = "it compares lists, messages or PTX with those of older compilers and Python versions"
END = "it writes past the end of an array, which the device reports"
# Patterns of a test's module, class and name.
KNOWN_FAILURES = {
    "test_nvvm_driver.*.test_nvvm_support": MESSAGES,
    "test_compiler.*.test_nanosleep": MESSAGES,
    "test_debug.*.test_dump_bytecode": MESSAGES,
    "test_atomics.*.test_atomic_add_double": MESSAGES,
    "test_atomics.*.test_atomic_add_double_[23]": MESSAGES,
    "test_constmem.*.test_const_array*": MESSAGES,
    "test_intrinsics.*.test_h*_ptx": MESSAGES,
    "test_sm.*.test_invalid_array_type": MESSAGES,
    "test_localmem.*.test_struct_model_type_arr": END,
    "test_localmem.*.test_type_with_struct_data_model": END,
}
# Python runs it at the start of each process, also of those that the tests start.
AT_START = '''
import importlib.util
import sys


class Finder:
    """Numba 0.56 calls the newest version of each function, of which two now have more arguments."""
    NAME = "numba.cuda.cudadrv.driver"
    OLD = ("cuCtxGetDevice", "cuCtxSynchronize")

    def find_spec(self, name, path=None, target=None):
        if name != self.NAME:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            find = module.Driver._find_api
            module.Driver._find_api = lambda self, name: (
                getattr(self.lib, name) if name in Finder.OLD else find(self, name))

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, Finder())
'''


def reason_of(test):
    """Returns why a test is known to fail; None for another one."""
    short = ".".join(test.split(" ")[0].split(".")[-3:])  # a subtest has its parameters behind a space
    return next((reason for pattern, reason in KNOWN_FAILURES.items() if fnmatch.fnmatchcase(short, pattern)), None)


def run_module(name):
    suite = unittest.defaultTestLoader.loadTestsFromName(name)
    result = unittest.TextTestRunner(stream=sys.stderr, verbosity=2).run(suite)
    bad = [test.id() for test, _ in result.failures + result.errors]
    skips = [f"{test.id().split('.')[-1]}: {reason or 'no reason'}" for test, reason in result.skipped]
    print(json.dumps({"run": result.testsRun, "failed": sorted(set(bad)), "skipped": sorted(skips)}))


def toolkit_for_numba(folder, cuda):
    """Numba searches libNVVM in nvvm/lib64 of CUDA_HOME."""
    libraries = [cuda / part for part in ("nvvm/lib64", "lib64", "lib", "../lib")]
    nvvm = next((path for path in (library / "libnvvm.so" for library in libraries) if path.exists()), None)
    if not nvvm:
        sys.exit(f"{cuda} has no libnvvm.so")
    (folder / "nvvm/lib64").mkdir(parents=True)
    (folder / "nvvm/lib64/libnvvm.so").symlink_to(nvvm.resolve())
    (folder / "nvvm/libdevice").symlink_to((cuda / "nvvm/libdevice").resolve())
    (folder / "lib64").symlink_to((cuda / "lib64").resolve())
    return folder


def modules():
    for package in PACKAGES:
        path = __import__(package, fromlist=["__path__"]).__path__
        yield from sorted(f"{package}.{module.name}" for module in pkgutil.iter_modules(path)
                          if module.name.startswith("test_"))


def run_in_process(module, environment, limit, log):
    try:
        result = subprocess.run([sys.executable, __file__, "--child", module], env=environment, text=True,
                                capture_output=True, timeout=limit, check=False)
        output, errors = result.stdout, result.stderr
    except subprocess.TimeoutExpired as timeout:
        output, errors = "", f"{timeout}"
    if log:
        (log / f"{module}.txt").write_text(output + errors)
    last = (output.strip().splitlines() or [""])[-1]
    return json.loads(last) if last.startswith("{") else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("compat", type=Path)
    parser.add_argument("--cuda", type=Path, default=Path("/usr/local/cuda"))
    parser.add_argument("--limit", type=float, default=180, metavar="SECONDS", help="the time of one module, 180 by default")
    parser.add_argument("--log", type=Path)
    parser.add_argument("module", nargs="*")
    options = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as work:
        compat = options.compat.resolve()
        (Path(work) / "sitecustomize.py").write_text(AT_START)
        # libNVVM of CUDA 13 refuses the older version of Numba's IR, and targets below 7.5.
        environment = dict(os.environ, LD_LIBRARY_PATH=str(compat), NUMBA_CUDA_DRIVER=str(compat / "libcuda.so.1"),
                           CUDA_HOME=str(toolkit_for_numba(Path(work) / "cuda", options.cuda)), PYTHONPATH=work,
                           NVVM_IR_VER_CHK="0", NUMBA_CUDA_DEFAULT_PTX_CC="7.5")
        total = {"run": 0, "failed": 0, "skipped": 0}
        unknown = []
        for module in options.module or modules():
            counts = run_in_process(module, environment, options.limit, options.log)
            if counts is None:
                print(f"{module}: ended without a result", flush=True)
                counts = {"run": 1, "failed": [f"all of {module}"], "skipped": []}
            total["run"] += counts["run"]
            for key in ("failed", "skipped"):
                total[key] += len(counts[key])
            print(f"{module}: {counts['run']} run, {len(counts['skipped'])} skipped, {len(counts['failed'])} failed",
                  flush=True)
            for test in counts["failed"]:
                reason = reason_of(test)
                print(f"  {test}{f', known: {reason}' if reason else ''}", flush=True)
                if not reason:
                    unknown.append(test)
            for test in counts["skipped"]:
                print(f"  skipped {test}", flush=True)
    print(f"{total['run'] - total['failed'] - total['skipped']} passed, {total['failed']} failed, {total['skipped']} skipped")
    for test in unknown:
        print(f"failed: {test}")
    return 1 if unknown else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        run_module(sys.argv[2])
    else:
        sys.exit(main())
