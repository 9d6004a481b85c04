// SPDX-License-Identifier: Apache-2.0
#include "array/codegen/scan.hpp"

#include <algorithm>

#include "array/codegen/chunked.hpp"
#include "array/codegen/element_text.hpp"
#include "array/codegen/expression.hpp"
#include "array/codegen/reductions.hpp"

namespace cucore::array {
namespace {

// A tile has 256 threads with four neighbours each. Its elements are combined inside a thread, then
// across the lanes and the warps before. The tiles of a chunk follow in order. The totals of chunks
// are scanned as one more row of tiles.
constexpr int64_t SCAN_CHUNK = 32768, TILE = 1024, SCAN_THREADS = 256;

int64_t scan_chunks(const Kernel& kernel) noexcept {
  return (kernel.row_size() + SCAN_CHUNK - 1) / SCAN_CHUNK;
}

class ScanText : public ElementText {
 public:
  using ElementText::ElementText;

  std::string body(const std::string& name) {
    for (size_t node = 0; node < kernel_.nodes.size(); ++node)
      if (is_scanned(node)) text_ += reduction_type(kernel_, node);
    head(name, SCAN_THREADS);
    line(
        "const I row = div(I(blockIdx.x), p.chunks), chunk = I(blockIdx.x) - row * "
        "size(p.chunks);");
    line("[[maybe_unused]] const bool active = true;");
    row_digits();
    pointers();
    row_nodes(0);
    each([&](size_t node) {
      const std::string type = reduction_name(node);
      line("__shared__ Words<sizeof(", type, "::A) * 16> h", node, ";");
      line(type, "::A* const y", node, " = (", type, "::A*)h", node, ".w; ", type, "::A carry",
           node, " = ", type, "::none();");
      line("const ", type, "::A before", node, " = p.phase == 2 ? partial((", type, "::A*)p.x",
           node, " + blockIdx.x) : ", type, "::none();");
    });
    line("const I last = (chunk + 1) * ", SCAN_CHUNK, " < p.length ? (chunk + 1) * ", SCAN_CHUNK,
         " : p.length;");
    line("for (I tile = chunk * ", SCAN_CHUNK, "; tile < last; tile += ", TILE, ") {");
    line("const I c = tile + I(threadIdx.x) * 4, left = last - c;");
    elements();
    each([&](size_t node) { prefixes(node); });
    stores();
    line("}");
    line("if (p.phase != 1) return;");
    each([&](size_t node) {
      line("if (threadIdx.x == 0) ((", reduction_name(node), "::A*)p.x", node,
           ")[blockIdx.x] = carry", node, ";");
    });
    line("if (!is_last((u32*)p.counters + row, u32(size(p.chunks)))) return;");
    each([&](size_t node) {
      line("scan_totals<", reduction_name(node), ">((", reduction_name(node), "::A*)p.x", node,
           " + row * size(p.chunks), size(p.chunks), y", node, ");");
    });
    return text_ + "}\n";
  }

 private:
  bool is_scanned(size_t node) const { return kernel_.nodes[node].kind == NodeKind::SCANNED; }
  template <class Body>
  void each(const Body& body) {
    for (size_t node = 0; node < kernel_.nodes.size(); ++node)
      if (is_scanned(node)) body(node);
  }

  // The elements of a thread, each combined with those before it in the same thread.
  void elements() {
    load_vectors(0, "c", "left > 0");
    each([&](size_t node) { line(reduction_name(node), "::A s", node, "[4];"); });
    line("#pragma unroll");
    line("for (int v = 0; v < 4; ++v) { const bool in = v < left;");
    element_nodes(0, "");
    each([&](size_t node) {
      const std::string type = reduction_name(node);
      line("s", node, "[v] = in ? ", reduction_element(kernel_, node), " : ", type, "::none();");
      line("if (v > 0) s", node, "[v] = ", type, "::join(s", node, "[v - 1], s", node, "[v]);");
    });
    store_nodes(false, "in && p.phase != 1");
    line("}");
  }

  // Stores the results, or the elements that the scan reads, if others need these too.
  void store_nodes(bool scanned, std::string_view condition) {
    for (size_t number = 0; number < kernel_.stores.size(); ++number) {
      const size_t node = kernel_.stores[number].node;
      if (is_scanned(node) != scanned) continue;
      const Dtype dtype = kernel_.nodes[node].dtype;
      const std::string name = store_name(number);
      line("if (", condition, ") ((", storage_type(dtype), "*)p.", name, ")[",
           element_position(name, form_.stores[number]), "] = ", stored(dtype, variable(node)),
           ";");
    }
  }

  void prefixes(size_t node) {
    const std::string type = reduction_name(node);
    line(type, "::A total", node, "; const ", type, "::A prefix", node, " = tile_prefix<", type,
         ">(s", node, "[3], y", node, ", &total", node, ");");
  }

  void stores() {
    line("if (p.phase != 1) {");
    line("#pragma unroll");
    line("for (int v = 0; v < 4; ++v) { const bool in = v < left;");
    each([&](size_t node) {
      const std::string type = reduction_name(node);
      const std::string value =
          concat(type, "::join(before", node, ", ", type, "::join(carry", node, ", ", type,
                 "::join(prefix", node, ", s", node, "[v])))");
      line("const ", compute_type(kernel_.nodes[node].dtype), " ", variable(node), " = ",
           reduction_result(kernel_, node, value), ";");
    });
    store_nodes(true, "in");
    line("} }");
    each([&](size_t node) {
      line("carry", node, " = ", reduction_name(node), "::join(carry", node, ", total", node, ");");
    });
  }
};

}  // namespace

bool scan_needs_totals(const Kernel& kernel) noexcept { return scan_chunks(kernel) > 1; }

Scratch scan_scratch(const Kernel& kernel) {
  if (!scan_needs_totals(kernel)) return {};
  return {.partial_bytes = partials_size(kernel, kernel.rows() * scan_chunks(kernel)),
          .counters = kernel.rows()};
}

void add_scan_fields(Fields& fields, const Kernel& kernel, const Form& form,
                     const Addresses& addresses) {
  add_space(fields, kernel, form);
  add_divisor(fields, form.wide, "chunks", scan_chunks(kernel));
  add_partials(fields, kernel, addresses, kernel.rows() * scan_chunks(kernel));
  add_nodes(fields, kernel, form, addresses);
}

std::string scan_body(const Kernel& kernel, const Form& form, const std::string& name) {
  return ScanText(kernel, form).body(name);
}

LaunchPlan scan_launch(const Kernel& kernel, const Form&) {
  return {.grid = kernel.rows() * scan_chunks(kernel),
          .block = uint32_t{SCAN_THREADS},
          .parameters = {}};
}

}  // namespace cucore::array
