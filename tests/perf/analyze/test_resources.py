# SPDX-License-Identifier: Apache-2.0
"""The resources of kernels are those that ptxas -v prints, and no instruction is unknown.

    test_resources.py KERNELS          some kernels for three architectures
    test_resources.py KERNELS --all    all kernels, architectures and register limits
"""
import re
import sys
import unittest
from pathlib import Path

from command import SKIPPED, Workshop, has_compiler

KERNELS = Path(sys.argv[1])
ALL = "--all" in sys.argv
del sys.argv[1:]
ARCHS = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100", "sm_103", "sm_120"] if ALL else ["sm_75", "sm_90a", "sm_120"]
LIMITS = [None, 32]
SOME = ("01_", "04_", "15_", "17_", "30_", "32_", "35_", "45_", "58_")
MOST_UNKNOWN = 0.005  # of the instructions of one architecture


def reported(log):
    """Returns {kernel: its resources} of the output of ptxas -v."""
    kernels, properties = {}, None
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


class Resources(unittest.TestCase):
    images = 0

    def compare(self, workshop, source, arch, limit):
        options = ["--ptxas=-v", "--std", "c++17", "--device-int128"] + (["--maxrregcount", str(limit)] if limit else [])
        image, log = workshop.compile(source.read_text(), arch, *options, name=source.name)
        expected = reported(log)
        self.assertNotEqual(expected, {}, log)
        kernels = {kernel["name"]: kernel for kernel in workshop.analyze(image)["kernels"]}
        self.assertEqual(kernels.keys(), expected.keys())
        for name, figures in expected.items():
            found = kernels[name]["resources"]
            if found["spill_stores"] is None:  # ptxas loses marks
                self.assertGreater(figures["spill_stores"] + figures["spill_loads"], 4 * 8192)
                figures = {key: value for key, value in figures.items() if "spill" not in key}
            self.assertEqual({key: found[key] for key in figures}, figures, name)
            self.assertEqual(found["local"], 0)
            self.assertEqual(kernels[name]["missing"], "")
        type(self).images += 1
        return kernels.values()

    def check(self, arch):
        workshop = Workshop()
        self.addCleanup(workshop.folder.cleanup)
        all_instructions = unknown = 0
        for source in sorted(KERNELS.glob("*.cu")):
            if not ALL and not source.name.startswith(SOME):
                continue
            if arch == "sm_75" and source.name.startswith(("34_", "53_")):
                continue  # needs later architectures
            for limit in LIMITS:
                with self.subTest(f"{source.name} for {arch}, {limit} registers"):
                    for kernel in self.compare(workshop, source, arch, limit):
                        all_instructions += kernel["instructions"]
                        unknown += kernel["mix"].get("unknown", {}).get("count", 0)
        print(f"{arch}: {all_instructions} instructions, {unknown} unknown")
        self.assertGreater(all_instructions, 1000)
        self.assertLessEqual(unknown, MOST_UNKNOWN * all_instructions)


for each in ARCHS:
    setattr(Resources, f"test_{each}", lambda self, arch=each: self.check(arch))


class TheNumber(unittest.TestCase):
    def test_of_images(self):
        print(f"{Resources.images} images")
        self.assertGreaterEqual(Resources.images, 600 if ALL else 50)


if __name__ == "__main__":
    if not has_compiler():
        print("skipped: NVRTC is missing")
        sys.exit(SKIPPED)
    unittest.main()
