// SPDX-License-Identifier: Apache-2.0
// The factors are random numbers of the order of 1. Zeros would need less power, and allow a clock
// that products of real matrices do not have.
#include "perf/measure/roof_matrix.hpp"

#include "perf/measure/roof_text.hpp"

namespace cucore::perf {
namespace {

constexpr uint32_t ACCUMULATORS = 8;  // independent products of a warp
constexpr uint32_t WARP = 32;
constexpr const char* RANDOM = "  mad.lo.u32 %h, %h, 1664525, 1013904223;\n";

// Random bits of which those of `mask` are kept, and those of `base` set.
struct Pattern {
  const char* mask;
  const char* base;
};

constexpr Pattern F16_BITS = {"0x83ff83ff", "0x3c003c00"};
constexpr Pattern BF16_BITS = {"0x807f807f", "0x3f803f80"};
constexpr Pattern TF32_BITS = {"0x807fe000", "0x3f800000"};
constexpr Pattern INT8_BITS = {"0xffffffff", "0"};
constexpr Pattern FP8_BITS = {"0x87878787", "0x38383838"};

struct Mma {
  RoofKind kind;
  uint32_t capability;  // the lowest
  const char* version;
  const char* target;
  const char* shape_and_types;
  uint32_t a, b, c;     // registers of a thread
  const char* factor;   // type of the registers of A and B
  const char* result;   // type of those of C
  double operations;    // of the warp
  const Pattern* bits;  // nullptr: f64
};

// The first row of a kind that the device has is used.
constexpr Mma MMAS[] = {
    {RoofKind::MATRIX_F16, 80, "7.0", "sm_80", "m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, "b32",
     "f32", 4096, &F16_BITS},
    {RoofKind::MATRIX_F16, 75, "6.5", "sm_75", "m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, "b32",
     "f32", 2048, &F16_BITS},
    {RoofKind::MATRIX_BF16, 80, "7.0", "sm_80", "m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4,
     "b32", "f32", 4096, &BF16_BITS},
    {RoofKind::MATRIX_TF32, 80, "7.0", "sm_80", "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, "b32",
     "f32", 2048, &TF32_BITS},
    {RoofKind::MATRIX_F64, 90, "7.8", "sm_90", "m16n8k16.row.col.f64.f64.f64.f64", 8, 4, 4, "f64",
     "f64", 4096, nullptr},
    {RoofKind::MATRIX_F64, 80, "7.0", "sm_80", "m8n8k4.row.col.f64.f64.f64.f64", 1, 1, 2, "f64",
     "f64", 512, nullptr},
    {RoofKind::MATRIX_INT8, 80, "7.0", "sm_80", "m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 4, "b32",
     "b32", 8192, &INT8_BITS},
    {RoofKind::MATRIX_INT8, 75, "6.5", "sm_75", "m8n8k16.row.col.s32.s8.s8.s32", 1, 1, 2, "b32",
     "b32", 2048, &INT8_BITS},
    {RoofKind::MATRIX_FP8, 89, "8.4", "sm_89", "m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2, 4, "b32",
     "f32", 8192, &FP8_BITS},
};

std::string random_bits(const Pattern& bits, std::string_view into) {
  return concat(RANDOM, "  and.b32 ", into, ", %h, ", bits.mask, ";\n  or.b32 ", into, ", ", into,
                ", ", bits.base, ";\n");
}

void add_factors(std::string& text, const Mma& mma, const char* prefix, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const std::string name = concat(prefix, i);
    if (mma.bits)
      text += random_bits(*mma.bits, name);
    else
      text += concat(RANDOM, "  cvt.rn.f64.s32 ", name, ", %h;\n  mul.f64 ", name, ", ", name,
                     ", 0d3E10000000000000;\n");
  }
}

std::string zero_of(std::string_view type) {
  if (type == "f64") return "0d0000000000000000";
  return type == "f32" ? "0f00000000" : "0";
}

void add_zeros(std::string& text, const char* type, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    text += concat("  mov.", type, " %c", i, ", ", zero_of(type), ";\n");
}

// Adds all results into %c0, and stores it in a case that does not occur.
void add_sum(std::string& text, std::string_view type, uint32_t count) {
  const bool is_integer = type == "b32";
  for (uint32_t i = 1; i < count; ++i)
    text += concat(is_integer ? "  xor." : "  add.", type, " %c0, %c0, %c", i, ";\n");
  const char* const compared = is_integer      ? "u32 %p, %c0, 0x5eadbeef"
                               : type == "f64" ? "f64 %p, %c0, 0d7FEFFFFFFFFFFFFF"
                                               : "f32 %p, %c0, 0f7F7FFFFF";
  text +=
      concat("  setp.eq.", compared, ";\n  @%p st.global.", type, " [%data], %c0;\n  ret;\n}\n");
}

ArithmeticCode mma_code(const Mma& mma) {
  const std::string entry = concat("cucore_roof_", roof_name(mma.kind));
  const uint32_t results = mma.c * ACCUMULATORS;
  std::string text = ptx_head(mma.version, mma.target) + ptx_entry(entry);
  text += concat("  .reg .", mma.factor, " %a<", mma.a, ">, %b<", mma.b, ">;\n  .reg .", mma.result,
                 " %c<", results, ">;\n  .reg .b32 %h;\n  mov.u32 %h, %thread;\n");
  add_factors(text, mma, "%a", mma.a);
  add_factors(text, mma, "%b", mma.b);
  add_zeros(text, mma.result, results);
  text += PTX_LOOP;
  for (uint32_t i = 0; i < ACCUMULATORS; ++i) {
    const std::string c = ptx_vector("%c", i * mma.c, mma.c);
    text += concat("  mma.sync.aligned.", mma.shape_and_types, " ", c, ", ",
                   ptx_vector("%a", 0, mma.a), ", ", ptx_vector("%b", 0, mma.b), ", ", c, ";\n");
  }
  text += PTX_LOOP_END;
  add_sum(text, mma.result, results);
  return {text, entry, mma.operations * ACCUMULATORS / WARP};
}

// Products of warpgroups, of 64 x 256 results. The rows of the factors have 32 bytes. They lie in
// shared memory in tiles of 8 rows of 16 bytes, without a swizzle.
struct Wgmma {
  RoofKind kind;
  const char* depth_and_types;
  const char* flags;  // after the predicate
  const char* result;
  double operations;  // of the warpgroup
  const Pattern* bits;
};

constexpr uint32_t WGMMA_REGISTERS = 128;
constexpr uint32_t WGMMA_PRODUCTS = 4;  // of one commit
constexpr uint32_t WGMMA_BYTES = (64 + 256) * 32;
constexpr uint32_t WARPGROUP = 128;

constexpr Wgmma WGMMAS[] = {
    {RoofKind::MATRIX_F16, "k16.f32.f16.f16", ", 1, 1, 0, 0", "f32", 2.0 * 64 * 256 * 16,
     &F16_BITS},
    {RoofKind::MATRIX_BF16, "k16.f32.bf16.bf16", ", 1, 1, 0, 0", "f32", 2.0 * 64 * 256 * 16,
     &BF16_BITS},
    {RoofKind::MATRIX_TF32, "k8.f32.tf32.tf32", ", 1, 1", "f32", 2.0 * 64 * 256 * 8, &TF32_BITS},
    {RoofKind::MATRIX_INT8, "k32.s32.s8.s8", "", "b32", 2.0 * 64 * 256 * 32, &INT8_BITS},
    {RoofKind::MATRIX_FP8, "k32.f32.e4m3.e4m3", ", 1, 1", "f32", 2.0 * 64 * 256 * 32, &FP8_BITS},
};

// Fills the factors and makes their descriptors. These contain the address and the distances of
// tiles along a row and along a column, in units of 16 bytes.
std::string wgmma_factors(const Pattern& bits) {
  return concat("  .shared .align 128 .b8 tile[", WGMMA_BYTES,
                "];\n  .reg .b32 %h, %value, %base, %at;\n  .reg .b64 %x, %y;\n"
                "  mov.u32 %base, tile;\n"
                "  shl.b32 %at, %thread, 2;\n"
                "  mov.u32 %h, %thread;\n"
                "fill:\n",
                random_bits(bits, "%value"),
                "  add.u32 %at, %at, %base;\n"
                "  st.shared.u32 [%at], %value;\n"
                "  sub.u32 %at, %at, %base;\n"
                "  add.u32 %at, %at, ",
                ROOF_BLOCK * 4, ";\n  setp.lt.u32 %p, %at, ", WGMMA_BYTES,
                ";\n  @%p bra fill;\n"
                "  fence.proxy.async;\n"
                "  bar.sync 0;\n"
                "  shr.u32 %at, %base, 4;\n"
                "  cvt.u64.u32 %x, %at;\n"
                "  or.b64 %x, %x, 0x0000001000080000;\n"
                "  add.u64 %y, %x, ",
                64 * 32 / 16, ";\n");
}

ArithmeticCode wgmma_code(const Wgmma& wgmma) {
  const std::string entry = concat("cucore_roof_", roof_name(wgmma.kind));
  std::string text = ptx_head("8.0", "sm_90a") + ptx_entry(entry) + wgmma_factors(*wgmma.bits);
  text += concat("  .reg .", wgmma.result, " %c<", WGMMA_REGISTERS, ">;\n  .reg .pred %adds;\n");
  add_zeros(text, wgmma.result, WGMMA_REGISTERS);
  // Unrolled, the loop takes the driver six times as long to compile, most of the first
  // measurement. It is not faster: each round waits for its products.
  text += concat("  setp.ne.u32 %adds, %rounds, 0;\n", PTX_LOOP,
                 "  .pragma \"nounroll\";\n  wgmma.fence.sync.aligned;\n");
  for (uint32_t i = 0; i < WGMMA_PRODUCTS; ++i)
    text += concat("  wgmma.mma_async.sync.aligned.m64n256", wgmma.depth_and_types, " ",
                   ptx_vector("%c", 0, WGMMA_REGISTERS), ", %x, %y, %adds", wgmma.flags, ";\n");
  text += concat("  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n",
                 PTX_LOOP_END);
  add_sum(text, wgmma.result, WGMMA_REGISTERS);
  return {text, entry, wgmma.operations * WGMMA_PRODUCTS / WARPGROUP, 1};
}

}  // namespace

std::optional<ArithmeticCode> matrix_roof_code(RoofKind kind, uint32_t capability) {
  if (capability == 90)
    for (const Wgmma& wgmma : WGMMAS)
      if (wgmma.kind == kind) return wgmma_code(wgmma);
  for (const Mma& mma : MMAS)
    if (mma.kind == kind && capability >= mma.capability) return mma_code(mma);
  return std::nullopt;
}

}  // namespace cucore::perf
