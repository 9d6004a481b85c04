// SPDX-License-Identifier: Apache-2.0
#include "array/codegen/outer.hpp"

#include <algorithm>

#include "array/codegen/chunked.hpp"
#include "array/codegen/element_text.hpp"
#include "array/codegen/expression.hpp"
#include "array/codegen/reductions.hpp"

namespace cucore::array {
namespace {

constexpr int64_t OUTER_THREADS = 256;
constexpr int64_t ROW_LANES = 8;  // lane r mod 8 adds its rows in order
constexpr int64_t ROWS_OF_CHUNK = 512;
constexpr int64_t COLUMNS = 128;  // of a block

struct Blocks {
  int64_t columns;  // of the kernel
  int64_t across;   // blocks of columns
  int64_t chunks;   // blocks of rows
  int64_t batches;
};

Blocks blocks_of(const Kernel& kernel) {
  Blocks blocks{.columns = 1,
                .across = 0,
                .chunks = (kernel.row_size() + ROWS_OF_CHUNK - 1) / ROWS_OF_CHUNK,
                .batches = 1};
  for (size_t axis = 0; axis < kernel.outer.size(); ++axis)
    (axis + kernel.columns >= kernel.outer.size() ? blocks.columns : blocks.batches) *=
        kernel.outer[axis];
  blocks.across = (blocks.columns + COLUMNS - 1) / COLUMNS;
  return blocks;
}

class OuterText : public ElementText {
 public:
  using ElementText::ElementText;

  std::string body(const std::string& name) {
    head(name, OUTER_THREADS, blocks());
    line("const int lane = threadIdx.x % 32, y = threadIdx.x / 32;");
    line("const I q0 = div(I(blockIdx.x), p.chunks), chunk = I(blockIdx.x) - q0 * size(p.chunks);");
    line("const I batch = div(q0, p.across), across = q0 - batch * size(p.across);");
    pointers();
    line("__shared__ Words<", most_bytes(), " * ", ROW_LANES * COLUMNS, "> h;");
    each([&](size_t node) { line(reduction_name(node), "::A t", node, "[4];"); });
    if (has_columns())
      vectors();
    else
      single_columns();
    line("const int j = threadIdx.x;");
    each([&](size_t node) { chunk_result(node); });
    partial_results();
    finish();
    return text_ + "}\n";
  }

 private:
  template <class Body>
  void each(const Body& body) const {
    for (size_t node = 0; node < kernel_.nodes.size(); ++node)
      if (kernel_.nodes[node].kind == NodeKind::REDUCED) body(node);
  }

  // As for CHUNKED: with 64 registers, sums of the columns of f32 matrices take 1 % less time.
  int64_t blocks() const {
    constexpr int64_t FEW = 4, MOST_BYTES = 64;
    int64_t bytes = 0;
    each([&](size_t node) { bytes += 4 * partial_size(kernel_, node); });
    return has_columns() && form_.unroll == 1 && bytes <= MOST_BYTES ? FEW : 0;
  }

  size_t first_node() const {
    size_t first = kernel_.nodes.size();
    each([&](size_t node) { first = std::min(first, node); });
    return first;
  }

  std::string most_bytes() const {
    std::string most = "0";
    each([&](size_t node) {
      most = concat("larger(", most, ", sizeof(", reduction_name(node), "::A))");
    });
    return most;
  }

  void columns(std::string_view index) {
    line("const I column = across * ", COLUMNS, " + ", index,
         "; const bool active = column < p.columns;");
    line("const I row = active ? batch * p.columns + column : 0;");
    row_digits();
  }

  void begin_rows() {
    line("const I end = chunk * ", ROWS_OF_CHUNK, " + ", ROWS_OF_CHUNK, " < p.length ? chunk * ",
         ROWS_OF_CHUNK, " + ", ROWS_OF_CHUNK, " : p.length;");
    line("#pragma unroll 4");
    line("for (I c = chunk * ", ROWS_OF_CHUNK, " + y; c < end; c += ", ROW_LANES, ") {");
    each([&](size_t node) {
      line(element_part(kernel_, node, concat("c % ", ROWS_OF_CHUNK, " / ", ROW_LANES)));
    });
  }

  // Accumulators of `width` columns, before the rows.
  void begin_columns(size_t node, int width) {
    const std::string type = reduction_name(node);
    if (is_moment(kernel_, node))
      line("Deviations<", type, "::T> s", node, "[", width, "] = {}; ", type, "::T first", node,
           "[", width, "] = {};");
    else
      line(type, "::A s", node, "[", width, "]; for (int v = 0; v < ", width, "; ++v) s", node,
           "[v] = ", type, "::none();");
  }

  void add_row(size_t node) {
    const std::string sum = concat("s", node, "[v]"), first = concat("first", node, "[v]");
    if (is_moment(kernel_, node))
      line("if (c % ", ROWS_OF_CHUNK, " < ", ROW_LANES, ") ", first, " = ",
           reduction_element(kernel_, node), ";");
    line(sum, " = in ? ", with_element(kernel_, node, sum, first), " : ", sum, ";");
  }

  // The result of column v of the thread.
  std::string column_result(size_t node) {
    if (!is_moment(kernel_, node)) return concat("s", node, "[v]");
    return concat("moments(first", node, "[v], s", node, "[v], end <= chunk * ", ROWS_OF_CHUNK,
                  " + y ? 0 : (end - chunk * ", ROWS_OF_CHUNK, " - y + ", ROW_LANES - 1, ") / ",
                  ROW_LANES, ")");
  }

