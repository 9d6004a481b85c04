# SPDX-License-Identifier: Apache-2.0
"""Common parts of the tests: the machine, a device, a stream, compiled kernels, and other
processes."""
import os
import subprocess
import sys

import pytest

import cucore

# On a GPU, tests of the CPU device alone are skipped; a fault there leaves the process without a
# device.
ON_GPU = os.environ.get("CUCORE_DRIVER") == "nvidia"

SOURCE = r"""
struct Pair { int number; float factor; };
struct Half { unsigned short bits; };
extern "C" __global__ void scale(float factor, float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}
extern "C" __global__ void take(bool b, signed char c, short s, int i, long long q, float f, double d, Pair p,
                                void *pointer, double *out) {
  double all[] = {(double)b, (double)c, (double)s, (double)i, (double)q, f, d, (double)p.number, p.factor,
                  (double)(unsigned long long)pointer};
  for (int k = 0; k < 10; ++k) out[k] = all[k];
}
extern "C" __global__ void take_complex(float2 f, double2 d, Half half, double *out) {
  out[0] = f.x; out[1] = f.y; out[2] = d.x; out[3] = d.y; out[4] = half.bits;
}
extern "C" __global__ void spin(int *data, int n) { for (int i = 0; i < n; ++i) atomicAdd(data, 1); }
extern "C" __global__ void crash(int *data) { data[1 << 28] = 1; }
extern "C" __global__ void until(volatile int *flag) { while (!*flag) {} }
template <class T> __global__ void fill(T *out, T value) { out[threadIdx.x] = value; }
__device__ int counter = 7;
"""

# Kernels of graphs. PTX, because conditions need no compiler in this form.
GRAPH_PTX = """.version 7.8
.target sm_75
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
.visible .entry add(.param .u64 to, .param .f32 value) {
  .reg .u64 %p; .reg .f32 %v, %x;
  ld.param.u64 %p, [to]; ld.param.f32 %v, [value];
  ld.global.f32 %x, [%p]; add.f32 %x, %x, %v; st.global.f32 [%p], %x;
  ret;
}
.visible .entry mul(.param .u64 to, .param .f32 value) {
  .reg .u64 %p; .reg .f32 %v, %x;
  ld.param.u64 %p, [to]; ld.param.f32 %v, [value];
  ld.global.f32 %x, [%p]; mul.f32 %x, %x, %v; st.global.f32 [%p], %x;
  ret;
}
.visible .entry decide(.param .u64 condition, .param .u32 value) {
  .reg .b64 %c; .reg .b32 %v;
  ld.param.u64 %c, [condition]; ld.param.u32 %v, [value];
  { .param .b64 a; .param .b32 b; st.param.b64 [a], %c; st.param.b32 [b], %v; call.uni cudaGraphSetConditional, (a, b); }
  ret;
}
.visible .entry count_down(.param .u64 condition, .param .u64 left) {
  .reg .b64 %c, %p; .reg .b32 %v;
  ld.param.u64 %c, [condition]; ld.param.u64 %p, [left];
  ld.global.u32 %v, [%p]; sub.u32 %v, %v, 1; st.global.u32 [%p], %v;
  { .param .b64 a; .param .b32 b; st.param.b64 [a], %c; st.param.b32 [b], %v; call.uni cudaGraphSetConditional, (a, b); }
  ret;
}
"""


@pytest.fixture(scope="session")
def device():
    return cucore.Device(0)


@pytest.fixture()
def stream(device):
    with cucore.Stream(device) as made:
        yield made
        if not made.closed:
            made.synchronize()


@pytest.fixture(scope="session")
def code():
    return cucore.Program(SOURCE, name="kernels.cu").compile(names=["fill<float>", "fill<int>"])


@pytest.fixture(scope="session")
def graph_code():
    return cucore.ObjectCode.from_bytes(cucore.CodeType.PTX, GRAPH_PTX)


@pytest.fixture
def add(graph_code):
    return graph_code.kernel("add")


@pytest.fixture
def mul(graph_code):
    return graph_code.kernel("mul")


@pytest.fixture
def graph(device):
    with cucore.Graph(device) as made:
        yield made


_flags = []  # of gates that are open


def reset(device):
    """Resets the device, which frees pinned memory, that of the flags too."""
    _flags.clear()
    device.reset()


class Gate:
    """Holds a stream: the work behind it begins when the test opens the gate, however slow the machine is."""

    def __init__(self, device, code):
        # Flags are never freed. NVIDIA's driver frees pinned memory when the device is idle, and other calls block until
        # then. The next test makes such calls before it opens its gate.
        self.flag = _flags.pop() if _flags else cucore.Buffer.pinned(device, 4)
        self.until = code.kernel("until")

    def hold(self, *stream):
        self._write(0)
        self.until[(1, 1, *stream)](self.flag.address)

    def open(self):
        self._write(1)

    def _write(self, value):
        memoryview(self.flag)[:] = value.to_bytes(4, sys.byteorder)


@pytest.fixture()
def gate(device, code):
    made = Gate(device, code)
    yield made
    made.open()
    device.synchronize()
    _flags.append(made.flag)


def run_python(program, *, code=0, **environment):
    """Runs a program in a separate process, which finds this file; returns (stdout, stderr)."""
    path = f"{os.path.dirname(__file__)}:{os.environ['PYTHONPATH']}"
    env = {**os.environ, "PYTHONPATH": path, **environment}
    done = subprocess.run([sys.executable, "-X", "dev", "-W", "error", "-c", program], env=env, capture_output=True,
                          text=True, timeout=120)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout, done.stderr
