# SPDX-License-Identifier: Apache-2.0
"""cucore.hpp has everything that cucore.h has: functions, handles, enumerators, fields, statuses.

    cpp_coverage.py HEADER CPP_HEADER MAP
"""
import re
import subprocess
import sys
import unittest
from pathlib import Path

from public_header import PublicHeader

HEADER, CPP_HEADER, MAP = sys.argv[1:4]
del sys.argv[1:]
C = PublicHeader(HEADER)

# Functions that C++ reaches through another function, with the reason.
LEFT_OUT = {}

# C enumerators that C++ does not have: a std::optional<bool> is a toggle.
NO_ENUMERATION = ("CUCORE_TOGGLE_",)

# Structs whose fields C++ has under the same names, as `{C: (C++, {C field: C++ field})}`. A count
# corresponds to the size of the container.
MIRRORED = {
    "cucore_program_options": ("ProgramOptions", {
        "header_names": "headers", "header_sources": "headers", "extra_source_names": "extra_sources",
        "extra_source_sizes": "extra_sources"}),
    "cucore_linker_options": ("LinkerOptions", {}),
    "cucore_error_options": ("ErrorOptions", {}),
    "cucore_objectcode_options": ("ObjectCodeOptions", {"lowered_names": "lowered_name"}),
    "cucore_stream_options": ("StreamOptions", {}),
    "cucore_event_options": ("EventOptions", {}),
    "cucore_serialize_options": ("SerializeOptions", {}),
    "cucore_deserialize_options": ("DeserializeOptions", {}),
    "cucore_cache_options": ("CacheOptions", {"max_age_seconds": "max_age", "lock_timeout_ms": "lock_timeout"}),
    "cucore_cache_remote_options": ("CacheRemoteOptions", {
        "connect_timeout_ms": "connect_timeout", "timeout_ms": "timeout"}),
    "cucore_batch_item": ("BatchItem", {}),
    "cucore_batch_options": ("BatchOptions", {"time_limit_ms": "time_limit", "user_data": "report"}),
    "cucore_queue_options": ("QueueOptions", {"spin_ns": "spin", "sweep_ns": "sweep", "host_timeout_ms": "host_timeout"}),
    "cucore_checks_options": ("ChecksOptions", {}),
    "cucore_diagnostic_info": ("Diagnostic", {}),
    "cucore_capture_options": ("CaptureOptions", {"after_count": "after"}),
    "cucore_library_info": ("LibraryInfo", {}),
    "cucore_symbol_info": ("Symbol", {}),
    "cucore_parameter_info": ("Parameter", {}),
    "cucore_cache_entry_info": ("CacheEntry", {"made_ns": "made", "used_ns": "used"}),
    "cucore_key": ("Key", {"size": "data"}),
}
# Structs of C that C++ uses unchanged, or that only its own functions fill in.
USED = {"cucore_resource_info", "cucore_node_info", "cucore_executable_options", "cucore_pool_options", "cucore_pool_info", "cucore_graph_memory_info", "cucore_location", "cucore_launch_options", "cucore_launch_attribute", "cucore_access_window", "cucore_box", "cucore_argument", "cucore_cache_statistics_info",
        "cucore_completion", "cucore_queue_info", "cucore_checks_report_info", "cucore_cache_remote",
        "cucore_operation", "cucore_observer_options", "cucore_launch_tally"}


def preprocessed():
    """Returns cucore.hpp and the headers of its topics, with their macros expanded."""
    out = subprocess.run(["c++", "-std=c++17", "-E", "-I", CPP_HEADER.rsplit("/", 1)[0], CPP_HEADER],
                         check=True, capture_output=True, text=True).stdout
    own, keep = [], False
    for line in out.splitlines():
        mark = re.match(r'# \d+ "([^"]*)"', line)
        if mark:
            keep = mark[1].endswith(".hpp")
        elif keep:
            own.append(line)
    return "\n".join(own)


CPP = preprocessed()


def body(kind, name):
    found = re.search(rf"\b{kind} {name}\b[^;{{]*\{{(.*?)^\}};", CPP, re.S | re.M)
    return found[1] if found else ""


class CppCoverage(unittest.TestCase):
    def test_every_function_is_used(self):
        exported = set(re.findall(r"^\s+(cucore_\w+);", Path(MAP).read_text(encoding="utf-8"), re.M))
        self.assertEqual(exported, set(C.functions()))
        used = set(re.findall(r"\bcucore_\w+", CPP))
        self.assertEqual(sorted(exported - used - set(LEFT_OUT)), [])
        self.assertEqual(sorted(set(LEFT_OUT) & used), [], "used, yet listed as left out")

    def test_every_handle_has_an_owner(self):
        for handle in C.handles():
            self.assertRegex(CPP, rf"class (\w+) : public (?:std::exception, public )?Owner<\1, {handle}>")

    def test_every_enumerator_is_there(self):
        there = re.findall(r"^\s+(\w+) =\s+(CUCORE_\w+),", CPP, re.M)
        mirrored = {c_name for _, c_name in there}
        wanted = {name for name in C.enumerators()
                  if not name.endswith("FORCE_INT32") and not name.startswith(NO_ENUMERATION)}
        self.assertEqual(sorted(wanted - mirrored), [])
        for name, c_name in there:
            self.assertTrue(c_name.lower().endswith(name.rstrip("_")), f"{name} = {c_name}")

    def test_every_status_has_an_exception(self):
        cases = set(re.findall(r"case Status::(\w+):\s+throw \w+Error\(", CPP))
        statuses = {name[len("CUCORE_ERROR_"):].lower() for name in C.enumerators()
                    if name.startswith("CUCORE_ERROR_")}
        self.assertEqual(cases, statuses)

    def test_every_struct_is_there(self):
        self.assertEqual(set(C.structs()), set(MIRRORED) | USED)
        for name in USED:
            self.assertIn(name, CPP)

    def test_every_field_is_there(self):
        for c_name, (name, renamed) in MIRRORED.items():
            text = body("struct", name)
            self.assertTrue(text, name)
            for field in C.structs()[c_name]:
                if field == "struct_size" or field.startswith("reserved"):
                    continue
                counted = re.sub(r"_count$", "s", field)
                candidates = {field, renamed.get(field, field), counted, counted.rstrip("s")}
                found = any(re.search(rf"\b{re.escape(each)}\b\s*(?:=|\{{|;)", text) for each in candidates)
                self.assertTrue(found, f"{name} has no {field} of {c_name}")

    def test_every_field_of_the_options_is_passed_on(self):
        for c_name, (name, _) in MIRRORED.items():
            if not c_name.endswith("_options"):
                continue
            found = re.search(rf"\b{c_name} c = .*?\breturn\b", CPP, re.S)
            text = body("struct", name + "OfC") or (found[0] if found else "")
            for field in C.structs()[c_name]:
                if field == "struct_size" or field.startswith("reserved"):
                    continue
                self.assertTrue(re.search(rf"\bc\.{field}\b", text), f"{name}.{field} is not passed on as c.{field}")


if __name__ == "__main__":
    unittest.main()
