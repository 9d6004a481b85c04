// SPDX-License-Identifier: Apache-2.0
// Kernels of different kinds, and their launches.
#pragma once

#include <cstdint>

namespace counted {

// The kernels have the parameters (const float* x, float* y, float* z, unsigned n). Buffers have n
// elements. Nothing is included, so that NVRTC needs no headers.
constexpr char SOURCE[] = R"(
#define KERNEL extern "C" __global__ void
#define PARAMETERS (const float* __restrict__ x, float* __restrict__ y, float* __restrict__ z, unsigned n)
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

KERNEL streaming PARAMETERS { unsigned i = INDEX; if (i < n) y[i] = 2.5f * x[i] + y[i]; }

KERNEL reduction PARAMETERS {
  __shared__ float part[256];
  float sum = 0;
  for (unsigned i = INDEX; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  part[threadIdx.x] = sum;
  for (unsigned half = 128; half; half >>= 1) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) z[blockIdx.x] = part[0];
}

KERNEL transpose_plain PARAMETERS {  // of 8192 columns
  unsigned column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (unsigned k = 0; k < 32; k += 8) y[column * (n / 8192) + row + k] = x[(row + k) * 8192 + column];
}

KERNEL transpose_tiled PARAMETERS {
  __shared__ float tile[32][33];
  unsigned column = blockIdx.x * 32, row = blockIdx.y * 32, rows = n / 8192;
  for (unsigned k = threadIdx.y; k < 32; k += 8)
    tile[k][threadIdx.x] = x[(row + k) * 8192 + column + threadIdx.x];
  __syncthreads();
  for (unsigned k = threadIdx.y; k < 32; k += 8)
    y[(column + k) * rows + row + threadIdx.x] = tile[threadIdx.x][k];
}

KERNEL transpose_conflicts PARAMETERS {
  __shared__ float tile[32][32];
  unsigned column = blockIdx.x * 32, row = blockIdx.y * 32, rows = n / 8192;
  for (unsigned k = threadIdx.y; k < 32; k += 8)
    tile[k][threadIdx.x] = x[(row + k) * 8192 + column + threadIdx.x];
  __syncthreads();
  for (unsigned k = threadIdx.y; k < 32; k += 8)
    y[(column + k) * rows + row + threadIdx.x] = tile[threadIdx.x][k];
}

KERNEL strided PARAMETERS { unsigned i = INDEX; if (i < n / 8) y[i] = x[i * 8]; }

KERNEL stencil PARAMETERS {
  unsigned i = INDEX;
  if (i >= 2 && i + 2 < n) y[i] = 0.1f * x[i - 2] + 0.2f * x[i - 1] + 0.4f * x[i] + 0.2f * x[i + 1] + 0.1f * x[i + 2];
}

KERNEL product PARAMETERS {  // 1024 x 1024
  __shared__ float a[16][16], b[16][16];
  unsigned row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (unsigned step = 0; step < 1024; step += 16) {
    a[threadIdx.y][threadIdx.x] = x[row * 1024 + step + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = x[(step + threadIdx.y) * 1024 + column];
    __syncthreads();
    for (unsigned k = 0; k < 16; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
    __syncthreads();
  }
  z[row * 1024 + column] = sum;
}

KERNEL fma_bound PARAMETERS {
  unsigned i = INDEX;
  float a = x[i], b = a + 1, c = a + 2, d = a + 3;
  for (int k = 0; k < 2048; ++k) { a = a * b + c; b = b * c + d; c = c * d + a; d = d * a + b; }
  y[i] = a + b + c + d;
}

KERNEL histogram PARAMETERS {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = INDEX; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[(i * 2654435761u) >> 24 ^ (__float_as_uint(x[i]) & 255)], 1u);
  __syncthreads();
  atomicAdd((unsigned*)z + threadIdx.x, bins[threadIdx.x]);
}

KERNEL softmax PARAMETERS {  // rows of 1024, a block each
  __shared__ float part[256];
  const float* row = x + blockIdx.x * 1024;
  float most = -1e30f, sum = 0, value[4];
  for (int k = 0; k < 4; ++k) most = fmaxf(most, value[k] = row[threadIdx.x + 256 * k]);
  part[threadIdx.x] = most;
  for (unsigned half = 128; half; half >>= 1) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
  }
  __syncthreads();
  most = part[0];
  __syncthreads();
  for (int k = 0; k < 4; ++k) sum += value[k] = __expf(value[k] - most);
  part[threadIdx.x] = sum;
  for (unsigned half = 128; half; half >>= 1) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  __syncthreads();
  for (int k = 0; k < 4; ++k) y[blockIdx.x * 1024 + threadIdx.x + 256 * k] = value[k] / part[0];
}

KERNEL half_precision PARAMETERS {  // two values each
  unsigned i = INDEX;
  unsigned a = ((const unsigned*)x)[i], b = ((unsigned*)y)[i];
  asm("fma.rn.f16x2 %0, %1, %1, %0;" : "+r"(b) : "r"(a));
  ((unsigned*)y)[i] = b;
}

KERNEL tensor PARAMETERS {
  float c[4] = {0, 0, 0, 0};
  unsigned a = __float_as_uint(x[INDEX]), b = a ^ 1;
  for (int k = 0; k < 1024; ++k)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%5,%5}, {%4,%5}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a), "r"(b));
  z[INDEX] = c[0] + c[1] + c[2] + c[3];
}

KERNEL tiny PARAMETERS { if (threadIdx.x < 32) z[threadIdx.x] = x[threadIdx.x]; }

// The loop of the overhead: n steps of about 4 cycles.
KERNEL busy PARAMETERS {
  float a = x[threadIdx.x];
  for (unsigned k = 0; k < n; ++k) a = a * 0.999f + 1;
  if (a == 0) z[0] = a;
}
)";

constexpr uint32_t N = 1u << 26;  // elements of 4 bytes

struct Kernel {
  const char* name;
  uint32_t grid[2], block[2];
  bool is_streaming;
};
constexpr Kernel KERNELS[] = {
    {"streaming", {N / 256, 1}, {256, 1}, true},
    {"reduction", {1056, 1}, {256, 1}, true},
    {"transpose_plain", {256, N / 8192 / 32}, {32, 8}, false},
    {"transpose_tiled", {256, N / 8192 / 32}, {32, 8}, true},
    {"transpose_conflicts", {256, N / 8192 / 32}, {32, 8}, false},
    {"strided", {N / 8 / 256, 1}, {256, 1}, false},
    {"stencil", {N / 256, 1}, {256, 1}, true},
    {"product", {64, 64}, {16, 16}, false},
    {"fma_bound", {4096, 1}, {256, 1}, false},
    {"histogram", {1056, 1}, {256, 1}, false},
    {"softmax", {N / 1024, 1}, {256, 1}, true},
    {"half_precision", {N / 256, 1}, {256, 1}, true},
    {"tensor", {4096, 1}, {256, 1}, false},
    {"tiny", {1, 1}, {32, 1}, false},
};

}  // namespace counted