  // A thread has a column at a time, of several that do not lie along one axis.
  void single_columns() {
    line("#pragma unroll");
    line("for (int g = 0; g < 4; ++g) {");
    columns("g * 32 + lane");
    row_nodes(0);
    each([&](size_t node) { begin_columns(node, 1); });
    begin_rows();
    line("const int v = 0; const bool in = active;");
    declare_vector_stores();
    element_nodes(0, "");
    each([&](size_t node) { add_row(node); });
    store_elements("in");
    line("}");
    line("const int v = 0;");
    each([&](size_t node) { line("t", node, "[g] = ", column_result(node), ";"); });
    line("}");
  }

  // A thread has four neighbouring columns.
  void vectors() {
    line("{");
    line("const I left = p.columns - across * ", COLUMNS, " - lane * 4;");
    line("const I first = across * ", COLUMNS,
         " + lane * 4, row = batch * p.columns + (left > 0 ? first : 0);");
    row_digits();
    each([&](size_t node) { begin_columns(node, 4); });
    begin_rows();
    load_vectors(0, "first", "left > 0");
    declare_vector_stores();
    line("#pragma unroll");
    line("for (int v = 0; v < 4; ++v) { const bool in = ", form_.whole ? "left > 0" : "v < left",
         ", active = in;");
    line("const I start = in ? first + v : 0; const I ", digit_name(form_.along), " = start;");
    row_nodes(0);
    element_nodes(0, "");
    each([&](size_t node) { add_row(node); });
    store_elements("in");
    line("}");
    store_vectors("first", "left > 0");
    line("}");
    each([&](size_t node) {
      line("for (int v = 0; v < 4; ++v) t", node, "[v] = ", column_result(node), ";");
    });
    line("}");
  }

  // The row lanes of a column in their order. The results share one piece of memory.
  void chunk_result(size_t node) {
    const std::string type = reduction_name(node);
    if (node != first_node()) line("__syncthreads();");
    line(type, "::A* const y", node, " = (", type, "::A*)h.w;");
    line("for (int i = 0; i < 4; ++i) y", node, "[y * ", COLUMNS, " + ",
         has_columns() ? "lane * 4 + i" : "i * 32 + lane", "] = t", node, "[i];");
    line("__syncthreads();");
    line(type, "::A r", node, " = ", type, "::none();");
    line("if (j < ", COLUMNS, ") { r", node, " = y", node, "[j]; for (int lane = 1; lane < ",
         ROW_LANES, "; ++lane) r", node, " = ", type, "::join(r", node, ", y", node, "[lane * ",
         COLUMNS, " + j]); }");
  }

  // The chunks are rows again: the last block of these columns adds them in the same way.
  void partial_results() {
    line("const I place = across * ", COLUMNS, " + j;");
    line("const bool holds = j < ", COLUMNS, " && place < p.columns;");
    line("if (size(p.chunks) > 1) {");
    each([&](size_t node) {
      line("if (holds) ((", reduction_name(node), "::A*)p.x", node,
           ")[(i64(batch) * size(p.chunks) + chunk) * p.columns + place] = r", node, ";");
    });
    line("if (!is_last((u32*)p.counters + q0, u32(size(p.chunks)))) return;");
    each([&](size_t node) {
      const std::string type = reduction_name(node);
      line("r", node, " = column_of_partials<", type, ">((", type, "::A*)p.x", node,
           " + i64(batch) * size(p.chunks) * p.columns, size(p.chunks), p.columns, across * ",
           COLUMNS, ", y", node, ");");
    });
    line("}");
  }

  void finish() {
    line("if (!holds) return;");
    columns("j");
    row_nodes(0);
    each([&](size_t node) {
      line("const ", compute_type(kernel_.nodes[node].dtype), " ", variable(node), " = ",
           reduction_result(kernel_, node, concat("r", node)), ";");
    });
    row_nodes(1);
    for (size_t store = 0; store < kernel_.stores.size(); ++store)
      if (!is_per_element(kernel_, kernel_.stores[store])) store_row(kernel_.stores[store], store);
  }
};

}  // namespace

Scratch outer_scratch(const Kernel& kernel) {
  const Blocks blocks = blocks_of(kernel);
  if (blocks.chunks == 1) return {};
  return {.partial_bytes = partials_size(kernel, kernel.rows() * blocks.chunks),
          .counters = blocks.batches * blocks.across};
}

void add_outer_fields(Fields& fields, const Kernel& kernel, const Form& form,
                      const Addresses& addresses) {
  const Blocks blocks = blocks_of(kernel);
  add_space(fields, kernel, form);
  add_number(fields, form.wide, "columns", blocks.columns);
  add_divisor(fields, form.wide, "chunks", blocks.chunks);
  add_divisor(fields, form.wide, "across", blocks.across);
  add_partials(fields, kernel, addresses, kernel.rows() * blocks.chunks);
  add_nodes(fields, kernel, form, addresses);
}

std::string outer_body(const Kernel& kernel, const Form& form, const std::string& name) {
  return OuterText(kernel, form).body(name);
}

LaunchPlan outer_launch(const Kernel& kernel, const Form&) {
  const Blocks blocks = blocks_of(kernel);
  return {.grid = blocks.batches * blocks.across * blocks.chunks,
          .block = uint32_t{OUTER_THREADS},
          .parameters = {}};
}

}  // namespace cucore::array
