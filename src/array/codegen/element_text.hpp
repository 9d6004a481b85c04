// SPDX-License-Identifier: Apache-2.0
// The text of kernels with inner axes: rows, their loads, and the nodes of a pass.
#pragma once

#include <string>

#include "array/codegen/passes.hpp"
#include "array/codegen/statements.hpp"
#include "support/concat.hpp"

namespace cucore::array {

// The text has these variables: `row`, its indices d0, d1, ..., and `active`, which is false after
// the last row. Each vector has `c`, the index of its first element inside the row, and `left`, the
// number of elements from there.
class ElementText {
 public:
  ElementText(const Kernel& kernel, const Form& form)
      : kernel_(kernel), form_(form), passes_(passes_of(kernel)) {}

 protected:
  template <class... Parts>
  void line(const Parts&... parts) {
    text_ += concat("  ", parts..., "\n");
  }

  void head(const std::string& name, int64_t threads);
  void row_digits();
  void pointers();
  // Nodes that a row has once, if they wait for `phase` reductions.
  void row_nodes(uint8_t phase);
  // Loads the vectors of the pass; `keeps` is the index of arrays that keep nodes for later passes.
  void load_vectors(uint8_t pass);
  // The nodes of element `v` of the vector; `in` is whether it exists.
  void element_nodes(uint8_t pass, const std::string& keeps);
  void declare_kept(const std::string& size);
  void store_row(const Store& store, size_t number);
  void store_elements(const std::string& in);

  bool is_kept(size_t node) const {
    return kernel_.nodes[node].per_element && kernel_.nodes[node].kind != NodeKind::REDUCED &&
           passes_.of[node] != 255 && passes_.kept[node] > passes_.of[node];
  }
  bool has_rows_apart() const { return kernel_.inner.size() > 1; }
  std::string element_position(std::string_view name, const AccessForm& form) const;
  std::string row_position(std::string_view name, const AccessForm& form) const;

  const Kernel& kernel_;
  const Form& form_;
  const Passes passes_;
  std::string text_;

 private:
  void node_of_element(size_t number);
  std::string outer_part(std::string_view name, const AccessForm& form) const;
};

// Adds the sizes of all axes but the first outer and inner one, as "n1" and "m1", and the length.
void add_space(Fields& fields, const Kernel& kernel, const Form& form);

}  // namespace cucore::array
