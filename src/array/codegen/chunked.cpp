// SPDX-License-Identifier: Apache-2.0
#include "array/codegen/chunked.hpp"

#include <algorithm>

#include "array/codegen/element_text.hpp"
#include "array/codegen/expression.hpp"
#include "array/codegen/reductions.hpp"

namespace cucore::array {
namespace {

constexpr int64_t CHUNK = ROW_LIMIT;
constexpr int64_t CHUNK_THREADS = 256;

int64_t chunks_of(const Kernel& kernel) { return (kernel.row_size() + CHUNK - 1) / CHUNK; }

// The tree of a chunk has 1024 threads. Each real one does the work of four.
// A thread keeps sixteen sums, or the numbers of a moment.
int64_t accumulator_bytes(const Kernel& kernel, size_t node) {
  constexpr int64_t SUMS = 16, NUMBERS = 3, REGISTER = 4;
  const Node& element = kernel.nodes[kernel.nodes[node].arguments[0]];
  const int64_t bytes = std::max<int64_t>(static_cast<int64_t>(size_of(element.dtype)), REGISTER);
  if (is_moment(kernel, node)) return NUMBERS * bytes;
  return SUMS * (is_numbered(kernel, node) ? partial_size(kernel, node) : bytes);
}

class ChunkedText : public ElementText {
 public:
  using ElementText::ElementText;

  std::string body(const std::string& name) {
    head(name, CHUNK_THREADS, blocks());
    line(
        "I row = div(I(blockIdx.x), p.chunks); const I chunk = I(blockIdx.x) - row * "
        "size(p.chunks);");
    line("const bool active = true;");
    row_digits();
    pointers();
    row_nodes(0);
    elements();
    each([&](size_t node) { block_result(node); });
    each([&](size_t node) {
      line("if (threadIdx.x == 0) ((", reduction_name(node), "::A*)p.x", node,
           ")[I(blockIdx.x)] = r", node, ";");
    });
    line("if (!is_last<true>((u32*)p.counters + row, u32(size(p.chunks)))) return;");
    each([&](size_t node) { row_result(node); });
    line("if (threadIdx.x != 0) return;");
    row_nodes(1);
    for (size_t store = 0; store < kernel_.stores.size(); ++store)
      if (!is_per_element(kernel_, kernel_.stores[store])) store_row(kernel_.stores[store], store);
    return text_ + "}\n";
  }

 private:
  // Four blocks leave 64 registers to a thread. The compiler then keeps more loads in flight than
  // without a bound, and f32 sums of 2^28 elements take 4 % less time. Functions and large
  // accumulators need more registers.
  int64_t blocks() {
    constexpr int64_t FEW = 4, FEWER = 3, SUM_AND_MOMENT_BYTES = 76;
    int64_t bytes = 0;
    each([&](size_t node) { bytes += accumulator_bytes(kernel_, node); });
    if (form_.unroll != 1 || bytes > SUM_AND_MOMENT_BYTES) return 0;
    return has_sum_and_moment() ? FEWER : FEW;
  }

  // A sum and a moment take 1.5 % less time with more registers, and twice the steps in flight.
  bool has_sum_and_moment() {
    bool sum = false, moment = false;
    each([&](size_t node) { (is_moment(kernel_, node) ? moment : sum) = true; });
    return sum && moment;
  }

  template <class Body>
  void each(const Body& body) {
    for (size_t node = 0; node < kernel_.nodes.size(); ++node)
      if (kernel_.nodes[node].kind == NodeKind::REDUCED) body(node);
  }

