# SPDX-License-Identifier: Apache-2.0
"""The images whose machine code the tests read. They have the kernels of tests/data for architectures and register limits. One
more image per architecture has a kernel for each probe of probes.py."""
import re

import probes

ARCHS = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_103", "sm_120"]
FEW_ARCHS = ["sm_75", "sm_90a", "sm_120"]
FEW_KERNELS = ("01_", "04_", "15_", "17_", "30_", "32_", "35_", "45_", "58_")
LATER_THAN_75 = ("34_", "53_")  # kernels that need sm_80 or sm_90
LIMITS = [32, 40, 48, 64]  # registers


class Image:
    def __init__(self, stem, text, arch, limit):
        self.stem, self.text, self.arch, self.limit = stem, text, arch, limit
        self.name = f"{stem}.{arch}" + (f".{limit}" if limit else "")

    def compile(self, workshop):
        """Returns the file and the log of the compile."""
        options = ["--ptxas=-v", "--std", "c++17", "--device-int128"] + (["--maxrregcount", str(self.limit)] if self.limit else [])
        return workshop.compile(self.text, self.arch, *options, name=f"{self.stem}.cu")


def images_of(kernels, arch, few=False):
    """Yields each kernel without a limit of registers and with one of LIMITS, then the probes."""
    for at, source in enumerate(sorted(kernels.glob("*.cu"))):
        if (few and not source.name.startswith(FEW_KERNELS)) or (arch == "sm_75" and source.name.startswith(LATER_THAN_75)):
            continue
        text = source.read_text()
        yield Image(source.stem, text, arch, None)
        yield Image(source.stem, text, arch, LIMITS[(at + ARCHS.index(arch)) % len(LIMITS)])
    if arch in probes.EVERY:
        yield Image("probes", probes.module(arch), arch, None)


def probe_images():
    """Yields the probes of the architectures that have no other image."""
    for arch in probes.EVERY:
        if arch not in ARCHS:
            yield Image("probes", probes.module(arch), arch, None)


def resources_in(log):
    """Returns {kernel: its resources} of the output of ptxas -v."""
    kernels, properties, name = {}, None, None
    for line in log.splitlines():
        if match := re.search(r"Compiling entry function '(\S+)' for", line):
            kernel = kernels[match[1]] = {"shared": 0}
            name = match[1]
        elif match := re.search(r"Function properties for (\S+)", line):
            properties = match[1]
        elif match := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            if properties == name:
                kernel |= {"stack": int(match[1]), "spill_stores": int(match[2]), "spill_loads": int(match[3])}
        elif match := re.search(r"Used (\d+) registers", line):
            kernel["registers"] = int(match[1])
            for key, pattern in {"shared": r"(\d+) bytes smem", "constant": r"(\d+) bytes cmem\[0\]",
                                 "stack": r"(\d+) bytes cumulative stack size"}.items():
                if match := re.search(pattern, line):
                    kernel[key] = int(match[1])
    return kernels
