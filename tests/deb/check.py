# SPDX-License-Identifier: Apache-2.0
"""Installs the Debian packages into a new chroot and uses them there: check.py PACKAGES CUDA

The chroot has the Debian release of this machine, from the sources that apt has configured. PACKAGES is the folder of the
packages, CUDA that of a toolkit, whose compiler is copied. Programs of the tutorials and of tests/install are copied too. The
chroot has no other file of this machine. Exits with 77 if no chroot can be made.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Tools of the tutorials. The packages of libcucore bring all libraries.
TOOLS = "g++ cmake make pkg-config python3-numpy default-jdk-headless mono-mcs mono-runtime"
ENVIRONMENT = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive",
               "CUCORE_DRIVER": "cpu", "CUCORE_NVRTC": "/opt/nvrtc/libnvrtc.so.13"}
# Variables of the tutorials, for packages. Java and Mono find their native libraries by themselves.
SETTINGS = {"java": {"CLASSPATH": "/usr/share/java/cucore.jar"}, "csharp": {"MONO_PATH": "/usr/lib/cli/cucore"}}
# The package of Python alone finds the workers of the command.
WORKERS = """import cucore
programs = [cucore.Program('extern "C" __global__ void %s() {}' % name) for name in "ab"]
print([[symbol.lowered_name for symbol in each.code.symbols] if each.error is None else each.error for each in cucore.compile_batch(programs)])
"""


def skip(reason):
    print(f"SKIP: {reason}")
    sys.exit(77)


def sources():
    """Returns the lines of Debian in apt's sources, and the code name of the release."""
    if not shutil.which("apt-get"):
        skip("this machine has no apt")
    release = re.search(r"^VERSION_CODENAME=(\S+)$", Path("/etc/os-release").read_text(encoding="utf-8"), re.M)
    listed = subprocess.run(["apt-get", "indextargets", "--format", "deb $(REPO_URI) $(RELEASE) $(COMPONENT)", "Identifier: Packages",
                             "Origin: Debian"], check=True, capture_output=True, text=True).stdout
    if not release or not listed:
        skip("apt has no sources of Debian; 'apt-get update' reads them")
    return "".join(f"{line}\n" for line in sorted(set(listed.splitlines()))), release[1]


class Chroot:
    def __init__(self, folder):
        self.folder = folder

    def run(self, command, directory="/", **variables):
        """Runs a command of the shell in the chroot, and returns what it prints."""
        done = subprocess.run(["chroot", self.folder, "sh", "-ec", f"cd {directory}; {command}"], env=ENVIRONMENT | variables, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            sys.exit(f"FAILED: {command}\n{done.stdout}")
        return done.stdout

    def require(self, command, expected, directory="/", **variables):
        printed = self.run(command, directory, **variables)
        if expected not in printed:
            sys.exit(f"FAILED: {command}\nexpected: {expected}\nprinted: {printed}")
        print(f"ok: {command}")

    def place(self, path):
        return self.folder / path.lstrip("/")


def own_files(chroot):
    """Lists what the packages have installed, also outside of their own folders."""
    return set(chroot.run("find / -xdev \\( -path /proc -o -path /sys -o -path /dev -o -path /opt -o -path /packages -o -path /var/cache/apt "
                          "-o -path /root \\) -prune -o -iname '*cucore*' -print").split())


def tutorial(chroot, language):
    """Runs the commands of a tutorial up to its first mistake, and compares what they print."""
    text = (ROOT / f"docs/tutorials/{language}.md").read_text(encoding="utf-8")
    folder = f"/programs/{language}"
    chroot.place(folder).mkdir(parents=True)
    for name, content in re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", text, re.S):
        (chroot.place(folder) / name).write_text(content, encoding="utf-8")
    count = 0
    for block in re.findall(r"<!-- transcript -->\n```console\n(.*?)```", text, re.S):
        for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
            if "sed " in command:
                assert count, f"the tutorial of {language} has no command before its first mistake"
                return
            chroot.require(command, printed, folder, **SETTINGS.get(language, {}))
            count += 1


def cmake(chroot):
    shutil.copytree(ROOT / "tests/install", chroot.place("/programs/install"))
    chroot.run("cmake -S install/cmake -B built -DSOURCES=/programs/install && cmake --build built", "/programs")
    chroot.require("built/consumer", "restored", "/programs")
    chroot.require("built/consumer_cpp", "restored", "/programs")
    chroot.require("built/arrays", "sum 5", "/programs")
    chroot.require("built/perf", "8 blocks, limited by warps", "/programs")


def use(folder):
    chroot = Chroot(folder)
    before = own_files(chroot)
    install = "apt-get install -y -q --no-install-recommends "
    # Only what the command depends on, and the CPU device.
    chroot.run(install + " ".join(f"./{name}_*.deb" for name in ("cucore-tools", "libcucore-cpu", "libcucore-perf0", "libcucore0")), "/packages")
    chroot.require("cucore info", "CPU reference device")
    chroot.require("ls /usr/lib/*/libcucore*.so", "libcucore-cpu.so")
    chroot.run(f"{install} ./*.deb {TOOLS}", "/packages")
    for language in ("c", "cpp", "python", "java", "csharp"):
        tutorial(chroot, language)
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
    if os.geteuid() != 0:
        skip("only root can make a chroot")
    if not shutil.which("mmdebstrap"):
        skip("mmdebstrap is not installed")
    listed, release = sources()
    files = [path for path in sorted(packages.glob("*.deb")) if "-dbgsym" not in path.name]
    if not files:
        sys.exit(f"{packages} has no packages; run ./run deb first")
    compilers = sorted((cuda / "lib64").glob("libnvrtc*.so.1*")) or sorted((cuda / "lib").glob("libnvrtc*.so.1*"))
    if not compilers:
        skip(f"{cuda} has no NVRTC, which the tutorials require")
    with tempfile.TemporaryDirectory() as folder:
        hook = " ".join(map(str, [sys.executable, "-B", Path(__file__).resolve(), packages.resolve(), cuda]))
        subprocess.run(["mmdebstrap", "--quiet", "--mode=root", "--variant=apt", release, Path(folder) / "root",
                        "--customize-hook=mkdir -p \"$1/packages\" \"$1/opt/nvrtc\" \"$1/programs\"",
                        "--customize-hook=copy-in " + " ".join(str(path.resolve()) for path in files) + " /packages",
                        "--customize-hook=copy-in " + " ".join(str(path.resolve()) for path in compilers) + " /opt/nvrtc",
                        f"--customize-hook={hook} \"$1\""],
                       input=listed, text=True, check=True)


if __name__ == "__main__":
    main()
