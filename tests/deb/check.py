# SPDX-License-Identifier: Apache-2.0
"""Installs the Debian packages into a new chroot and uses them there: check.py PACKAGES CUDA

The chroot has the Debian release of this machine, from the sources that apt has configured. PACKAGES is the folder of the
packages, CUDA that of a toolkit, whose compiler is copied. Programs of the tutorials and of tests/install are copied too. The
chroot has no other file of this machine. Exits with 77 if no chroot can be made.
"""
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from chroot import INSTALL, ROOT, Chroot, make, tutorial, version  # noqa: E402

# Tools of the tutorials. The packages of libcucore bring all libraries.
TOOLS = "g++ cmake make pkg-config python3-numpy default-jdk-headless mono-mcs mono-runtime"
# Variables of the tutorials, for packages. Java and Mono find their native libraries by themselves.
SETTINGS = {"java": {"CLASSPATH": "/usr/share/java/cucore.jar"}, "csharp": {"MONO_PATH": "/usr/lib/cli/cucore"}}
# The package of Python alone finds the workers of the command.
WORKERS = """import cucore
programs = [cucore.Program('extern "C" __global__ void %s() {}' % name) for name in "ab"]
print([[symbol.lowered_name for symbol in each.code.symbols] if each.error is None else each.error for each in cucore.compile_batch(programs)])
"""
PERF = {
    "Perf4.java": """import io.cucore.perf.Perf;
class Perf4 {
  public static void main(String[] args) { System.out.println(Perf.occupancy("sm_90", 256, 64, 0).blocks()); }
}
""",
    "Perf4.cs": """class Perf4 {
  static void Main() { System.Console.WriteLine(Cucore.Perf.Perf.Occupancy("sm_90", 256, 64).Blocks); }
}
"""}


def own_files(chroot):
    """Lists what the packages have installed, also outside of their own folders."""
    return set(chroot.run("find / -xdev \\( -path /proc -o -path /sys -o -path /dev -o -path /opt -o -path /packages -o -path /var/cache/apt "
                          "-o -path /root \\) -prune -o -iname '*cucore*' -print").split())


def cmake(chroot):
    shutil.copytree(ROOT / "tests/install", chroot.place("/programs/install"))
    chroot.run("cmake -S install/cmake -B built -DSOURCES=/programs/install && cmake --build built", "/programs")
    chroot.require("built/consumer", "restored", "/programs")
    chroot.require("built/consumer_cpp", "restored", "/programs")
    chroot.require("built/arrays", "sum 5", "/programs")
    chroot.require("built/perf", "8 blocks, limited by warps", "/programs")


def analyses(chroot):
    """The library of measurements, from each language."""
    folder = "/programs/perf"
    chroot.place(folder).mkdir()
    for name, text in PERF.items():
        (chroot.place(folder) / name).write_text(text, encoding="utf-8")
    chroot.require("python3 -c 'from cucore import perf; print(perf.occupancy(\"sm_90\", 256, registers=64).blocks)'", "4", folder)
    chroot.require("python3 -c 'from importlib.metadata import version; print(version(\"cucore\"))'", version(), folder)
    chroot.require("java Perf4.java", "4", folder, **SETTINGS["java"])
    chroot.require("mcs -pkg:cucore-cil Perf4.cs && mono Perf4.exe", "4", folder, **SETTINGS["csharp"])


def use(folder):
    chroot = Chroot(folder)
    before = own_files(chroot)
    # Only what the command depends on, and the CPU device.
    chroot.run(INSTALL + " ".join(f"./{name}_*.deb" for name in ("cucore-tools", "libcucore-cpu", "libcucore-perf0", "libcucore0")), "/packages")
    chroot.require("cucore info", "CPU reference device")
    chroot.require("ls /usr/lib/*/libcucore*.so", "libcucore-cpu.so")
    chroot.run(f"{INSTALL} ./*.deb {TOOLS}", "/packages")
    for language in ("c", "cpp", "python", "java", "csharp"):
        tutorial(chroot, language, **SETTINGS.get(language, {}))
    analyses(chroot)
    cmake(chroot)
    chroot.require("pkg-config --modversion cucore cucore-array cucore-perf cucore-cil | sort -u | wc -l", "1")
    chroot.place("/programs/workers.py").write_text(WORKERS, encoding="utf-8")
    chroot.require("python3 /programs/workers.py", "[['a'], ['b']]")
    chroot.run("apt-get purge -y -q '?name(cucore)'")
    left = own_files(chroot) - before - set(chroot.run("find /programs").split())
    if left:
        sys.exit(f"FAILED: a purge leaves {sorted(left)}")
    print("ok: a purge leaves nothing")


def main():
    packages, cuda = Path(sys.argv[1]), Path(sys.argv[2])
    if len(sys.argv) == 4:  # the hook of mmdebstrap
        use(Path(sys.argv[3]))
        return
    files = [path for path in sorted(packages.glob("*.deb")) if "-dbgsym" not in path.name]
    if not files:
        sys.exit(f"{packages} has no packages; run ./run deb first")
    make(__file__, files, cuda)


if __name__ == "__main__":
    main()
