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

  // `blocks` is the least number of blocks of a multiprocessor. The compiler uses all registers
  // that these leave; without a number, it uses few.
  void head(const std::string& name, int64_t threads, int64_t blocks = 0);
  void row_digits();
  void pointers();
  // Nodes that a row has once, if they wait for `phase` reductions.
  void row_nodes(uint8_t phase);
  // Loads the vectors of the pass. `index` is that of their first element on their axis, and
  // `exists` is false after the last one.
  void load_vectors(uint8_t pass, std::string_view index, std::string_view exists);
  bool is_vector_load(size_t number, uint8_t pass) const;
  // The expression of one of these vectors.
  std::string vector_load(size_t number, std::string_view index, std::string_view exists) const;
  template <class Body>
  void each_vector_load(uint8_t pass, const Body& body) {
    for (size_t number = 0; number < kernel_.nodes.size(); ++number)
      if (is_vector_load(number, pass)) body(number);
  }
  // The nodes of element `v` of the vector. `in` is false if it does not exist, and `keeps` is the
  // index of arrays that keep nodes for later passes.
  void element_nodes(uint8_t pass, const std::string& keeps);
  void declare_kept(const std::string& size);
  void store_row(const Store& store, size_t number);
  // Stores the element, or puts it into a vector that store_vectors() stores.
  void store_elements(const std::string& in);
  void declare_vector_stores();
  void store_vectors(std::string_view index, std::string_view exists);

  bool is_kept(size_t node) const {
    return kernel_.nodes[node].per_element && kernel_.nodes[node].kind != NodeKind::REDUCED &&
           passes_.of[node] != 255 && passes_.kept[node] > passes_.of[node];
  }
  bool has_columns() const;  // vectors lie on an outer axis
  bool is_vector_store(size_t number) const;
  // The condition that an element exists: of a vector as a whole, or of an element apart.
  std::string_view exists(std::string_view vector, std::string_view element) const {
    return form_.exact ? "true" : form_.whole ? vector : element;
  }
  bool has_rows_apart() const { return kernel_.inner.size() > 1; }
  std::string element_position(std::string_view name, const AccessForm& form) const;
  std::string row_position(std::string_view name, const AccessForm& form) const;
  std::string vector_position(std::string_view name, const AccessForm& form) const;

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
