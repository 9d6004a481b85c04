// SPDX-License-Identifier: Apache-2.0
// The driver's executable of a graph, and its end.
#pragma once

#include "core/objects/context.hpp"

namespace cucore::core {

// Destroys the executable with itself. One thread at a time may call the other functions.
class DriverExecutable {
 public:
  explicit DriverExecutable(Ref<Context> context) : context_(std::move(context)) {}
  ~DriverExecutable() { destroy(); }
  DriverExecutable(const DriverExecutable&) = delete;
  DriverExecutable& operator=(const DriverExecutable&) = delete;

  CUgraphExec native = nullptr;  // set by the creation

  // Lets destroy_idle() destroy the executable, which has no launches.
  void set_idle() noexcept;

  // Does nothing if it is destroyed already.
  void destroy() noexcept;

  // Destroys the idle executables, and waits for a destruction in progress. Call it before a
  // creation. The creation can then take their memory. At the same time as a destruction, a creation
  // took 1.6 times as long on an H200 as the two in turn.
  static void destroy_idle() noexcept;

 private:
  void destroy_locked() noexcept;

  const Ref<Context> context_;
  DriverExecutable* next_ = nullptr;   // among the idle ones
  DriverExecutable** at_ = nullptr;  // what points to this one there
};

}  // namespace cucore::core
