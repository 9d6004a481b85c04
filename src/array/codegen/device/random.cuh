// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011).
// The numbers of an element are a function of the key, its place and a round.
namespace philox {
struct Words4 { u32 w[4]; };

__device__ Words4 words(u64 place, u64 key, u32 round = 0) {
  u32 a = u32(place), b = u32(place >> 32), c = round, d = 0, k = u32(key), l = u32(key >> 32);
#pragma unroll
  for (int at = 0; at < 10; ++at) {
    const u32 high_a = __umulhi(0xD2511F53u, a), low_a = 0xD2511F53u * a;
    const u32 high_c = __umulhi(0xCD9E8D57u, c), low_c = 0xCD9E8D57u * c;
    a = high_c ^ b ^ k;
    b = low_c;
    c = high_a ^ d ^ l;
    d = low_a;
    k += 0x9E3779B9u;
    l += 0xBB67AE85u;
  }
  return {{a, b, c, d}};
}
__device__ u64 pair(const Words4& w, int first) { return u64(w.w[first]) | u64(w.w[first + 1]) << 32; }
__device__ u64 bits(u64 place, u64 key) { return pair(words(place, key), 0); }

// In [0, 1): multiples of 2^-BITS.
template <int BITS> __device__ f32 uniform32(u64 place, u64 key) { return f32(words(place, key).w[0] >> (32 - BITS)) * (1.0f / f32(1u << BITS)); }
__device__ f64 uniform64(u64 place, u64 key) { return f64(bits(place, key) >> 11) * 0x1p-53; }

// The method of Box and Muller, with a radius of (0, 1].
__device__ f32 normal32(u64 place, u64 key) {
  const Words4 w = words(place, key);
  const f32 radius = (f32(w.w[0] >> 8) + 1.0f) * 0x1p-24f, turn = f32(w.w[1] >> 8) * 0x1p-23f;
  return __fsqrt_rn(-2.0f * logf(radius)) * cospif(turn);
}
__device__ f64 normal64(u64 place, u64 key) {
  const Words4 w = words(place, key);
  const f64 radius = (f64(pair(w, 0) >> 11) + 1.0) * 0x1p-53, turn = f64(pair(w, 2) >> 11) * 0x1p-52;
  return __dsqrt_rn(-2.0 * log(radius)) * cospi(turn);
}
__device__ f32 exponential32(u64 place, u64 key) { return -logf((f32(words(place, key).w[0] >> 8) + 1.0f) * 0x1p-24f); }
__device__ f64 exponential64(u64 place, u64 key) { return -log((f64(bits(place, key) >> 11) + 1.0) * 0x1p-53); }

// An integer in [0, span) without a bias (Lemire: "Fast random integer generation in an interval",
// 2019). 0 stands for 2^64.
__device__ u64 below(u64 span, u64 place, u64 key) {
  if (span == 0) return bits(place, key);
  const u64 least = (0 - span) % span;
  for (u32 round = 0;; ++round) {
    const Words4 w = words(place, key, round);
    for (int at = 0; at < 4; at += 2) {
      const u64 x = pair(w, at);
      if (x * span >= least) return __umul64hi(x, span);
    }
  }
}
}  // namespace philox
