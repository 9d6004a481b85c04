// SPDX-License-Identifier: Apache-2.0
// The parsed and verified form of a PTX module, which the executor decodes. All names are resolved:
// registers, variables, labels and functions are indices in range.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/matrix.hpp"

namespace cucore::ptx {

// The enumerators of PTX's own words have PTX's spelling, which tables turn into texts and back.
// NOLINTBEGIN(readability-identifier-naming)
enum class Opcode : uint8_t {
  unsupported,  // not in the table: executing it is an error that names Instruction::text
#define PTX_OPCODE(id, name, groups, types, type_count, pattern, decoder) id,
#include "ptx/opcodes.inc"
#undef PTX_OPCODE
  count
};

// clang-format off
// PTX_TYPE(enumerator, spelling, bytes of one value)
#define PTX_TYPES(PTX_TYPE)             \
  PTX_TYPE(pred, "pred", 0)             \
  PTX_TYPE(b8, "b8", 1)                 \
  PTX_TYPE(b16, "b16", 2)               \
  PTX_TYPE(b32, "b32", 4)               \
  PTX_TYPE(b64, "b64", 8)               \
  PTX_TYPE(b128, "b128", 16)            \
  PTX_TYPE(u8, "u8", 1)                 \
  PTX_TYPE(u16, "u16", 2)               \
  PTX_TYPE(u32, "u32", 4)               \
  PTX_TYPE(u64, "u64", 8)               \
  PTX_TYPE(s8, "s8", 1)                 \
  PTX_TYPE(s16, "s16", 2)               \
  PTX_TYPE(s32, "s32", 4)               \
  PTX_TYPE(s64, "s64", 8)               \
  PTX_TYPE(f16, "f16", 2)               \
  PTX_TYPE(f16x2, "f16x2", 4)           \
  PTX_TYPE(bf16, "bf16", 2)             \
  PTX_TYPE(bf16x2, "bf16x2", 4)         \
  PTX_TYPE(tf32, "tf32", 4)             \
  PTX_TYPE(f32, "f32", 4)               \
  PTX_TYPE(f64, "f64", 8)               \
  PTX_TYPE(f32x2, "f32x2", 8)           \
  PTX_TYPE(e4m3x2, "e4m3x2", 2)         \
  PTX_TYPE(e5m2x2, "e5m2x2", 2)         \
  PTX_TYPE(e2m1x2, "e2m1x2", 1)         \
  PTX_TYPE(e2m3x2, "e2m3x2", 2)         \
  PTX_TYPE(e3m2x2, "e3m2x2", 2)         \
  PTX_TYPE(ue8m0x2, "ue8m0x2", 2)       \
  PTX_TYPE(e4m3x4, "e4m3x4", 4)         \
  PTX_TYPE(e5m2x4, "e5m2x4", 4)         \
  PTX_TYPE(e2m1x4, "e2m1x4", 2)         \
  PTX_TYPE(e2m3x4, "e2m3x4", 4)         \
  PTX_TYPE(e3m2x4, "e3m2x4", 4)         \
  PTX_TYPE(u2, "u2", 1)                 \
  PTX_TYPE(s2, "s2", 1)                 \
  PTX_TYPE(u4, "u4", 1)                 \
  PTX_TYPE(s4, "s4", 1)                 \
  PTX_TYPE(u16x2, "u16x2", 4)           \
  PTX_TYPE(s16x2, "s16x2", 4)           \
  PTX_TYPE(texref, "texref", 8)         \
  PTX_TYPE(samplerref, "samplerref", 8) \
  PTX_TYPE(surfref, "surfref", 8)
// clang-format on

enum class Type : uint8_t {
  none,
#define PTX_TYPE(id, name, bytes) id,
  PTX_TYPES(PTX_TYPE)
#undef PTX_TYPE
      count
};

// Returns whether the type has four floats of at most 8 bits.
constexpr bool is_quad(Type type) { return type >= Type::e4m3x4 && type <= Type::e3m2x4; }

enum class Rounding : uint8_t { none, rn, rz, rm, rp, rna, rs, rni, rzi, rmi, rpi };

enum class Compare : uint8_t {
  none,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  lo,
  ls,
  hi,
  hs,
  equ,
  neu,
  ltu,
  leu,
  gtu,
  geu,
  num,
  nan
};

// The combining operation of setp/set (and, or, xor), atom, red, redux, bar.red and video forms.
enum class Operation : uint8_t { none, add, min, max, inc, dec, and_, or_, xor_, exch, cas, popc };

// The shape of the texels that an instruction on textures or surfaces addresses. The last two have
// samples.
enum class Geometry : uint8_t { none, d1, d2, d3, a1d, a2d, cube, acube, d2ms, a2dms };

enum class MulMode : uint8_t { none, lo, hi, wide };

// `generic` is written without a state space.
enum class Space : uint8_t {
  generic,
  global,
  constant,
  shared,
  shared_cluster,
  local,
  param,
  reg,
  tex
};

// Memory order; `none` is weak.
enum class Order : uint8_t { none, weak, relaxed, acquire, release, acq_rel, sc, volatile_, mmio };

enum class Scope : uint8_t { none, cta, cluster, gpu, sys };

// The variant of shfl, vote and match, shf, prmt, testp, tensor copies, tensormap.replace, and of
// instructions on textures and surfaces.
enum class Mode : uint8_t {
  none,
  up,
  down,
  bfly,
  idx,  // shfl
  all,
  any,
  uni,
  ballot,  // vote, match
  left,
  right,  // shf
  f4e,
  b4e,
  rc8,
  ecl,
  ecr,
  rc16,  // prmt
  finite,
  infinite,
  number,
  notanumber,
  normal,
  subnormal,  // testp
  tile,
  im2col,
  im2col_no_offs,
  im2col_w,
  im2col_w_128,
  gather4,
  scatter4,  // tensor copies
  global_address,
  rank,
  box_dim,
  global_dim,
  global_stride,
  element_stride,
  elemtype,
  interleave_layout,
  swizzle_mode,
  swizzle_atomicity,
  fill_mode,  // tensormap.replace
  red,
  green,
  blue,
  alpha,  // tld4
  trap,
  clamp,
  zero,  // surfaces: the effect of coordinates outside
  width,
  height,
  depth,
  array_size,
  num_mipmap_levels,
  num_samples,
  normalized_coords,
  channel_data_type,
  channel_order,
  force_unnormalized_coords,
  filter_mode,
  addr_mode_0,
  addr_mode_1,
  addr_mode_2,
  memory_layout,  // txq, suq
  texref,
  samplerref,
  surfref,  // istypep
  shr7,
  shr15,  // vmad
};

// NOLINTEND(readability-identifier-naming)

// Flag bits of a form.
enum Flag : uint32_t {
  FLAG_FTZ = 1u << 0,
  FLAG_SAT = 1u << 1,
  FLAG_SATFINITE = 1u << 2,
  FLAG_RELU = 1u << 3,
  FLAG_APPROX = 1u << 4,
  FLAG_FULL = 1u << 5,
  FLAG_UNI = 1u << 6,  // bra.uni, call.uni, ret.uni
  FLAG_CC = 1u << 7,   // writes the carry
  FLAG_NAN = 1u << 8,  // min.NaN, max.NaN
  FLAG_XORSIGN_ABS = 1u << 9,
  FLAG_TO = 1u << 10,  // cvta.to
  FLAG_SYNC = 1u << 11,
  FLAG_ALIGNED = 1u << 12,
  FLAG_NOFTZ = 1u << 13,
  FLAG_NC = 1u << 14,
  FLAG_CACHE_HINT = 1u << 15,  // .L2::cache_hint: a 64-bit policy operand may follow
  FLAG_SHIFTAMT = 1u << 16,
  FLAG_CLAMP = 1u << 17,     // shf, bmsk, szext: .clamp; otherwise .wrap
  FLAG_WRAP = 1u << 19,      // shf, bmsk, szext: .wrap
  FLAG_ABS = 1u << 18,       // redux.abs
  FLAG_PLUS_ONE = 1u << 20,  // vmad.po
  FLAG_OOB = 1u << 21,       // fma.oob
  // Bulk copies; FLAG_SYNC is .mbarrier::complete_tx::bytes.
  FLAG_BYTE_MASK = 1u << 28,
  FLAG_BULK_GROUP = 1u << 29,
  FLAG_READ = 1u << 30,
  FLAG_MULTICAST = 1u << 31,
};

// The decoded name of an instruction. All instructions of a module with the same name share one
// Form, so a decoder chooses a handler once per form.
struct Form {
  Opcode op = Opcode::unsupported;
  uint8_t type_count = 0;
  std::array<Type, 4> types{};
  Rounding rounding = Rounding::none;
  Compare compare = Compare::none;
  Operation operation = Operation::none;
  MulMode mul = MulMode::none;
  Space space = Space::generic;
  Space space2 = Space::generic;  // asynchronous copies: the source's space
  Order order = Order::none;
  Scope scope = Scope::none;
  Mode mode = Mode::none;
  uint8_t vector = 1;      // 1, 2, 4 or 8 elements
  uint8_t dimensions = 0;  // of a tensor; the Geometry of texels
  uint32_t flags = 0;
  uint32_t index = 0;     // index in Module::forms
  MatrixForm matrix;      // of a matrix instruction
  std::string_view text;  // "add.rn.ftz.f32"

