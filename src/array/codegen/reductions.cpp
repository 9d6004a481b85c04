// SPDX-License-Identifier: Apache-2.0
#include "array/codegen/reductions.hpp"

#include <algorithm>

#include "array/codegen/expression.hpp"
#include "array/codegen/statements.hpp"
#include "array/ops/rules.hpp"
#include "support/concat.hpp"

namespace cucore::array {
namespace {

int64_t power_of_two(int64_t least) {
  int64_t power = 1;
  while (power < least) power *= 2;
  return power;
}

struct Join {
  Reduction reduction;
  std::string_view op;                             // of the table
  std::string_view integer, real, complex, truth;  // neutral elements by kinds
};

constexpr Join JOINS[] = {
    {Reduction::SUM, "add", "T(0)", "-T(0)", "T(-0.0f, -0.0f)", "false"},
    {Reduction::PROD, "multiply", "T(1)", "T(1)", "T(1)", "true"},
    {Reduction::MIN, "minimum", "", "T(INFINITY)", "T(INFINITY, INFINITY)", "true"},
    {Reduction::MAX, "maximum", "", "-T(INFINITY)", "T(-INFINITY, -INFINITY)", "false"},
    {Reduction::ANY, "logical_or", "", "", "", "false"},
    {Reduction::ALL, "logical_and", "", "", "", "true"},
    {Reduction::ARGMIN, "minimum", "", "T(INFINITY)", "T(INFINITY, INFINITY)", "true"},
    {Reduction::ARGMAX, "maximum", "", "-T(INFINITY)", "T(-INFINITY, -INFINITY)", "false"},
};

const Join& join_of(Reduction reduction) {
  return *std::find_if(std::begin(JOINS), std::end(JOINS),
                       [&](const Join& row) { return row.reduction == reduction; });
}

bool is_numbered(Reduction reduction) {
  return reduction == Reduction::ARGMIN || reduction == Reduction::ARGMAX;
}

Dtype element_dtype(const Kernel& kernel, size_t node) {
  return kernel.nodes[kernel.nodes[node].arguments[0]].dtype;
}

std::string most_integer(Dtype dtype, bool largest) {
  const int bits = static_cast<int>(size_of(dtype)) * 8;
  if (kind_of(dtype) == Kind::UNSIGNED) return largest ? "T(~T(0))" : "T(0)";
  const std::string most = concat("T((1ull << ", bits - 1, ") - 1)");
  return largest ? most : concat("T(-", most, " - 1)");
}

std::string neutral(const Join& join, Dtype dtype) {
  const bool smallest = join.op == "minimum";
  switch (kind_of(dtype)) {
    case Kind::BOOL:
      return std::string(join.truth);
    case Kind::REAL:
      return std::string(join.real);
    case Kind::COMPLEX:
      return std::string(join.complex);
    default:
      return join.integer.empty() ? most_integer(dtype, smallest) : std::string(join.integer);
  }
}

std::string joined(const Join& join, Dtype dtype) {
  const Op& op = *find_op(join.op);
  const OperandType operands[] = {{.dtype = dtype}, {.dtype = dtype}};
  const Types types = types_of(op, operands);
  return concat("T(", expression_text(op, class_of(op, types), dtype), ")");
}

}  // namespace

// Few threads with some vectors each: enough loads are in flight, and few warps meet at the end.
RowTree row_tree(int64_t length) noexcept {
  const int64_t vectors = (length + 3) / 4;
  int64_t threads = power_of_two(vectors);
  if (vectors > 32) {
    threads = std::clamp<int64_t>(power_of_two((vectors + 3) / 4), 32, 256);
    if ((vectors + threads - 1) / threads > 8)
      threads = std::min<int64_t>(power_of_two((vectors + 7) / 8), 1024);
  }
  return {threads, std::max<int64_t>((vectors + threads - 1) / threads, 1)};
}

int64_t block_threads(const RowTree& tree) noexcept {
  return std::max<int64_t>(tree.threads, tree.vectors >= 4 ? 64 : 128);
}

int64_t block_rows(const RowTree& tree) noexcept { return block_threads(tree) / tree.threads; }

std::string reduction_name(size_t node) { return concat("R", node); }

std::string reduction_type(const Kernel& kernel, size_t node) {
  const Reduction reduction = kernel.nodes[node].reduction;
  const Dtype dtype = element_dtype(kernel, node);
  const std::string_view type = compute_type(dtype);
  const std::string head = concat(
      "struct ", reduction_name(node), " {\n  typedef ", type, " T; typedef ", unsigned_type(type),
      " U;\n", "  static const bool PAIRS = ", reduction == Reduction::MOMENT ? "true" : "false",
      ";\n");
  if (reduction == Reduction::MOMENT)
    return concat(head,
                  "  typedef Moments<T> A;\n  static __device__ A none() { return {}; }\n"
                  "  static __device__ A join(A a, A b) { return joined_moments(a, b); }\n};\n");
  const Join& join = join_of(reduction);
  if (!is_numbered(reduction))
    return concat(head, "  typedef T A;\n  static __device__ A none() { return ",
                  neutral(join, dtype), "; }\n  static __device__ A join(A x, A y) { return ",
                  joined(join, dtype), "; }\n};\n");
  const bool smallest = reduction == Reduction::ARGMIN;
  const Op& less = *find_op(smallest ? "less" : "greater");
  const OperandType operands[] = {{.dtype = dtype}, {.dtype = dtype}};
  const std::string better = expression_text(less, class_of(less, types_of(less, operands)), dtype);
  return concat(head, "  typedef Numbered<T> A;\n  static __device__ A none() { return {",
                neutral(join, dtype),
                ", 0x7fffffffffffffffll}; }\n  static __device__ A join(A a, A b) {\n"
                "    return first_of(a, b, [](T x, T y) { return bool(",
                better, "); });\n  }\n};\n");
}

std::string reduction_element(const Kernel& kernel, size_t node) {
  const Node& reduced = kernel.nodes[node];
  if (!is_numbered(reduced.reduction)) return variable(reduced.arguments[0]);
  return concat(reduction_name(node), "::A{", variable(reduced.arguments[0]), ", ",
                variable(reduced.arguments[1]), "}");
}

bool is_moment(const Kernel& kernel, size_t node) noexcept {
  return kernel.nodes[node].reduction == Reduction::MOMENT;
}

bool is_numbered(const Kernel& kernel, size_t node) noexcept {
  return is_numbered(kernel.nodes[node].reduction);
}

std::string element_part(const Kernel& kernel, size_t node, const std::string& number) {
  if (!is_moment(kernel, node)) return "";
  const std::string type = concat(reduction_name(node), "::T");
  return concat("const ", type, " part", node, " = ", type, "(1) / ", type, "(", number, " + 1);");
}

std::string with_element(const Kernel& kernel, size_t node, const std::string& accumulator,
                         const std::string& first) {
  const std::string element = reduction_element(kernel, node);
  return is_moment(kernel, node)
             ? concat("with_element(", accumulator, ", ", element, " - ", first, ", part", node,
                      ")")
             : concat(reduction_name(node), "::join(", accumulator, ", ", element, ")");
}

std::string reduction_result(const Kernel& kernel, size_t node, const std::string& reduced) {
  const Node& result = kernel.nodes[node];
  if (is_numbered(result.reduction)) return concat(reduced, ".number");
  if (is_moment(kernel, node)) return rounded_text(result.dtype, concat(reduced, ".squares"));
  return rounded_text(result.dtype, reduced);
}

int64_t partial_size(const Kernel& kernel, size_t node) noexcept {
  constexpr int64_t PLAIN = 16, SEVERAL = 32;
  return is_numbered(kernel, node) || is_moment(kernel, node) ? SEVERAL : PLAIN;
}

}  // namespace cucore::array
