// SPDX-License-Identifier: Apache-2.0
// Reductions across lanes and warps, in the order that the planner's trees define. A reduction R has
// a type R::A, the neutral element R::none(), and R::join(a, b).
template <class T> struct alignas(sizeof(T) > 4 ? 16 : sizeof(T) * 4) Four { T v[4]; };

// Memory for types with constructors, which shared memory does not permit.
template <int BYTES> struct alignas(16) Words { u32 w[(BYTES + 3) / 4]; };

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
