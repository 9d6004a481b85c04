#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the files that the tests of one suite, or one test, need, for ninja: suite_targets.py FOLDER NAME"""
import json
import os
import subprocess
import sys


def introspect(folder, what):
    listed = subprocess.run(["meson", "introspect", folder, "--" + what], check=True, stdout=subprocess.PIPE)
    return json.loads(listed.stdout)


def main():
    folder, wanted = sys.argv[1:]
    needed = {target for test in introspect(folder, "tests")
              if wanted in (test["name"], *(name.split(":")[-1] for name in test["suite"])) for target in test["depends"]}
    if not needed:
        print(f"{folder} has no suite and no test with the name '{wanted}'", file=sys.stderr)
        return 1
    for target in introspect(folder, "targets"):
        if target["id"] in needed:
            print(*(os.path.relpath(name, folder) for name in target["filename"]), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
