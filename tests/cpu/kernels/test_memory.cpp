// SPDX-License-Identifier: Apache-2.0
// Memory of every kind: vectors, cache operators, volatile, constants, dynamic shared memory, the
// heap, the stack, atomics, locks, printf.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>

#include <unistd.h>

#include "device.hpp"

namespace cucore::cpu::kernels {
namespace {

using Memory = Kernels;

TEST_P(Memory, LoadsAndStoresOfEveryShape) {
  const auto program = compiled(R"cuda(
struct __align__(16) Quad { unsigned a; float b; unsigned short c, d; unsigned e; };
extern "C" __global__ void k(const uint4* __restrict__ in, uint4* out, const double2* d2, double2* o2) {
  unsigned i = threadIdx.x;
  uint4 a = in[i], b = __ldg(in + i), c = __ldcg(in + i), d = __ldcs(in + i), e = __ldca(in + i), f = __ldlu(in + i), g = __ldcv(in + i);
  uint4 r = make_uint4(a.x + b.y, c.z + d.w, e.x ^ f.y, g.z);
  __stwb(out + i * 4, r); __stcg(out + i * 4 + 1, a); __stcs(out + i * 4 + 2, b); __stwt(out + i * 4 + 3, c);
  const unsigned char* bytes = (const unsigned char*)in; const uchar4* b4 = (const uchar4*)in; const ushort2* s2 = (const ushort2*)in;
  volatile unsigned* v = (volatile unsigned*)(out + i * 4);
  v[1] = v[1] + bytes[i * 3] + b4[i].z + s2[i].y + (signed char)__ldg(bytes + i) + __ldg((const short*)in + i);
  Quad q = ((const Quad*)in)[i]; q.c ^= q.d; q.e += q.a; ((Quad*)out)[i * 4 + 1] = q;
  double2 z = d2[i]; z.x *= 2; z.y += __ldg(&d2[i].x); o2[i] = z;
  longlong2 l = *(const longlong2*)(in + i); l.x += l.y; *(longlong2*)(out + i * 4 + 3) = l;
})cuda");
  const auto words = random_words(256);
  std::vector<double> doubles(128);
  std::iota(doubles.begin(), doubles.end(), 0.5);
  const Buffer<unsigned> in(words), out(1024);
  const Buffer<double> d2(doubles), o2(128);
  program->run("k", {1, 64}, in, out, d2, o2);
  const auto got = out.read();
  const auto* bytes = reinterpret_cast<const unsigned char*>(words.data());
  const auto* shorts = reinterpret_cast<const unsigned short*>(words.data());
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned *w = &words[i * 4], *o = &got[i * 16];
    EXPECT_EQ(o[0], w[0] + w[1]);
    EXPECT_EQ(o[1], w[2] + w[3] + bytes[i * 3] + bytes[i * 4 + 2] + shorts[i * 2 + 1] +
                        unsigned(int((signed char)(bytes[i]))) + unsigned(int(short(shorts[i]))));
    EXPECT_EQ(o[2], w[0] ^ w[1]);
    EXPECT_EQ(o[3], w[2]);
    EXPECT_EQ(o[6], (w[2] & 0xFFFF0000) | ((w[2] ^ w[2] >> 16) & 0xFFFF));
    EXPECT_EQ(o[7], w[3] + w[0]);
    for (unsigned k = 8; k < 12; ++k) EXPECT_EQ(o[k], w[k - 8]);
    const unsigned long long x = w[0] | (unsigned long long)(w[1]) << 32,
                             y = w[2] | (unsigned long long)(w[3]) << 32;
    EXPECT_EQ(o[12] | (unsigned long long)(o[13]) << 32, x + y);
  }
  const auto z = o2.read();
  for (unsigned i = 0; i < 64; ++i) {
    EXPECT_EQ(z[2 * i], doubles[2 * i] * 2);
    EXPECT_EQ(z[2 * i + 1], doubles[2 * i + 1] + doubles[2 * i]);
  }
}

TEST_P(Memory, ConstantsGlobalsAndRelocations) {
  const auto program = compiled(R"cuda(
typedef unsigned (*Function)(unsigned);
__device__ unsigned triple(unsigned x) { return x * 3; }
__device__ unsigned negate(unsigned x) { return 0 - x; }
__constant__ unsigned table[64] = {5, 4, 3};
__constant__ struct { char c; double d; short s[3]; } mixed = {'x', 2.5, {-1, -2, -3}};
__device__ unsigned numbers[3][2] = {{1, 2}, {3, 4}, {5, 6}};
__device__ const char* names[] = {"alpha", "beta", "gamma"};
__device__ unsigned* inside = &numbers[1][1];
__device__ Function functions[] = {triple, negate};
__device__ const char* const end_of_alpha = "alpha" + 2;
struct Node { unsigned value; const Node* next; };
__device__ const Node last = {30, nullptr};
__device__ const Node second = {20, &last};
__device__ const Node list[1] = {{10, &second}};
template <int N> __device__ unsigned variable = N * 100;
__device__ unsigned count() { static unsigned calls = 40; return atomicAdd(&calls, 1); }
extern "C" { __device__ unsigned shared_with_host = 77; __constant__ unsigned set_by_host[4]; }
__managed__ unsigned managed_value = 9;
extern "C" __global__ void k(unsigned* out) {
  unsigned i = threadIdx.x;
  out[i] = table[i % 5] + functions[i & 1](i) + (unsigned)names[i % 3][i % 5] + set_by_host[i & 3];
  if (i == 0) {
    out[64] = *inside + *end_of_alpha; *inside = 1000; out[65] = numbers[1][1];
    out[66] = (unsigned)(mixed.c + mixed.d * 2 + mixed.s[2]);
    unsigned sum = 0; for (const Node* n = list; n; n = n->next) sum = sum * 3 + n->value; out[67] = sum;
    out[68] = variable<3> + variable<7>; out[69] = shared_with_host++; managed_value += 1; out[70] = managed_value;
  }
  unsigned c = count(); if (c < 40 || c >= 104) out[71] = 1;
})cuda");
  const unsigned host[4] = {100, 200, 300, 400};
  check(calls().cuMemcpyHtoD(program->global("set_by_host"), host, sizeof host), "cuMemcpyHtoD");
  const Buffer<unsigned> out(80);
  program->run("k", {1, 64}, out);
  const auto got = out.read();
  const unsigned table[] = {5, 4, 3, 0, 0};
  const char* names[] = {"alpha", "beta\0", "gamma"};
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(got[i],
              table[i % 5] + (i & 1 ? 0 - i : i * 3) + unsigned(names[i % 3][i % 5]) + host[i & 3]);
  EXPECT_EQ(got[64], 4u + 'p');
  EXPECT_EQ(got[65], 1000u);
  EXPECT_EQ(got[66], 'x' + 5u - 3u);
  EXPECT_EQ(got[67], (10u * 3 + 20) * 3 + 30);
  EXPECT_EQ(got[68], 1000u);
  EXPECT_EQ(got[69], 77u);
  EXPECT_EQ(got[70], 10u);
  EXPECT_EQ(got[71], 0u);
  unsigned after = 0;
  check(calls().cuMemcpyDtoH(&after, program->global("shared_with_host"), 4), "cuMemcpyDtoH");
  EXPECT_EQ(after, 78u);
}

TEST_P(Memory, SharedMemoryAliasesAndBanks) {
  const auto program = compiled(R"cuda(
extern __shared__ unsigned char pool[];
__shared__ unsigned fixed[33];
template <class T> __device__ T* at(unsigned offset) { return reinterpret_cast<T*>(pool + offset); }
extern "C" __global__ void k(const unsigned* in, unsigned* out) {
  unsigned i = threadIdx.x, n = blockDim.x;
  unsigned* words = at<unsigned>(0); double* reals = at<double>(4 * n); unsigned short* halves = at<unsigned short>(12 * n);
  words[i] = in[i]; reals[i] = in[i] * 0.5; halves[i] = in[i];
  if (i < 33) fixed[i] = i;
  __syncthreads();
  __shared__ unsigned tile[32][33];
  for (unsigned r = i / 32; r < 32; r += n / 32) tile[r][i % 32] = words[(r * 7 + i) % n];
  __syncthreads();
  unsigned sum = 0;
  for (unsigned r = i / 32; r < 32; r += n / 32) sum = sum * 31 + tile[i % 32][r];
  volatile unsigned* v = words;
  unsigned far = v[(i * 32) % n] + v[(i * 5 + 1) % n];
  out[i * 4] = sum; out[i * 4 + 1] = far; out[i * 4 + 2] = (unsigned)(long long)reals[n - 1 - i];
  out[i * 4 + 3] = halves[i ^ 1] + fixed[i % 33] + *(unsigned*)__cvta_shared_to_generic(__cvta_generic_to_shared(&words[i]));
})cuda");
  constexpr unsigned THREADS = 128;
  const auto words = random_words(THREADS);
  const Buffer<unsigned> in(words), out(THREADS * 4);
  program->run("k", {1, THREADS, 14 * THREADS}, in, out);
  const auto got = out.read();
  std::vector<unsigned> tile(32 * 32);
  for (unsigned i = 0; i < THREADS; ++i)
    for (unsigned r = i / 32; r < 32; r += THREADS / 32)
      tile[r * 32 + i % 32] = words[(r * 7 + i) % THREADS];
  for (unsigned i = 0; i < THREADS; ++i) {
    unsigned sum = 0;
    for (unsigned r = i / 32; r < 32; r += THREADS / 32) sum = sum * 31 + tile[i % 32 * 32 + r];
    EXPECT_EQ(got[i * 4], sum);
    EXPECT_EQ(got[i * 4 + 1], words[i * 32 % THREADS] + words[(i * 5 + 1) % THREADS]);
    EXPECT_EQ(got[i * 4 + 2], unsigned((long long)(words[THREADS - 1 - i] * 0.5)));
    EXPECT_EQ(got[i * 4 + 3], (words[i ^ 1] & 0xFFFF) + i % 33 + words[i]);
  }
}

TEST_P(Memory, HeapAndStack) {
  const auto program = compiled(R"cuda(
struct Item { Item* next; unsigned value; virtual __device__ unsigned twice() { return value * 2; } __device__ Item(Item* n, unsigned v) : next(n), value(v) {} virtual __device__ ~Item() { value = 0; } };
struct Odd : Item { using Item::Item; __device__ unsigned twice() override { return value * 2 + 1; } };
extern "C" __global__ void k(const unsigned* in, unsigned* out) {
  unsigned i = threadIdx.x, x = in[i], n = x % 17 + 1;
  Item* list = nullptr;
  for (unsigned k = 0; k < n; ++k) list = k & 1 ? (Item*)new Odd(list, k * i) : new Item(list, k + i);
  unsigned sum = 0;
  while (list) { Item* next = list->next; sum = sum * 3 + list->twice(); delete list; list = next; }
  unsigned* array = (unsigned*)malloc(n * sizeof(unsigned));
  unsigned char* odd = (unsigned char*)malloc(1);
  out[i * 3 + 2] = array == nullptr || ((unsigned long long)array & 15) != 0;
  for (unsigned k = 0; k < n; ++k) array[k] = x + k;
  for (unsigned k = 0; k < n; ++k) sum += array[(k * 5) % n];
  *odd = 3; sum += *odd;
  free(odd); free(array); free(nullptr);
  double* doubles = new double[n];
  for (unsigned k = 0; k < n; ++k) doubles[k] = k;
  unsigned d = (unsigned)doubles[n - 1]; delete[] doubles;
  char stack[17 * 8];
  memset(stack, (int)i, n * 8); memcpy(stack + 4, &x, 4);
  unsigned h = 0; for (unsigned k = 0; k < n * 8; ++k) h = h * 33 + (unsigned char)stack[k];
  out[i * 3] = sum + d; out[i * 3 + 1] = h;
})cuda");
  const auto words = random_words(96);
  const Buffer<unsigned> in(words), out(96 * 3);
  program->run("k", {1, 96}, in, out);
  const auto got = out.read();
  for (unsigned i = 0; i < 96; ++i) {
    const unsigned x = words[i], n = x % 17 + 1;
    unsigned sum = 0;
    for (unsigned k = n; k-- > 0;) sum = sum * 3 + (k & 1 ? k * i * 2 + 1 : (k + i) * 2);
    for (unsigned k = 0; k < n; ++k) sum += x + k * 5 % n;
    EXPECT_EQ(got[i * 3], sum + 3 + n - 1) << i;
    EXPECT_EQ(got[i * 3 + 2], 0u);
    std::vector<unsigned char> stack(n * 8, (unsigned char)(i));
    std::memcpy(&stack[4], &x, 4);
    unsigned h = 0;
    for (unsigned char c : stack) h = h * 33 + c;
    EXPECT_EQ(got[i * 3 + 1], h) << i;
  }
}

TEST_P(Memory, AtomicsAndLocks) {
  const auto program = compiled(R"cuda(
struct Totals { unsigned add, sub, exch, min, max, inc, dec, cas, and_, or_, xor_; int smin, smax; float f; unsigned pad; unsigned long long a64, max64, cas64; long long smin64; double d; unsigned short half; };
__device__ unsigned lock, guarded, finished;
extern "C" __global__ void k(Totals* t) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&t->add, i); atomicSub(&t->sub, 3); atomicExch(&t->exch, i); atomicMin(&t->min, i + 5); atomicMax(&t->max, i);
  atomicInc(&t->inc, 99); atomicDec(&t->dec, 99); atomicAnd(&t->and_, ~(1u << (i % 20))); atomicOr(&t->or_, 1u << (i % 20)); atomicXor(&t->xor_, i);
  atomicMin(&t->smin, -(int)i); atomicMax(&t->smax, (int)i - 1000); atomicAdd(&t->f, 0.25f); atomicAdd(&t->d, 0.5);
  atomicAdd(&t->a64, 1ull << 33); atomicMax(&t->max64, (unsigned long long)i << 32); atomicMin(&t->smin64, -(long long)i << 32);
  unsigned old = t->cas, seen; do { seen = old; old = atomicCAS(&t->cas, seen, seen + 2); } while (old != seen);
  unsigned long long o64 = *(volatile unsigned long long*)&t->cas64, int64_t; do { int64_t = o64; o64 = atomicCAS(&t->cas64, int64_t, int64_t + (1ull << 32) + 1); } while (o64 != int64_t);
  unsigned short o16 = *(volatile unsigned short*)&t->half, int16_t; do { int16_t = o16; o16 = atomicCAS(&t->half, int16_t, (unsigned short)(int16_t + 1)); } while (o16 != int16_t);
  __shared__ unsigned local; __shared__ unsigned long long local64; if (threadIdx.x == 0) { local = 0; local64 = 0; } __syncthreads();
  atomicAdd_block(&local, 1); atomicAdd(&local64, 3ull); __syncthreads();
  if (threadIdx.x == 0 && (local != blockDim.x || local64 != 3 * blockDim.x)) t->pad = 1;
  for (bool mine = false; !mine;) {   // a lock for all threads
    if (atomicCAS(&lock, 0, 1) == 0) { __threadfence(); guarded = guarded + 1; __threadfence(); atomicExch(&lock, 0); mine = true; }
  }
  __threadfence();
  if (atomicAdd(&finished, 1) == gridDim.x * blockDim.x - 1) t->pad += *(volatile unsigned*)&guarded * 2;
})cuda");
  struct Totals {
    unsigned add, sub, exch, min, max, inc, dec, cas, and_, or_, xor_;
    int smin, smax;
    float f;
    unsigned pad;
    unsigned long long a64, max64, cas64;
    long long smin64;
    double d;
    unsigned short half;
  };
  Totals start{};
  start.min = ~0u;
  start.and_ = ~0u;
  constexpr unsigned ALL = 6 * 96;
  const Buffer<Totals> t(std::vector<Totals>{start});
  program->run("k", {6, 96}, t);
  const Totals got = t.read()[0];
  unsigned x = 0;
  for (unsigned i = 0; i < ALL; ++i) x ^= i;
  EXPECT_EQ(got.add, ALL * (ALL - 1) / 2);
  EXPECT_EQ(got.sub, 0 - 3 * ALL);
  EXPECT_LT(got.exch, ALL);
  EXPECT_EQ(got.min, 5u);
  EXPECT_EQ(got.max, ALL - 1);
  EXPECT_EQ(got.inc, ALL % 100);
  EXPECT_EQ(got.dec, (100 - ALL % 100) % 100);
  EXPECT_EQ(got.cas, 2 * ALL);
  EXPECT_EQ(got.and_, ~0u << 20);
  EXPECT_EQ(got.or_, (1u << 20) - 1);
  EXPECT_EQ(got.xor_, x);
  EXPECT_EQ(got.smin, 1 - int(ALL));
  EXPECT_EQ(got.smax, 0);
  EXPECT_EQ(got.f, ALL * 0.25f);
  EXPECT_EQ(got.d, ALL * 0.5);
  EXPECT_EQ(got.a64, (unsigned long long)(ALL) << 33);
  EXPECT_EQ(got.max64, (unsigned long long)(ALL - 1) << 32);
  EXPECT_EQ(got.smin64, -((long long)(ALL - 1) << 32));
  EXPECT_EQ(got.cas64, ((unsigned long long)(ALL) << 32) + ALL);
  EXPECT_EQ(got.half, ALL);
  EXPECT_EQ(got.pad, 2 * ALL);
}

