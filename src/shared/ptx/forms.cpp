// SPDX-License-Identifier: Apache-2.0
// Decodes instruction names by the tables opcodes.inc and modifiers.inc. Runs once per distinct
// name of a module, so clarity matters more than speed.
#include "ptx/forms.hpp"

#include <algorithm>
#include <array>

#include "ptx/form_rules.hpp"
#include "ptx/type_sets.hpp"

namespace cucore::ptx {
namespace {

enum Group : uint64_t {
  GROUP_ROUNDING = 1u << 0,
  GROUP_FTZ = 1u << 1,
  GROUP_SAT = 1u << 2,
  GROUP_SATFINITE = 1u << 3,
  GROUP_RELU = 1u << 4,
  GROUP_SPACE = 1u << 5,
  GROUP_TO = 1u << 6,
  GROUP_COMPARE = 1u << 7,
  GROUP_OPERATION = 1u << 8,
  GROUP_MODE = 1u << 9,
  GROUP_CC = 1u << 10,
  GROUP_MUL = 1u << 11,
  GROUP_APPROX = 1u << 12,
  GROUP_FULL = 1u << 13,
  GROUP_NAN = 1u << 14,
  GROUP_XORSIGN = 1u << 15,
  GROUP_CLAMP = 1u << 16,
  GROUP_SHIFTAMT = 1u << 17,
  GROUP_ORDER = 1u << 18,
  GROUP_SCOPE = 1u << 19,
  GROUP_VECTOR = 1u << 20,
  GROUP_CACHE = 1u << 21,
  GROUP_NC = 1u << 22,
  GROUP_NOFTZ = 1u << 23,
  GROUP_UNI = 1u << 24,
  GROUP_ALIGNED = 1u << 25,
  GROUP_SYNC = 1u << 26,
  GROUP_ABS = 1u << 27,
  GROUP_BULK = 1u << 29,
  GROUP_MATRIX = 1u << 30,  // matrix.cpp decodes the name
  GROUP_WILD = 1u << 28,    // unknown modifiers are ignored
  GROUP_MAP = 1u << 31,
  GROUP_TEXTURE = uint64_t{1} << 32,
  GROUP_SURFACE = uint64_t{1} << 33,
  GROUP_QUERY = uint64_t{1} << 34,
  GROUP_VIDEO = uint64_t{1} << 35,
  GROUP_FENCE = uint64_t{1} << 36,
  GROUP_PREFETCH = uint64_t{1} << 37,
  GROUP_KIND = uint64_t{1} << 38,
  GROUP_MULTICAST = uint64_t{1} << 39,
  GROUP_CANCEL = uint64_t{1} << 40,
  GROUP_OOB = uint64_t{1} << 41,
};

constexpr Rule rule_of(std::string_view pattern) {
  struct Named {
    std::string_view name;
    Rule rule;
  };
  constexpr Named RULES[] = {{"MOV_RULE", Rule::MOV},        {"CVT_RULE", Rule::CVT},
                             {"CVT_PACK", Rule::CVT_PACK},   {"LOP3_RULE", Rule::LOP3},
                             {"ATOM_RULE", Rule::ATOM},      {"CALL_RULE", Rule::CALL},
                             {"BAR_RED", Rule::BAR_RED},     {"SHFL_RULE", Rule::SHFL},
                             {"VOTE_RULE", Rule::VOTE},      {"BULK_RULE", Rule::BULK},
                             {"TENSOR_RULE", Rule::TENSOR},  {"MAP_RULE", Rule::MAP},
                             {"WGMMA_RULE", Rule::WGMMA},    {"TEXTURE_RULE", Rule::TEXTURE},
                             {"SURFACE_RULE", Rule::SURFACE}};
  for (const Named& named : RULES)
    if (named.name == pattern) return named.rule;
  return Rule::PATTERN;
}

constexpr OpcodeSpec SPECS[] = {
    {"", Opcode::unsupported, 0, 0, 0, "", Rule::PATTERN},
#define PTX_OPCODE(id, name, groups, types, type_count, pattern, decoder) \
  {name, Opcode::id, groups, types, type_count, pattern, rule_of(pattern)},
#include "ptx/opcodes.inc"
#undef PTX_OPCODE
};

struct OpcodeName {
  std::string_view name;
  Opcode op;
};

template <typename Row, size_t N>
constexpr std::array<Row, N> sorted_by_name(std::array<Row, N> rows) {
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.name < b.name; });
  return rows;
}

