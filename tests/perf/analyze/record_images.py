# SPDX-License-Identifier: Apache-2.0
"""Records what NVIDIA's tools print for the images of images.py, as data of the tests.

    record_images.py compile KERNELS FOLDER   compiles the images with the command in CUCORE_COMMAND.
    record_images.py read FOLDER OUT          writes the tables ptxas-VERSION.csv and operations.csv.

The files names.csv, failures.txt and sample.txt are for a reader.
"""
import csv
import functools
import json
import shutil
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import disassembly

RESOURCES = {"registers": "REG", "stack": "STACK", "shared": "SHARED", "local": "LOCAL", "constant": "CONSTANT[0]"}
SPILLS = ("spill_stores", "spill_loads")  # which cuobjdump does not print
HEAD = ["image", "kernel", "code", *RESOURCES, *SPILLS, "classes"]
WORKERS = 16


class Row:
    """The content of the tools' output for one kernel."""

    def __init__(self, code, resources, classes):
        self.code, self.resources, self.classes = code, resources, classes


class Tools:
    def __init__(self, nvdisasm, cuobjdump):
        self.nvdisasm, self.cuobjdump = nvdisasm, cuobjdump

    @classmethod
    def find(cls):
        """Returns the tools, or None if one of them is missing."""
        paths = [shutil.which(name) or shutil.which(name, path="/usr/local/cuda/bin") for name in ("nvdisasm", "cuobjdump")]
        return cls(*paths) if all(paths) else None

    def rows_of(self, path, instructions=None):
        """Returns {kernel: Row} of an image. Adds its instructions to a list."""
        codes = disassembly.code_of(path.read_bytes())
        resources = disassembly.resources_of(self.cuobjdump, path)
        kernels = disassembly.disassemble(self.nvdisasm, path)
        if instructions is not None:
            for found in kernels.values():
                instructions += found
        return {name: Row(disassembly.digest_of(code), {key: resources[name].get(label, 0) for key, label in RESOURCES.items()},
                          Counter(each.group or each.mnemonic for each in kernels[name])) for name, code in codes.items()}


@functools.cache
def read_record(folder, version):
    """Returns the rows of each image by their kernels for a version of ptxas, or None."""
    path = folder / f"ptxas-{version}.csv"
    if not path.exists():
        return None
    images = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            resources = {key: int(row[key]) for key in (*RESOURCES, *SPILLS) if row[key] != ""}
            classes = Counter({name: int(count) for name, count in (each.split(":") for each in row["classes"].split())})
            images.setdefault(row["image"], {})[row["kernel"]] = Row(row["code"], resources, classes)
    return images


def compile_images(kernels, folder):
    import images
    from command import Workshop

    folder.mkdir(parents=True, exist_ok=True)
    workshop = Workshop()
    spills = {}
    listed = [image for arch in images.ARCHS for image in images.images_of(kernels, arch)] + list(images.probe_images())
    for image in listed:
        path, log = image.compile(workshop)
        found = workshop.analyze(path)["kernels"]
        lost = {kernel["name"] for kernel in found if kernel["resources"]["spill_stores"] is None}
        shutil.move(path, folder / f"{image.name}.cubin")
        for kernel, resources in images.resources_in(log).items():
            spills[f"{image.name} {kernel}"] = ["" if kernel in lost else resources.get(key, 0) for key in SPILLS]
    workshop.folder.cleanup()
    (folder / "spills.json").write_text(json.dumps(spills))
    print(f"{len(listed)} images")


class Recorder:
    """Reads the images of a folder with both tools."""

    def __init__(self, folder):
        self.folder, self.tools = folder, Tools.find()
        if not self.tools:
            sys.exit("nvdisasm or cuobjdump is missing")
        self.spills = json.loads((folder / "spills.json").read_text())
        self.rows, self.failures = [], []
        self.operations, self.names = {}, Counter()

    def read(self, path):
        """Returns the rows of an image, its instructions, and its failure."""
        instructions = []
        try:
            return path.stem, self.tools.rows_of(path, instructions), instructions, ""
        except (ValueError, KeyError) as failure:
            return path.stem, {}, [], repr(failure)

    def add(self, image, rows, instructions, failure):
        if failure:
            self.failures.append(f"{image}: {failure}")
        for kernel, row in sorted(rows.items()):
            classes = " ".join(f"{name}:{count}" for name, count in sorted(row.classes.items()))
            self.rows.append([image, kernel, row.code, *row.resources.values(), *self.spills[f"{image} {kernel}"], classes])
        arch = image.split(".")[1]
        for each in instructions:
            key = arch, f"{each.low % 512:#05x}", each.mnemonic, each.group, each.width, each.width_bits
            count, low, high = self.operations.get(key, (0, each.low, each.high))
            self.operations[key] = count + 1, low, high
            self.names[arch, f"{each.low % 4096:#05x}", each.name] += 1

    def write(self, out):
        paths = sorted(self.folder.glob("*.cubin"))
        version, = {disassembly.compiler_of(path.read_bytes()) for path in paths}
        with ThreadPoolExecutor(WORKERS) as pool:
            for found in pool.map(self.read, paths):
                self.add(*found)
        out.mkdir(parents=True, exist_ok=True)
        write_table(out / f"ptxas-{version}.csv", HEAD, self.rows)
        write_table(out / "operations.csv", ["arch", "operation", "mnemonic", "class", "width", "count", "low", "high"],
                    [[*key[:-1], count, f"{low:#x}", f"{high:#x}"] for key, (count, low, high) in sorted(self.operations.items())])
        write_table(out / "names.csv", ["arch", "opcode", "name", "count"], [[*key, count] for key, count in sorted(self.names.items())])
        (out / "failures.txt").write_text("".join(f"{failure}\n" for failure in self.failures))
        (out / "sample.txt").write_text("".join(disassembly.run(*command) for command in (
            (self.tools.nvdisasm, "-c", paths[0]), (self.tools.cuobjdump, "--dump-resource-usage", paths[0]), (self.tools.nvdisasm, "--version"))))
        print(f"{len(paths)} images of ptxas {version}, {len(self.rows)} kernels, {len(self.operations)} operations, {len(self.failures)} failures")


def write_table(path, head, rows):
    with path.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(head)
        table.writerows(rows)


if __name__ == "__main__":
    if sys.argv[1] == "compile":
        compile_images(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        Recorder(Path(sys.argv[2])).write(Path(sys.argv[3]))