// Returns the process's standard output while `run` runs.
template <class F>
std::string printed(F run) {
  std::fflush(stdout);
  char name[] = "/tmp/cucore-printed-XXXXXX";
  const int file = mkstemp(name), before = dup(1);
  dup2(file, 1);
  try {
    run();
  } catch (...) {
    dup2(before, 1);
    throw;
  }
  std::fflush(stdout);
  dup2(before, 1);
  close(before);
  close(file);
  std::stringstream text;
  text << std::ifstream(name).rdbuf();
  unlink(name);
  return text.str();
}

TEST_P(Memory, PrintfConvertsAsHere) {
  const auto program = compiled(R"cuda(
extern "C" __global__ void k(double d, long long l, const void* p) {
  printf("plain %% text\n");
  printf("[%d|%5d|%-5d|%05d|%+d|% d|%.3d]\n", -42, 42, 42, 42, 42, 42, 7);
  printf("[%u|%x|%X|%#x|%o|%#o|%c|%5c]\n", 3000000000u, 48879, 48879, 255, 8, 8, 'A', 'B');
  printf("[%lld|%llu|%llx|%ld|%lu|%hd]\n", l, (unsigned long long)l, l, (long)l, (unsigned long)l, (short)l);
  printf("[%f|%.2f|%10.3f|%-10.1f|%e|%.3E|%g|%G|%a]\n", d, d, d, d, d, d, d, d * 1e20, d);
  printf("[%s|%10s|%-10s|%.2s|%s]\n", "text", "right", "left", "cut", "");
  printf("[%*d|%-*d]\n", 7, 42, 7, 42);
  printf("%p %f %f %f\n", p, 1.0 / 0.0, -1.0 / 0.0, 0.0f);
  int n = printf("%d %d\n", 1, 2);
  printf("%d %s", n, "no newline at the end");
})cuda");
  const double d = -1234.56789;
  const long long l = -81985529216486895;
  const void* p = reinterpret_cast<const void*>(0xABCDEF);
  const std::string device = printed([&] { program->run("k", {1, 1}, d, l, p); });
  char text[2048];
  int length = std::snprintf(
      text, sizeof text,
      "plain %% text\n[%d|%5d|%-5d|%05d|%+d|% d|%.3d]\n[%u|%x|%X|%#x|%o|%#o|%c|%5c]\n"
      "[%lld|%llu|%llx|%ld|%lu|%hd]\n[%f|%.2f|%10.3f|%-10.1f|%e|%.3E|%g|%G|%a]\n"
      "[%s|%10s|%-10s|%.2s|%s]\n[%*d|%-*d]\n%p %f %f %f\n1 2\n2 no newline at the end",
      -42, 42, 42, 42, 42, 42, 7, 3000000000u, 48879, 48879, 255, 8, 8, 'A', 'B', l,
      (unsigned long long)(l), (unsigned long long)(l), long(l), (unsigned long)(l), short(l), d, d,
      d, d, d, d, d, d * 1e20, d, "text", "right", "left", "cut", "", 7, 42, 7, 42, p, 1.0 / 0.0,
      -1.0 / 0.0, 0.0);
  ASSERT_GT(length, 0);
  EXPECT_EQ(device, text);
}

