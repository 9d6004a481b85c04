// SPDX-License-Identifier: Apache-2.0
// f16, bf16 and 8-bit floats: the toolkit's headers compute them here in software.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "both.hpp"

namespace cucore::cpu::kernels {
namespace {

BOTH(
    halves,
    HD unsigned word(__half h) {
      unsigned r = __half_as_ushort(h);
      return (r & 0x7fff) > 0x7c00 ? 0x7fffu : r;
    } HD unsigned long long f(unsigned x, unsigned i) {
      __half a = __ushort_as_half((unsigned short)(x));
      __half b = __ushort_as_half((unsigned short)(x >> 16));
      __half c = __float2half(float(int(i) - 200) * 0.37f);
      unsigned long long r = word(__hadd(a, b));
      r = r * 31 + word(__hsub(a, c));
      r = r * 31 + word(__hmul(b, c));
      r = r * 31 + word(__hdiv(c, __float2half(3.5f)));
      r = r * 31 + word(__hmax(a, b)) + word(__hmin(a, c));
      r = r * 31 + word(__hmax_nan(a, b)) + word(__hadd_sat(a, c));
      r = r * 31 + (__hlt(a, b) ? 1 : 0) + (__hgeu(a, b) ? 2 : 0) + (__heq(a, a) ? 4 : 0) +
          (__hisnan(a) ? 8 : 0) + (__hisinf(b) ? 16 : 0);
      r = r * 31 + word(__float2half_rz(float(x) * 1e-5f)) +
          word(__float2half_ru(float(int(x)) * 1e-4f)) + word(__float2half_rd(float(i) / 7));
      r = r * 31 + word(__double2half(double(x) / 65537.0)) + word(__int2half_rn(int(x >> 8))) +
          word(__uint2half_rz(x)) + word(__short2half_ru(short(x)));
      r = r * 31 + (unsigned)(__half2int_rz(c)) + (unsigned)(__half2short_rz(c)) +
          (unsigned)(__half2uint_rz(__habs(c)));
      return r;
    })

BOTH(
    pairs_of_halves,
    HD unsigned word(__half2 h) {
      union {
        __half2 h;
        unsigned u;
      } v;
      v.h = h;
      unsigned low = v.u & 0xffff;
      unsigned high = v.u >> 16;
      if ((low & 0x7fff) > 0x7c00) low = 0x7fff;
      if ((high & 0x7fff) > 0x7c00) high = 0x7fff;
      return high << 16 | low;
    } HD unsigned long long f(unsigned x, unsigned i) {
      union {
        unsigned u;
        __half2 h;
      } a = {x};
      __half2 b = __floats2half2_rn(float(i) * 0.11f, float(int(x >> 20)) - 2000.0f);
      unsigned long long r = word(__hadd2(a.h, b));
      r = r * 33 + word(__hmul2(a.h, b));
      r = r * 33 + word(__hsub2(b, a.h));
      r = r * 33 + word(__hmax2(a.h, b)) + word(__hmin2(a.h, b));
      r = r * 33 + word(__lowhigh2highlow(a.h)) + word(__low2half2(b)) +
          word(__halves2half2(__high2half(b), __low2half(a.h)));
      r = r * 33 + word(__hlt2(a.h, b)) + (__hbgt2(a.h, b) ? 1 : 0) + word(__hadd2_sat(a.h, b));
      float2 w = __half22float2(b);
      return r + (unsigned)(int)(w.x * 8 + w.y);
    })

BOTH(
    brains,
    HD unsigned word(__nv_bfloat16 h) {
      unsigned r = __bfloat16_as_ushort(h);
      return (r & 0x7fff) > 0x7f80 ? 0x7fffu : r;
    } HD unsigned long long f(unsigned x, unsigned i) {
      __nv_bfloat16 a = __ushort_as_bfloat16((unsigned short)(x));
      __nv_bfloat16 b = __ushort_as_bfloat16((unsigned short)(x >> 16));
      __nv_bfloat16 c = __float2bfloat16(float(int(i) - 200) * 0.37f);
      unsigned long long r = word(__hadd(a, c));
      r = r * 31 + word(__hsub(a, b));
      r = r * 31 + word(__hmul(b, c));
      r = r * 31 + word(__hmax(a, b)) + word(__hmin(a, c)) + word(__hneg(c)) + word(__habs(c));
      r = r * 31 + (__hlt(a, b) ? 1 : 0) + (__hneu(a, b) ? 2 : 0) + (__hisnan(b) ? 4 : 0);
      r = r * 31 + word(__float2bfloat16_rz(float(x) * 1e-5f)) +
          word(__double2bfloat16(double(x) / 3)) + word(__int2bfloat16_rn(int(x)));
      return r * 31 + (unsigned)(__bfloat162int_rz(c)) + (unsigned)(int)(__bfloat162float(c) * 16);
    })

BOTH(
    quarters, HD unsigned long long f(unsigned x, unsigned i) {
      float a = (float(int(x)) / 4194304.0f) * (i % 5 ? 1.0f : 1e-3f);
      __nv_fp8_storage_t e4 = __nv_cvt_float_to_fp8(a, __NV_SATFINITE, __NV_E4M3);
      __nv_fp8_storage_t e5 = __nv_cvt_float_to_fp8(a * 100, __NV_SATFINITE, __NV_E5M2);
      float2 both;
      both.x = a;
      both.y = -a * 0.01f;
      __nv_fp8x2_storage_t two = __nv_cvt_float2_to_fp8x2(both, __NV_SATFINITE, __NV_E4M3);
      __half_raw h4 = __nv_cvt_fp8_to_halfraw((unsigned char)(x), __NV_E4M3);
      __half_raw h5 = __nv_cvt_fp8_to_halfraw((unsigned char)(x >> 8), __NV_E5M2);
      __half_raw raw;
      raw.x = (unsigned short)(x >> 7);
      __nv_fp8_storage_t from = __nv_cvt_halfraw_to_fp8(raw, __NV_SATFINITE, __NV_E4M3);
      unsigned w4 = (h4.x & 0x7fff) > 0x7c00 ? 0x7fffu : h4.x;
      unsigned w5 = (h5.x & 0x7fff) > 0x7c00 ? 0x7fffu : h5.x;
      return ((((e4 * 256ull + e5) * 65536 + two) * 65536 + w4) ^ (unsigned long long)(w5) << 8) *
                 256 +
             (from & 0x7f);
    })

}  // namespace
}  // namespace cucore::cpu::kernels
