# SPDX-License-Identifier: Apache-2.0
"""The formats of reports: golden files, the schema, trace events, a page without network, and the size.

--update writes the golden files again: test_formats.py WRITE_SAMPLES SCHEMA TRACE_SCHEMA --update
"""
import copy
import csv
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

WRITE_SAMPLES = sys.argv[1]
SCHEMA, TRACE_SCHEMA = (json.loads(Path(path).read_text()) for path in sys.argv[2:4])
UPDATE = "--update" in sys.argv
del sys.argv[1:]
GOLDEN = Path(__file__).parent / "golden"
GOLDEN_SAMPLES, GOLDEN_FORMATS = ["slow_transpose", "emulated", "nothing"], ["txt", "json", "csv", "trace", "gp"]
SAMPLES = [*GOLDEN_SAMPLES, "hostile", "many"]
MOST_BYTES = 5_000_000
try:
    import jsonschema
except ImportError:
    sys.path.append("/usr/lib/python3/dist-packages")  # Debian's, for another Python of the same version
    try:
        import jsonschema
    except ImportError:
        print("skipped: the package python3-jsonschema is missing")
        sys.exit(77)


def valid(report):
    jsonschema.Draft202012Validator(SCHEMA).validate(report)


class Page(html.parser.HTMLParser):
    """Checks that elements are closed, and collects texts, links and scripts."""
    VOID = {"meta", "br", "link", "img"}

    def __init__(self):
        super().__init__()
        self.open, self.texts, self.scripts, self.attributes = [], [], {}, []

    def handle_starttag(self, tag, attributes):
        self.attributes += [(tag, name, value) for name, value in attributes]
        if tag not in self.VOID:
            self.open.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop()[0] != tag:
            raise AssertionError(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data):
        if self.open and self.open[-1][0] == "script":
            self.scripts[self.open[-1][1].get("id", "code")] = data
        else:
            self.texts.append(data)


