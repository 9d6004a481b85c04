// SPDX-License-Identifier: Apache-2.0
// An observer: functions that are called around operations while it lives.
#pragma once

#include <cucore.h>

#include "support/ref.hpp"

namespace cucore::core {

struct Operation;

// Makes the handles of the objects of an operation, because handles belong to the C API.
struct OperationHandles {
  // Sets all but `captured` and `sequence`. If it throws, `out` has no handles to release.
  void (*describe)(const Operation& operation, cucore_operation& out);
  // Adds what the operation has got since. May throw.
  void (*add_results)(const Operation& operation, cucore_operation& out);
  void (*release)(const cucore_operation& out) noexcept;
  // The process has no observer any more.
  void (*forget)() noexcept;
};

struct ObserverCallbacks {
  uint32_t kinds = 0;
  cucore_observe_fn begin = nullptr, end = nullptr;
  void* user_data = nullptr;
  cucore_destroy_fn destroy = nullptr;
};

class ObserverPlace;

class Observer final : public Object {
 public:
  // Throws INVALID_STATE if the process has as many observers as it can have. The observer calls
  // nothing until activate().
  static Ref<Observer> create();
  // `handles` must stay valid until the process ends.
  void activate(const ObserverCallbacks& callbacks, const OperationHandles& handles) noexcept;

 private:
  Observer();
  // Returns once no call of the observer runs, except one of this thread.
  ~Observer() override;
  template <class T, class... A>
  friend Ref<T> cucore::make(A&&...);

  ObserverPlace& place_;
};

}  // namespace cucore::core