  bool has(Flag flag) const { return (flags & flag) != 0; }
  Geometry geometry() const { return static_cast<Geometry>(dimensions); }
};

enum class OperandKind : uint8_t {
  NONE,       // an optional operand that is absent
  SINK,       // `_`
  REG,        // index: register of the function
  IMMEDIATE,  // bits: value cut to the width of its slot; a float is stored as its bits
  SYMBOL,     // the address of variable `index` (see Scope of the symbol) plus bits
  FUNCTION,   // the address of, or a call to, Module::functions[index]
  MEMORY,     // [base + bits], see `base`
  SPECIAL,    // index: SpecialRegister, component 0-3; only in `mov`
  LABEL,      // index: instruction of the function
  VECTOR,     // count elements from Function::elements[index]: registers, immediates, sinks
  LIST,       // arguments of a call: count elements from Function::elements[index]
  PROTOTYPE,  // index: Function::prototypes
  TARGETS,    // index: Function::target_lists
};

// The base address of a memory operand.
enum class Base : uint8_t {
  ABSOLUTE,         // no base: `bits` is the address
  REG,              // index: a 32- or 64-bit register
  MODULE_VARIABLE,  // index: Module::variables; also for OperandKind::SYMBOL
  LOCAL_VARIABLE,   // index: Function::variables; also for OperandKind::SYMBOL
};

// The notation of an immediate.
enum class Literal : uint8_t { NONE, INTEGER, F32, F64 };

struct Operand {
  OperandKind kind = OperandKind::NONE;
  Base base = Base::ABSOLUTE;
  Literal literal = Literal::NONE;
  bool negated = false;   // `!%p`, or `-%r` of vmad
  uint8_t component = 0;  // of a special register
  uint8_t reserved = 0;
  uint16_t count = 0;
  uint32_t index = 0;
  uint64_t bits = 0;  // value, addend or byte offset (two's complement); a register's VideoSelector
};

inline constexpr uint32_t NONE = UINT32_MAX;

// The parts of a register that a video instruction selects: "%r1.h0", "%r2.b7654". The low bits
// have three bits per part, the last digit of the text first. A register without one has 0.
struct VideoSelector {
  uint32_t part_bytes = 0;  // 0: none; 1 of `.b`, 2 of `.h`
  uint32_t count = 0;
  uint32_t parts = 0;

