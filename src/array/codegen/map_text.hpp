// SPDX-License-Identifier: Apache-2.0
// The text of a kernel whose threads compute some vectors of neighbouring elements each: all loads
// first, then the computations, then the stores.
#pragma once

#include <string>
#include <utility>

#include "array/codegen/form.hpp"
#include "support/concat.hpp"

namespace cucore::array {

constexpr int64_t MAP_THREADS = 256;

class MapText {
 public:
  MapText(const Kernel& kernel, const Form& form) : kernel_(kernel), form_(form) {}
  virtual ~MapText() = default;

  std::string body(const std::string& name);

 protected:
  template <class... Parts>
  void line(const Parts&... parts) {
    text_ += concat("  ", parts..., "\n");
  }
  int vector() const { return form_.vector; }
  std::string start(std::string_view name, const AccessForm& form) const;

  // Declares `full`: all elements of the block exist.
  virtual void begin();
  // Declares `c`, the first element of unit u on the last axis, and `left`, the number of elements
  // from there. Declares the indices on the other axes.
  virtual void begin_unit();
  // Runs once between the loads and the computations.
  virtual void between() {}
  // The element k of unit u of a node that was loaded.
  virtual std::string loaded_element(size_t node) const;
  virtual bool is_loaded(size_t node) const;

  const Kernel& kernel_;
  const Form& form_;
  std::string text_;

 private:
  template <class Body>
  void per_unit(const Body& body) {
    line("#pragma unroll");
    line("for (int u = 0; u < ", int{form_.unroll}, "; ++u) {");
    begin_unit();
    body();
    line("}");
  }
  template <class Body>
  void per_element(const Body& body) {
    line("#pragma unroll");
    line("for (int k = 0; k < ", vector(), "; ++k) { const bool in = full || k < left;");
    body();
    line("}");
  }
  bool is_ordered() const;
  bool is_linear() const { return kernel_.outer.size() <= 1; }
  std::string element(std::string_view name, const AccessForm& form) const;
  void declare_load(size_t node);
  void declare_store(size_t store);
  void load(size_t node);
  void compute();
  void node_line(size_t number);
  void place(size_t store);
  void write_indexed(size_t store);
  void write(size_t store);
};

}  // namespace cucore::array