  void elements() {
    each([&](size_t node) {
      const std::string type = reduction_name(node);
      if (is_moment(kernel_, node))
        begin_moment(node);
      else
        fill(node);
    });
    line("#pragma unroll ", has_sum_and_moment() ? 4 : 2);
    line("for (int n = 0; n < 8; ++n) {");
    if (loads_early()) {
      early_vectors();
      each_vector();
      take_vectors();
    } else {
      each_vector();
      load_vectors(0, "c", exists("left > 0", "left > 0"));
    }
    declare_vector_stores();
    each([&](size_t node) {
      if (is_moment(kernel_, node)) line(reduction_name(node), "::T e", node, "[4];");
    });
    line("#pragma unroll");
    line("for (int v = 0; v < 4; ++v) { const bool in = ", exists("left > 0", "v < left"), ";");
    element_nodes(0, "");
    each([&](size_t node) {
      const std::string sum = concat("s", node, "[u][v]"),
                        element = reduction_element(kernel_, node);
      if (is_moment(kernel_, node))
        line("e", node, "[v] = ", element, ";");
      else
        line(sum, " = in ? ", reduction_name(node), "::join(", sum, ", ", element, ") : ", sum,
             ";");
    });
    store_elements("in");
    line("}");
    each([&](size_t node) {
      if (is_moment(kernel_, node)) add_four(node);
    });
    store_vectors("c", exists("left > 0", "left > 0"));
    line("} }");
  }

  // The compiler keeps the four loads of one step in flight, but not always before the arithmetic.
  // Moments of 2^28 elements take 2 % less time with these. More inputs need too many registers.
  bool loads_early() const {
    constexpr size_t STEP_BYTES = 64;
    size_t bytes = 0;
    for (size_t node = 0; node < kernel_.nodes.size(); ++node)
      if (is_vector_load(node, 0)) bytes += 16 * size_of(kernel_.nodes[node].dtype);
    return bytes <= STEP_BYTES;
  }

  void each_vector() {
    line("#pragma unroll");
    line("for (int u = 0; u < 4; ++u) {");
    line("const I c = chunk * ", CHUNK,
         " + (n * 1024 + u * 256 + I(threadIdx.x)) * 4, left = p.length - c;");
  }

  void early_vectors() {
    each_vector_load(0, [&](size_t node) {
      line("Four<", storage_type(kernel_.nodes[node].dtype), "> h", node, "[4];");
    });
    each_vector();
    each_vector_load(0, [&](size_t node) {
      line("h", node, "[u] = ", vector_load(node, "c", exists("left > 0", "left > 0")), ";");
    });
    line("}");
  }

  void take_vectors() {
    each_vector_load(0, [&](size_t node) {
      line("const Four<", storage_type(kernel_.nodes[node].dtype), "> l", node, " = h", node,
           "[u];");
    });
  }

  void begin_moment(size_t node) {
    const std::string type = concat(reduction_name(node), "::T");
    line("Deviations<", type, "> d", node, " = {}; ", type, " first", node, "(0);");
    line("__shared__ ", type, " part", node, "[32];");
    line("if (threadIdx.x < 32) part", node, "[threadIdx.x] = ", type, "(1) / ", type,
         "(int(threadIdx.x) + 1);");
    line("__syncthreads();");
  }

  // The first vector of the thread has the element from which the others differ.
  void add_four(size_t node) {
    line("if (n == 0 && u == 0) first", node, " = e", node, "[0];");
    line("d", node, " = with_four(d", node, ", e", node, ", first", node, ", part", node,
         "[n * 4 + u], n * 4 + u, ",
         form_.exact   ? "4"
         : form_.whole ? "left > 0 ? 4 : 0"
                       : "left < 4 ? int(left) : 4",
         ");");
  }

  void fill(size_t node) {
    const std::string type = reduction_name(node);
    line(type, "::A s", node, "[4][4];");
    line("for (int u = 0; u < 4; ++u) for (int v = 0; v < 4; ++v) s", node, "[u][v] = ", type,
         "::none();");
  }

  // The first lane of each warp stores the result of its elements to y.
  void warp_results(size_t node) {
    const std::string type = reduction_name(node), y = concat("y", node);
    if (is_moment(kernel_, node))
      line(type, "::A a", node, " = over_lanes<", type, ">(moments(first", node, ", d", node,
           ", elements_of_thread(p.length - (chunk * ", CHUNK, " + I(threadIdx.x) * 4))), 32); ",
           "if (threadIdx.x % 32 == 0) ", y, "[threadIdx.x / 32] = a", node, ";");
    else
      line("#pragma unroll\n", "for (int u = 0; u < 4; ++u) { const ", type, "::A a = over_lanes<",
           type, ">(of_four<", type, ">(s", node, "[u]), 32); if (threadIdx.x % 32 == 0) ", y,
           "[u * 8 + threadIdx.x / 32] = a; }");
  }

