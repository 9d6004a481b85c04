// SPDX-License-Identifier: Apache-2.0
// A stable merge sort: tiles of a row are sorted in shared memory, then runs of tiles are merged.

// The order of NumPy: numbers, then NaN.
template <class K> struct Ascending {
  __device__ static bool less(K a, K b) { return a < b; }
};
template <> struct Ascending<f32> {
  __device__ static bool less(f32 a, f32 b) { return a < b || (a == a && b != b); }
};
template <> struct Ascending<f64> {
  __device__ static bool less(f64 a, f64 b) { return a < b || (a == a && b != b); }
};
template <class K> struct AscendingPair {  // real parts, then imaginary parts
  __device__ static bool less(K a, K b) {
    if (a.re < b.re) return a.im == a.im || b.im != b.im;
    if (a.re > b.re) return b.im != b.im && a.im == a.im;
    if (a.re == b.re || (a.re != a.re && b.re != b.re)) return a.im < b.im || (a.im == a.im && b.im != b.im);
    return b.re != b.re;
  }
};
template <class R> struct Descending {
  template <class K> __device__ static bool less(K a, K b) { return R::less(b, a); }
};

// How many of the first `diagonal` merged elements come from a, whose elements precede equal ones
// of b.
template <class R, class K, class I> __device__ I merge_split(const K* a, I na, const K* b, I nb, I diagonal) {
  I low = diagonal > nb ? diagonal - nb : 0, high = diagonal < na ? diagonal : na;
  while (low < high) {
    const I middle = (low + high) / 2;
    if (R::less(b[diagonal - 1 - middle], a[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Each thread merges N elements of a[0, na) and b[0, nb), which follow each other in `keys`.
template <class R, int N, bool PLACES, class K, class I>
__device__ void merge_shared(K* keys, I* places, int first, int na, int nb, int diagonal, int total) {
  K own[N];
  I from[N];
  const int count = total - diagonal < N ? total - diagonal : N;
  if (count > 0) {
    const K *const a = keys + first, *const b = a + na;
    int i = merge_split<R>(a, na, b, nb, diagonal), j = diagonal - i;
#pragma unroll
    for (int e = 0; e < N; ++e) {
      if (e >= count) break;
      const bool right = i >= na || (j < nb && R::less(b[j], a[i]));
      const int at = right ? na + j++ : i++;
      own[e] = a[at];
      if (PLACES) from[e] = places[first + at];
    }
  }
  __syncthreads();
#pragma unroll
  for (int e = 0; e < N; ++e)
    if (e < count) {
      keys[first + diagonal + e] = own[e];
      if (PLACES) places[first + diagonal + e] = from[e];
    }
  __syncthreads();
}

// Sorts `total` elements; N belong to each thread.
template <class R, int N, bool PLACES, class K, class I> __device__ void sort_tile(K* keys, I* places, int total) {
  const int first = threadIdx.x * N, last = first + N < total ? first + N : total;
  for (int at = first + 1; at < last; ++at) {
    const K key = keys[at];
    const I place = PLACES ? places[at] : I(0);
    int to = at;
    for (; to > first && R::less(key, keys[to - 1]); --to) {
      keys[to] = keys[to - 1];
      if (PLACES) places[to] = places[to - 1];
    }
    keys[to] = key;
    if (PLACES) places[to] = place;
  }
  __syncthreads();
  for (int width = N; width < total; width *= 2) {
    const int pair = first / (2 * width) * (2 * width);
    const int middle = pair + width < total ? pair + width : total;
    const int end = pair + 2 * width < total ? pair + 2 * width : total;
    merge_shared<R, N, PLACES>(keys, places, pair, middle - pair > 0 ? middle - pair : 0, end - middle, first - pair,
                               end - pair > 0 ? end - pair : 0);
  }
}

// Merges the runs of `width` elements that contain the tile, and leaves the tile in shared memory.
template <class R, int N, bool PLACES, class K, class I>
__device__ void merge_tile(const K* from, const I* from_places, K* keys, I* places, I length, I tile, I width, int total) {
  __shared__ I split[2];
  const I pair = tile / (2 * width) * (2 * width);
  const I middle = pair + width < length ? pair + width : length, end = pair + 2 * width < length ? pair + 2 * width : length;
  const I na = middle - pair, nb = end - middle;
  if (threadIdx.x < 2) split[threadIdx.x] = merge_split<R>(from + pair, na, from + middle, nb, I(tile - pair + (threadIdx.x == 0 ? 0 : total)));
  __syncthreads();
  const I i = split[0], j = tile - pair - i;
  const int left = int(split[1] - i);
  for (int at = threadIdx.x; at < total; at += blockDim.x) {
    const I source = at < left ? pair + i + at : middle + j + (at - left);
    keys[at] = from[source];
    if (PLACES) places[at] = from_places[source];
  }
  __syncthreads();
  merge_shared<R, N, PLACES>(keys, places, 0, left, total - left, int(threadIdx.x) * N, total);
}
