// SPDX-License-Identifier: Apache-2.0
// Each kernel with several sizes and kinds of data. Two devices share no results of 21_printf and
// 47_clock_smid. The table of texture reads has the instructions of 28_texture_obj.
#include <cstddef>
#include <limits>

#include "case.hpp"

namespace cucore::cpu::corpus {
namespace {

// Numbers that no library decides.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed * 2 + 1) {}
  uint32_t word() {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return uint32_t(state_ >> 32);
  }
  // At least `low`, and below `low + width`, with 16 bits after the point.
  double real(double low, double width) { return low + width * double(word() >> 16) / 65536; }

 private:
  uint64_t state_;
};

template <class T>
std::vector<T> reals(size_t count, uint64_t seed, double low, double width) {
  Numbers numbers(seed);
  std::vector<T> values(count);
  for (T& value : values) value = T(numbers.real(low, width));
  return values;
}

// Reals with zeros, infinities, a NaN and tiny numbers among them.
template <class T>
std::vector<T> edges(size_t count, uint64_t seed) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = reals<T>(count, seed, -100, 200);
  const T special[] = {T(0),
                       -T(0),
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN(),
                       Limits::denorm_min(),
                       -Limits::min(),
                       Limits::max(),
                       Limits::epsilon()};
  for (size_t i = 0; i < std::size(special) && i * 11 + seed % 7 < count; ++i)
    values[i * 11 + seed % 7] = special[i];
  return values;
}

template <class T>
std::vector<T> integers(size_t count, uint64_t seed) {
  Numbers numbers(seed);
  std::vector<T> values(count);
  for (T& value : values) value = T(uint64_t{numbers.word()} << 32 | numbers.word());
  const T special[] = {T(0), T(1), T(~T(0)), T(T(1) << (sizeof(T) * 8 - 1)),
                       T(~(T(1) << (sizeof(T) * 8 - 1)))};
  for (size_t i = 0; i < std::size(special) && i * 3 < count; ++i) values[i * 3] = special[i];
  return values;
}

template <class T>
std::vector<T> small(size_t count, uint64_t seed, unsigned limit) {
  Numbers numbers(seed);
  std::vector<T> values(count);
  for (T& value : values) value = T(numbers.word() % limit);
  return values;
}

template <class T>
std::vector<T> zeros(size_t count) {
  return std::vector<T>(count);
}

// Halves from -2 to 2, as bits: every exponent from 2^-6 on.
std::vector<uint16_t> halves(size_t count, uint64_t seed) {
  Numbers numbers(seed);
  std::vector<uint16_t> values(count);
  for (uint16_t& value : values) {
    const uint32_t word = numbers.word();
    value = uint16_t((word & 0x8000) | ((9 + word % 7) << 10) | (word >> 20 & 0x3ff));
  }
  return values;
}

constexpr double F32_BOUND = 1e-5;  // sums of several .approx results
constexpr double F64_BOUND = 1e-13;
constexpr double HALF_BOUND = 4e-3;

unsigned blocks(int count, unsigned block) { return (unsigned(count) + block - 1) / block; }
std::string sized(int n) { return "n=" + std::to_string(n); }

void add_vectors(std::vector<Case>& all) {
  for (int n : {1, 33, 1000}) {
    const auto count = size_t(n);
    all.push_back(Case("01_saxpy", "saxpy", sized(n))
                      .grid(blocks(n, 128))
                      .block(128)
                      .value(2.5f)
                      .array(edges<float>(count, 1))
                      .out(edges<float>(count, 2))
                      .value(n));
    all.push_back(Case("02_saxpy_gridstride_restrict", "k", sized(n))
                      .grid(7)
                      .block(96)
                      .value(-0.3f)
                      .array(edges<float>(count, 3))
                      .out(edges<float>(count, 4))
                      .value(count));
    all.push_back(Case("04_reduce_shared", "reduce", sized(n))
                      .grid(3)
                      .block(256)
                      .array(reals<float>(count, 5, -1, 3))
                      .out(zeros<float>(3))
                      .value(n));
    all.push_back(Case("05_reduce_shfl", "k", sized(n))
                      .grid(2)
                      .block(192)
                      .array(small<float>(count, 6, 100))
                      .out(zeros<float>(1))
                      .value(n));
    all.push_back(Case("09_hist_shared", "hist", sized(n))
                      .grid(3)
                      .block(256)
                      .array(small<uint8_t>(count, 7, 256))
                      .out(zeros<unsigned>(256))
                      .value(n));
    all.push_back(Case("25_cg_grid", "k", sized(n))
                      .grid(8)
                      .block(64)
                      .array(edges<float>(count, 8))
                      .out(zeros<float>(count))
                      .value(n));
    all.back().shape.cooperative = true;
    all.push_back(Case("29_switch", "k", sized(n))
                      .grid(blocks(n, 64))
                      .block(64)
                      .out(integers<int>(count + 8, 9))
                      .array(small<int>(count + 8, 10, 9))
                      .value(n));
    all.push_back(Case("48_divergent_loop", "collatz", sized(n))
                      .grid(blocks(n, 128))
                      .block(128)
                      .array(small<unsigned long long>(count, 11, 100000))
                      .out(zeros<int>(count))
                      .value(n));
  }
}

