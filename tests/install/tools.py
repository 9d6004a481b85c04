# SPDX-License-Identifier: Apache-2.0
"""The tools of packages that require no build: tools.py ROOT"""
import json
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "tools/packages"))
import elf  # noqa: E402
import parts  # noqa: E402

# A type, a namespace with a name, and a version. GitHub's names have lower case in such a text.
PURL = re.compile(r"pkg:(github/[a-z0-9-]+|generic)/[a-z0-9-]+(@[\w.-]+)?")


class Parts(unittest.TestCase):
    def components(self, package):
        return {each["name"]: each for each in json.loads(parts.cyclonedx(package))["components"]}

    def test_each_part_has_a_name_for_lists_of_vulnerabilities(self):
        for package in ("wheel", "native"):
            found = self.components(package)
            self.assertIn("zstd", found)
            for name, each in found.items():
                self.assertTrue(PURL.fullmatch(each["purl"]), each["purl"])
                self.assertEqual("@" in each["purl"], "version" in each, name)

    def test_the_version_of_a_name_is_that_of_the_part(self):
        row = {"purl": "pkg:github/facebook/zstd@v{version}"}
        self.assertEqual(parts.purl(row, "1.5.4"), "pkg:github/facebook/zstd@v1.5.4")
        self.assertEqual(parts.purl(row, None), "pkg:github/facebook/zstd")

    def test_each_package_uses_the_libcurl_of_the_system(self):
        for package in ("wheel", "jar", "nuget"):
            curl = self.components(package)["libcurl"]
            self.assertEqual((curl["scope"], curl["properties"]), ("optional", [{"name": "cucore:how", "value": "system"}]))

    def test_each_part_has_a_section_with_its_licence(self):
        sections = dict(re.findall(r"^## (.+)\n((?:(?!## ).*\n)*)", (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8"), re.M))
        listed = {row["name"] for package in ("wheel", "native") for row, _ in parts.third_party(package)}
        self.assertEqual(set(sections), listed)
        for name, text in sections.items():
            self.assertRegex(text, r"Copyright \(c\) ", name)
            self.assertRegex(text, r"```text\n[\s\S]+\n```\n", name)


class Tags(unittest.TestCase):
    def test_the_oldest_glibc_has_both_libraries(self):
        """A distribution with an older glibc has an older libstdc++, whose versions count as much as those of glibc."""
        for glibc, standard, oldest in (((2, 17), (3, 4), 17), ((2, 17), (3, 4, 19), 17), ((2, 17), (3, 4, 25), 28), ((2, 17), (3, 4, 29), 34),
                                        ((2, 34), (3, 4, 29), 34), ((2, 34), (3, 4, 30), 35), ((2, 17), (3, 4, 30), 35),
                                        ((2, 38), (3, 4, 30), 38), ((2, 17), (3, 4, 31), 38)):
            with self.subTest(glibc=glibc, standard=standard):
                self.assertEqual(elf.oldest_glibc([elf.Needs([], {"GLIBC": glibc}), elf.Needs([], {"GLIBCXX": standard})]), oldest)


if __name__ == "__main__":
    unittest.main()
