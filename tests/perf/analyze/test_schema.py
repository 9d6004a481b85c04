# SPDX-License-Identifier: Apache-2.0
"""The output of cucore analyze --json is valid by the schema, and the schema refuses other objects."""
import copy
import json
import sys
import unittest
from pathlib import Path

SCHEMA = json.loads(Path(sys.argv[1]).read_text())
IMAGES = Path(__file__).resolve().parents[2] / "compat" / "images"
del sys.argv[1:]
try:
    import jsonschema
except ImportError:
    sys.path.append("/usr/lib/python3/dist-packages")  # Debian's, for another Python of the same version
    try:
        import jsonschema
    except ImportError:
        print("skipped: the package python3-jsonschema is missing")
        sys.exit(77)

from cases import CASES  # noqa: E402
from command import Workshop, has_compiler, run  # noqa: E402


def valid(analysis):
    jsonschema.Draft202012Validator(SCHEMA).validate(analysis)


class Schema(unittest.TestCase):
    def test_it_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_images_are_valid(self):
        for name in ("saxpy_sm80.cubin", "saxpy_sm90.cubin", "saxpy.ptx", "saxpy_lz4.fatbin", "saxpy_zstd.fatbin", "classes.ptx"):
            with self.subTest(name):
                analysis = json.loads(run("analyze", IMAGES / name, "--json").stdout)
                self.assertGreater(len(analysis["kernels"]), 0)
                valid(analysis)
        valid(json.loads(run("analyze", IMAGES / "saxpy.ptx", IMAGES / "saxpy_sm90.cubin", "--json", "--arch", "sm_120").stdout))

    @unittest.skipUnless(has_compiler(), "NVRTC is missing")
    def test_every_finding_is_valid(self):
        workshop = Workshop()
        self.addCleanup(workshop.folder.cleanup)
        seen = set()
        for case in CASES:
            image, _ = workshop.compile(case.source, case.arch, *case.compile, suffix=".cuco")
            analysis = workshop.analyze(image, *case.analyze)
            valid(analysis)
            seen |= {finding["id"] for kernel in analysis["kernels"] for finding in kernel["findings"]}
        self.assertGreater(len(seen), 15)

    def test_it_refuses_other_objects(self):
        analysis = json.loads(run("analyze", IMAGES / "saxpy_sm90.cubin", "--json").stdout)
        for change in (lambda a: a.update(schema="cucore.analysis/2"), lambda a: a["kernels"][0].update(level="sass"),
                       lambda a: a["kernels"][0]["resources"].pop("spill_loads"), lambda a: a["kernels"][0]["mix"].update(magic={"count": 1, "in_loops": 0}),
                       lambda a: a["kernels"][0]["occupancy"][0].update(limiter="none")):
            wrong = copy.deepcopy(analysis)
            change(wrong)
            with self.assertRaises(jsonschema.ValidationError):
                valid(wrong)


if __name__ == "__main__":
    unittest.main()
