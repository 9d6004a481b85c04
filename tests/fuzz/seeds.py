# SPDX-License-Identifier: Apache-2.0
"""Seeds of a fuzz target: seeds.py TARGET FOLDER."""
import pathlib
import shutil
import sys

import device_objects_seeds
import fatbin_seeds
import link_seeds
import npy_seeds

ROOT = pathlib.Path(__file__).resolve().parent.parent
PATTERNS = {
    "container": ["compat/v*/*.cuco"],
    "container_structure": ["compat/v*/*.cuco"],
    "elf": ["compat/images/*.cubin", "compat/images/host_*", "fuzz/corpus/elf/*"],
    "analysis": ["compat/images/*.cubin", "compat/images/*.ptx", "fuzz/corpus/ptx/*", "fuzz/corpus/elf/*"],
    "fatbin": ["compat/images/*.fatbin", "fuzz/corpus/fatbin/*"],
    "ptx_text": ["compat/images/*.ptx", "fuzz/corpus/ptx_text/*"],
    "ptx_parser": ["fuzz/corpus/ptx/*"],
    "ptx_agreement": ["fuzz/corpus/agreement/*"],
    "ptx_fatbin": [],
    "ptx_link": [],
    "npy": [],
    "roof": ["fuzz/corpus/roof/*"],
    "device_objects": [],
}


def main(target, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for pattern in PATTERNS[target]:
        for seed in ROOT.glob(pattern):
            shutil.copyfile(seed, folder / seed.name)
    if target == "ptx_fatbin":
        fatbin_seeds.write(folder)
    if target == "ptx_link":
        link_seeds.write(folder, sorted(ROOT.glob("fuzz/corpus/ptx/*")))
    if target == "npy":
        npy_seeds.write(folder)
    if target == "device_objects":
        device_objects_seeds.write(folder)
    assert any(folder.iterdir()), f"no seeds for {target}"


if __name__ == "__main__":
    main(*sys.argv[1:])
