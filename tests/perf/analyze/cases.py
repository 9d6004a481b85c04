# SPDX-License-Identifier: Apache-2.0
"""Kernels that have one finding, on the lines with '// here' or on that of the kernel, and twins that do not have it."""
HEAD = "#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)\n"


class Case:
    def __init__(self, finding, source, twin, arch="sm_90", compile=(), analyze=(), twin_analyze=(), level=("machine", "ptx"), twin_suffix=None):
        self.finding, self.source, self.twin, self.arch = finding, HEAD + source, HEAD + twin, arch
        self.compile, self.analyze, self.twin_analyze, self.level = compile, analyze, twin_analyze, level
        self.twin_suffix = twin_suffix

    def expected_lines(self):
        """Returns the lines that are marked, else that of the kernel: a finding about the whole kernel is there."""
        mark = "// here" if "// here" in self.source else "__global__"
        return {number for number, line in enumerate(self.source.splitlines(), 1) if mark in line}


MANY = "\n".join(f"  float v{i} = in[INDEX + {i}] * {i}.5f;" for i in range(48))
SUM = " + ".join(f"v{i} * v{47 - i} / (v{(i * 7) % 48} + 1.0f)" for i in range(48))
SPILL = f"""extern "C" __global__ void k(const float* in, float* out) {{
{MANY}
  __syncthreads();
  out[INDEX] = {SUM};
}}
"""

WGMMA = """extern "C" __global__ void k(const float* x, float* out, unsigned long long a, unsigned long long b, int n) {
  float sum[4] = {0, 0, 0, 0};
  for (int i = 0; i < n; ++i) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int j = 0; j < 2; ++j) {
      asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                   : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]) : "l"(a), "l"(b));
      STEP
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  for (int i = 0; i < 4; ++i) out[INDEX * 4 + i] = sum[i];
}
"""

