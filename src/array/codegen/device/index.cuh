// SPDX-License-Identifier: Apache-2.0
// Vectors of elements, and divisions by numbers that a kernel gets as parameters.
template <class T, int N> struct alignas(sizeof(T) * N) Vector { T v[N]; };

// x / divisor for 0 <= x < 2^31, by the method of Granlund and Montgomery.
struct alignas(16) Divisor { u32 multiplier, shift, divisor, reserved; };
__device__ i32 div(i32 x, const Divisor& d) { return i32((u64(__umulhi(u32(x), d.multiplier)) + u32(x)) >> d.shift); }
__device__ i32 size(const Divisor& d) { return i32(d.divisor); }
__device__ i64 div(i64 x, i64 d) { return x / d; }
__device__ i64 size(i64 d) { return d; }
// How far an index steps. One that is out of range is reported once, and becomes the nearest one.
__device__ i64 index(i64 value, i64 size, i64 stride, bool counts, u64 status, int place, int axis) {
  i64 at = value < 0 ? value + size : value;
  if (u64(at) >= u64(size)) {
    i64* report = (i64*)status + 4 * place;
    if (counts && status && atomicCAS((unsigned long long*)report, 0ull, 1ull) == 0) {
      report[1] = value;
      report[2] = size;
      report[3] = axis;
    }
    at = at < 0 ? 0 : size - 1;
  }
  return at * stride;
}
