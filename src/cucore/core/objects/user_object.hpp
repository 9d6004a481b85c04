// SPDX-License-Identifier: Apache-2.0
// Objects that a graph of the driver keeps alive, together with what is made from the graph and
// with the launches of that.
#pragma once

#include "driver/cuda.hpp"
#include "support/ref.hpp"

namespace cucore::core {

// A reference that a graph can take over. The driver ends it on a thread of its own, which must not
// call the driver, so the library's thread drops the reference.
class UserObject {
 public:
  // Throws if the driver fails.
  UserObject(const driver::CudaTable& cu, Ref<const Object> what);
  // Gives the reference back unless a graph has taken it over.
  ~UserObject();
  UserObject(const UserObject&) = delete;
  UserObject& operator=(const UserObject&) = delete;

  // Makes the graph the owner, and returns the handle for release_from(). Throws if the driver
  // fails.
  CUuserObject move_to(CUgraph graph);

 private:
  const driver::CudaTable& cu_;
  CUuserObject native_ = nullptr;
};

// Lets the graph no longer keep an object that it owns.
void release_from(const driver::CudaTable& cu, CUgraph graph, CUuserObject object) noexcept;

}  // namespace cucore::core
