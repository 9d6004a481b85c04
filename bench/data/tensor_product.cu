// SPDX-License-Identifier: Apache-2.0
// C = A * B of N x N matrices, N a multiple of 64: A by rows, B by columns, both f16, C by rows.
// 128 threads compute 64 x 64 elements. tensor_product.ptx is the output of
// nvcc -ptx -arch=sm_90a, without its comments.
#include <cuda_fp16.h>

__device__ unsigned shared_address(const void* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

extern "C" __global__ void by_mma(const __half* a, const __half* b, float* c, int n) {
  __shared__ __align__(16) __half rows[64 * 16], columns[64 * 16];
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  const int row = blockIdx.y * 64, column = blockIdx.x * 64;
  const int warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
  const int loaded = thread / 2, half = thread % 2 * 8;
  float sums[2][4][4] = {};
  for (int k = 0; k < n; k += 16) {
    *(uint4*)&rows[loaded * 16 + half] = *(const uint4*)&a[(row + loaded) * n + k + half];
    *(uint4*)&columns[loaded * 16 + half] = *(const uint4*)&b[(column + loaded) * n + k + half];
    __syncthreads();
    unsigned left[2][4], right[4][2];
    for (int i = 0; i < 2; ++i)
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(left[i][0]), "=r"(left[i][1]), "=r"(left[i][2]), "=r"(left[i][3])
                   : "r"(shared_address(&rows[(warp_row + i * 16 + lane % 16) * 16 + lane / 16 * 8])));
    for (int j = 0; j < 4; ++j)
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                   : "=r"(right[j][0]), "=r"(right[j][1])
                   : "r"(shared_address(&columns[(warp_column + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8])));
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j) {
        float* sum = sums[i][j];
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
            " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
            : "r"(left[i][0]), "r"(left[i][1]), "r"(left[i][2]), "r"(left[i][3]), "r"(right[j][0]),
              "r"(right[j][1]));
      }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int part = 0; part < 4; ++part) {
        const int r = row + warp_row + i * 16 + lane / 4 + part / 2 * 8;
        const int q = column + warp_column + j * 8 + lane % 4 * 2 + part % 2;
        c[r * n + q] = sums[i][j][part];
      }
}

// Matrices of 8 x 8 elements follow each other in shared memory, two of a row first.
__device__ unsigned long long descriptor(const void* at) {
  const unsigned long long to_next_k = 128, to_next_rows = 256;
  return (shared_address(at) & 0x3ffff) >> 4 | to_next_k >> 4 << 16 | to_next_rows >> 4 << 32;
}

extern "C" __global__ void by_wgmma(const __half* a, const __half* b, float* c, int n) {
  __shared__ __align__(128) __half rows[64 * 16], columns[64 * 16];
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  const int row = blockIdx.y * 64, column = blockIdx.x * 64;
  const int loaded = thread / 2, half = thread % 2;
  const int place = loaded / 8 * 128 + half * 64 + loaded % 8 * 8;
  float s[32] = {};
  for (int k = 0; k < n; k += 16) {
    *(uint4*)&rows[place] = *(const uint4*)&a[(row + loaded) * n + k + half * 8];
    *(uint4*)&columns[place] = *(const uint4*)&b[(column + loaded) * n + k + half * 8];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9,"
        " %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27,"
        " %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 0;"
        : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3]), "+f"(s[4]), "+f"(s[5]), "+f"(s[6]),
          "+f"(s[7]), "+f"(s[8]), "+f"(s[9]), "+f"(s[10]), "+f"(s[11]), "+f"(s[12]), "+f"(s[13]),
          "+f"(s[14]), "+f"(s[15]), "+f"(s[16]), "+f"(s[17]), "+f"(s[18]), "+f"(s[19]), "+f"(s[20]),
          "+f"(s[21]), "+f"(s[22]), "+f"(s[23]), "+f"(s[24]), "+f"(s[25]), "+f"(s[26]), "+f"(s[27]),
          "+f"(s[28]), "+f"(s[29]), "+f"(s[30]), "+f"(s[31])
        : "l"(descriptor(rows)), "l"(descriptor(columns)));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
  }
  for (int i = 0; i < 32; ++i) {
    const int r = row + warp * 16 + lane / 4 + i % 4 / 2 * 8;
    const int q = column + i / 4 * 8 + lane % 4 * 2 + i % 2;
    c[r * n + q] = s[i];
  }
}