  void block_result(size_t node) {
    const std::string type = reduction_name(node);
    line("__shared__ Words<sizeof(", type, "::A) * 32> h", node, ";");
    line(type, "::A* const y", node, " = (", type, "::A*)h", node, ".w;");
    warp_results(node);
    line("__syncthreads();");
    line(type, "::A r", node, " = y", node, "[0];");
    line(is_moment(kernel_, node) ? halves(node) : in_order(node));
  }

  std::string in_order(size_t node) const {
    return concat("for (int warp = 1; warp < 32; ++warp) r", node, " = ", reduction_name(node),
                  "::join(r", node, ", y", node, "[warp]);");
  }
  // Joins of equal counts need no division.
  std::string halves(size_t node) const {
    const std::string type = reduction_name(node), y = concat("y", node);
    return concat("if (threadIdx.x == 0) { const ", type, "::A z[4] = {", type, "::join(", y,
                  "[0], ", y, "[1]), ", type, "::join(", y, "[2], ", y, "[3]), ", type, "::join(",
                  y, "[4], ", y, "[5]), ", type, "::join(", y, "[6], ", y, "[7])}; r", node,
                  " = of_four<", type, ">(z); }");
  }

  void row_result(size_t node) {
    const std::string type = reduction_name(node);
    line("r", node, " = all_partials<", type, ">((", type, "::A*)p.x", node,
         " + row * size(p.chunks), size(p.chunks), y", node, ");");
    line("const ", compute_type(kernel_.nodes[node].dtype), " ", variable(node), " = ",
         reduction_result(kernel_, node, concat("r", node)), ";");
  }
};

}  // namespace

namespace {

bool has_partials(const Node& node) {
  return node.kind == NodeKind::REDUCED || node.kind == NodeKind::SCANNED;
}

}  // namespace

int64_t partials_size(const Kernel& kernel, int64_t count) {
  int64_t bytes = 0;
  for (size_t node = 0; node < kernel.nodes.size(); ++node)
    if (has_partials(kernel.nodes[node])) bytes += count * partial_size(kernel, node);
  return bytes;
}

void add_partials(Fields& fields, const Kernel& kernel, const Addresses& addresses, int64_t count) {
  uint64_t address = addresses.partials;
  for (size_t node = 0; node < kernel.nodes.size(); ++node) {
    if (!has_partials(kernel.nodes[node])) continue;
    fields.add("u64", fields.declares() ? concat("x", node) : std::string(), address);
    address += static_cast<uint64_t>(count * partial_size(kernel, node));
  }
  fields.add("u64", "counters", addresses.counters);
}

Scratch chunked_scratch(const Kernel& kernel) {
  return {.partial_bytes = partials_size(kernel, kernel.rows() * chunks_of(kernel)),
          .counters = kernel.rows()};
}

void add_chunked_fields(Fields& fields, const Kernel& kernel, const Form& form,
                        const Addresses& addresses) {
  add_space(fields, kernel, form);
  add_divisor(fields, form.wide, "chunks", chunks_of(kernel));
  add_partials(fields, kernel, addresses, kernel.rows() * chunks_of(kernel));
  add_nodes(fields, kernel, form, addresses);
}

std::string chunked_body(const Kernel& kernel, const Form& form, const std::string& name) {
  return ChunkedText(kernel, form).body(name);
}

LaunchPlan chunked_launch(const Kernel& kernel, const Form&) {
  return {.grid = kernel.rows() * chunks_of(kernel),
          .block = uint32_t{CHUNK_THREADS},
          .parameters = {}};
}

}  // namespace cucore::array
