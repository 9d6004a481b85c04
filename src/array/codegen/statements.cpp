// SPDX-License-Identifier: Apache-2.0
#include "array/codegen/statements.hpp"

#include <array>

#include "array/codegen/expression.hpp"
#include "array/codegen/texts.hpp"
#include "support/concat.hpp"

namespace cucore::array {
namespace {

bool is_half(Dtype dtype) { return dtype == Dtype::FLOAT16 || dtype == Dtype::BFLOAT16; }

bool is_exact_in_f32(Dtype dtype) { return dtype == Dtype::FLOAT32 || size_of(dtype) < 4; }

constexpr std::string_view NAMES = "xyz";

// "const f32 x = f32(n3);" for each operand
std::string operands_text(const Kernel& kernel, const Node& node) {
  std::string text;
  for (size_t at = 0; at < node.arguments.size(); ++at) {
    const Dtype from = kernel.nodes[node.arguments[at]].dtype, to = node.map->types.operands[at];
    text += concat(" const ", compute_type(to), " ", NAMES.substr(at, 1), " = ",
                   converted(from, to, variable(node.arguments[at])), ";");
  }
  return text;
}

std::string operation(const MapDetail& map, Dtype dtype) {
  const std::string_view suffix = dtype == Dtype::FLOAT16 ? "f16" : "bf16";
  if (map.op->name == "fma" && is_half(dtype)) return concat("half::fma_", suffix, "(x, y, z)");
  if (map.op->name != "nextafter" || !is_half(dtype))
    return expression_text(*map.op, map.expression, dtype);
  return concat("half::next(x, y, half::to_", suffix, ", half::from_", suffix, ")");
}

std::string map_statement(const Kernel& kernel, size_t number) {
  const Node& node = kernel.nodes[number];
  const MapDetail& map = *node.map;
  const std::string declared = concat(compute_type(node.dtype), " ", variable(number));
  if (!map.op) {
    const uint16_t argument = node.arguments[0];
    return concat("const ", declared, " = ",
                  converted(kernel.nodes[argument].dtype, node.dtype, variable(argument)), ";\n");
  }
  const Dtype main = map.types.operands[map.op->rule == Rule::WHERE ? 1 : 0];
  const std::string_view type = compute_type(main), result = compute_type(map.types.results[0]);
  std::string text = concat(declared, "; { typedef ", type, " T; typedef ", unsigned_type(type),
                            " U;", operands_text(kernel, node));
  for (size_t at = 0; at < map.parameters.size(); ++at)
    text += concat(" const T s", at, " = p.m", number, "_", at, ";");
  const std::string computed = concat(result, "(", operation(map, main), ")");
  if (map.op->outputs > 1)
    text += concat(" ", compute_type(map.types.results[1]), " second; const ", result,
                   " first = ", computed, ";");
  const std::string value = map.op->outputs == 1 ? computed : map.output == 0 ? "first" : "second";
  return text + concat(" ", variable(number), " = ", rounded_text(node.dtype, value), "; }\n");
}

void add_constant(Fields& fields, const Constant& constant, const std::string& name) {
  std::array<std::byte, 16> bytes{};
  const size_t size = encode(constant, constant.dtype, bytes.data());
  fields.put(compute_type(constant.dtype), name, bytes.data(), size);
}

void add_constants(Fields& fields, const Kernel& kernel) {
  for (size_t at = 0; at < kernel.constants.size(); ++at)
    add_constant(fields, kernel.constants[at], fields.declares() ? concat("c", at) : std::string());
  for (size_t at = 0; at < kernel.nodes.size(); ++at) {
    if (kernel.nodes[at].kind != NodeKind::MAP) continue;
    const std::vector<Constant>& parameters = kernel.nodes[at].map->parameters;
    for (size_t each = 0; each < parameters.size(); ++each)
      add_constant(fields, parameters[each],
                   fields.declares() ? concat("m", at, "_", each) : std::string());
  }
}

// The sizes and steps of indices: "g3_0" and "h3_0".
struct IndexNames {
  std::string_view size, step;
};
constexpr IndexNames OF_NODE = {"g", "h"}, OF_STORE = {"t", "j"};

void add_indices(Fields& fields, const IndexNames& names, size_t number,
                 const std::vector<IndexDetail>& indices, Part part) {
  for (size_t each = 0; each < indices.size(); ++each) {
    fields.add("i64", names.size, number, each, indices[each].size);
    fields.add("i64", names.step, number, each,
               indices[each].stride * (part == Part::WHOLE ? 1 : 2));
  }
}

std::string index_steps(const IndexNames& names, size_t number, const std::string& position,
                        const std::vector<uint16_t>& arguments,
                        const std::vector<IndexDetail>& indices, size_t report,
                        std::string_view in) {
  std::string text;
  for (size_t each = 0; each < arguments.size(); ++each)
    text += concat("  ", position, " += index(i64(", variable(arguments[each]), "), p.", names.size,
                   number, "_", each, ", p.", names.step, number, "_", each, ", ", in,
                   ", p.status, ", report, ", ", int{indices[each].axis}, ");\n");
  return text;
}

}  // namespace

std::string_view unsigned_type(std::string_view type) noexcept {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> PAIRS = {
      {{"i8", "u8"}, {"i16", "u16"}, {"i32", "u32"}, {"i64", "u64"}}};
  for (const auto& [name, other] : PAIRS)
    if (name == type) return other;
  return type;
}

std::string rounded_text(Dtype dtype, std::string_view text) {
  if (dtype == Dtype::FLOAT16) return concat("half::round_f16(", text, ")");
  if (dtype == Dtype::BFLOAT16) return concat("half::round_bf16(", text, ")");
  return std::string(text);
}

std::string_view storage_type(Dtype dtype) noexcept {
  if (dtype == Dtype::BOOL) return "u8";
  return is_half(dtype) ? "u16" : compute_type(dtype);
}

std::string loaded(Dtype dtype, std::string_view stored) {
  if (dtype == Dtype::BOOL) return concat("(", stored, " != 0)");
  if (dtype == Dtype::FLOAT16) return concat("half::from_f16(", stored, ")");
  if (dtype == Dtype::BFLOAT16) return concat("half::from_bf16(", stored, ")");
  return std::string(stored);
}

std::string stored(Dtype dtype, std::string_view computed) {
  if (dtype == Dtype::BOOL) return concat("u8(", computed, ")");
  if (dtype == Dtype::FLOAT16) return concat("half::to_f16(", computed, ")");
  if (dtype == Dtype::BFLOAT16) return concat("half::to_bf16(", computed, ")");
  return std::string(computed);
}

std::string converted(Dtype from, Dtype to, std::string_view computed) {
  if (from == to) return std::string(computed);
  if (to == Dtype::BOOL) return concat("truth(", computed, ")");
  const bool parts = kind_of(from) == Kind::COMPLEX && kind_of(to) != Kind::COMPLEX;
  const std::string value = parts ? concat(computed, ".re") : std::string(computed);
  if (to == Dtype::FLOAT16 && real_of(from) == Dtype::FLOAT64)
    return concat("half::round_f16(", value, ")");
  if (to == Dtype::BFLOAT16 && !is_exact_in_f32(real_of(from)))
    return concat("half::round_bf16(half::odd(", value, "))");
  return rounded_text(to, concat(compute_type(to), "(", value, ")"));
}

std::string variable(size_t node) { return concat("n", node); }

std::string statement(const Kernel& kernel, size_t number) {
  const Node& node = kernel.nodes[number];
  if (node.kind == NodeKind::MAP) return map_statement(kernel, number);
  return concat("const ", compute_type(node.dtype), " ", variable(number), " = ",
                variable(node.arguments[0]), node.part == Part::REAL ? ".re" : ".im", ";\n");
}

void add_number(Fields& fields, bool wide, std::string_view name, int64_t value) {
  if (wide)
    fields.add("i64", name, value);
  else
    fields.add("i32", name, static_cast<int32_t>(value));
}

void add_access(Fields& fields, const Form& form, std::string_view name, const AccessForm& shape,
                const Access& access, Part part, Dtype dtype, uint64_t memory) {
  const auto field = [&](std::string_view suffix) {
    return fields.declares() ? concat(name, suffix) : std::string();
  };
  if (memory != 0) fields.add("u64", field(""), address_of(memory, access, part, dtype));
  if (memory == 0 || access.inner) add_number(fields, form.wide, field("_o"), access.outer.offset);
  const Part outer_part = access.inner ? Part::WHOLE : part;
  for (size_t axis = 0; axis < access.outer.ndim(); ++axis)
    if (shape.moves >> axis & 1)
      add_number(fields, form.wide, field(concat("_", axis)),
                 stride_of(access.outer, axis, outer_part));
  if (shape.along == Along::STRIDED || shape.along == Along::TURNED)
    add_number(fields, form.wide, field("_l"), stride_of(access.outer, form.along, outer_part));
  if (!access.inner) return;
  if (memory == 0) add_number(fields, form.wide, field("_i"), access.inner->offset);
  for (size_t axis = 0; axis < access.inner->ndim(); ++axis) {
    add_number(fields, form.wide, field(concat("_s", axis)), stride_of(*access.inner, axis, part));
    if (axis > 0)
      add_divisor(fields, form.wide, field(concat("_d", axis)), access.inner->shape[axis]);
  }
}

void add_nodes(Fields& fields, const Kernel& kernel, const Form& form, const Addresses& addresses) {
  const auto name = [&](const std::string& text) {
    return fields.declares() ? text : std::string();
  };
  for (size_t at = 0; at < kernel.nodes.size(); ++at) {
    const Node& node = kernel.nodes[at];
    const bool memory = node.kind == NodeKind::LOAD || reads_anywhere(node);
    if (!memory && node.kind != NodeKind::POSITION) continue;
    add_access(fields, form, name(access_name(at)), form.nodes[at], node.access, node.part,
               read_dtype(kernel, node), memory ? addresses.inputs[node.slot] : 0);
    if (reads_anywhere(node)) add_indices(fields, OF_NODE, at, *node.indices, node.part);
  }
  for (size_t at = 0; at < kernel.stores.size(); ++at) {
    const Store& store = kernel.stores[at];
    add_access(fields, form, name(store_name(at)), form.stores[at], store.access, store.part,
               kernel.nodes[store.node].dtype, addresses.outputs[store.slot]);
    if (store.indices) add_indices(fields, OF_STORE, at, *store.indices, store.part);
  }
  add_constants(fields, kernel);
  fields.add("u64", "status", addresses.status);
}

std::string access_name(size_t node) { return concat("a", node); }
std::string store_name(size_t store) { return concat("w", store); }
std::string digit_name(size_t axis) { return concat("d", axis); }

Dtype read_dtype(const Kernel& kernel, const Node& node) noexcept {
  return node.kind == NodeKind::SEARCH ? kernel.nodes[node.arguments[0]].dtype : node.dtype;
}

namespace {

// A binary search. Elements that do not exist search too, without an effect.
std::string searched(const Kernel& kernel, size_t number, const std::string& start) {
  const Node& node = kernel.nodes[number];
  const Dtype dtype = read_dtype(kernel, node);
  const std::string_view type = compute_type(dtype);
  const std::string sought = variable(node.arguments[0]);
  const std::string order =
      concat(kind_of(dtype) == Kind::COMPLEX ? "AscendingPair<" : "Ascending<", type, ">::less(");
  const std::string after =
      node.sort.right ? concat("!", order, sought, ", e)") : concat(order, "e, ", sought, ")");
  return concat("  i64 ", variable(number), " = 0; { const i64 b = ", start, "; i64 high = p.g",
                number, "_0; while (", variable(number), " < high) { const i64 m = (",
                variable(number), " + high) / 2; const ", type, " e = ",
                loaded(dtype, concat("((const ", storage_type(dtype), "*)p.", access_name(number),
                                     ")[b + m * p.h", number, "_0]")),
                "; if (", after, ") ", variable(number), " = m + 1; else high = m; } }\n");
}

}  // namespace

std::string gathered(const Kernel& kernel, size_t number, const std::string& start,
                     std::string_view in) {
  const Node& node = kernel.nodes[number];
  if (node.kind == NodeKind::SEARCH) return searched(kernel, number, start);
  const std::string_view type = storage_type(node.dtype);
  std::string text = concat("  i64 g", number, " = ", start, ";\n");
  text += index_steps(OF_NODE, number, concat("g", number), node.arguments, *node.indices,
                      report_of_node(kernel, number), in);
  const std::string element = concat("(", in, " ? ((const ", type, "*)p.", access_name(number),
                                     ")[g", number, "] : ", type, "(0))");
  return text + concat("  const ", compute_type(node.dtype), " ", variable(number), " = ",
                       loaded(node.dtype, element), ";\n");
}

std::string indexed_position(const Kernel& kernel, size_t number, const std::string& start,
                             std::string_view in) {
  const Store& store = kernel.stores[number];
  return concat("  i64 x", number, " = ", start, ";\n") +
         index_steps(OF_STORE, number, concat("x", number), store.arguments, *store.indices,
                     report_of_store(kernel, number), in);
}

std::string along(std::string_view name, const AccessForm& form, std::string_view index) {
  if (form.along == Along::STILL) return {};
  if (form.along == Along::STRIDED || form.along == Along::TURNED)
    return concat(" + ", index, " * p.", name, "_l");
  return concat(" + ", index);
}

std::string position(std::string_view name, const AccessForm& form, size_t axes,
                     const std::function<std::string(size_t)>& digit) {
  std::string text;
  for (size_t axis = 0; axis < axes; ++axis)
    if (form.moves >> axis & 1)
      text += concat(text.empty() ? "" : " + ", digit(axis), " * p.", name, "_", axis);
  return text.empty() ? "I(0)" : text;
}

std::string divided(std::string_view name, const AccessForm& form, std::string_view position) {
  std::string text = concat("([&] { I q = ", position, " + p.", name, "_o, at = 0;");
  for (size_t axis = form.inner; axis-- > 1;)
    text += concat(" { const I t = div(q, p.", name, "_d", axis, "); at += (q - t * size(p.", name,
                   "_d", axis, ")) * p.", name, "_s", axis, "; q = t; }");
  return text + concat(" return at + q * p.", name, "_s0; }())");
}

Divisor divisor_of(int64_t divisor) noexcept {
  const auto d = static_cast<uint32_t>(divisor);
  uint32_t shift = 0;
  while ((uint64_t{1} << shift) < d) ++shift;
  const uint64_t multiplier = ((uint64_t{1} << 32) * ((uint64_t{1} << shift) - d)) / d + 1;
  return {static_cast<uint32_t>(multiplier), shift, d};
}

void add_divisor(Fields& fields, bool wide, std::string_view name, int64_t divisor) {
  if (wide) return fields.add("i64", name, divisor);
  if (fields.declares()) return fields.add("Divisor", name, 0);
  const Divisor parts = divisor_of(divisor);
  fields.put("", "", &parts, sizeof parts);
}

std::string with_device_texts(const std::string& body) {
  const auto has = [&](std::string_view mark) { return body.find(mark) != std::string::npos; };
  const bool complex = has("c64") || has("c128") || has("cx::");
  const bool reals = has("reals::");
  std::string text(device_text("types"));
  text += device_text("index");
  if (has("half::")) text += device_text("half");
  if (complex || reals) text += device_text("math");
  if (has("ints::")) text += device_text("ints");
  if (reals) text += device_text("reals");
  if (complex) text += device_text("complex");
  if (has("::join") || has("Words<") || has("multiply_tiles")) text += device_text("reduce");
  if (has("is_last")) text += device_text("partial");
  if (has("philox::")) text += device_text("random");
  if (has("multiply_tiles")) text += device_text("matmul");
  if (has("count_digits")) text += device_text("radix");
  if (has("scending")) text += device_text("sort");
  return text + body;
}

}  // namespace cucore::array
