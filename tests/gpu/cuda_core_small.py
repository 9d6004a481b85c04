# SPDX-License-Identifier: Apache-2.0
# A program of cuda.core: it compiles a kernel to a CUBIN, loads it, and prints the libraries of its process.
from cuda.core import Device, Program, ProgramOptions

device = Device()
device.set_current()
SOURCE = 'extern "C" __global__ void k(int* p) { *p = 1; }'
code = Program(SOURCE, "c++", ProgramOptions(arch=f"sm_{device.arch}")).compile("cubin")
kernel = code.get_kernel("k")
with open("/proc/self/maps") as maps:
    files = sorted({line.split()[-1] for line in maps if ".so" in line})
print("\n".join(name for name in files if "nvrtc" in name or "/libcu" in name or "nvJit" in name))
if not any("libcucore-cpu" in name for name in files):
    raise SystemExit("the process has another driver")
print("a CUBIN for", device.name, "is loaded:", kernel)