constexpr auto OPCODE_NAMES = sorted_by_name(std::to_array<OpcodeName>({
#define PTX_OPCODE(id, name, groups, types, type_count, pattern, decoder) {name, Opcode::id},
#define PTX_OPCODE_ALIAS(id, name) {name, Opcode::id},
#include "ptx/opcodes.inc"
#undef PTX_OPCODE_ALIAS
#undef PTX_OPCODE
}));

struct TypeName {
  std::string_view name;
  Type type;
};

constexpr auto TYPE_NAMES = sorted_by_name(std::to_array<TypeName>({
#define PTX_TYPE(id, name, bytes) {name, Type::id},
    PTX_TYPES(PTX_TYPE)
#undef PTX_TYPE
}));

enum class Field : uint8_t {
  ROUNDING,
  COMPARE,
  OPERATION,
  MUL,
  SPACE,
  ORDER,
  SCOPE,
  MODE,
  VECTOR,
  DIMENSIONS,
  FLAGS,
  HINT
};

struct Modifier {
  std::string_view name;
  uint64_t group;
  Field field;
  uint32_t value;
};

constexpr auto MODIFIERS = sorted_by_name(std::to_array<Modifier>({
#define PTX_MODIFIER(name, group, field, value) {name, group, Field::field, value},
#include "ptx/modifiers.inc"
#undef PTX_MODIFIER
}));

template <typename Rows>
constexpr auto find_row(const Rows& rows, std::string_view name) {
  return std::lower_bound(rows.begin(), rows.end(), name,
                          [](const auto& row, std::string_view key) { return row.name < key; });
}

const Opcode* find_opcode(std::string_view name) {
  auto row = find_row(OPCODE_NAMES, name);
  return row != OPCODE_NAMES.end() && row->name == name ? &row->op : nullptr;
}

const Modifier* find_modifier(std::string_view name, uint64_t groups) {
  for (auto row = find_row(MODIFIERS, name); row != MODIFIERS.end() && row->name == name; ++row)
    if (row->group & groups) return &*row;
  return nullptr;
}

// Looks up the longest prefix at a part's end: "cp.async.wait_all" whole, then shorter ones.
const Opcode* longest_opcode(std::string_view text, size_t& length) {
  for (length = text.size();; length = text.rfind('.', length - 1)) {
    if (length == std::string_view::npos || length == 0) return nullptr;
    if (const Opcode* op = find_opcode(text.substr(0, length))) return op;
    if (text.find('.') >= length) return nullptr;
  }
}

template <typename Enum>
bool set_once(Enum& field, uint32_t value) {
  if (field != Enum{}) return false;
  field = static_cast<Enum>(value);
  return true;
}

bool set_space(Form& form, uint32_t value) {
  if (form.space == Space::generic) return set_once(form.space, value);
  return has_two_spaces(form.op) && set_once(form.space2, value);
}

// An access of .mmio is a relaxed one, or an asynchronous release, and names both.
bool set_order(Form& form, uint32_t value) {
  const bool is_async = form.op == Opcode::st_async || form.op == Opcode::red_async;
  if (form.order == Order::mmio &&
      static_cast<Order>(value) == (is_async ? Order::release : Order::relaxed))
    form.order = Order::none;
  return set_once(form.order, value);
}

bool set_vector(Form& form, uint32_t value) {
  bool first = form.vector == 1;
  form.vector = static_cast<uint8_t>(value);
  return first;
}

bool apply(Form& form, const Modifier& modifier) {
  switch (modifier.field) {
    case Field::ROUNDING:
      return set_once(form.rounding, modifier.value);
    case Field::COMPARE:
      return set_once(form.compare, modifier.value);
    case Field::OPERATION:
      return set_once(form.operation, modifier.value);
    case Field::MUL:
      return set_once(form.mul, modifier.value);
    case Field::SPACE:
      return set_space(form, modifier.value);
    case Field::ORDER:
      return set_order(form, modifier.value);
    case Field::SCOPE:
      return set_once(form.scope, modifier.value);
    case Field::MODE:
      return set_once(form.mode, modifier.value);
    case Field::VECTOR:
      return set_vector(form, modifier.value);
    case Field::DIMENSIONS:
      return set_once(form.dimensions, modifier.value);
    case Field::FLAGS:
      form.flags |= modifier.value;
      return true;
    case Field::HINT:
      return true;
  }
  return false;
}

