// SPDX-License-Identifier: Apache-2.0
// float16 and bfloat16 as bits. Kernels compute with f32 and round after each operation.
namespace half {

__device__ f32 from_f16(u16 x) { f32 r; asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x)); return r; }
__device__ u16 to_f16(f32 x) { u16 r; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(x)); return r; }
__device__ u16 to_f16(f64 x) { u16 r; asm("cvt.rn.f16.f64 %0, %1;" : "=h"(r) : "d"(x)); return r; }
__device__ f32 round_f16(f32 x) { return from_f16(to_f16(x)); }
__device__ f32 round_f16(f64 x) { return from_f16(to_f16(x)); }

__device__ f32 from_bf16(u16 x) { return __int_as_float(i32(u32(x) << 16)); }
// Half to even by integers: conversions to bf16 need sm_80.
__device__ u16 to_bf16(f32 x) {
  const u32 bits = u32(__float_as_int(x));
  if (x != x) return 0x7fff;
  return u16((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
__device__ f32 round_bf16(f32 x) { return from_bf16(to_bf16(x)); }

// Rounds to odd: what is not exact gets a last bit of 1. So it is not taken for a tie of bf16.
__device__ f32 marked(f32 cut, bool exact) { return exact ? cut : __int_as_float(__float_as_int(cut) | 1); }
__device__ f32 odd(f64 x) { const f32 cut = __double2float_rz(x); return marked(cut, cut == x); }
__device__ f32 odd(i64 x) { const f32 cut = __ll2float_rz(x); return marked(cut, i64(cut) == x); }
__device__ f32 odd(u64 x) { const f32 cut = __ull2float_rz(x); return marked(cut, u64(cut) == x); }
__device__ f32 odd(i32 x) { return odd(f64(x)); }
__device__ f32 odd(u32 x) { return odd(f64(x)); }

// x * y + z, rounded once. The product is exact in f64, and so is the sum near a tie of f16.
__device__ f32 fma_f16(f32 x, f32 y, f32 z) { return round_f16(::fma(f64(x), f64(y), f64(z))); }
__device__ f32 fma_bf16(f32 x, f32 y, f32 z) {
  const f64 product = __dmul_rn(x, y), sum = __dadd_rn(product, z), second = __dadd_rn(sum, -product);
  const f64 rest = __dadd_rn(__dadd_rn(product, -__dadd_rn(sum, -second)), __dadd_rn(z, -second));
  i64 bits = __double_as_longlong(sum);
  if ((rest > 0 || rest < 0) && !(bits & 1)) bits += (rest > 0) == (sum > 0) ? 1 : -1;  // to odd
  return round_bf16(odd(__longlong_as_double(bits)));
}

// The next number towards y. Neighbours have neighbouring bits, except around 0.
__device__ f32 next(f32 x, f32 y, u16 (*to)(f32), f32 (*from)(u16)) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0) return y > 0 ? from(1) : from(0x8001);
  const u16 bits = to(x);
  return from(u16((x < y) == (x > 0) ? bits + 1 : bits - 1));
}

}  // namespace half
