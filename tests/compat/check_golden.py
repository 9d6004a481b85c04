# SPDX-License-Identifier: Apache-2.0
"""Compares the second reader with the library: both must read the same from every golden file."""
import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
import read_cuco


def main(tool, *folders):
    files = sorted(path for folder in folders for path in pathlib.Path(folder).glob("*.cuco"))
    assert len(files) >= 12, f"golden files are missing: {len(files)} found"
    lines = subprocess.run([tool, "dump", *map(str, files)], check=True, capture_output=True, text=True)
    dumps = lines.stdout.splitlines()
    assert len(dumps) == len(files)
    for path, dump in zip(files, dumps):
        data = path.read_bytes()
        ours, theirs = json.loads(dump), read_cuco.read(data, b"a secret that a team shares")
        assert ours == theirs, f"{path.name}:\n{ours}\n{theirs}"
        refused = 0
        for at in range(len(data)):
            changed = data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1:]
            try:
                read_cuco.read(changed, b"a secret that a team shares")
            except (ValueError, IndexError):
                refused += 1
        # Without Ed25519 this reader cannot check the 72 bytes of key id and signature.
        blind = 72 if theirs["signature"] == 2 else 0
        assert refused >= len(data) - blind, f"{path.name}: {len(data) - refused} changes unseen"
        print(f"{path.name}: {len(theirs['images'])} images agree, {refused} of {len(data)} changes refused")


if __name__ == "__main__":
    main(*sys.argv[1:])
