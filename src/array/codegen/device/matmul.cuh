// SPDX-License-Identifier: Apache-2.0
// Matrix products by tiles. Each element of the product adds its terms one after another, so that
// its bits do not depend on the tile.
__device__ f32 add_product(f32 a, f32 b, f32 sum) { return __fmaf_rn(a, b, sum); }
__device__ f64 add_product(f64 a, f64 b, f64 sum) { return __fma_rn(a, b, sum); }
template <class A> __device__ A add_product(A a, A b, A sum) { return sum + a * b; }
template <class A> __device__ A add_pair(A a, A b, A sum) {
  sum.re = add_product(-a.im, b.im, add_product(a.re, b.re, sum.re));
  sum.im = add_product(a.im, b.re, add_product(a.re, b.im, sum.im));
  return sum;
}

// A matrix in memory with two steps, and the axis whose elements are neighbours.
struct Matrix {
  i64 row, column;
  bool row_first;  // neighbours lie in a column
};

// Loads ROWS x COLUMNS elements from (row, column); elements outside are 0. `put` stores one.
template <int ROWS, int COLUMNS, class Load, class Put>
__device__ void load_tile(const Matrix& m, i64 row, i64 column, i64 rows, i64 columns, const Load& load, const Put& put) {
#pragma unroll
  for (int at = 0; at < (ROWS * COLUMNS + 255) / 256; ++at) {
    const int e = threadIdx.x + at * 256;
    if (ROWS * COLUMNS % 256 && e >= ROWS * COLUMNS) break;
    const int r = m.row_first ? e % ROWS : e / COLUMNS, c = m.row_first ? e / ROWS : e % COLUMNS;
    const bool in = row + r < rows && column + c < columns;
    put(at, r, c, load(in, (row + r) * m.row + (column + c) * m.column));
  }
}

// Each of 16 x 16 threads computes N x N elements: groups of four neighbours, or fewer.
template <class A, int TILE, int DEPTH, class LoadX, class LoadY, class Store>
__device__ void multiply_tiles(i64 rows, i64 columns, i64 depth, i64 row, i64 column, const Matrix& x, const Matrix& y, const LoadX& load_x, const LoadY& load_y, const Store& store) {
  constexpr int N = TILE / 16, GROUP = N < 4 ? N : 4, GROUPS = N / GROUP, LOADS = (TILE * DEPTH + 255) / 256;
  __shared__ Words<sizeof(A) * DEPTH * (TILE + 4)> memory_x, memory_y;
  A(*const xs)[TILE + 4] = (A(*)[TILE + 4])memory_x.w;
  A(*const ys)[TILE + 4] = (A(*)[TILE + 4])memory_y.w;
  const int i = threadIdx.x / 16 * GROUP, j = threadIdx.x % 16 * GROUP;
  A sums[N][N] = {};
  A next_x[LOADS], next_y[LOADS];
  const auto fetch = [&](i64 k) {
    load_tile<TILE, DEPTH>(x, row, k, rows, depth, load_x, [&](int at, int, int, A value) { next_x[at] = value; });
    load_tile<DEPTH, TILE>(y, k, column, depth, columns, load_y, [&](int at, int, int, A value) { next_y[at] = value; });
  };
  const auto keep = [&] {
    const auto nothing = [](bool, i64) { return A(); };
    load_tile<TILE, DEPTH>(x, 0, 0, 0, 0, nothing, [&](int at, int r, int c, A) { xs[c][r] = next_x[at]; });
    load_tile<DEPTH, TILE>(y, 0, 0, 0, 0, nothing, [&](int at, int r, int c, A) { ys[r][c] = next_y[at]; });
  };
  fetch(0);
  for (i64 k = 0; k < depth; k += DEPTH) {
    keep();
    __syncthreads();
    if (k + DEPTH < depth) fetch(k + DEPTH);
    const int last = depth - k < DEPTH ? int(depth - k) : DEPTH;
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
      if (d >= last) break;
      A a[N], b[N];
#pragma unroll
      for (int g = 0; g < GROUPS; ++g)
#pragma unroll
        for (int e = 0; e < GROUP; ++e) {
          a[g * GROUP + e] = xs[d][g * (TILE / GROUPS) + i + e];
          b[g * GROUP + e] = ys[d][g * (TILE / GROUPS) + j + e];
        }
#pragma unroll
      for (int r = 0; r < N; ++r)
#pragma unroll
        for (int c = 0; c < N; ++c) sums[r][c] = add_product(a[r], b[c], sums[r][c]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < N; ++r)
#pragma unroll
    for (int c = 0; c < N; ++c) {
      const i64 at_row = row + r / GROUP * (TILE / GROUPS) + i + r % GROUP, at_column = column + c / GROUP * (TILE / GROUPS) + j + c % GROUP;
      if (at_row < rows && at_column < columns) store(at_row * columns + at_column, sums[r][c]);
    }
}