// CUDA documents neither these sizes nor a precision as an argument, and a GPU prints other text.
TEST_P(Memory, PrintfConvertsMoreThanAGpu) {
  if (!explains_faults()) GTEST_SKIP() << "not the CPU device";
  const auto program = compiled(R"cuda(
extern "C" __global__ void k(double d) {
  printf("%hhd %hhu %.*f %zu %jd", (signed char)-3, (unsigned char)250, 2, d, sizeof(int), -5ll);
})cuda");
  EXPECT_EQ(printed([&] { program->run("k", {1, 1}, -1234.56789); }), "-3 250 -1234.57 4 -5");
}

TEST_P(Memory, LargeParametersAndLaunchShapes) {
  const auto program = compiled(R"cuda(
struct Big { unsigned words[1000]; double d; char tail[5]; };
extern "C" __global__ void k(char c, const __grid_constant__ Big big, short s, unsigned* out, double d, uchar3 u) {
  unsigned i = (blockIdx.y * gridDim.x + blockIdx.x) * (blockDim.x * blockDim.y * blockDim.z) + (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned* p = &big.words[i % 1000];
  out[i] = *p + c + s + (unsigned)(big.d + d) + big.tail[i % 5] + u.z;
}
extern "C" __launch_bounds__(64, 2) __global__ void bounded(unsigned* out) {
  out[threadIdx.x] = clock64() > 0; unsigned long long t; asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t)); out[64 + threadIdx.x] = t > 1600000000000000000ull; __nanosleep(100);
})cuda");
  struct Big {
    unsigned words[1000];
    double d;
    char tail[5];
  } big{};
  const auto words = random_words(1000);
  std::copy(words.begin(), words.end(), big.words);
  big.d = 1000.5;
  for (int k = 0; k < 5; ++k) big.tail[k] = char(k * 9);
  struct Three {
    unsigned char x, y, z;
  };
  const Buffer<unsigned> out(6 * 5 * 4 * 3 * 2);
  Shape shape{3, 5};
  shape.grid_y = 2;
  shape.block_y = 4;
  shape.block_z = 6;
  program->run("k", shape, char(-3), big, short(-400), out, 2.75, Three{1, 2, 200});
  const auto got = out.read();
  for (unsigned i = 0; i < got.size(); ++i)
    ASSERT_EQ(got[i], words[i % 1000] - 403 + 1003 + i % 5 * 9 + 200) << i;
  program->run("bounded", {1, 64}, out);
  for (unsigned i = 0; i < 128; ++i) ASSERT_EQ(out.read()[i], 1u);
}

INSTANTIATE_TEST_SUITE_P(Builds, Memory, testing::ValuesIn(BUILDS), name_of);

}  // namespace
}  // namespace cucore::cpu::kernels