CASES = [
    Case("A101", SPILL, SPILL, compile=("--maxrregcount", "24"), level=("machine",)),
    Case("A102", """extern "C" __global__ void k(const int* in, int* out) {
  int values[16];
  for (int i = 0; i < 16; ++i) values[i] = in[i];
  out[INDEX] = values[in[INDEX] & 15];  // here
}
""", """extern "C" __global__ void k(const int* in, int* out) {
  int values[16], sum = 0;
  for (int i = 0; i < 16; ++i) values[i] = in[i];
  for (int i = 0; i < 16; ++i) sum += values[i] * i;
  out[INDEX] = sum;
}
"""),
    Case("A103", """extern "C" __global__ void k(const float* in, float* out) {
  float x = in[INDEX];
  out[INDEX] = x * 1.1;  // here
}
""", """extern "C" __global__ void k(const float* in, float* out, double* wide) {
  float x = in[INDEX];
  out[INDEX] = x * 1.1f;
  wide[INDEX] += x * 1.1;
}
"""),
    Case("A104", """extern "C" __global__ void k(const unsigned char* in, int* out) {
  out[INDEX] = in[INDEX] + 1;  // here
}
""", """extern "C" __global__ void k(const uchar4* in, int4* out) {
  uchar4 v = in[INDEX];
  out[INDEX] = make_int4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);
}
"""),
    Case("A105", """extern "C" __global__ void k(const float* in, float* out, int n) {
  out[INDEX] = in[INDEX * 8];  // here
  out[INDEX] += in[threadIdx.x * n];  // here
}
""", """struct Pair { float a, b, c; };
extern "C" __global__ void k(const Pair* in, float* out, int n) {
  Pair p = in[INDEX];
  out[INDEX] = p.a + p.b + p.c + in[n].a;
  out[n - INDEX] = p.a;
}
"""),
    Case("A106", """extern "C" __global__ void k(const float* in, float* out) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[INDEX];
  __syncthreads();
  out[INDEX] = tile[threadIdx.x][threadIdx.y];  // here
}
""", """extern "C" __global__ void k(const float* in, float* out) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = in[INDEX];
  __syncthreads();
  out[INDEX] = tile[threadIdx.x][threadIdx.y];
}
"""),
    Case("A107", """extern "C" __global__ void k(const float* in, float* out) {
  __shared__ float tile[10000];
  tile[threadIdx.x] = in[INDEX];
  __syncthreads();
  out[INDEX] = tile[255 - threadIdx.x];
}
""", """extern "C" __global__ void k(const float* in, float* out) {
  __shared__ float tile[256];
  tile[threadIdx.x] = in[INDEX];
  __syncthreads();
  out[INDEX] = tile[255 - threadIdx.x];
}
""", level=("machine",), analyze=("--block", "64"), twin_analyze=("--block", "256")),
    Case("A108", """extern "C" __global__ void k(const int* counts, const float* in, float* out) {
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < counts[INDEX]; ++i)  // here
    sum += in[i];
  out[INDEX] = sum;
}
""", """extern "C" __global__ void k(const float* in, float* out, int n) {
#pragma unroll 1
  for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];
}
"""),
    Case("A109", """extern "C" __global__ void k(const int* in, int* out, int n, int d) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i)
    sum += in[i] / d;  // here
  out[INDEX] = sum;
}
""", """extern "C" __global__ void k(const int* in, int* out, int n, int d) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) sum += in[i] / 7;
  out[INDEX] = sum / d;
}
"""),
    Case("A110", """extern "C" __global__ void __launch_bounds__(100) k(float* out) { out[INDEX] = 1; }
""", """extern "C" __global__ void __launch_bounds__(100) k(float* out) { out[INDEX] = 1; }
""", analyze=("--block", "100"), twin_analyze=("--block", "96")),
    Case("A111", """extern "C" __global__ void k(float* out) { out[INDEX] = 1; }
""", """extern "C" __global__ void k(float* out) { out[INDEX] = 1; }
""", analyze=("--block", "256", "--grid", "100", "--multiprocessors", "132"),
         twin_analyze=("--block", "256", "--grid", "100000", "--multiprocessors", "132"), level=("machine",)),
    Case("A112", """extern "C" __global__ void k(const int* in, int* sum) {
  if (in[INDEX] > 0)
    atomicAdd(sum, in[INDEX]);  // here
}
""", """extern "C" __global__ void k(const int* in, int* sum) {
  __shared__ int part;
  if (threadIdx.x == 0) part = 0;
  __syncthreads();
  atomicAdd(&sum[1 + in[INDEX]], 1);
  if (threadIdx.x == 0) atomicAdd(sum, part);
}
"""),
    Case("A113", """extern "C" __global__ void k(const float* in, float* out) {
  out[INDEX] = sinf(in[INDEX]);  // here
}
""", """extern "C" __global__ void k(const float* in, float* out) {
  out[INDEX] = __sinf(in[INDEX]);
}
"""),
    Case("A114", """extern "C" __global__ void k(float* data, int n) {
  __shared__ float tile[256];
  if (threadIdx.x < n) {
    tile[threadIdx.x] = data[INDEX];
    __syncthreads();  // here
    data[INDEX] = tile[n - threadIdx.x];
  }
  data[INDEX + n] = 1;
}
""", """extern "C" __global__ void k(float* data, int n) {
  __shared__ float tile[256];
  if (threadIdx.x < n) tile[threadIdx.x] = data[INDEX];
  __syncthreads();
  if (n > 3) __syncthreads();
  if (threadIdx.x < n) data[INDEX] = tile[n - threadIdx.x];
}
"""),
    Case("A115", """extern "C" __global__ void k(float* out) { out[INDEX] = 1; }
""", """extern "C" __global__ void k(float* out) { out[INDEX] = 1; }
""", compile=("--debug", )),
    Case("A116", """extern "C" __global__ void k(float* out) { out[INDEX] = 1; }
""", """extern "C" __global__ void k(float* out) { out[INDEX] = 1; }
""", level=("ptx",), twin_suffix=".cubin"),
    Case("A117", """#include <cuda_fp16.h>
extern "C" __global__ void k(const __half2* in, __half2* out, int n) {
  __shared__ __half2 a[16][17], b[16][17];
  __half2 sum = in[0];
  for (int t = 0; t < n; ++t) {
    a[threadIdx.y][threadIdx.x] = in[t + INDEX];
    b[threadIdx.y][threadIdx.x] = in[t * 2 + INDEX];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i)
      sum = __hfma2(a[threadIdx.y][i], b[i][threadIdx.x], sum);  // here
    __syncthreads();
  }
  out[INDEX] = sum;
}
""", """extern "C" __global__ void k(const float* in, float* out, int n) {
  float sum = 0;
#pragma unroll 4
  for (int t = 0; t < n; ++t) sum = fmaf(in[t], in[t + 1], sum);
  out[INDEX] = sum;
}
"""),
    Case("A118", WGMMA.replace("STEP", "sum[0] += x[threadIdx.x];"), WGMMA.replace("STEP", ""), arch="sm_90a", level=("container",)),
]

