// SPDX-License-Identifier: Apache-2.0
#include "array/text/formula.hpp"

#include <array>

#include "support/concat.hpp"

namespace cucore::array {
namespace {

// How tightly an operator binds; an operand that binds less is put into brackets.
enum Binding : int { CHOICE, COMPARE, BITS, SUM, TERM, PREFIX, CALL };

struct Operator {
  std::string_view name, sign;
  Binding binding;
};
constexpr Operator OPERATORS[] = {
    {"add", "+", SUM},          {"subtract", "-", SUM},        {"multiply", "*", TERM},
    {"divide", "/", TERM},      {"floor_divide", "//", TERM},  {"remainder", "%", TERM},
    {"equal", "==", COMPARE},   {"not_equal", "!=", COMPARE},  {"less", "<", COMPARE},
    {"greater", ">", COMPARE},  {"less_equal", "<=", COMPARE}, {"greater_equal", ">=", COMPARE},
    {"bitwise_and", "&", BITS}, {"bitwise_or", "|", BITS},     {"bitwise_xor", "^", BITS},
};
constexpr std::string_view REDUCTIONS[] = {"sum",    "prod", "min", "max",   "argmin",
                                           "argmax", "any",  "all", "moment"};

struct Text {
  std::string text;
  Binding binding = CALL;
};

std::string in_brackets(const Text& text, Binding least) {
  return text.binding < least ? concat("(", text.text, ")") : text.text;
}

class Formulas {
 public:
  Formulas(const Kernel& kernel, Names& names) : kernel_(kernel), names_(names) {
    uses_.resize(kernel.nodes.size());
    for (const Node& node : kernel.nodes)
      for (const uint16_t argument : node.arguments) ++uses_[argument];
    for (const Store& store : kernel.stores) ++uses_[store.node];
    known_.resize(kernel.nodes.size());
  }

  std::vector<std::string> lines() {
    for (const Store& store : kernel_.stores) {
      const std::string value = text_of(store.node).text;
      lines_.push_back(concat(target(store), " = ", value));
      known_[store.node] = {name_of_output(store), CALL};
    }
    return std::move(lines_);
  }

 private:
  std::string name_of_output(const Store& store) {
    const Value& value = *kernel_.outputs[store.slot];
    return value.cells() > 0 ? names_.of(value) : names_.of_temporary(value);
  }

  // A write shows that it changes elements of what exists.
  std::string target(const Store& store) {
    const Value& value = *kernel_.outputs[store.slot];
    const std::string name = name_of_output(store);
    if (value.kind != ValueKind::UPDATE) return name;
    std::string indices;
    for (const uint16_t argument : store.arguments)
      indices += concat(indices.empty() ? "" : ", ", text_of(argument).text);
    return concat(name, "[", indices.empty() ? "..." : indices, "]");
  }

  static bool is_computed(const Node& node) {
    return node.kind == NodeKind::MAP || node.kind == NodeKind::PART ||
           node.kind == NodeKind::REDUCED || reads_anywhere(node);
  }

  // A computed node that several others need gets a line of its own.
  const Text& text_of(uint16_t number) {
    Text& known = known_[number];
    if (!known.text.empty()) return known;
    const Node& node = kernel_.nodes[number];
    Text text = new_text(node);
    if (uses_[number] > 1 && is_computed(node) && !is_stored(number)) {
      const std::string name = concat("s", ++shared_);
      lines_.push_back(concat(name, " = ", text.text));
      text = {name, CALL};
    }
    known_[number] = std::move(text);
    return known_[number];
  }

  bool is_stored(uint16_t number) const {
    for (const Store& store : kernel_.stores)
      if (store.node == number) return true;
    return false;
  }

  std::string list(const Node& node, size_t first = 0) {
    std::string text;
    for (size_t at = first; at < node.arguments.size(); ++at)
      text += concat(text.empty() ? "" : ", ", text_of(node.arguments[at]).text);
    return text;
  }

