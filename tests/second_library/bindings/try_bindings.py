#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the binding of one language for libcucore and libsecond, and runs a program that counts.

  try_bindings.py LANGUAGE NAME=PATH... -- COMPILER...    the tools and folders of the build

The handle type of libsecond has one row in second.toml, and no other line in the bindings.
"""
import concurrent.futures
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
AT = sys.argv.index("--")
CONFIG = dict(each.split("=", 1) for each in sys.argv[2:AT])
COMPILER = sys.argv[AT + 1:]
ROOT = Path(CONFIG["root"])
BINDINGS = ROOT / "bindings"
SECOND = HERE.parent
HEADERS = f"{ROOT}/include/cucore.h:{SECOND}/second.h:{HERE}/second.toml"
INCLUDES = [ROOT / "include", SECOND, BINDINGS / "cpp"]
LIBRARIES = [Path(CONFIG[name]) for name in ("common", "second", "cucore")]


def run(*command, **more):
    subprocess.run([str(c) for c in command], check=True, **more)


def generate(language, folder, *names):
    for each in ("cpp", language):
        run(sys.executable, "-B", BINDINGS / "tools/generate.py", each, HEADERS, folder, *(names if each == language else ()))


def compile_module(folder, out, sources, includes):
    """Returns a shared library of the sources, without optimization."""
    flags = ["-std=c++20", "-O0", "-fPIC", "-fno-strict-aliasing", "-w", "-fvisibility=hidden",
             *(f"-I{i}" for i in (folder, *INCLUDES, *includes))]

    def compile_one(numbered):
        number, source = numbered
        target = folder / f"{number}.o"
        run(*COMPILER, *flags, "-c", source, "-o", target)
        return target

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compile_one, enumerate(sources)))
    run(*COMPILER, "-shared", *objects, *LIBRARIES, "-o", out)


def environment(**more):
    paths = {str(path.parent) for path in LIBRARIES}
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(paths), "CUCORE_DRIVER": "cpu", "CUCORE_CPU": CONFIG["cpu"], **more}


def python(folder):
    generate("python", folder)
    run(CONFIG["swig"], "-c++", "-w321", "-python", "-builtin", "-interface", "_cucore", "-doxygen", "-outdir", folder,
        "-o", folder / "wrap.cxx", folder / "cucore_python.i", cwd=BINDINGS / "swig")
    package = folder / "package/cucore"
    package.mkdir(parents=True)
    for source in (*(BINDINGS / "python/cucore").glob("*.py"), *folder.glob("_*.py")):
        shutil.copy(source, package)
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    compile_module(folder, package / f"_cucore{suffix}", [folder / "wrap.cxx", *sorted((BINDINGS / "python/src").glob("*.cpp"))],
                   [BINDINGS / "python/src", sysconfig.get_path("include")])
    run(sys.executable, "-B", HERE / "counter.py", env=environment(PYTHONPATH=str(package.parent)))


def java(folder):
    generate("java", folder)
    java_build = [sys.executable, "-B", BINDINGS / "tools/java_build.py"]
    run(*java_build, "swig", folder / "stamp", folder / "proxies", CONFIG["swig"], "-c++", "-java", "-doxygen", "-package",
        "io.cucore", "-outdir", folder / "proxies", "-o", folder / "wrap.cxx", folder / "cucore_java.i")
    home = Path(CONFIG["javac"]).resolve().parent.parent
    compile_module(folder, folder / "libcucorejni.so", [folder / "wrap.cxx", *sorted((BINDINGS / "java/native").glob("*.cpp"))],
                   [BINDINGS / "java/native", f"{home}/include", f"{home}/include/linux"])
    run(*java_build, "jar", folder / "all.jar", CONFIG["javac"], "--arg=-nowarn", folder / "proxies", folder / "java-sources",
        HERE / "CountOnDevice.java")
    run(CONFIG["java"], f"-Dcucore.library.path={folder}", "-cp", folder / "all.jar", "CountOnDevice", env=environment())


def csharp(folder):
    names = [path.name for path in sorted((BINDINGS / "csharp/src").glob("*.cs"))]
    generate("csharp", folder, *names)
    run(CONFIG["swig"], "-c++", "-csharp", "-DSWIG_CSHARP_NO_EXCEPTION_HELPER", "-namespace", "Cucore", "-dllimport", "cucorecs",
        "-outdir", folder, "-outfile", "Cucore.Generated.cs", "-o", folder / "wrap.cxx", folder / "cucore_csharp.i")
    compile_module(folder, folder / "libcucorecs.so", [folder / "wrap.cxx"], [])
    run(sys.executable, "-B", BINDINGS / "csharp/older.py", folder / "older", *sorted(folder.glob("*.cs")), HERE / "CountOnDevice.cs", "--",
        CONFIG["mcs"], "-nologo", "-unsafe", "-langversion:latest", "-nowarn:1573,1591", "-define:CUCORE_ASYNC_INTERFACES",
        f"-out:{folder}/count.exe")
    run(CONFIG["mono"], folder / "count.exe", env=environment(LD_LIBRARY_PATH=f"{folder}:{environment()['LD_LIBRARY_PATH']}"))


with tempfile.TemporaryDirectory() as temporary:
    {"python": python, "java": java, "csharp": csharp}[sys.argv[1]](Path(temporary))
