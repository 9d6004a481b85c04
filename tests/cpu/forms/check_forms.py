# SPDX-License-Identifier: Apache-2.0
"""Lists the forms of instructions that ptxas accepts, and the CPU device does not implement.

    python3 -B tests/cpu/forms/check_forms.py DRIVER [--ptxas PROGRAM] [--target sm_90a] [FILE ...]

DRIVER is libcucore-cpu.so.0. Each FILE has a pattern per line: <<a,b>> stands for a and b, in which ';' is a comma.
Without a FILE, the script reads those of this folder, and adds the matrix instructions. The device reads each form in a kernel of its own, and ptxas
decides about those that it does not take. `missing.txt` has patterns of forms that are known to be missing, with the
reason. The script prints their counts, and ends with 1 if it finds another form.
"""
import argparse
import collections
import ctypes
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from matrix_forms import all_forms

HERE = Path(__file__).parent
HEAD = """.version 9.0
.target {target}
.address_size 64
.extern .shared .align 1024 .b8 sm[];
.global .texref tx; .global .surfref sx; .extern .func dummy; .global .align 64 .b8 gm[256];
.visible .entry k(.param .u64 a,.param .u64 b)
{{ .reg .b128 %q<8>; .reg .b64 %rd<40>; .reg .f64 %fd<80>; .reg .b32 %r<140>; .reg .f32 %f<140>; .reg .b16 %h<20>; \
.reg .pred %p<8>; .reg .b8 %c<8>;
"""
BATCH = 400  # forms of one run of ptxas
LOG_BYTES = 4096


def expanded(pattern):
    found = re.search(r"<<([^<>]*)>>", pattern)
    if not found:
        return [pattern]
    before, after = pattern[:found.start()], pattern[found.end():]
    return [form for one in found.group(1).split(",") for form in expanded(before + one.strip().replace(";", ",") + after)]


def forms_of(path):
    lines = (line.strip() for line in path.read_text().splitlines())
    return [form for line in lines if line and not line.startswith("#") for form in expanded(line)]


class Device:
    """The CPU device reads a module per form."""

    def __init__(self, driver, target):
        os.environ["CUCORE_CPU_PROFILE"] = target.rstrip("af")
        self.calls, self.target = ctypes.CDLL(str(driver)), target
        context = ctypes.c_void_p()
        self.check(self.calls.cuInit(0))
        self.check(self.calls.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
        self.check(self.calls.cuCtxSetCurrent(context))

    @staticmethod
    def check(result):
        if result:
            sys.exit(f"the driver returns {result}")

    def takes(self, form):
        """The log of a load names instructions without implementation."""
        module, logs = ctypes.c_void_p(), [ctypes.create_string_buffer(LOG_BYTES) for _ in range(2)]
        options = (ctypes.c_int * 4)(3, 4, 5, 6)
        values = (ctypes.c_void_p * 4)(*(part for log in logs for part in (ctypes.addressof(log), LOG_BYTES)))
        text = (HEAD.format(target=self.target) + form + "\nret; }\n").encode()
        result = self.calls.cuModuleLoadDataEx(ctypes.byref(module), text, 4, options, values)
        if result == 0:
            self.calls.cuModuleUnload(module)
        return result == 0 and not any(log.value for log in logs)


class Assembler:
    def __init__(self, program, target, folder):
        self.program, self.target, self.path = program, target, Path(folder) / "forms.ptx"

    def accepted(self, forms):
        """ptxas names the lines of many errors at once; they are left out until it accepts the rest."""
        forms, head = list(forms), HEAD.format(target=self.target)
        first = head.count("\n") + 1
        while any(forms):
            self.path.write_text(head + "\n".join(forms) + "\nret; }\n")
            run = subprocess.run([self.program, f"-arch={self.target}", "-O0", self.path, "-o", os.devnull], text=True,
                                 capture_output=True, check=False)
            if run.returncode == 0:
                break
            bad = {int(line) - first for line in re.findall(r"line (\d+); (?:error|fatal)", run.stderr)}
            bad = {k for k in bad if 0 <= k < len(forms) and forms[k]}
            rest = [form for form in forms if form]
            if not bad:
                half = len(rest) // 2
                return self.accepted(rest[:half]) + self.accepted(rest[half:]) if half else []
            forms = ["" if k in bad else form for k, form in enumerate(forms)]
        return [form for form in forms if form]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("driver", type=Path)
    parser.add_argument("--ptxas", default="/usr/local/cuda/bin/ptxas")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("file", nargs="*", type=Path)
    options = parser.parse_intermixed_args()
    files = options.file or sorted(path for path in HERE.glob("*.txt") if path.name != "missing.txt")
    forms = [form for path in files for form in forms_of(path)] + ([] if options.file else list(all_forms()))
    forms = list(dict.fromkeys(forms))
    lines = (line.split(" | ") for line in (HERE / "missing.txt").read_text().splitlines() if not line.startswith("#"))
    known = [(re.compile(pattern), reason) for pattern, reason in lines]
    device = Device(options.driver, options.target)
    refused = [form for form in forms if not device.takes(form)]
    counts, others = collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        assembler = Assembler(options.ptxas, options.target, folder)
        legal = [form for k in range(0, len(refused), BATCH) for form in assembler.accepted(refused[k:k + BATCH])]
    for form in legal:
        reason = next((reason for pattern, reason in known if pattern.match(form)), None)
        counts.update([reason] if reason else [])
        others += [] if reason else [form]
    for reason, count in sorted(counts.items()):
        print(f"{count:6} {reason}")
    for form in others:
        print(f"NEW {form}")
    print(f"{options.target}: {len(forms)} forms, {len(refused)} of them not taken; ptxas accepts {len(legal)} of these, "
          f"{len(others)} are not in missing.txt")
    return 1 if others else 0


if __name__ == "__main__":
    sys.exit(main())