# Kernels written with care. None has a finding of the severity warning.
GOOD = {
    "wide sum": """extern "C" __global__ void k(const float* a, const float* b, float* out, int n) {
  double sum = 0, dot = 0;
  for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) {
    sum += a[i];
    dot += (double)a[i] * b[i];
  }
  out[INDEX] = (float)(sum + dot);
}""",
    "copy": """extern "C" __global__ void k(const float4* in, float4* out, int n) {
  for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];
}""",
    "saxpy": """extern "C" __global__ void k(float a, const float* x, float* y, int n) {
  int i = INDEX;
  if (i < n) y[i] = a * x[i] + y[i];
}""",
    "transpose": """extern "C" __global__ void k(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}""",
    "reduction": """extern "C" __global__ void k(const float* in, float* out, int n) {
  __shared__ float parts[32];
  float sum = 0;
  for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}""",
    "product": """extern "C" __global__ void k(const float* a, const float* b, float* c, int n) {
  __shared__ float x[16][16], y[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    x[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
    y[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += x[threadIdx.y][i] * y[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}""",
    "stencil": """extern "C" __global__ void k(const float* in, float* out, int nx, int ny) {
  int x = INDEX, y = blockIdx.y;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1) return;
  int i = y * nx + x;
  out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]);
}""",
    "histogram": """extern "C" __global__ void k(const uchar4* in, unsigned* out, int n) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) {
    uchar4 v = in[i];
    atomicAdd(&bins[v.x], 1u); atomicAdd(&bins[v.y], 1u); atomicAdd(&bins[v.z], 1u); atomicAdd(&bins[v.w], 1u);
  }
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}""",
    "softmax": """extern "C" __global__ void k(const float* in, float* out, int n) {
  const float* row = in + (size_t)blockIdx.x * n;
  float most = -1e30f, sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) most = fmaxf(most, row[i]);
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
  for (int i = threadIdx.x; i < n; i += 32) sum += __expf(row[i] - most);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  float scale = 1.0f / sum;
  for (int i = threadIdx.x; i < n; i += 32) out[(size_t)blockIdx.x * n + i] = __expf(row[i] - most) * scale;
}""",
    "scan": """extern "C" __global__ void k(const int* in, int* out) {
  __shared__ int sums[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, value = in[INDEX];
  for (int d = 1; d < 32; d *= 2) { int other = __shfl_up_sync(~0u, value, d); if (lane >= d) value += other; }
  if (lane == 31) sums[warp] = value;
  __syncthreads();
  int before = 0;
  for (int w = 0; w < warp; ++w) before += sums[w];
  out[INDEX] = value + before;
}""",
    "double": """extern "C" __global__ void k(const double2* in, double2* out, double a) {
  double2 v = in[INDEX];
  out[INDEX] = make_double2(a * v.x + 1, a * v.y + 1);
}""",
}
