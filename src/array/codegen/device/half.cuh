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

// The next number towards y. Neighbours have neighbouring bits, except around 0.
__device__ f32 next(f32 x, f32 y, u16 (*to)(f32), f32 (*from)(u16)) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0) return y > 0 ? from(1) : from(0x8001);
  const u16 bits = to(x);
  return from(u16((x < y) == (x > 0) ? bits + 1 : bits - 1));
}

}  // namespace half
