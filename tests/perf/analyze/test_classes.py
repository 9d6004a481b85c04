# SPDX-License-Identifier: Apache-2.0
"""The classes of machine instructions. A kernel with one PTX instruction has an instruction of its class and none that is
unknown. Without the PTX instruction, it has fewer of that class."""
import sys
import unittest

from command import SKIPPED, Workshop, has_compiler
from probes import EVERY, PROBES, kernel, module


class Classes(unittest.TestCase):
    known = set()  # architectures that the compiler accepts

    @classmethod
    def tearDownClass(cls):
        # NVRTC 12.0 accepts five of them.
        assert len(cls.known) >= 3 or not has_compiler(), f"the compiler accepts only {sorted(cls.known)}"

    def mixes_of(self, workshop, arch):
        """Returns {kernel: mix} of all probes. If the compiler refuses them, names those that it refuses alone."""
        try:
            image, _ = workshop.compile(kernel("", "base") + module(arch), arch)
        except AssertionError as failure:
            if "gpu-architecture" in str(failure):
                self.skipTest(f"this compiler does not know {arch}")
            for ptx, _, archs in PROBES:
                if arch in archs:
                    with self.subTest(ptx):
                        workshop.compile(kernel(ptx), arch)
            raise
        return {each["name"]: each["mix"] for each in workshop.analyze(image)["kernels"]}

    def check(self, arch):
        workshop = Workshop()
        self.addCleanup(workshop.folder.cleanup)
        mixes = self.mixes_of(workshop, arch)
        self.known.add(arch)
        base = mixes.pop("base")
        self.assertNotIn("unknown", base)
        probes = {f"k{at}": probe for at, probe in enumerate(PROBES) if arch in probe[2]}
        self.assertGreater(len(probes), 50)
        self.assertEqual(mixes.keys(), probes.keys())
        for name, mix in mixes.items():
            ptx, expected, _ = probes[name]
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