  static VideoSelector of(const Operand& operand) {
    return {uint32_t(operand.bits >> 16 & 3), uint32_t(operand.bits >> 12 & 7),
            uint32_t(operand.bits & 0xfff)};
  }
  uint64_t packed() const { return uint64_t{part_bytes} << 16 | count << 12 | parts; }
  uint32_t part(uint32_t index) const { return parts >> 3 * index & 7; }
};

struct Instruction {
  const Form* form = nullptr;
  uint32_t guard = NONE;  // predicate register of `@p`
  bool guard_negated = false;
  uint8_t operand_count = 0;
  uint32_t first_operand = 0;  // in Function::operands
  uint32_t line = 0;           // of the PTX text, from 1; 0: the parser added it
  uint32_t text_offset = 0;
  uint32_t text_length = 0;
};

// clang-format off
#define PTX_SPECIAL_REGISTERS(SREG)                                                        \
  SREG(tid) SREG(ntid) SREG(laneid) SREG(warpid) SREG(nwarpid) SREG(ctaid) SREG(nctaid)    \
  SREG(smid) SREG(nsmid) SREG(gridid) SREG(is_explicit_cluster) SREG(clusterid)            \
  SREG(nclusterid) SREG(cluster_ctaid) SREG(cluster_nctaid) SREG(cluster_ctarank)          \
  SREG(cluster_nctarank) SREG(lanemask_eq) SREG(lanemask_le) SREG(lanemask_lt)             \
  SREG(lanemask_ge) SREG(lanemask_gt) SREG(clock) SREG(clock_hi) SREG(clock64)             \
  SREG(globaltimer) SREG(globaltimer_lo) SREG(globaltimer_hi) SREG(total_smem_size)        \
  SREG(aggr_smem_size) SREG(dynamic_smem_size) SREG(current_graph_exec)                    \
  SREG(reserved_smem_offset_begin) SREG(reserved_smem_offset_end)                          \
  SREG(reserved_smem_offset_cap) SREG(reserved_smem_offset_0) SREG(reserved_smem_offset_1)
// clang-format on

// NOLINTBEGIN(readability-identifier-naming)
// `%envreg0` to `%envreg31` and `%pm0` to `%pm7` follow as ranges: envreg0 + n, pm0 + n.
enum class SpecialRegister : uint32_t {
#define SREG(id) id,
  PTX_SPECIAL_REGISTERS(SREG)
#undef SREG
      envreg0,
  pm0 = envreg0 + 32,
  count = pm0 + 8
};

// NOLINTEND(readability-identifier-naming)

enum class Linkage : uint8_t { INTERNAL, VISIBLE, EXTERNAL, WEAK, COMMON };

// Bytes of an initialiser that depend on an address known only when the module is loaded. The value
// is ((address of the symbol + addend) & mask) >> shift, stored in `size` bytes at `offset`.
struct Relocation {
  uint64_t offset = 0;
  int64_t addend = 0;
  uint64_t mask = ~uint64_t{0};
  uint8_t shift = 0;
  uint8_t size = 8;
  bool is_generic = false;   // written generic(symbol)
  bool is_function = false;  // index is in Module::functions, otherwise in Module::variables
  uint32_t index = 0;
};

struct Variable {
  std::string_view name;
  Space space = Space::generic;
  Type type = Type::none;
  Linkage linkage = Linkage::INTERNAL;
  bool is_managed = false;
  bool is_unsized = false;   // `.extern .shared .b8 s[]` or a trailing `[]` parameter
  bool is_indexed = false;   // a module variable with an operand such as `x[2]`
  bool is_register = false;  // a `.reg` parameter of a function: its register is `reg`
  uint8_t vector = 1;        // `.v2`, `.v4` element
  uint32_t reg = NONE;
  uint32_t align = 1;
  uint64_t size = 0;    // bytes of all elements
  uint64_t offset = 0;  // in the parameter frame (.param) or the local frame (.local)
  std::vector<uint64_t> dimensions;
  std::vector<uint8_t> bytes;  // initial value; bytes missing up to `size` are zero
  std::vector<Relocation> relocations;
};

// The first bytes of a `.samplerref`. The modes are those of CUaddress_mode.
struct SamplerState {
  uint8_t modes[3] = {};
  uint8_t is_linear = 0;
  uint8_t force_unnormalized = 0;
  uint8_t reserved[3] = {};
};

// `.callprototype` or `.calltargets`: the arguments of an indirect call. Parameters have type,
// size, align and offset.
struct Prototype {
  std::string_view name;
  uint32_t function = NONE;  // of `.calltargets`: the function that has the parameters
  std::vector<Variable> returns;
  std::vector<Variable> inputs;
  bool is_noreturn = false;
};

struct RegisterRange {
  std::string_view name;  // "%r" of `%r<8>`, or the whole name
  uint32_t first = 0;
  uint32_t count = 1;
  bool is_numbered = false;
};

// A position in a source file; `file` is the number of a SourceFile.
struct SourcePosition {
  uint32_t file = 0;
  uint32_t line = 0;
  uint32_t column = 0;
};

// A `.loc`: the source line from this instruction on.
struct SourceLine : SourcePosition {
  uint32_t first_instruction = 0;
  SourcePosition inlined_at;        // the call that was inlined; line 0: none
  std::string_view inlined_symbol;  // the label in .debug_str of the function's name; "": none
  uint64_t inlined_offset = 0;      // bytes from the label to the name
};

struct Function {
  std::string_view name;
  bool is_entry = false;
  bool is_declaration = true;  // no body parsed
  bool is_noreturn = false;
  Linkage linkage = Linkage::INTERNAL;
  uint32_t alias_of = NONE;  // `.alias`: the function that this name refers to
  uint32_t line = 0;

