// SPDX-License-Identifier: Apache-2.0
#include "array/text/graph.hpp"

#include <map>
#include <vector>

#include "array/model/transforms.hpp"
#include "array/text/formula.hpp"
#include "array/text/names.hpp"
#include "support/concat.hpp"

namespace cucore::array {
namespace {

std::string_view kind_text(const Value& value) {
  switch (value.kind) {
    case ValueKind::STORED:
      return "stored";
    case ValueKind::EMPTY:
      return "empty";
    case ValueKind::POSITION:
      return "position";
    case ValueKind::MAP:
      return value.map.op ? value.map.op->name : "copy";
    case ValueKind::GATHER:
      return "gather";
    case ValueKind::REDUCE:
      return "reduce";
    case ValueKind::SEARCH:
      return "searchsorted";
    case ValueKind::SORT:
      return value.sort.positions ? "argsort" : "sort";
    case ValueKind::MATMUL:
      return "matmul";
    case ValueKind::SCAN:
      return "scan";
    case ValueKind::UPDATE:
      return "write";
  }
  return "";
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    if (letter == '\n')
      result += "\\n";
    else if (letter == '\r')
      result += "\\r";
    else
      result += letter;
  }
  return result;
}

class Drawing {
 public:
  explicit Drawing(std::span<Value* const> results) : names_(results) {
    for (Value* result : results) add(*result);
  }

  std::string text() {
    std::string lines = "digraph arrays {\n  node [shape=box];\n";
    for (size_t at = 0; at < values_.size(); ++at) draw(*values_[at], at, &lines);
    return lines + "}\n";
  }

 private:
  // Breadth first, with the list itself as the queue.
  void add(const Value& root) {
    number_of(root);
    for (size_t at = 0; at < values_.size(); ++at) {
      if (!values_[at]->is_pending()) continue;
      for (const Operand& operand : values_[at]->operands())
        if (operand.value) number_of(*operand.value);
    }
  }

  size_t number_of(const Value& value) {
    const auto [at, is_new] = numbers_.try_emplace(&value, values_.size());
    if (is_new) values_.push_back(&value);
    return at->second;
  }

  void draw(const Value& value, size_t number, std::string* lines) {
    const std::string name =
        value.cells() > 0 || !value.is_pending() ? concat(escaped(names_.of(value)), " = ") : "";
    *lines +=
        concat("  v", number, " [label=\"", name, kind_text(value), "\\n", short_name(value.dtype),
               shape_text(std::span(value.shape.begin(), value.shape.end())),
               value.is_pending() ? "\"];\n" : "\", style=filled];\n");
    if (!value.is_pending()) return;
    for (size_t at = 0; at < value.operands().size(); ++at) {
      const Operand& operand = value.operands()[at];
      if (operand.value) {
        *lines += concat("  v", number_of(*operand.value), " -> v", number, ";\n");
        continue;
      }
      *lines += concat("  v", number, "_", at, " [label=\"", number_text(operand.constant),
                       "\", shape=plaintext];\n  v", number, "_", at, " -> v", number, ";\n");
    }
  }

  Names names_;
  std::map<const Value*, size_t> numbers_;
  std::vector<const Value*> values_;
};

}  // namespace

std::string graph_text(std::span<Value* const> results) { return Drawing(results).text(); }

}  // namespace cucore::array
