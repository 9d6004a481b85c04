// SPDX-License-Identifier: Apache-2.0
#include "array/codegen/rows.hpp"

#include <algorithm>

#include "array/codegen/element_text.hpp"
#include "array/codegen/expression.hpp"
#include "array/codegen/reductions.hpp"

namespace cucore::array {
namespace {

class RowsText : public ElementText {
 public:
  RowsText(const Kernel& kernel, const Form& form)
      : ElementText(kernel, form), tree_(row_tree(kernel.row_size())) {}

  std::string body(const std::string& name) {
    head(name, block_threads(tree_));
    line("const int t = threadIdx.x % ", tree_.threads, ";");
    line("I row = I(blockIdx.x) * ", block_rows(tree_), " + I(threadIdx.x / ", tree_.threads, ");");
    line(form_.exact ? "const bool active = true;"
                     : "const bool active = row < p.rows; if (!active) row = 0;");
    row_digits();
    pointers();
    declare_kept(concat(tree_.vectors * 4));
    for (uint8_t pass = 0; pass <= passes_.last; ++pass) {
      row_nodes(pass);
      if (pass < passes_.last || passes_.stores_elements) elements(pass);
      reduce(pass);
    }
    store_rows();
    return text_ + "}\n";
  }

 private:
  bool is_reduced_in(size_t node, uint8_t pass) const {
    return kernel_.nodes[node].kind == NodeKind::REDUCED && kernel_.nodes[node].phase == pass + 1;
  }

  template <class Body>
  void each_reduction(uint8_t pass, const Body& body) {
    for (size_t node = 0; node < kernel_.nodes.size(); ++node)
      if (is_reduced_in(node, pass)) body(node);
  }

  void elements(uint8_t pass) {
    each_reduction(pass, [&](size_t node) {
      const std::string type = reduction_name(node);
      line(type, "::A s", node, "[4] = {", type, "::none(), ", type, "::none(), ", type,
           "::none(), ", type, "::none()};");
    });
    line("#pragma unroll");
    line("for (int n = 0; n < ", tree_.vectors, "; ++n) {");
    line("const I c = (t + n * ", tree_.threads, ") * 4, left = active ? p.length - c : 0;");
    load_vectors(pass, "c", exists("left > 0", "left > 0"));
    const bool stores = pass == passes_.last;
    if (stores) declare_vector_stores();
    line("#pragma unroll");
    line("for (int v = 0; v < 4; ++v) { const bool in = ", exists("left > 0", "v < left"), ";");
    element_nodes(pass, "n * 4 + v");
    each_reduction(pass, [&](size_t node) {
      line("s", node, "[v] = in ? ", reduction_name(node), "::join(s", node, "[v], ",
           reduction_element(kernel_, node), ") : s", node, "[v];");
    });
    if (stores) store_elements("in");
    line("}");
    if (stores) store_vectors("c", exists("left > 0", "left > 0"));
    line("}");
  }

  void reduce(uint8_t pass) {
    const int64_t lanes = std::min<int64_t>(tree_.threads, 32),
                  warps = std::max<int64_t>(tree_.threads / 32, 1);
    each_reduction(pass, [&](size_t node) {
      const std::string type = reduction_name(node), value = concat("r", node);
      line(type, "::A ", value, " = over_lanes<", type, ">(of_four<", type, ">(s", node, "), ",
           lanes, ");");
      if (warps > 1) {
        line("__shared__ Words<sizeof(", type, "::A) * ", block_threads(tree_) / 32, "> h", node,
             ";");
        line(value, " = over_warps<", type, ", ", warps, ">(", value, ", (", type, "::A*)h", node,
             ".w, threadIdx.x / 32);");
      }
      line("const ", compute_type(kernel_.nodes[node].dtype), " ", variable(node), " = ",
           reduction_result(kernel_, node, value), ";");
    });
  }

  void store_rows() {
    line("if (active && t == 0) {");
    for (size_t store = 0; store < kernel_.stores.size(); ++store)
      if (!is_per_element(kernel_, kernel_.stores[store])) store_row(kernel_.stores[store], store);
    line("}");
  }

  const RowTree tree_;
};

}  // namespace

void add_rows_fields(Fields& fields, const Kernel& kernel, const Form& form,
                     const Addresses& addresses) {
  add_space(fields, kernel, form);
  add_nodes(fields, kernel, form, addresses);
}

std::string rows_body(const Kernel& kernel, const Form& form, const std::string& name) {
  return RowsText(kernel, form).body(name);
}

LaunchPlan rows_launch(const Kernel& kernel, const Form&) {
  const RowTree tree = row_tree(kernel.row_size());
  const int64_t rows = block_rows(tree);
  return {.grid = (kernel.rows() + rows - 1) / rows,
          .block = static_cast<uint32_t>(block_threads(tree)),
          .parameters = {}};
}

}  // namespace cucore::array
