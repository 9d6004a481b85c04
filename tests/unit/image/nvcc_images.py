# SPDX-License-Identifier: Apache-2.0
"""Reads all of nvcc's output for the kernels of tests/data/kernels: nvcc_images.py TOOL KERNELS.

By default some kernels; all of them with CUCORE_TEST_ALL_KERNELS=1. Skipped without nvcc.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOME = ("01_", "24_", "37_", "55_")
SKIPPED = 77


def find_nvcc():
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    places = [pathlib.Path(home) / "bin/nvcc" for home in homes if home]
    found = [str(place) for place in places if place.exists()]
    return found[0] if found else shutil.which("nvcc")


def run(*command):
    subprocess.run([str(word) for word in command], check=True)


def compile_all(nvcc, source, folder):
    """PTX once; then the output of ptxas and fatbinary, with every compression."""
    tools = pathlib.Path(nvcc).parent
    base = folder / source.stem
    ptx = base.with_suffix(".ptx")
    run(nvcc, "-std=c++17", "-w", "-ptx", "-arch=compute_90", "-o", ptx, source)
    images = [ptx]
    targets = {"O3": [], "G": ["-g", "-O0"], "line": ["-lineinfo"], "c": ["-c"], "line120": ["-lineinfo", "-arch=sm_120"]}
    for name, options in targets.items():
        images.append(base.with_suffix(f".{name}.cubin"))
        arch = [] if options[-1:] == ["-arch=sm_120"] else ["-arch=sm_90"]
        run(tools / "ptxas", *arch, *options, "-o", images[-1], ptx)
    for mode in ("none", "default", "speed", "size", "balance"):
        images.append(base.with_suffix(f".{mode}.fatbin"))
        run(tools / "fatbinary", "-64", f"--compress-mode={mode}", f"--create={images[-1]}",
            f"--image3=kind=elf,sm=90,file={images[1]}", f"--image3=kind=ptx,sm=90,file={ptx}")
    return images


def check(dumps, source):
    ptx, *others = dumps
    assert ptx["type"] == "PTX" and ptx["arch"] == "compute_90" and ptx["kernels"], source
    for dump in others:
        # The parameters in the compiled code equal those in the text.
        assert dump["kernels"] == ptx["kernels"], f"{source}: {dump['kernels']} {ptx['kernels']}"
        assert dump["truncations"] == 0, f"{source}: a truncation was accepted"
    fatbins = [dump for dump in dumps if dump["type"] == "FATBIN"]
    assert len(fatbins) == 5
    for dump in fatbins:
        assert [entry[:2] for entry in dump["entries"]] == [["CUBIN", "sm_90"], ["PTX", "compute_90"]]
        assert all(entry[3] == ptx["kernels"] for entry in dump["entries"])
    compressed = [[entry[2] for entry in dump["entries"]] for dump in fatbins]
    assert compressed[0] == [False, False] and compressed[3] == [True, True], compressed


def main(tool, kernels):
    nvcc = find_nvcc()
    if nvcc is None:
        print("skipped: CUDA_HOME, CUDA_PATH, /usr/local/cuda and PATH have no nvcc")
        return SKIPPED
    everything = os.environ.get("CUCORE_TEST_ALL_KERNELS") == "1"
    sources = [source for source in sorted(pathlib.Path(kernels).glob("*.cu"))
               if everything or source.name.startswith(SOME)]
    assert sources, "no kernels"
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            images = compile_all(nvcc, source, pathlib.Path(folder))
            lines = subprocess.run([tool, *map(str, images)], check=True, capture_output=True, text=True)
            check([json.loads(line) for line in lines.stdout.splitlines()], source.name)
            count += len(images)
            print(f"{source.name}: {len(images)} images", flush=True)
    print(f"{count} images of {len(sources)} kernels are read")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
