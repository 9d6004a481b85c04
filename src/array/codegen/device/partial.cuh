// SPDX-License-Identifier: Apache-2.0
// Reductions of several blocks: each writes a partial result, and the last one to finish adds them.
template <class A> __device__ A partial(const A* at) {  // of another block: past the first cache
  Words<sizeof(A)> words;
  if constexpr (sizeof(A) == 1) {
    *(u8*)words.w = __ldcg((const u8*)at);
  } else if constexpr (sizeof(A) == 2) {
    *(u16*)words.w = __ldcg((const u16*)at);
  } else if constexpr (sizeof(A) % 16 == 0) {
#pragma unroll
    for (int w = 0; w < int(sizeof(A) / 16); ++w) ((uint4*)words.w)[w] = __ldcg((const uint4*)at + w);
  } else if constexpr (sizeof(A) == 8) {
    *(uint2*)words.w = __ldcg((const uint2*)at);
  } else {
#pragma unroll
    for (int w = 0; w < int((sizeof(A) + 3) / 4); ++w) words.w[w] = __ldcg((const u32*)at + w);
  }
  A a;
  memcpy(&a, words.w, sizeof(A));
  return a;
}

// Whether this block is the last one of `count`. Leaves the counter at 0. Other blocks see what all
// threads wrote before, or what the first thread wrote.
template <bool FIRST = false> __device__ bool is_last(u32* counter, u32 count) {
  __shared__ bool last;
  if (!FIRST) __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    if (FIRST) __threadfence();
    last = atomicAdd(counter, 1u) == count - 1;
    if (last) *counter = 0;
  }
  __syncthreads();
  if (last) __threadfence();
  return last;
}

__device__ int tree_power(i64 least) {
  int power = 1;
  while (power < least) power *= 2;
  return power;
}
// The threads of the tree of a row, as the planner's row_tree().
__device__ int tree_threads(i64 length) {
  const i64 vectors = (length + 3) / 4;
  if (vectors <= 32) return tree_power(vectors);
  int threads = tree_power((vectors + 3) / 4);
  threads = threads < 32 ? 32 : threads > 256 ? 256 : threads;
  if ((vectors + threads - 1) / threads > 8) {
    threads = tree_power((vectors + 7) / 8);
    if (threads > 1024) threads = 1024;
  }
  return threads;
}

// The tree of a row, over at most 32768 partial results. All 256 threads call it. One block alone
// waits for these loads, so that several are in flight. Results that join in pairs have equal counts.
template <class R> __device__ typename R::A added_partials(const typename R::A* a, int c, int step, int count) {
  typedef typename R::A A;
  constexpr int AHEAD = larger(16 / int(sizeof(A)), 1);
  A s[4] = {R::none(), R::none(), R::none(), R::none()};
  for (; c < count; c += step * AHEAD) {
    A next[AHEAD][4];
#pragma unroll
    for (int n = 0; n < AHEAD; ++n)
#pragma unroll
      for (int v = 0; v < 4; ++v) next[n][v] = partial(a + (c + n * step + v < count ? c + n * step + v : c));
#pragma unroll
    for (int n = 0; n < AHEAD; ++n)
#pragma unroll
      for (int v = 0; v < 4; ++v)
        if (c + n * step + v < count) s[v] = R::join(s[v], next[n][v]);
  }
  return of_four<R>(s);
}
// One block alone runs this code, once, so that each instruction comes from memory. Calls keep it short, but cost more
// than they save if the accumulator is small.
template <class R> struct Called {
  typedef typename R::A A;
  static __device__ A none() { return R::none(); }
  static __device__ A join(A a, A b) {
    if constexpr (sizeof(A) <= 16) return R::join(a, b);
    return called(a, b);
  }
  static __device__ __noinline__ A called(A a, A b) { return R::join(a, b); }
};
// Eight vectors of four neighbours each, `step` apart.
template <class R> __device__ typename R::A paired_partials(const typename R::A* a, int c, int step, int count) {
  typedef typename R::A A;
  A one, two, all;
#pragma unroll 1
  for (int pair = 0; pair < 4; ++pair, c += 2 * step) {
    A x[2][4];
#pragma unroll
    for (int n = 0; n < 2; ++n)
#pragma unroll
      for (int v = 0; v < 4; ++v) x[n][v] = c + n * step + v < count ? partial(a + c + n * step + v) : R::none();
    all = R::join(of_four<R>(x[0]), of_four<R>(x[1]));
    if (pair % 2 == 1) all = R::join(one, all);
    if (pair == 3) all = R::join(two, all);
    if (pair % 2 == 0) one = all;
    if (pair == 1) two = all;
  }
  return all;
}
template <class R> __device__ typename R::A row_of_partials(const typename R::A* a, int count, typename R::A* shared) {
  typedef typename R::A A;
  const int threads = tree_threads(count), warps = (threads + 31) / 32;
  __syncthreads();
  for (int t = threadIdx.x; t < warps * 32; t += 256) {
    A own = R::none();
    if (t < threads) own = R::PAIRS ? paired_partials<Called<R>>(a, t * 4, threads * 4, count) : added_partials<R>(a, t * 4, threads * 4, count);
    const A r = over_lanes<Called<R>>(own, threads < 32 ? threads : 32);
    if (t % 32 == 0) shared[t / 32] = r;
  }
  __syncthreads();
  if constexpr (R::PAIRS) {
    const int lane = threadIdx.x % 32;
    return over_lanes<Called<R>>(lane < warps ? shared[lane] : R::none(), 32);
  }
  A r = shared[0];
  for (int warp = 1; warp < warps; ++warp) r = R::join(r, shared[warp]);
  return r;
}

