// SPDX-License-Identifier: Apache-2.0
// Reductions across lanes and warps, in the order that the planner's trees define. A reduction R has
// a type R::A, the neutral element R::none(), and R::join(a, b).
template <class T> struct alignas(sizeof(T) > 4 ? 16 : sizeof(T) * 4) Four { T v[4]; };

// Memory for types with constructors, which shared memory does not permit.
template <int BYTES> struct alignas(16) Words { u32 w[(BYTES + 3) / 4]; };
__device__ constexpr int larger(int a, int b) { return a > b ? a : b; }

template <class A> __device__ A from_lane(A a, int distance) {
  Words<sizeof(A)> words;
  A other;
  memcpy(words.w, &a, sizeof(A));
#pragma unroll
  for (int at = 0; at < int((sizeof(A) + 3) / 4); ++at) words.w[at] = __shfl_xor_sync(0xffffffffu, words.w[at], distance);
  memcpy(&other, words.w, sizeof(A));
  return other;
}

template <class A> __device__ A from_lower_lane(A a, int distance) {
  Words<sizeof(A)> words;
  A other;
  memcpy(words.w, &a, sizeof(A));
#pragma unroll
  for (int at = 0; at < int((sizeof(A) + 3) / 4); ++at) words.w[at] = __shfl_up_sync(0xffffffffu, words.w[at], distance);
  memcpy(&other, words.w, sizeof(A));
  return other;
}

template <class R> __device__ typename R::A over_lanes(typename R::A a, int lanes) {
  for (int distance = lanes / 2; distance > 0; distance /= 2) a = R::join(a, from_lane(a, distance));
  return a;
}

template <class R> __device__ typename R::A of_four(const typename R::A (&a)[4]) {
  return R::join(R::join(a[0], a[1]), R::join(a[2], a[3]));
}

// The warps of a row in their order. Each thread of the block calls it.
template <class R, int WARPS> __device__ typename R::A over_warps(typename R::A a, typename R::A* shared, int warp) {
  if (WARPS == 1) return a;
  const int first = warp / WARPS * WARPS;
  if (threadIdx.x % 32 == 0) shared[warp] = a;
  __syncthreads();
  a = shared[first];
#pragma unroll
  for (int at = 1; at < WARPS; ++at) a = R::join(a, shared[first + at]);
  return a;
}

// A value and the number of its element, for the first smallest or largest one. NaN comes first.
template <class T> struct Numbered { T value; i64 number; };
template <class T> __device__ bool is_nan(T x) { return x != x; }
#ifdef HAS_COMPLEX
template <class R> __device__ bool is_nan(Complex<R> x) { return x.re != x.re || x.im != x.im; }
#endif
template <class T, class Better> __device__ Numbered<T> first_of(Numbered<T> a, Numbered<T> b, Better better) {
  const bool nan_a = is_nan(a.value), nan_b = is_nan(b.value);
  if (nan_a != nan_b) return nan_a ? a : b;
  if (!nan_a) {
    if (better(a.value, b.value)) return a;
    if (better(b.value, a.value)) return b;
  }
  return a.number < b.number ? a : b;
}

// Elements that one thread adds: their mean and the sum of their squared differences from it. They
// come as differences from the first one, which are small where all elements are large.
template <class T> struct Deviations { T mean, squares; };
// `part` is one divided by the count of the elements with this one.
template <class T> __device__ Deviations<T> with_element(Deviations<T> a, T x, T part) {
  const T away = x - a.mean;
  a.mean += away * part;
  a.squares += away * (x - a.mean);
  return a;
}

// Of any elements. Their mean is first + mean: the sum would lose digits that the squares need. The
// count is exact, or rounded where it has more digits than T.
template <class T> struct Moments { T first, mean, squares, count; };
template <class T> __device__ Moments<T> moments(T first, Deviations<T> a, int count) {
  return {first, a.mean, a.squares, T(count)};
}
// A division is long code, and joins are many.
template <class T> __device__ __noinline__ T part_of(T count, T whole) { return count / whole; }
// Chan, Golub and LeVeque: Updating Formulae and a Pairwise Algorithm for Computing Sample Variances.
template <class T> __device__ Moments<T> joined_moments(Moments<T> a, Moments<T> b) {
  if (b.count == 0) return a;
  if (a.count == 0) return b;
  const T count = a.count + b.count, away = (b.first - a.first) + (b.mean - a.mean);
  T part = T(0.5f);
  if (a.count != b.count) part = part_of(b.count, count);
  return {a.first, a.mean + away * part, a.squares + b.squares + away * away * (a.count * part), count};
}

// With four neighbours, or the first `left` of them, after `before` others of four. `part` is one
// divided by before + 1: a block divides once for all its threads.
template <class T> __device__ Deviations<T> with_four(Deviations<T> a, const T (&x)[4], T first, T part, int before, int left) {
  if (left >= 4) {
    const T d[4] = {x[0] - first, x[1] - first, x[2] - first, x[3] - first};
    const T mean = ((d[0] + d[1]) + (d[2] + d[3])) * T(0.25f), away = mean - a.mean;
    const T e[4] = {d[0] - mean, d[1] - mean, d[2] - mean, d[3] - mean};
    a.mean += away * part;
    a.squares += ((e[0] * e[0] + e[1] * e[1]) + (e[2] * e[2] + e[3] * e[3])) + away * (mean - a.mean) * T(4);
    return a;
  }
  for (int v = 0; v < left; ++v) a = with_element(a, x[v] - first, T(1) / T(before * 4 + v + 1));
  return a;
}

// The elements of a thread that has four in each of 32 steps of 1024, if `left` follow its first one.
__device__ int elements_of_thread(i64 left) {
  if (left <= 0) return 0;
  if (left > 31 * 1024) return 31 * 4 + (left < 31 * 1024 + 4 ? int(left) - 31 * 1024 : 4);
  const int whole = int(left) / 1024, rest = int(left) - whole * 1024;
  return whole * 4 + (rest < 4 ? rest : 4);
}
