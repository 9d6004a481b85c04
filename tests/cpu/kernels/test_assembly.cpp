// SPDX-License-Identifier: Apache-2.0
// Intrinsics and inline assembly that are rare in common code.
#include "device.hpp"

namespace cucore::cpu::kernels {
namespace {

using Assembly = Kernels;

TEST_P(Assembly, IntrinsicsAndInlineText) {
  const auto program = compiled(R"cuda(
extern "C" __global__ void k(const unsigned* in, unsigned* out) {
  unsigned i=threadIdx.x; __shared__ int sh; int lo; unsigned n=0; unsigned long long r=0;
  r |= (unsigned long long)(__isShared(&sh)!=0)<<n++; r|= (unsigned long long)(__isGlobal(in)!=0)<<n++; r|=(unsigned long long)(__isLocal(&lo)!=0)<<n++; r|=(unsigned long long)(__isConstant(in)==0)<<n++;
  r |= (unsigned long long)(__vcmpeq4(0x01020304,0x01FF03FF)==0xFF00FF00)<<n++;
  r |= (unsigned long long)(__vsadu4(0x01020304,0x00000000)==10)<<n++; r |= (unsigned long long)(__vavgu4(0x02040608,0x04060809)==0x03050709)<<n++;
  r |= (unsigned long long)(__vimax3_s32(1,5,-3)==5)<<n++; r |= (unsigned long long)(__viaddmax_s32(4,5,3)==9)<<n++; r |= (unsigned long long)(__vibmax_s32(4,5,(bool*)&sh)==5)<<n++;
  r |= (unsigned long long)(__dp2a_lo(0x00020003,0x00000504,1)==23)<<n++; 
#if __CUDA_ARCH__ >= 800
  r |= (unsigned long long)(__reduce_max_sync(~0u,i)==31)<<n++; r |= (unsigned long long)(__reduce_add_sync(~0u,i)==496)<<n++;
#endif
  __prof_trigger(1);
  unsigned p; asm("{ .reg .pred p,q; setp.gt.u32 p|q, %1, 5; selp.u32 %0, 1, 2, p; @q add.u32 %0, %0, 10; }" : "=r"(p) : "r"(i)); r |= (unsigned long long)(p==(i>5?1u:12u))<<n++;
#if __CUDA_ARCH__ >= 800
  unsigned long long pol; asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(pol)); 
  unsigned v; asm("ld.global.L2::cache_hint.u32 %0,[%1],%2;" : "=r"(v) : "l"(in+i),"l"(pol)); r |= (unsigned long long)(v==in[i])<<n++;
#endif
  asm volatile("prefetch.global.L2 [%0];" :: "l"(in));
  unsigned a,b; asm("mov.b64 {%0,%1}, %2;" : "=r"(a),"=r"(b) : "l"(0x1122334455667788ull)); r |= (unsigned long long)(a==0x55667788u&&b==0x11223344u)<<n++;
  r |= (unsigned long long)(__popcll(in[i]*0x100000001ull)==2*__popc(in[i]))<<n++;
  r |= (unsigned long long)(__double_as_longlong(1.0)==0x3ff0000000000000ll && __hiloint2double(0x3ff00000,0)==1.0 && __double2hiint(1.0)==0x3ff00000)<<n++;
  out[i] = (unsigned)(r == (1ull << n) - 1);
})cuda");
  const Buffer<unsigned> in(random_words(64)), out(32);
  program->run("k", {1, 32}, in, out);
  for (unsigned value : out.read()) EXPECT_EQ(value, 1u);
}

TEST_P(Assembly, WideAndVectorAtomics) {
  const auto program = compiled(R"cuda(
#include <cuda_bf16.h>
#include <cuda_fp16.h>
typedef unsigned __int128 Wide;
extern "C" __global__ void k(const unsigned* in, float* reals, unsigned* out) {
#if __CUDA_ARCH__ >= 900
  unsigned i = threadIdx.x;
  atomicAdd((float2*)reals, make_float2(1, 2));
  float4 old = atomicAdd((float4*)(reals + 4), make_float4(1, 2, 3, 4));
  if (old.y != 2 * old.x || old.w != 4 * old.x) out[2] = 1;
  atomicAdd((__half2*)(reals + 8), __floats2half2_rn(1, 0.5f));
  atomicAdd((__nv_bfloat16*)(reals + 9), __float2bfloat16(1));
  Wide a = (Wide)in[i] << 64 | in[i + 1];
  __shared__ __align__(16) Wide cell;
  if (i == 0) cell = 0;
  __syncthreads();
  Wide seen, now = *(volatile unsigned long long*)&cell;
  do {
    seen = now;
    Wide next = seen + a;
    unsigned long long low, high;
    asm volatile("{ .reg .b128 c, n, o; mov.b128 c, {%2, %3}; mov.b128 n, {%4, %5};"
                 " atom.shared.cas.b128 o, [%6], c, n; mov.b128 {%0, %1}, o; }"
                 : "=l"(low), "=l"(high)
                 : "l"((unsigned long long)seen), "l"((unsigned long long)(seen >> 64)),
                   "l"((unsigned long long)next), "l"((unsigned long long)(next >> 64)),
                   "r"((unsigned)__cvta_generic_to_shared(&cell)) : "memory");
    now = (Wide)high << 64 | low;
  } while (now != seen);
  __syncthreads();
  if (i == 0) {
    Wide sum = 0;
    for (unsigned k = 0; k < blockDim.x; ++k) sum += (Wide)in[k] << 64 | in[k + 1];
    out[0] = cell == sum;
    out[1] = (unsigned)__half2float(((__half*)(reals + 8))[0]) + 1000 * (unsigned)__half2float(((__half*)(reals + 8))[1]);
  }
#endif
})cuda");
  constexpr unsigned THREADS = 64;
  const Buffer<unsigned> in(random_words(THREADS + 1)), out(4);
  const Buffer<float> reals(size_t{16});
  program->run("k", {1, THREADS}, in, reals, out);
  if (target_of(GetParam()) < 90) return;
  EXPECT_EQ(out.read(), (std::vector<unsigned>{1, THREADS + 1000 * THREADS / 2, 0, 0}));
  const auto sums = reals.read();
  EXPECT_EQ(sums[0], float(THREADS));
  EXPECT_EQ(sums[1], float(2 * THREADS));
  for (unsigned k = 0; k < 4; ++k) EXPECT_EQ(sums[4 + k], float((k + 1) * THREADS));
}

INSTANTIATE_TEST_SUITE_P(Builds, Assembly, testing::ValuesIn(BUILDS), name_of);

}  // namespace
}  // namespace cucore::cpu::kernels