class Formats(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        subprocess.run([WRITE_SAMPLES, cls.folder], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8", errors="surrogateescape")

    def test_numbers_do_not_follow_the_locale(self):
        with tempfile.TemporaryDirectory() as folder:
            locales, reports = Path(folder, "locales"), Path(folder, "reports")
            locales.mkdir(), reports.mkdir()
            make = ["localedef", "-i", "de_DE", "-f", "UTF-8", locales / "de_DE.UTF-8"]
            if not shutil.which("localedef") or subprocess.run(make, capture_output=True, check=False).returncode != 0:
                self.skipTest("the system cannot make a locale with a decimal comma")
            subprocess.run([WRITE_SAMPLES, reports], check=True, env=dict(os.environ, LOCPATH=str(locales), LC_ALL="de_DE.UTF-8"))
            for file in reports.iterdir():
                self.assertEqual(file.read_bytes(), (self.folder / file.name).read_bytes(), file.name)

    def test_they_are_the_golden_files(self):
        for sample in GOLDEN_SAMPLES:
            for suffix in GOLDEN_FORMATS:
                name = f"{sample}.{suffix}"
                if UPDATE:
                    shutil.copy(self.folder / name, GOLDEN / name)
                with self.subTest(name):
                    self.assertEqual(self.read(name), (GOLDEN / name).read_text())

    def test_no_file_is_large(self):
        sizes = {path.name: path.stat().st_size for path in self.folder.iterdir()}
        self.assertEqual(len(sizes), len(SAMPLES) * 6)
        self.assertEqual({name: size for name, size in sizes.items() if size > MOST_BYTES}, {})
        self.assertGreater(sizes["many.trace"], 1_000_000)

    def test_the_json_is_valid(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)
        for sample in SAMPLES:
            with self.subTest(sample):
                report = json.loads((self.folder / f"{sample}.json").read_bytes())
                valid(report)
                self.assertEqual(list(report)[0], "schema")
                self.assert_sorted(report)

    def assert_sorted(self, value):
        if isinstance(value, dict):
            names = [name for name in value if name != "schema"]
            self.assertEqual(names, sorted(names))
        for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
            self.assert_sorted(each)

    def test_the_schema_refuses_other_objects(self):
        report = json.loads((self.folder / "slow_transpose.json").read_text())
        changes = [lambda r: r.pop("kernels"), lambda r: r.update(schema="cucore.report/2"), lambda r: r.update(more=1),
                   lambda r: r["kernels"][0].pop("seconds"), lambda r: r["kernels"][0].update(bound="tired"),
                   lambda r: r["ranges"][0].update(memory_efficiency=1.5), lambda r: r["findings"][0].update(id="203"),
                   lambda r: r["kernels"][0]["counters"].update(a="b"), lambda r: r["missing"][0].pop("remedy"),
                   lambda r: r["kernels"][0]["geometry"].update(grid=[1]), lambda r: r.update(source="auto")]
        for change in changes:
            wrong = copy.deepcopy(report)
            change(wrong)
            with self.assertRaises(jsonschema.ValidationError):
                valid(wrong)

    def test_the_text_names_the_reason_first(self):
        lines = self.read("slow_transpose.txt").splitlines()
        self.assertIn("uncoalesced access", lines[3])
        self.assertLess(max(map(len, lines)), 115)
        self.assertNotRegex(self.read("hostile.txt"), r"[\x00-\x09\x0b-\x1f\x7f]")

    def test_the_csv_has_a_line_per_kernel(self):
        for sample in SAMPLES:
            rows = list(csv.DictReader(self.read(f"{sample}.csv").splitlines(keepends=True)))
            report = json.loads((self.folder / f"{sample}.json").read_bytes())
            self.assertEqual(len(rows), len(report["kernels"]))
            for row, kernel in zip(rows, report["kernels"]):
                self.assertNotIn(None, row)
                self.assertEqual(row["calls"], str(kernel["calls"]))
                self.assertEqual(row["bound"], kernel["bound"])
                if row["total"]:
                    self.assertAlmostEqual(float(row["total"]), kernel["seconds"]["total"], delta=1e-9)

    def test_the_trace_has_complete_events(self):
        for sample, records in (("slow_transpose", 26), ("many", 10_100), ("hostile", 2), ("nothing", 0)):
            trace = json.loads((self.folder / f"{sample}.trace").read_bytes())
            events = [event for event in trace["traceEvents"] if event["ph"] == "X"]
            self.assertEqual(len(events), records)
            names = {(event["pid"], event["tid"]) for event in trace["traceEvents"] if event["name"] == "thread_name"}
            processes = {event["pid"] for event in trace["traceEvents"] if event["name"] == "process_name"}
            for event in events:
                self.assertIn((event["pid"], event["tid"]), names)
                self.assertIn(event["pid"], processes)
                self.assertGreaterEqual(event["ts"], 0)
                self.assertGreaterEqual(event["dur"], 0)
                self.assertIn(event["cat"], ("kernel", "operation", "range"))
            self.assertLessEqual(len(trace["traceEvents"]), records + 20)
        [transpose] = [event for event in json.loads(self.read("slow_transpose.trace"))["traceEvents"]
                       if event["name"] == "transpose<float>"]
        self.assertEqual((transpose["ts"], transpose["dur"], transpose["pid"], transpose["tid"]), (300, 812, 0, 7))
        self.assertEqual((transpose["args"]["bound"], transpose["args"]["finding"]), ("latency", "P203"))

    def test_the_trace_has_a_mark_per_warning(self):
        for sample in SAMPLES:
            marks = [event for event in json.loads((self.folder / f"{sample}.trace").read_bytes())["traceEvents"] if event["ph"] == "i"]
            report = json.loads((self.folder / f"{sample}.json").read_bytes())
            warnings = [finding for finding in report["findings"] if finding["severity"] != "note"][:8]
            self.assertEqual([(mark["name"][:4], mark["args"]["message"]) for mark in marks],
                             [(finding["id"], finding["message"]) for finding in warnings])
        [mark] = [event for event in json.loads(self.read("slow_transpose.trace"))["traceEvents"] if event["name"].startswith("P203")]
        self.assertIn("transpose<float>: uncoalesced access", mark["name"])

    def test_the_trace_fits_its_schema(self):
        jsonschema.Draft202012Validator.check_schema(TRACE_SCHEMA)
        validator = jsonschema.Draft202012Validator(TRACE_SCHEMA)
        for sample in SAMPLES:
            with self.subTest(sample):
                validator.validate(json.loads((self.folder / f"{sample}.trace").read_bytes()))
        trace = json.loads(self.read("slow_transpose.trace"))
        for change in (dict(ts=-1), dict(dur="1"), dict(ph="B"), dict(tid=2**32), dict(cat="other"), dict(more=1)):
            wrong = copy.deepcopy(trace)
            wrong["traceEvents"][-1].update(change)
            self.assertFalse(validator.is_valid(wrong), change)

    def test_events_of_a_lane_do_not_overlap_in_part(self):
        for sample in SAMPLES:
            ends = {}
            events = json.loads((self.folder / f"{sample}.trace").read_bytes())["traceEvents"]
            complete = [event for event in events if event["ph"] == "X"]
            for event in sorted(complete, key=lambda event: (event["ts"], -event["dur"])):
                begin, end = round(1000 * event["ts"]), round(1000 * (event["ts"] + event["dur"]))
                open_ends = ends.setdefault((event["pid"], event["tid"]), [])
                while open_ends and open_ends[-1] <= begin:
                    open_ends.pop()
                self.assertFalse(open_ends and open_ends[-1] < end, f"{sample}: {event}")
                open_ends.append(end)

    def page(self, sample):
        page = Page()
        page.feed((self.folder / f"{sample}.html").read_text(encoding="utf-8", errors="replace"))
        page.close()
        self.assertEqual(page.open, [])
        return page

    def test_pages_contain_the_report(self):
        for sample in SAMPLES:
            with self.subTest(sample):
                page = self.page(sample)
                report = json.loads(page.scripts["report"])
                valid(report)
                self.assertEqual(report, json.loads((self.folder / f"{sample}.json").read_bytes()))
                timeline = json.loads(page.scripts["timeline"])
                self.assertEqual(len(timeline["titles"]), len(report["kernels"]))
                for lane in timeline["lanes"]:
                    for start, duration, row, name in lane["records"]:
                        self.assertGreaterEqual(min(start, duration), 0)
                        self.assertLess(row, len(report["kernels"]))
                        self.assertLess(name, len(timeline["names"]))

    def test_pages_need_no_network(self):
        for sample in SAMPLES:
            text = (self.folder / f"{sample}.html").read_text(encoding="utf-8", errors="replace")
            self.assertEqual(set(re.findall(r"https?://[^\"' ]+", text)), {"http://www.w3.org/2000/svg"})
            for tag, name, value in self.page(sample).attributes:
                self.assertNotIn(name, ("src", "href"), f"{tag} {value}")
                self.assertFalse(name.startswith("on"), f"{tag} {name}")
        self.assertIn("default-src 'none'", self.read("slow_transpose.html"))

    def test_names_cannot_leave_their_place(self):
        page = self.page("hostile")
        self.assertEqual(set(page.scripts), {"report", "timeline", "code"})
        self.assertNotIn("alert(1)", page.scripts["code"])
        self.assertNotIn("script", {tag for tag, _, _ in page.attributes} - {"script"})

    def test_the_page_begins_with_the_reason(self):
        text = " ".join(self.page("slow_transpose").texts)
        reason = text.index("transpose<float> takes 72 % of the time of the kernels: uncoalesced access")
        self.assertLess(reason, text.index("Kernels"))

    def test_gnuplot_draws_the_plots(self):
        gnuplot = shutil.which("gnuplot")
        if not gnuplot:
            self.skipTest("gnuplot is not installed")
        for sample in SAMPLES:
            done = subprocess.run([gnuplot, "-e", "set terminal svg size 1000,500", self.folder / f"{sample}.gp"], capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, b""), sample)
            self.assertIn(b"</svg>", done.stdout)

    def test_the_page_of_the_documentation_has_each_finding(self):
        root = Path(__file__).resolve().parents[3]
        table = re.findall(r'PROFILE_RULE\((\d+), "([^"]+)"', (root / "src/perf/report/profile_findings.inc").read_text())
        documented = re.findall(r"^\| P(\d+) \| ([^|]+) \|", (root / "docs/report.md").read_text(), re.M)
        self.assertGreater(len(table), 10)
        self.assertEqual(documented, table)

    def test_the_documentation_shows_the_golden_text(self):
        root = Path(__file__).resolve().parents[3]
        shown = (root / "docs/report.md").read_text().split("```text\n")[1].split("```")[0]
        self.assertTrue((GOLDEN / "slow_transpose.txt").read_text().startswith(shown))

    def test_the_script_is_valid(self):
        node = shutil.which("node")
        if not node:
            self.skipTest("node is not installed")
        subprocess.run([node, "--check", "-"], input=self.page("slow_transpose").scripts["code"], text=True, check=True)


if __name__ == "__main__":
    unittest.main()