  // Return parameters, input parameters, and the variables of the body, in this order.
  std::vector<Variable> variables;
  uint32_t return_count = 0;
  uint32_t input_count = 0;
  uint64_t param_bytes = 0;        // end of the last input parameter; a launch passes these bytes
  uint64_t param_frame_bytes = 0;  // with returns and the `.param` variables of the body
  uint64_t local_bytes = 0;        // `.local` variables of the body
  uint32_t local_align = 1;

  std::vector<Type> registers;  // type of every register; operands contain the index
  std::vector<RegisterRange> register_names;
  std::vector<Instruction> instructions;  // the last one is an unguarded ret, trap, exit or bra
  std::vector<Operand> operands;
  std::vector<Operand> elements;
  std::vector<Prototype> prototypes;
  std::vector<std::vector<uint32_t>> target_lists;
  std::vector<SourceLine> source_lines;

  std::array<uint32_t, 3> max_threads{};       // .maxntid; zeros: not set
  std::array<uint32_t, 3> required_threads{};  // .reqntid
  std::array<uint32_t, 3> required_cluster{};  // .reqnctapercluster
  uint32_t max_registers = 0;                  // .maxnreg
  uint32_t min_blocks = 0;                     // .minnctapersm
  uint32_t max_cluster = 0;                    // .maxclusterrank
  bool is_explicit_cluster = false;