template <class R> __device__ typename R::A all_partials(typename R::A* a, i64 count, typename R::A* shared) {
  while (true) {
    const i64 chunks = count > 32768 ? (count + 32767) / 32768 : 1;
    typename R::A r;
#pragma unroll 1
    for (i64 chunk = 0; chunk < chunks; ++chunk) {
      const i64 first = chunk * 32768, rest = count - first;
      r = row_of_partials<R>(a + first, rest < 32768 ? int(rest) : 32768, shared);
      if (chunks == 1) return r;
      __syncthreads();
      if (threadIdx.x == 0) a[chunk] = r;
      __threadfence();
    }
    count = chunks;
  }
}

// Partial results of chunks as rows: 128 columns of `columns` from `first`, each in the order of its
// chunks. Threads 0 to 127 get the results.
template <class R> __device__ typename R::A column_of_partials(typename R::A* a, i64 rows, i64 columns, i64 first, typename R::A* shared) {
  typedef typename R::A A;
  const int j = threadIdx.x % 128, half = threadIdx.x / 128;
  const bool holds = first + j < columns;
  A r = R::none();
  while (true) {
    const i64 chunks = (rows + 511) / 512;
    for (i64 chunk = 0; chunk < chunks; ++chunk) {
      const i64 begin = chunk * 512, end = rows - begin < 512 ? rows : begin + 512;
      __syncthreads();
      for (int y = half; y < 8; y += 2) {
        A s = R::none();
        for (i64 at = begin + y; holds && at < end; at += 8) s = R::join(s, partial(a + at * columns + first + j));
        shared[y * 128 + j] = s;
      }
      __syncthreads();
      r = shared[j];
      for (int y = 1; y < 8; ++y) r = R::join(r, shared[y * 128 + j]);
      if (chunks > 1 && holds && half == 0) a[chunk * columns + first + j] = r;
      __threadfence();
    }
    if (chunks == 1) return r;
    rows = chunks;
  }
}

// The elements of a tile before those of this thread, whose own are combined to `own`. All 256
// threads call it.
template <class R> __device__ typename R::A tile_prefix(typename R::A own, typename R::A* shared, typename R::A* total) {
  typedef typename R::A A;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  A inclusive = own;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const A other = from_lower_lane(inclusive, distance);
    if (lane >= distance) inclusive = R::join(other, inclusive);
  }
  A before = from_lower_lane(inclusive, 1);
  if (lane == 0) before = R::none();
  __syncthreads();
  if (lane == 31) shared[warp] = inclusive;
  __syncthreads();
  A prefix = R::none();
  for (int at = 0; at < warp; ++at) prefix = R::join(prefix, shared[at]);
  A all = prefix;
  for (int at = warp; at < 8; ++at) all = R::join(all, shared[at]);
  *total = all;
  return R::join(prefix, before);
}

// Replaces totals by the totals of all before them.
template <class R> __device__ void scan_totals(typename R::A* a, i64 count, typename R::A* shared) {
  typedef typename R::A A;
  A carry = R::none();
  for (i64 tile = 0; tile < count; tile += 1024) {
    const i64 c = tile + threadIdx.x * 4;
    A own[4], s[4];
#pragma unroll
    for (int v = 0; v < 4; ++v) {
      own[v] = c + v < count ? partial(a + c + v) : R::none();
      s[v] = v > 0 ? R::join(s[v - 1], own[v]) : own[v];
    }
    A total;
    const A prefix = tile_prefix<R>(s[3], shared, &total);
#pragma unroll
    for (int v = 0; v < 4; ++v)
      if (c + v < count) a[c + v] = v > 0 ? R::join(carry, R::join(prefix, s[v - 1])) : R::join(carry, prefix);
    carry = R::join(carry, total);
  }
}