void add_matrices(std::vector<Case>& all) {
  for (int n : {16, 48}) {
    const auto count = size_t(n) * size_t(n);
    all.push_back(Case("11_matmul_tiled", "mm", sized(n))
                      .grid(unsigned(n) / 16, unsigned(n) / 16)
                      .block(16, 16)
                      .array(reals<float>(count, 21, -2, 4))
                      .array(reals<float>(count, 22, -1, 3))
                      .out(zeros<float>(count))
                      .value(n));
  }
  for (const auto& [w, h] : {std::pair{5, 3}, {70, 45}})
    all.push_back(Case("12_transpose", "k", std::to_string(w) + "x" + std::to_string(h))
                      .grid(3, 3)
                      .block(32, 8)
                      .array(edges<float>(size_t(w * h), 23))
                      .out(zeros<float>(size_t(w * h)))
                      .value(w)
                      .value(h));
  for (uint64_t seed : {31u, 32u, 33u, 34u})
    all.push_back(Case("35_wmma", "k", "seed=" + std::to_string(seed))
                      .block(32)
                      .array(halves(256, seed))
                      .array(halves(256, seed + 10))
                      .out(zeros<float>(256)));
  for (int it : {1, 50})
    all.push_back(Case("40_mandel", "m", sized(it))
                      .grid(3, 9)
                      .block(32, 8)
                      .out(zeros<uint8_t>(70 * 65))
                      .value(70)
                      .value(65)
                      .value(-2.0f)
                      .value(-1.25f)
                      .value(2.5f / 64)
                      .value(it));
}

void add_arithmetic(std::vector<Case>& all) {
  for (uint64_t seed : {41u, 42u}) {
    const std::string variant = "seed=" + std::to_string(seed);
    all.push_back(Case("13_half", "k", variant)
                      .block(32)
                      .array(halves(32, seed))
                      .array(halves(64, seed + 5))
                      .out(zeros<float>(32), Type::F32, HALF_BOUND)
                      .value(32));
    all.push_back(Case("15_mathf", "k", variant)
                      .block(64)
                      .out(reals<float>(64, seed, 0.25, 8), Type::F32, F32_BOUND)
                      .value(64));
    all.push_back(Case("17_mathd", "k", variant)
                      .block(64)
                      .out(reals<double>(64, seed, 0.25, 8), Type::F64, F64_BOUND)
                      .value(64));
    all.push_back(
        Case("60_int128", "k", variant).block(1).out(integers<unsigned long long>(3, seed)));
    all.push_back(Case("57_complex_fft", "fft8", variant)
                      .grid(2)
                      .block(32)
                      .fused()
                      .out(reals<float>(size_t{2} * 64 * 8, seed, -1, 2)));
    all.push_back(Case("58_sha", "sha", variant)
                      .block(32)
                      .array(integers<unsigned>(size_t{32} * 16, seed))
                      .out(zeros<unsigned>(32))
                      .variable("K", integers<unsigned>(64, seed + 1)));
    all.push_back(Case("63_cuda_std", "k", variant).block(1).out(reals<float>(32, seed, 1, 4)));
    for (int n : {3, 11})
      all.push_back(Case("18_int64", "k", variant + " " + sized(n))
                        .block(64)
                        .out(integers<long long>(64, seed))
                        .out(integers<unsigned long long>(64, seed + 1))
                        .value(n));
    for (int n : {3, 7, 19})
      all.push_back(Case("19_int32_ops", "k", variant + " " + sized(n))
                        .block(64)
                        .out(integers<int>(64, seed))
                        .out(integers<unsigned>(64, seed + 1))
                        .value(n));
    for (int columns : {32, 100, 1000})
      all.push_back(Case("42_softmax", "sm", variant + " " + sized(columns))
                        .grid(3)
                        .block(96)
                        .array(reals<float>(size_t(columns) * 3, seed, -5, 12))
                        .out(zeros<float>(size_t(columns) * 3), Type::F32, F32_BOUND)
                        .value(columns));
    for (int n : {128, 256})
      all.push_back(Case("39_nbody", "nb", variant + " " + sized(n))
                        .grid(unsigned(n) / 128)
                        .block(128)
                        .array(reals<float>(size_t(n) * 4, seed, 0, 1))
                        .out(zeros<float>(size_t(n) * 3), Type::F32, 1e-3)
                        .value(n));
  }
}

struct Structure {
  float a[16];
  int n;
  double d;
  uint64_t p, q;
  short s;
  char c;
};