  Text new_text(const Node& node) {
    switch (node.kind) {
      case NodeKind::LOAD:
        return {loaded_text(node)};
      case NodeKind::POSITION:
        return {"position"};
      case NodeKind::CONSTANT:
        return {number_text(kernel_.constants[node.slot])};
      case NodeKind::PART:
        return {concat(node.part == Part::REAL ? "real(" : "imag(", list(node), ")")};
      case NodeKind::GATHER:
        return {concat(names_.of(*kernel_.inputs[node.slot]), "[", list(node), "]")};
      case NodeKind::SEARCH:
        return {
            concat("searchsorted(", names_.of(*kernel_.inputs[node.slot]), ", ", list(node), ")")};
      case NodeKind::REDUCED:
        return {
            concat(REDUCTIONS[size_t(node.reduction)], "(", text_of(node.arguments[0]).text, ")")};
      case NodeKind::SCANNED:
        return {concat("cumulative_", REDUCTIONS[size_t(node.reduction)], "(", list(node), ")")};
      case NodeKind::SORTED:
        return {concat(node.sort.positions ? "argsort(" : "sort(", list(node), ")")};
      case NodeKind::PRODUCT: {
        const std::string left = argument(node, 0, TERM);
        return {concat(left, " @ ", argument(node, 1, PREFIX)), TERM};
      }
      case NodeKind::MAP:
        break;
    }
    return operation(node);
  }

  std::string loaded_text(const Node& node) {
    const Value& value = *kernel_.inputs[node.slot];
    const std::string name = names_.of(value);
    const View& view = node.access.outer;
    const char* part = node.part == Part::WHOLE ? "" : node.part == Part::REAL ? ".real" : ".imag";
    bool repeats = false;
    for (size_t axis = 0; axis < view.ndim(); ++axis)
      repeats |= view.strides[axis] == 0 && view.shape[axis] > 1;
    if (repeats || is_identity(view, value.count)) return concat(name, part);
    return concat(name, "[view]", part);
  }

  Text operation(const Node& node) {
    const MapDetail& map = *node.map;
    if (!map.op) return converted_text(node);
    if (map.op->name == "negative") return {concat("-", argument(node, 0, PREFIX)), PREFIX};
    for (const Operator& row : OPERATORS) {
      if (row.name != map.op->name) continue;
      const std::string left = argument(node, 0, row.binding);  // its names come first
      const std::string right = argument(node, 1, static_cast<Binding>(row.binding + 1));
      return {concat(left, " ", row.sign, " ", right), row.binding};
    }
    std::string text = concat(map.op->name, "(", list(node), ")");
    if (map.op->outputs > 1) text += concat("[", int{map.output}, "]");
    return {std::move(text)};
  }

  // A copy has the type of what it copies.
  Text converted_text(const Node& node) {
    if (kernel_.nodes[node.arguments[0]].dtype == node.dtype) return text_of(node.arguments[0]);
    return {concat(short_name(node.dtype), "(", list(node), ")")};
  }

  std::string argument(const Node& node, size_t at, Binding least) {
    return in_brackets(text_of(node.arguments[at]), least);
  }

  const Kernel& kernel_;
  Names& names_;
  std::vector<uint32_t> uses_;
  std::vector<Text> known_;
  std::vector<std::string> lines_;
  size_t shared_ = 0;
};

}  // namespace

std::string short_name(Dtype dtype) {
  static constexpr std::array<std::string_view, DTYPE_COUNT> NAMES = {
      "",    "bool", "i8",  "i16",  "i32", "i64", "u8",  "u16",
      "u32", "u64",  "f16", "bf16", "f32", "f64", "c64", "c128"};
  return std::string(NAMES[static_cast<size_t>(dtype)]);
}

std::string number_text(const Constant& constant) {
  const Kind kind = kind_of(constant.dtype);
  if (kind == Kind::BOOL) return constant.integer ? "true" : "false";
  if (kind == Kind::UNSIGNED) return concat(static_cast<uint64_t>(constant.integer));
  if (!is_inexact(kind)) return concat(constant.integer);
  if (kind != Kind::COMPLEX) return concat(constant.real);
  return concat("(", constant.real, constant.imag < 0 ? "" : "+", constant.imag, "j)");
}

std::vector<std::string> formulas_of(const Kernel& kernel, Names& names) {
  return Formulas(kernel, names).lines();
}

}  // namespace cucore::array
