// SPDX-License-Identifier: Apache-2.0
#include "core/objects/user_object.hpp"

#include <memory>
#include <utility>

#include "core/objects/deferred_release.hpp"

namespace cucore::core {
namespace {

// Called by the driver on its own thread, which must not call the driver.
void drop_reference(void* held) { defer_release(std::unique_ptr<Held>(static_cast<Held*>(held))); }

}  // namespace

UserObject::UserObject(const driver::CudaTable& cu, Ref<const Object> what) : cu_(cu) {
  start_deferred_releases();
  auto held = std::make_unique<Held>(std::move(what));
  driver::check(cu.cuUserObjectCreate(&native_, held.get(), &drop_reference, 1,
                                      CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
                "create an object that a graph keeps");
  (void)held.release();  // `native_` owns it
}

UserObject::~UserObject() {
  if (native_)
    driver::check_release(cu_.cuUserObjectRelease(native_, 1), "release an object of a graph");
}

CUuserObject UserObject::move_to(CUgraph graph) {
  driver::check(cu_.cuGraphRetainUserObject(graph, native_, 1, CU_GRAPH_USER_OBJECT_MOVE),
                "let a graph keep an object");
  return std::exchange(native_, nullptr);
}

void release_from(const driver::CudaTable& cu, CUgraph graph, CUuserObject object) noexcept {
  if (object)
    driver::check_release(cu.cuGraphReleaseUserObject(graph, object, 1),
                          "release an object of a graph");
}

}  // namespace cucore::core
