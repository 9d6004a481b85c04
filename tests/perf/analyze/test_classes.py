# SPDX-License-Identifier: Apache-2.0
"""The classes of machine instructions. A kernel with one PTX instruction has an instruction of its class and none that is
unknown. Without the PTX instruction, it has fewer of that class.

    test_classes.py              three architectures
    test_classes.py --all        all architectures
"""
import sys
import unittest

from command import SKIPPED, Workshop, has_compiler
from probes import EVERY, PROBES, kernel

ALL = "--all" in sys.argv
del sys.argv[1:]


class Classes(unittest.TestCase):
    def check(self, arch):
        workshop = Workshop()
        self.addCleanup(workshop.folder.cleanup)
        base = self.mix(workshop, "", arch)
        self.assertNotIn("unknown", base)
        probed = 0
        for ptx, expected, archs in PROBES:
            if arch not in archs:
                continue
            with self.subTest(ptx):
                mix = self.mix(workshop, ptx, arch)
                self.assertNotIn("unknown", mix)
                if expected:
                    self.assertGreater(mix.get(expected, {"count": 0})["count"], base.get(expected, {"count": 0})["count"], mix)
            probed += 1
        self.assertGreater(probed, 50)

    @staticmethod
    def mix(workshop, ptx, arch):
        image, _ = workshop.compile(kernel(ptx), arch)
        return workshop.analyze(image)["kernels"][0]["mix"]


for each in EVERY if ALL else ["sm_75", "sm_90a", "sm_120a"]:
    setattr(Classes, f"test_{each}", lambda self, arch=each: self.check(arch))

if __name__ == "__main__":
    if not has_compiler():
        print("skipped: NVRTC is missing")
        sys.exit(SKIPPED)
    unittest.main()
