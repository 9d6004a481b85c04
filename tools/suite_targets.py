#!/usr/bin/env python3
"""Prints the files that the tests of one suite need, for ninja: suite_targets.py FOLDER SUITE"""
import json
import os
import subprocess
import sys


def introspect(folder, what):
    listed = subprocess.run(["meson", "introspect", folder, "--" + what], check=True, stdout=subprocess.PIPE)
    return json.loads(listed.stdout)


def main():
    folder, suite = sys.argv[1:]
    needed = {target for test in introspect(folder, "tests")
              if suite in (name.split(":")[-1] for name in test["suite"]) for target in test["depends"]}
    if not needed:
        print(f"{folder} has no tests of suite {suite}", file=sys.stderr)
        return 1
    for target in introspect(folder, "targets"):
        if target["id"] in needed:
            print(*(os.path.relpath(name, folder) for name in target["filename"]), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
