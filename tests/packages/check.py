# SPDX-License-Identifier: Apache-2.0
"""Uses the wheel, the jar and the NuGet package in a new chroot: check.py PACKAGES CUDA

PACKAGES is the folder of './run packages', CUDA that of a toolkit, whose compiler is copied. The wheel goes into a virtual
environment, the jar into a local Maven repository, the NuGet package into a folder. The programs are those of the tutorials,
of docs/packages.md and of examples/java/project. The chroot has no other file of this machine. Exits with 77 if no chroot
can be made.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "deb"))
from chroot import INSTALL, ROOT, Chroot, make, tutorial, version  # noqa: E402

TOOLS = ("gcc libc6-dev pkg-config python3-venv python3-numpy python3-pytest mypy default-jdk-headless maven libsurefire-java "
         "libmaven-compiler-plugin-java libmaven-jar-plugin-java libmaven-resources-plugin-java mono-mcs mono-runtime nuget")
PROJECT = ROOT / "examples/java/project"
# One line of each further module, with its result.
FURTHER = {
    "python3 -c 'import cucore.array as nd; x = nd.asarray([1, 2, 3]); print((x * x).sum())'": "14",
    "python3 -c 'from cucore import perf; print(perf.occupancy(\"sm_90\", 256, registers=64).blocks)'": "4",
    "cucore info": "emulated on the CPU",
}
TYPED = """import cucore
from cucore import perf

def twice(x: cucore.Buffer) -> int:
    return 2 * x.size + perf.occupancy("sm_90", 256).blocks

reveal_type(cucore.Program("").compile())
"""
# The program in C that docs/packages.md compiles.
USE = """#include <cucore.h>
#include <cucore_array.h>
#include <cucore_perf.h>
#include <stdio.h>
int main(void) { return printf("in C: %s\\n", cucore_version_string()) < 0; }
"""
NUGET = '<packages><package id="Cucore" version="{}" targetFramework="net472" /></packages>\n'


def write(chroot, path, text):
    chroot.place(path).parent.mkdir(parents=True, exist_ok=True)
    chroot.place(path).write_text(text, encoding="utf-8")


def python(chroot):
    chroot.run("python3 -m venv --system-site-packages env && env/bin/pip install --no-index /packages/*_x86_64.whl", "/opt")
    variables = {"PATH": "/opt/env/bin:/usr/bin:/bin:/sbin", "VIRTUAL_ENV": "/opt/env"}
    tutorial(chroot, "python", **variables)
    for command, expected in FURTHER.items():
        chroot.require(command, expected, "/programs", **variables)
    extras = ("from importlib.metadata import metadata, requires; print(*metadata('cucore').get_all('Provides-Extra')); "
              "print(*sorted(r.split(';')[0] for r in requires('cucore') if 'nvrtc' in r))")
    chroot.require(f'python3 -c "{extras}"', "cu12 cu13\nnvidia-cuda-nvrtc-cu12==12.* nvidia-cuda-nvrtc==13.*\n", "/", **variables)
    write(chroot, "/programs/typed/typed.py", TYPED)
    chroot.require("mypy --strict --python-executable /opt/env/bin/python3 typed.py", 'Revealed type is "cucore._cucore.ObjectCode"', "/programs/typed")
    chroot.require("mypy --strict --python-executable /opt/env/bin/python3 -p cucore", "Success: no issues found", "/programs/typed")
    page = (ROOT / "docs/packages.md").read_text(encoding="utf-8")
    write(chroot, "/programs/wheel/use.c", USE)
    write(chroot, "/programs/wheel/use.sh", re.search(r"```sh\n(export PKG_CONFIG_PATH.*?)```", page, re.S)[1])
    chroot.require(". ./use.sh; ./a.out", f"in C: {version()}", "/programs/wheel", **variables)


def java(chroot):
    jar = f"/root/repository/io/cucore/cucore/{version()}/cucore-{version()}.jar"
    tutorial(chroot, "java", CLASSPATH=jar)
    shutil.copytree(PROJECT, chroot.place("/programs/project"))
    # Maven writes into its repository, so that it has links to Debian's files.
    chroot.run("mkdir m2 && cp -rs /usr/share/maven-repo/* m2 && cp -r /root/repository/* m2", "/programs")
    chroot.run("mvn -q -o -Dmaven.repo.local=/programs/m2 package", "/programs/project")
    chroot.require(f"java -p target/hello-1.jar:{jar} -m hello/hello.Hello", "[3.0, 6.0, 9.0, 12.0]", "/programs/project")


def csharp(chroot):
    write(chroot, "/programs/nuget/packages.config", NUGET.format(version()))
    chroot.run("nuget install packages.config -Source /packages -OutputDirectory . -NonInteractive", "/programs/nuget")
    # The files that the package's targets copy next to a program.
    chroot.run(f"mkdir library && cp Cucore.{version()}/lib/net472/Cucore.dll Cucore.{version()}/runtimes/linux-x64/native/* library "
               "&& chmod +x library/cucore-worker", "/programs/nuget")
    tutorial(chroot, "csharp", MONO_PATH="/programs/nuget/library")


def use(folder):
    chroot = Chroot(folder)
    with tempfile.TemporaryDirectory() as name:  # the layout of docs/java.md, for a user
        packages = chroot.place("/packages")
        subprocess.run([sys.executable, "-B", ROOT / "tools/packages/maven_repository.py", name,
                        *(packages / file for file in ("pom.xml", "cucore.jar", "cucore-sources.jar", "cucore-javadoc.jar"))],
                       check=True, stdout=subprocess.DEVNULL)
        shutil.copytree(name, chroot.place("/root/repository"))
    chroot.run(INSTALL + TOOLS)
    for each in (python, java, csharp):
        each(chroot)


def main():
    packages, cuda = Path(sys.argv[1]), Path(sys.argv[2])
    if len(sys.argv) == 4:  # the hook of mmdebstrap
        use(Path(sys.argv[3]))
        return
    abi = "cp%d%d" % sys.version_info[:2]
    files = [found for pattern in ("pom.xml", "*.jar", "*.nupkg", f"*-{abi}-*_x86_64.whl") for found in sorted(packages.glob(pattern))]
    if len(files) != 6:
        sys.exit(f"{packages} has {[path.name for path in files]}; expected a wheel, three jars, pom.xml and a NuGet package; run ./run packages first")
    make(__file__, files, cuda)


if __name__ == "__main__":
    main()