// Sums may name the type of narrower operands.
uint8_t most_types(const OpcodeSpec& spec) {
  const bool sums = spec.op == Opcode::add || spec.op == Opcode::sub || spec.op == Opcode::fma;
  return sums ? 2 : spec.type_count;
}

bool apply_part(Form& form, const OpcodeSpec& spec, std::string_view part) {
  if (const Modifier* modifier = find_modifier(part, spec.groups)) return apply(form, *modifier);
  Type type = find_type(part);
  if (type == Type::none || form.type_count == most_types(spec))
    return (spec.groups & GROUP_WILD) != 0;
  form.types[form.type_count++] = type;
  return true;
}

bool apply_parts(Form& form, const OpcodeSpec& spec, std::string_view parts) {
  while (!parts.empty()) {
    parts.remove_prefix(1);  // the dot
    size_t end = std::min(parts.find('.'), parts.size());
    if (!apply_part(form, spec, parts.substr(0, end))) return false;
    parts.remove_prefix(end);
  }
  return true;
}

}  // namespace

bool is_video(Opcode op) { return op >= Opcode::vadd && op <= Opcode::vset4; }

bool has_two_spaces(Opcode op) {
  return op == Opcode::cp_async || op == Opcode::cp_async_bulk ||
         op == Opcode::cp_reduce_async_bulk || op == Opcode::cp_async_bulk_tensor ||
         op == Opcode::cp_reduce_async_bulk_tensor || op == Opcode::tensormap_cp_fenceproxy;
}

const OpcodeSpec& spec_of(Opcode op) { return SPECS[static_cast<size_t>(op)]; }

std::string_view name_of(Opcode op) {
  return op == Opcode::unsupported ? "unsupported" : spec_of(op).name;
}

Type find_type(std::string_view name) {
  auto row = find_row(TYPE_NAMES, name);
  return row != TYPE_NAMES.end() && row->name == name ? row->type : Type::none;
}

Form decode_form(std::string_view text) {
  Form unsupported;
  unsupported.text = text;
  size_t length = 0;
  const Opcode* op = longest_opcode(text, length);
  if (op == nullptr) return unsupported;
  Form form = unsupported;
  form.op = *op;
  const OpcodeSpec& spec = spec_of(*op);
  text.remove_prefix(length);
  bool ok = spec.groups & GROUP_MATRIX ? decode_matrix(form, text)
                                       : apply_parts(form, spec, text) && is_consistent(form, spec);
  return ok ? form : unsupported;
}

bool is_destination(const Form& form, size_t slot) {
  switch (form.op) {
    case Opcode::mov:
    case Opcode::cvt:
    case Opcode::cvt_pack:
    case Opcode::atom:
    case Opcode::bar_red:
    case Opcode::vote:
    case Opcode::suld_b:
    case Opcode::wmma_load_a:
    case Opcode::wmma_load_b:
    case Opcode::wmma_load_c:
    case Opcode::wgmma_mma_async:
    case Opcode::wgmma_mma_async_sp:
      return slot == 0;
    case Opcode::lop3:
    case Opcode::shfl:
    case Opcode::tex:
    case Opcode::tex_base:
    case Opcode::tex_level:
    case Opcode::tex_grad:
    case Opcode::tld4:
      return slot <= 1;
    case Opcode::call:
      return slot == 1;
    case Opcode::unsupported:
      return false;
    default:
      break;
  }
  // The letters of opcodes.inc for destinations.
  size_t at = 0;
  for (const char letter : spec_of(form.op).pattern) {
    if (letter == '?') continue;
    if (at++ == slot) return std::string_view("drRSDwPqv1").find(letter) != std::string_view::npos;
  }
  return false;
}

}  // namespace cucore::ptx
