// SPDX-License-Identifier: Apache-2.0
// The driver's executable of a graph, and its end.
#pragma once

#include "core/objects/context.hpp"

namespace cucore::core {

// Destroys the executable with itself. One thread at a time may call the functions that are not
// static.
class DriverExecutable {
 public:
  explicit DriverExecutable(Ref<Context> context);
  ~DriverExecutable() { destroy(); }
  DriverExecutable(const DriverExecutable&) = delete;
  DriverExecutable& operator=(const DriverExecutable&) = delete;

  CUgraphExec native = nullptr;  // set by the creation

  // Lets destroy_idle() destroy the executable. No work of a device may use it, so that its
  // destruction does not wait for a device. Returns at once.
  void set_idle() noexcept;

  // Does nothing if it is destroyed already.
  void destroy() noexcept;

  // Destroys the latest idle executable. If another thread destroys an idle one, waits until that
  // has ended, for a short time. Call it before a creation, which can then take its memory. At the
  // same time as a destruction, a creation took 1.6 times as long on an H200 as the two in turn.
  static void destroy_idle() noexcept;

 private:
  // The destruction needs this after the object has ended.
  struct Taken {
    Ref<Context> context;
    CUgraphExec executable = nullptr;
    bool is_idle = false;

    void destroy() const noexcept;
  };

  Taken take() noexcept;  // with the lock of the list

  const Ref<Context> context_;
  DriverExecutable* next_ = nullptr;  // among the idle ones
  DriverExecutable** at_ = nullptr;   // what points to this one there
};

}  // namespace cucore::core
