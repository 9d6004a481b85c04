# SPDX-License-Identifier: Apache-2.0
"""Holds what a reader of any file may rely on: names in the cases of .clang-tidy, a licence line, one kind of guard.

    naming.py ROOT CUDA_INCLUDE

clang-tidy reads the headers of each group of folders in one translation unit, which takes seconds. `./run tidy`
applies the same check to the sources. Without clang-tidy that part is skipped.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LICENCE = "SPDX-License-Identifier: Apache-2.0"
SOURCES = {".c", ".cpp", ".h", ".hpp", ".inc", ".i", ".cu", ".java", ".cs", ".py", ".pyi", ".sh", ".map"}
# Recorded data: its bytes are part of a test.
DATA = ("tests/data/", "tests/compat/images/", "tests/fuzz/corpus/", "bench/data/", "build")
CONSTANT = re.compile(r"\bk[A-Z][a-z]\w*\s*(=|\{)")
GUARD = re.compile(r"^#ifndef (\w+_HPP)\n#define \1\n", re.M)
# Folders read together, include roots, and macros that the build defines.
GROUPS = {
    "shared and cucore": (["src/shared", "src/cucore"], ["src/shared", "src/cucore", "src/plugins"], []),
    "cpu": (["src/cpu"], ["src/shared", "src"], ["-D__CUDA_API_VERSION_INTERNAL", "-DCUCPU_SIMD=baseline"]),
    "plugins": (["src/plugins"], ["src/shared", "src/cucore", "src/plugins"], []),
}
SKIPPED = 77


def sources(root):
    for folder, folders, names in os.walk(root):
        relative = Path(folder).relative_to(root).as_posix()
        folders[:] = [name for name in folders if not name.startswith(".") and not f"{relative}/{name}/".removeprefix("./").startswith(DATA)]
        yield from (Path(folder, name) for name in names if Path(name).suffix in SOURCES or name == "meson.build")


def faults_of_text(path):
    text = path.read_text(encoding="utf-8")
    if LICENCE not in text[:200]:
        yield f"has no '{LICENCE}' in its first lines"
    if path.suffix in {".cpp", ".hpp"}:
        if GUARD.search(text):
            yield "has an include guard; expected #pragma once"
        for match in CONSTANT.finditer(re.sub(r"//[^\n]*|\"[^\"\n]*\"", "", text)):
            yield f"names a constant '{match[0].rstrip(' ={')}'; expected UPPER_CASE"


def faults_of_names(root, cuda, name):
    folders, includes, macros = GROUPS[name]
    headers = sorted(path for folder in folders for path in (root / folder).rglob("*.hpp"))
    with tempfile.TemporaryDirectory() as scratch:
        unit = Path(scratch, "headers.cpp")
        unit.write_text("".join(f'#include "{header}"\n' for header in headers))
        done = subprocess.run(
            ["clang-tidy", "--quiet", f"--config-file={root / '.clang-tidy'}", f"--header-filter={root / 'src'}/.*[.]hpp$",
             "--checks=-*,readability-identifier-naming", unit, "--", "-std=c++20", "-Wno-pragma-once-outside-header",
             *macros, *(f"-I{root / include}" for include in ["include", *includes]), "-isystem", cuda],
            capture_output=True, text=True)
    found = re.findall(r"^(/.*: (?:warning|error): .*)$", done.stdout + done.stderr, re.M)
    return [line.removeprefix(f"{root}/") for line in found]


def main(root, cuda):
    root = Path(root).resolve()
    faults = [f"{path.relative_to(root)} {fault}" for path in sources(root) for fault in faults_of_text(path)]
    tidy = shutil.which("clang-tidy")
    if tidy:
        faults += [fault for name in GROUPS for fault in faults_of_names(root, cuda, name)]
    print("\n".join(faults) or "no fault")
    if faults:
        return 1
    if not tidy:
        print("clang-tidy was not found: the cases of names were not checked")
        return SKIPPED
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