  std::span<const Variable> returns() const { return {variables.data(), return_count}; }
  std::span<const Variable> inputs() const {
    return {variables.data() + return_count, input_count};
  }
  std::span<const Operand> operands_of(const Instruction& instruction) const {
    return {operands.data() + instruction.first_operand, instruction.operand_count};
  }
  std::span<const Operand> elements_of(const Operand& operand) const {
    return {elements.data() + operand.index, operand.count};
  }
};

struct SourceFile {
  uint32_t number = 0;
  std::string_view name;
};

// Owns the text; every string_view above points into it.
struct Module {
  std::string text;
  int version_major = 0, version_minor = 0;
  int target = 0;          // 90 of sm_90a
  char target_suffix = 0;  // 'a', 'f' or 0
  int address_size = 64;
  std::vector<SourceFile> files;
  std::vector<Variable> variables;
  std::deque<Function> functions;
  std::deque<Form> forms;

  Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  std::string_view text_of(const Instruction& instruction) const {
    return std::string_view(text).substr(instruction.text_offset, instruction.text_length);
  }
};

// Returns the `.loc` of an instruction; nullptr: none comes before it.
const SourceLine* source_line_of(const Function& function, size_t instruction);
// Returns the name that `.file` declares; "": the module has no such file.
std::string_view file_name(const Module& module, uint32_t number);

// Returns the bytes per value; 0 for a predicate.
unsigned size_of(Type type);
std::string_view name_of(Type type);
std::string_view name_of(Opcode op);
bool is_float(Type type);
bool is_signed(Type type);
// Returns true for .texref, .samplerref and .surfref.
inline bool is_opaque(Type type) { return type >= Type::texref && type < Type::count; }
// Returns true for integers of 2 and 4 bits, which no register has.
inline bool is_nibble(Type type) { return type >= Type::u2 && type <= Type::s4; }

// Returns a name such as "%r12", for messages.
std::string register_name(const Function& function, uint32_t index);

/*
The guarantees of verification to the executor:
- Every index is in range: registers, variables, functions, prototypes, target lists, operand and
  element ranges. A label is an instruction of the same function.
- operand_count equals the length of the opcode's pattern, and an absent '?' slot holds `none`. The
  slots therefore have fixed positions:

      setp     {p, q|none, a, b, c|none}
      shfl     {d, p|none, a, b, c, mask|none}
      vote     {d, a, mask|none}
      match    {d, p|none, a, mask}
      atom     {d|sink, memory, b, c|none, policy|none}
      ld       {d, memory, policy|none}
      st       {memory, b, policy|none}
      bar.sync {a, b|none}
      bar.red  {d, a, b|none, p}
      lop3     {d, p|none, a, b, c, lut, q|none}
      call     {function or reg, list of returns, list of inputs, prototype|targets|none}
      cvt      {d, a, b|none, c|none}
      cvt.pack {d, a, b, c|none}
      cp.async.bulk {to, from, size, mbarrier|none, blocks|none, policy|none, byte mask|none}
      min, max {d, a, b, c|none}
      mma      {D, A, B, C, metadata, selector}, the last two for sparse forms
      tex, tld4 {d, p|none, object, coordinates, sampler|none, level or dx|none, dy|none,
                offsets|none, depth|none}; destinations, coordinates and offsets are vectors
      suld     {d, object, coordinates}
      sust, sured  {object, coordinates, b}
      vadd ... vset4  {d, a, b, c|none}; registers have the selectors that the form permits
      wgmma.mma_async  {D, A, B, metadata|none, selector|none, scale of D,
                negation of A|none, of B|none, transposition of A|none, of B|none}

- A register operand has the width of its type; for ld, st and cvt it may be wider. Predicates
  appear only in predicate slots.
- An immediate is cut to the width and converted to the type of its slot.
- A fragment has the registers that registers_of requires, as a register or as a vector.
- A vector operand of a load or store has exactly Form::vector elements. A mov of a vector packs or
  unpacks exactly its type's width.
- A symbol operand appears only in mov, cvta, mapa, getctarank and call lists. A special register
  appears only in mov; other instructions use a register that the parser adds.
- A call to a named function has the declared numbers of returns and inputs. Each is a .param
  variable of at least the declared size, or a register or immediate of the declared width.
- The last instruction of a body is an unguarded ret, exit, trap or bra; a branch never leaves it.
*/

}  // namespace cucore::ptx
