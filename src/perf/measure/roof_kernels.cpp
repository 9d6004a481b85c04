// SPDX-License-Identifier: Apache-2.0
#include "perf/measure/roof_kernels.hpp"

#include "perf/measure/roof_matrix.hpp"
#include "perf/measure/roof_text.hpp"

namespace cucore::perf {
namespace {

constexpr uint32_t CHAINS = 16;  // independent values of a thread, to hide the latency
constexpr uint32_t REPEATS = 4;  // of all chains in one round
constexpr uint32_t SHARED_LOADS = 8;
constexpr const char* BASE_VERSION = "6.0";
constexpr const char* BASE_TARGET = "sm_50";

// Sets %at to the first byte of the thread, and %chunk to the first chunk of its block. The next
// one is %step bytes away.
std::string chunk_walk(const AccessShape& shape) {
  return concat(
      "  .reg .b32 %chunk, %blocks;\n"
      "  .reg .b64 %at, %step, %from, %to;\n"
      "  mov.u32 %chunk, %ctaid.x;\n"
      "  mov.u32 %blocks, %nctaid.x;\n"
      "  mul.wide.u32 %at, %chunk, ",
      shape.chunk(),
      ";\n"
      "  mul.wide.u32 %step, %thread, ",
      shape.width,
      ";\n"
      "  add.u64 %at, %at, %step;\n"
      "  mul.wide.u32 %step, %blocks, ",
      shape.chunk(), ";\n");
}

const char* width_suffix(const AccessShape& shape) {
  return shape.width == 16 ? ".v4.u32" : ".u32";
}

// The registers of one access: "{%v0, %v1, %v2, %v3}" or "%v0".
std::string access_registers(const AccessShape& shape, uint32_t access) {
  const uint32_t words = shape.width / 4;
  return words == 1 ? concat("%v", access) : ptx_vector("%v", access * words, words);
}

void add_accesses(std::string& text, const AccessShape& shape, const char* instruction,
                  const char* base, bool is_load) {
  for (uint32_t i = 0; i < shape.unroll; ++i) {
    const std::string registers = access_registers(shape, i);
    const std::string address = concat("[", base, "+", i * ROOF_BLOCK * shape.width, "]");
    text += concat("  ", instruction, width_suffix(shape), " ", is_load ? registers : address, ", ",
                   is_load ? address : registers, ";\n");
  }
}

void add_xor(std::string& text, uint32_t words) {
  for (uint32_t i = 0; i < words; ++i) text += concat("  xor.b32 %sum, %sum, %v", i, ";\n");
}

constexpr const char* NEXT_CHUNK =
    "  add.u32 %chunk, %chunk, %blocks;\n"
    "  add.u64 %at, %at, %step;\n"
    "  bra next;\n"
    "done:\n";
// The result is stored in a case that does not occur, so that the loads are not removed.
constexpr const char* USE_SUM =
    "  setp.eq.u32 %p, %sum, 0x5eadbeef;\n"
    "  @%p st.global.u32 [%other], %sum;\n"
    "  ret;\n}\n";

std::string stream_kernel(RoofKind kind, const AccessShape& shape) {
  const uint32_t words = shape.width / 4 * shape.unroll;
  std::string text = ptx_entry(shape.entry(kind)) + chunk_walk(shape);
  text += concat("  .reg .b32 %sum, %v<", words, ">;\n  mov.u32 %sum, %thread;\n");
  if (kind == RoofKind::WRITE)
    for (uint32_t i = 0; i < words; ++i) text += concat("  add.u32 %v", i, ", %thread, ", i, ";\n");
  text +=
      "next:\n"
      "  setp.ge.u32 %p, %chunk, %count;\n"
      "  @%p bra done;\n"
      "  add.u64 %from, %data, %at;\n"
      "  add.u64 %to, %other, %at;\n";
  if (kind != RoofKind::WRITE) add_accesses(text, shape, "ld.global", "%from", true);
  if (kind != RoofKind::READ) add_accesses(text, shape, "st.global", "%to", false);
  if (kind == RoofKind::READ) add_xor(text, words);
  return text + NEXT_CHUNK + USE_SUM;
}

// Reads a buffer that the L2 cache holds, in each round, past the L1 cache.
std::string l2_kernel() {
  const uint32_t words = L2_SHAPE.width / 4 * L2_SHAPE.unroll;
  std::string text = ptx_entry(L2_ENTRY) + chunk_walk(L2_SHAPE);
  text += concat("  .reg .b32 %sum, %first, %v<", words,
                 ">;\n  .reg .b64 %begin;\n"
                 "  mov.u32 %sum, %thread;\n"
                 "  mov.u32 %first, %chunk;\n"
                 "  mov.u64 %begin, %at;\n",
                 PTX_LOOP,
                 "  mov.u32 %chunk, %first;\n"
                 "  mov.u64 %at, %begin;\n"
                 "next:\n"
                 "  setp.ge.u32 %p, %chunk, %count;\n"
                 "  @%p bra done;\n"
                 "  add.u64 %from, %data, %at;\n");
  add_accesses(text, L2_SHAPE, "ld.global.cg", "%from", true);
  add_xor(text, words);
  return text + NEXT_CHUNK + PTX_LOOP_END + USE_SUM;
}

// One step of all chains: x = x * a + b, or a function of x.
struct Chain {
  const char* version;
  const char* target;
  const char* type;   // of the registers
  const char* begin;  // makes %a and %b
  const char* first;  // makes %x<i> from %t, a number of the thread and the chain
  const char* step;   // instruction with its type
  bool is_fused;      // has %a and %b as further operands
  const char* sum;    // adds a chain to %x0
  const char* use;    // stores the sum in a case that does not occur
  double operations;  // of one step
};

const Chain* chain_of(RoofKind kind) {
  static constexpr const char* USE_B32 =
      "  setp.eq.u32 %p, %x0, 0x5eadbeef;\n  @%p st.global.u32 [%data], %x0;\n";
  static constexpr const char* USE_F32 =
      "  setp.eq.f32 %p, %x0, 0f7F7FFFFF;\n  @%p st.global.f32 [%data], %x0;\n";
  static constexpr Chain F32 = {BASE_VERSION,
                                BASE_TARGET,
                                "f32",
                                "  cvt.rn.f32.u32 %a, %rounds;\n  mul.f32 %a, %a, 0f2F000000;\n"
                                "  cvt.rn.f32.u32 %b, %thread;\n",
                                "cvt.rn.f32.u32",
                                "fma.rn.f32",
                                true,
                                "add.f32",
                                USE_F32,
                                2};
  static constexpr Chain F64 = {
      BASE_VERSION,
      BASE_TARGET,
      "f64",
      "  cvt.rn.f64.u32 %a, %rounds;\n  mul.f64 %a, %a, 0d3DE0000000000000;\n"
      "  cvt.rn.f64.u32 %b, %thread;\n",
      "cvt.rn.f64.u32",
      "fma.rn.f64",
      true,
      "add.f64",
      "  setp.eq.f64 %p, %x0, 0d7FEFFFFFFFFFFFFF;\n  @%p st.global.f64 [%data], %x0;\n",
      2};
  // %a is a pair of numbers near 0.5, %b a pair near 0.25.
  static constexpr Chain F16 = {"6.0",
                                "sm_53",
                                "b32",
                                "  and.b32 %a, %rounds, 0x00030003;\n"
                                "  or.b32 %b, %a, 0x34003400;\n"
                                "  or.b32 %a, %a, 0x38003800;\n",
                                "and.b32",
                                "fma.rn.f16x2",
                                true,
                                "xor.b32",
                                USE_B32,
                                4};
  static constexpr Chain INTEGER = {
      BASE_VERSION, BASE_TARGET,
      "b32",        "  or.b32 %a, %rounds, 1;\n  mov.b32 %b, %thread;\n",
      "mov.b32",    "mad.lo.u32",
      true,         "xor.b32",
      USE_B32,      2};
  static constexpr Chain SPECIAL = {
      BASE_VERSION,         BASE_TARGET, "f32",     "",      "cvt.rn.f32.u32",
      "ex2.approx.ftz.f32", false,       "add.f32", USE_F32, 1};
  switch (kind) {
    case RoofKind::F32:
      return &F32;
    case RoofKind::F64:
      return &F64;
    case RoofKind::F16:
      return &F16;
    case RoofKind::INTEGER:
      return &INTEGER;
    case RoofKind::SPECIAL:
      return &SPECIAL;
    default:
      return nullptr;
  }
}

ArithmeticCode chain_code(RoofKind kind, const Chain& chain) {
  const std::string entry = concat("cucore_roof_", roof_name(kind));
  std::string text = ptx_head(chain.version, chain.target) + ptx_entry(entry);
  text +=
      concat("  .reg .", chain.type, " %a, %b, %x<", CHAINS, ">;\n  .reg .b32 %t;\n", chain.begin);
  const bool is_masked = kind == RoofKind::F16;  // numbers below 1
  for (uint32_t i = 0; i < CHAINS; ++i)
    text += concat("  add.u32 %t, %thread, ", i, ";\n  ", chain.first, " %x", i, ", %t",
                   is_masked ? ", 0x03ff03ff" : "", ";\n");
  text += PTX_LOOP;
  for (uint32_t repeat = 0; repeat < REPEATS; ++repeat)
    for (uint32_t i = 0; i < CHAINS; ++i)
      text +=
          concat("  ", chain.step, " %x", i, ", %x", i, chain.is_fused ? ", %a, %b" : "", ";\n");
  text += PTX_LOOP_END;
  for (uint32_t i = 1; i < CHAINS; ++i) text += concat("  ", chain.sum, " %x0, %x0, %x", i, ";\n");
  text += concat(chain.use, "  ret;\n}\n");
  return {text, entry, chain.operations * CHAINS * REPEATS};
}

// Loads 16 bytes per thread, so that a warp reads whole rows of banks.
ArithmeticCode shared_code() {
  const std::string entry = "cucore_roof_shared";
  const AccessShape shape = {16, SHARED_LOADS, true};
  std::string text = ptx_head(BASE_VERSION, BASE_TARGET);
  text += ptx_entry(entry);
  text += concat("  .shared .align 16 .b8 tile[", shape.chunk(),
                 "];\n  .reg .b32 %base, %sum, %v<32>;\n"
                 "  mov.u32 %base, tile;\n"
                 "  mad.lo.u32 %base, %thread, 16, %base;\n"
                 "  mov.u32 %sum, %thread;\n");
  for (uint32_t i = 0; i < SHARED_LOADS; ++i)
    text += concat("  st.shared.v4.u32 [%base+", i * ROOF_BLOCK * 16,
                   "], {%thread, %rounds, %thread, %rounds};\n");
  text += concat("  bar.sync 0;\n", PTX_LOOP);
  add_accesses(text, shape, "ld.volatile.shared", "%base", true);
  add_xor(text, 4 * SHARED_LOADS);
  text += concat(PTX_LOOP_END, USE_SUM);
  return {text, entry, 16.0 * SHARED_LOADS, 4};
}

}  // namespace

std::string AccessShape::entry(RoofKind kind) const {
  return concat("cucore_roof_", roof_name(kind), "_", width, "x", unroll);
}

std::string memory_roof_ptx() {
  std::string text = ptx_head(BASE_VERSION, BASE_TARGET);
  for (const RoofKind kind : {RoofKind::COPY, RoofKind::READ, RoofKind::WRITE})
    for (const AccessShape& shape : ACCESS_SHAPES)
      if (!shape.is_persistent) text += stream_kernel(kind, shape);
  return text + l2_kernel();
}

std::string empty_kernel_ptx() {
  return concat(ptx_head(BASE_VERSION, BASE_TARGET), ptx_entry(EMPTY_ENTRY), "  ret;\n}\n");
}

std::optional<ArithmeticCode> arithmetic_roof_code(RoofKind kind, uint32_t capability) {
  if (kind == RoofKind::SHARED) return shared_code();
  if (const Chain* chain = chain_of(kind)) {
    if (kind == RoofKind::F16 && capability < 53) return std::nullopt;
    return chain_code(kind, *chain);
  }
  return matrix_roof_code(kind, capability);
}

}  // namespace cucore::perf
