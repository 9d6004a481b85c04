# SPDX-License-Identifier: Apache-2.0
"""Uses the packages for AArch64 in the emulator, from an empty folder: use.py PACKAGES ROOT

PACKAGES has cucore.jar, a NuGet package and a wheel. ROOT has the interpreters of arm64. Programs of Python, Java and C# load
all native libraries and run a kernel of PTX on the CPU device. They compile no CUDA C++, which requires NVRTC for AArch64.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGES, ROOT = Path(sys.argv[1]), Path(sys.argv[2])
PTX = (Path(__file__).resolve().parent / "sevens.ptx").read_text(encoding="utf-8")
PRINTED = ["machine aarch64", "kernel 7 7 7 7", "blocks 4"]

PYTHON = """
import platform
import cucore
import cucore.array as nd
from cucore import perf
print("machine", platform.machine())
out = cucore.Buffer.from_host(bytes(16))
code = cucore.ObjectCode.from_bytes(cucore.CodeType.PTX, open("sevens.ptx", "rb").read())
code.kernel("sevens")[1, 4](out)
values = bytearray(16)
out.read(values)
print("kernel", *memoryview(values).cast("I"))
print("blocks", perf.occupancy("sm_90", 256, registers=64).blocks)
"""
JAVA = """
import io.cucore.*;
import io.cucore.array.*;
import io.cucore.perf.*;
import java.nio.file.*;
public class Use {
  static String join(int[] values) {
    return java.util.Arrays.toString(values).replaceAll("[\\\\[\\\\],]", "");
  }
  public static void main(String[] args) throws Exception {
    System.out.println("machine " + System.getProperty("os.arch"));
    int[] values = new int[4];
    try (CudaDevice device = CudaDevice.first(); CudaStream stream = new CudaStream(device);
        ObjectCode code = ObjectCode.fromBytes(CodeType.PTX, Files.readAllBytes(Paths.get("sevens.ptx")));
        CudaBuffer out = new CudaBuffer(device, 16, stream); Kernel kernel = code.kernel("sevens")) {
      kernel.launch(stream, LaunchConfig.of(1, 4), out);
      out.read(values, stream);
      System.out.println("kernel " + join(values));
      System.out.println("blocks " + Perf.occupancy("sm_90", 256, 64, 0).blocks());
      if (Nd.version() < 100) throw new AssertionError(Nd.version());
    }
  }
}
"""
CSHARP = """
using System;
using System.IO;
using Cucore;
using Cucore.Arrays;
using Cucore.Perf;
class Use {
  static void Main(string[] args) {
    Console.WriteLine("machine aarch64"); // Mono has no name for it; the loader accepts no other library
    if (Nd.NameOf(DType.Float32) != "float32") throw new Exception("the library of arrays");
    using (var device = new CudaDevice())
    using (var stream = new CudaStream(device))
    using (var code = ObjectCode.FromBytes(CodeType.Ptx, File.ReadAllBytes("sevens.ptx")))
    using (var kernel = code.GetKernel("sevens"))
    using (var buffer = new CudaBuffer(device, 16, stream)) {
      kernel.Launch(stream, new LaunchConfig(1, 4), buffer);
      Console.WriteLine("kernel " + string.Join(" ", buffer.ToArray<int>(stream)));
      Console.WriteLine("blocks " + Perf.Occupancy("sm_90", 256, 64).Blocks);
    }
  }
}
"""


def run(*command, folder, **environment):
    base = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8", "CUCORE_DRIVER": "cpu"}
    done = subprocess.run(list(map(str, command)), cwd=folder, env=base | environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        sys.exit(f"FAILED: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def emulate(program, *words, folder, **environment):
    return run("qemu-aarch64", "-L", ROOT, ROOT / program, *words, folder=folder, **environment)


def require(language, printed):
    if printed.splitlines() != PRINTED:
        sys.exit(f"FAILED: {language} printed\n{printed}expected\n" + "\n".join(PRINTED))
    print(f"ok: {language}: " + ", ".join(PRINTED))


def one(pattern):
    [path] = PACKAGES.glob(pattern)
    return path


def python(folder):
    with zipfile.ZipFile(one("*_aarch64.whl")) as archive:
        archive.extractall(folder / "site")
    (folder / "use.py").write_text(PYTHON, encoding="utf-8")
    return emulate("usr/bin/python3.11", "use.py", folder=folder,
                   PYTHONPATH=str(folder / "site"), PYTHONDONTWRITEBYTECODE="1")


def java(folder):
    shutil.copy(one("cucore.jar"), folder)
    (folder / "Use.java").write_text(JAVA, encoding="utf-8")
    run("javac", "-Xlint:all", "-Werror", "--release", "11", "-cp", "cucore.jar", "Use.java", folder=folder)
    machine = next((ROOT / "usr/lib/jvm").glob("java-17-openjdk-arm64")).relative_to(ROOT) / "bin/java"
    return emulate(machine, "-XX:TieredStopAtLevel=1", "-cp", "cucore.jar:.", "Use", folder=folder)


def csharp(folder):
    with zipfile.ZipFile(one("Cucore.*.nupkg")) as archive:
        archive.extractall(folder / "package")
    for file in [folder / "package/lib/net472/Cucore.dll", *(folder / "package/runtimes/linux-arm64/native").iterdir()]:
        shutil.copy(file, folder)
    (folder / "Use.cs").write_text(CSHARP, encoding="utf-8")
    run("mcs", "-nologo", "-warnaserror", "-langversion:latest", "-r:Cucore.dll", "Use.cs", folder=folder)
    return emulate("usr/bin/mono", "Use.exe", folder=folder, MONO_CFG_DIR=str(ROOT / "etc"))


def main():
    for use in (python, java, csharp):
        with tempfile.TemporaryDirectory() as name:
            (Path(name) / "sevens.ptx").write_text(PTX, encoding="utf-8")
            require(use.__name__, use(Path(name)))


if __name__ == "__main__":
    main()
