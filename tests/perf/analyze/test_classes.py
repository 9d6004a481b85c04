# SPDX-License-Identifier: Apache-2.0
"""The classes of machine instructions. A kernel with one PTX instruction has an instruction of its class and none that is
unknown. Without the PTX instruction, it has fewer of that class."""
import sys
import unittest

from command import SKIPPED, Workshop, has_compiler
from probes import EVERY, PROBES, kernel, module


class Classes(unittest.TestCase):
    def check(self, arch):
        workshop = Workshop()
        self.addCleanup(workshop.folder.cleanup)
        image, _ = workshop.compile(kernel("", "base") + module(arch), arch)
        mixes = {each["name"]: each["mix"] for each in workshop.analyze(image)["kernels"]}
        base = mixes.pop("base")
        self.assertNotIn("unknown", base)
        self.assertGreater(len(mixes), 50)
        for name, mix in mixes.items():
            ptx, expected, _ = PROBES[int(name.removeprefix("k"))]
            with self.subTest(ptx):
                self.assertNotIn("unknown", mix)
                if expected:
                    self.assertGreater(mix.get(expected, {"count": 0})["count"], base.get(expected, {"count": 0})["count"], mix)


for each in EVERY:
    setattr(Classes, f"test_{each}", lambda self, arch=each: self.check(arch))

if __name__ == "__main__":
    if not has_compiler():
        print("skipped: NVRTC is missing")
        sys.exit(SKIPPED)
    unittest.main()
