# SPDX-License-Identifier: Apache-2.0
"""The resources of kernels are those that ptxas -v and cuobjdump print. The classes of the instructions are those of nvdisasm.
The test compares with the record of the tools' output for this version of ptxas.

    test_resources.py KERNELS RECORDS          some kernels for three architectures; also runs the tools if they are installed
    test_resources.py KERNELS RECORDS --all    all images; runs the tools only for a version without a record
"""
import sys
import unittest
from pathlib import Path

import disassembly
import images
from command import SKIPPED, Workshop, has_compiler
from record_images import Tools, read_record

KERNELS, RECORDS = Path(sys.argv[1]), Path(sys.argv[2])
ALL = "--all" in sys.argv
del sys.argv[1:]
MOST_UNKNOWN = 0.005  # of the instructions of one architecture
TOOLS = Tools.find()


class Resources(unittest.TestCase):
    images = recorded = read_by_tools = 0

    def check_log(self, log, kernels):
        expected = images.resources_in(log)
        self.assertNotEqual(expected, {}, log)
        self.assertEqual(kernels.keys(), expected.keys())
        for name, figures in expected.items():
            found = kernels[name]["resources"]
            if found["spill_stores"] is None:  # ptxas loses marks
                self.assertGreater(figures["spill_stores"] + figures["spill_loads"], 4 * 8192)
                figures = {key: value for key, value in figures.items() if "spill" not in key}
            self.assertEqual({key: found[key] for key in figures}, figures, name)
            self.assertEqual(found["local"], 0)
            self.assertEqual(kernels[name]["missing"], "")

    def check_rows(self, rows, kernels, arch):
        """Compares with rows of the tools. An instruction may be unknown, but not of another class."""
        self.assertEqual(kernels.keys(), rows.keys())
        for name, row in rows.items():
            found = kernels[name]["resources"]
            self.assertEqual({key: found[key] for key in row.resources}, disassembly.without_reserved(row.resources, arch), name)
            mix = {key: value["count"] for key, value in kernels[name]["mix"].items() if key != "unknown"}
            self.assertEqual({key: count for key, count in mix.items() if count > row.classes.get(key, 0)}, {}, f"{name}: {row.classes}")
            self.assertEqual(kernels[name]["instructions"], sum(row.classes.values()), name)

    def check_image(self, image, path, kernels):
        content = path.read_bytes()
        record = read_record(RECORDS, disassembly.compiler_of(content))
        if TOOLS and not (ALL and record):
            self.check_rows(TOOLS.rows_of(path), kernels, image.arch)
            type(self).read_by_tools += 1
        if record is not None:
            rows = record[image.name]
            self.assertEqual({name: disassembly.digest_of(code) for name, code in disassembly.code_of(content).items()},
                             {name: row.code for name, row in rows.items()})
            self.check_rows(rows, kernels, image.arch)
            type(self).recorded += 1

    def check(self, arch, listed):
        workshop = Workshop()
        self.addCleanup(workshop.folder.cleanup)
        all_instructions = unknown = 0
        for image in listed:
            with self.subTest(image.name):
                path, log = image.compile(workshop)
                kernels = {kernel["name"]: kernel for kernel in workshop.analyze(path)["kernels"]}
                self.check_log(log, kernels)
                self.check_image(image, path, kernels)
                all_instructions += sum(kernel["instructions"] for kernel in kernels.values())
                unknown += sum(kernel["mix"].get("unknown", {}).get("count", 0) for kernel in kernels.values())
                type(self).images += 1
        print(f"{arch}: {all_instructions} instructions, {unknown} unknown")
        self.assertGreater(all_instructions, 1000)
        self.assertLessEqual(unknown, MOST_UNKNOWN * all_instructions)


for each in images.ARCHS if ALL else images.FEW_ARCHS:
    setattr(Resources, f"test_{each}", lambda self, arch=each: self.check(arch, images.images_of(KERNELS, arch, few=not ALL)))
for probe in images.probe_images() if ALL else ():
    setattr(Resources, f"test_{probe.arch}", lambda self, image=probe: self.check(image.arch, [image]))


class TheNumber(unittest.TestCase):
    def test_of_images(self):
        print(f"{Resources.images} images: {Resources.recorded} compared with the record, {Resources.read_by_tools} with the tools")
        self.assertGreaterEqual(Resources.images, 700 if ALL else 45)


if __name__ == "__main__":
    if not has_compiler():
        print("skipped: NVRTC is missing")
        sys.exit(SKIPPED)
    unittest.main()