void add_structures(std::vector<Case>& all) {
  for (const char* kernel : {"k", "k2"}) {
    Case row("24_struct_param", kernel, "n=40");
    Structure value = {};
    for (int i = 0; i < 16; ++i) value.a[i] = float(i) + 0.5f;
    value.n = 40;
    value.d = 1.25;
    value.s = -7;
    value.c = 5;
    row.block(64).value(value).value(19);
    row.arguments[0].arrays = {{offsetof(Structure, p), 0}, {offsetof(Structure, q), 1}};
    row.arrays = {bytes_of(reals<float>(64, 51, -9, 20)), bytes_of(zeros<float>(64))};
    row.outputs = {{1, Type::BITS, 0}};
    all.push_back(row);
  }
  const int n = 100;
  all.push_back(Case("23_template", "_Z1kIfLi4EEvPK1VIT_XT0_EES4_PS1_i", "float")
                    .grid(4)
                    .block(32)
                    .array(edges<float>(n * 4, 52))
                    .array(edges<float>(n * 4, 53))
                    .out(zeros<float>(n))
                    .value(n));
  all.push_back(Case("23_template", "_Z1kIdLi3EEvPK1VIT_XT0_EES4_PS1_i", "double")
                    .grid(4)
                    .block(32)
                    .array(reals<double>(n * 3, 54, -2, 5))
                    .array(reals<double>(n * 3, 55, -2, 5))
                    .out(zeros<double>(n))
                    .value(n));
  all.push_back(Case("23_template", "_Z1kIiLi8EEvPK1VIT_XT0_EES4_PS1_i", "int")
                    .grid(4)
                    .block(32)
                    .array(integers<int>(n * 8, 56))
                    .array(integers<int>(n * 8, 57))
                    .out(zeros<int>(n))
                    .value(n));
}

void add_memory(std::vector<Case>& all) {
  for (unsigned n : {32u, 96u}) {
    all.push_back(Case("27_dynshared", "k", sized(int(n)))
                      .block(n)
                      .array(edges<double>(n, 61))
                      .out(zeros<double>(n))
                      .value(int(n)));
    all.back().shape.shared = n * 12;
  }
  all.push_back(Case("32_cub_block_reduce", "k", "")
                    .block(128)
                    .array(integers<int>(128, 62))
                    .out(zeros<int>(129)));
  for (int n : {1, 5})
    all.push_back(Case("34_cp_async", "k", sized(n))
                      .block(128)
                      .array(edges<float>(size_t(n) * 512, 63))
                      .out(reals<float>(size_t(n) * 512, 64, 0, 1))
                      .value(n));
  all.push_back(Case("37_const_global", "k", "")
                    .block(64)
                    .array(reals<float>(128, 65, -2, 5))
                    .out(zeros<float>(64))
                    .value(64)
                    .variable("coef", reals<float>(64, 66, -1, 2))
                    .variable("mg", std::vector<int>{1000}));
  all.back().counter = "counter";
  for (int n : {0, 37})
    all.push_back(Case("45_local_array", "k", sized(n))
                      .block(64)
                      .array(integers<int>(1024, 67))
                      .out(zeros<int>(64))
                      .value(n));
  all.push_back(Case("55_launch_bounds", "k", "").block(256).out(reals<float>(256, 68, 1, 2)));
  all.push_back(Case("55_launch_bounds", "k2", "").block(32).out(reals<float>(32, 69, 1, 2)));
}

void add_synchronisation(std::vector<Case>& all) {
  for (unsigned n : {32u, 128u})
    all.push_back(Case("06_shfl_all", "k", sized(int(n))).block(n).out(zeros<int>(n)));
  // One thread, because the order of threads decides some of the results.
  all.push_back(Case("08_atomics", "k", "")
                    .out(integers<int>(32, 71))
                    .out(integers<unsigned>(16, 72))
                    .out(integers<unsigned long long>(16, 73))
                    .out(reals<float>(8, 74, -3, 8))
                    .out(reals<double>(8, 75, -3, 8)));
  all.push_back(Case("30_recursion", "k", "").block(64).out(zeros<int>(64)));
  all.push_back(
      Case("51_libcu_atomic", "k", "").out(integers<int>(2, 76)).out(integers<long long>(1, 77)));
  all.push_back(Case("53_cluster", "k", "").grid(4).block(32).out(zeros<float>(128)));
  all.back().min_target = 90;
  all.push_back(Case("62_named_barrier", "k", "").block(64).out(small<int>(64, 78, 100000)));
}

}  // namespace

std::vector<Case> make_cases() {
  std::vector<Case> all;
  add_vectors(all);
  add_matrices(all);
  add_arithmetic(all);
  add_structures(all);
  add_memory(all);
  add_synchronisation(all);
  return all;
}

}  // namespace cucore::cpu::corpus
