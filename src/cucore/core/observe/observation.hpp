// SPDX-License-Identifier: Apache-2.0
// The observation of one operation: the calls of its observers at the begin and at the end.
#pragma once

#include <cucore.h>

#include "core/observe/observed_kinds.hpp"
#include "core/observe/observer_calls.hpp"

namespace cucore::core {

class Device;
class Executable;
class Kernel;
class ObjectCode;
class Program;
class Stream;

// An operation, with the objects of core. Fields that a kind does not have are null or 0.
struct Operation {
  cucore_operation_kind kind = CUCORE_OPERATION_FORCE_INT32;
  const Device* device = nullptr;
  const Stream* stream = nullptr;
  const Kernel* kernel = nullptr;
  const cucore_launch_options* launch = nullptr;
  const cucore_argument* arguments = nullptr;
  size_t argument_count = 0;
  const void* packed = nullptr;
  size_t packed_size = 0;
  const Program* program = nullptr;
  const ObjectCode* code = nullptr;
  const Executable* executable = nullptr;
  uint64_t address = 0;
  size_t size = 0;
};

// Runs a description of an operation. Returns false if a part of it cannot be had; then the
// operation is not observed.
template <class Describe>
bool is_described(Describe&& describe) noexcept {
  try {
    describe();
    return true;
  } catch (...) {
    return false;
  }
}

// Reports to each observer that is there at the begin. Cannot fail. The operation must outlive it.
class Observation {
 public:
  explicit Observation(const Operation& operation) noexcept;
  ~Observation();
  Observation(const Observation&) = delete;
  Observation& operator=(const Observation&) = delete;

  // Reports the end, with what the operation contains now.
  void end(Status status) noexcept;

 private:
  bool describe() noexcept;

  const Operation& operation_;
  ObserverCalls calls_;
  bool is_described_ = false;
  cucore_operation described_;
};

// Runs `act`, which may complete the operation, as an observed operation.
template <class Act>
[[gnu::cold, gnu::noinline]] void observe(Operation operation, Act&& act) {
  Observation observation(operation);
  run_observed([&] { act(operation); }, [&](Status status) { observation.end(status); });
}

}  // namespace cucore::core
