// SPDX-License-Identifier: Apache-2.0
// Arguments that several functions about graphs have.
#pragma once

#include <span>

#include "capi/guard.hpp"
#include "core/graph/graph.hpp"

namespace cucore::capi {

inline std::span<const cucore_node> after_of(const cucore_node* after, size_t count) {
  return require_array(after, count, "after");
}

// The output of a call that adds a node: written at the end of the scope, 0 after a failure. The
// place may be an element of `after`.
class NewNode {
 public:
  explicit NewNode(cucore_node* out) noexcept : out_(out) {}
  ~NewNode() {
    if (out_) *out_ = number_;
  }
  NewNode(const NewNode&) = delete;
  NewNode& operator=(const NewNode&) = delete;

  void require() const { cucore::require(out_, "out"); }
  void set(cucore_node number) noexcept { number_ = number; }

 private:
  cucore_node* const out_;
  cucore_node number_ = 0;
};

}  // namespace cucore::capi
