// SPDX-License-Identifier: Apache-2.0
// Two views of managed memory: kernels and the driver use one, and the program uses the other.
// While the program's views are closed, each of its accesses raises a signal. The handler passes
// the access to an observer, and then lets it happen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace cucore::cpu {

struct HostAccess {
  uint64_t address;
  uint64_t instruction;
  bool is_write;
};

class HostViews {
 public:
  // Called by the thread that accesses the memory, before the access. It may take locks, because
  // the thread holds none of the device.
  using Observer = void (*)(const HostAccess&);

  static HostViews& instance();
  void observe(Observer observer);

  // Replaces the private pages at `outer` by shared ones, and returns another address of the same
  // bytes. `bytes` is a multiple of a page. Returns nullptr, and changes nothing, if the system has
  // no memory, or if its signals do not distinguish loads from stores.
  std::byte* add(std::byte* outer, uint64_t bytes);
  // The caller unmaps both addresses.
  void remove(std::byte* outer);

  // Does nothing if another handler has replaced the one of the views.
  void close();
  void open();

  struct State;

 private:
  HostViews();
  const std::unique_ptr<State> state_;
};

}  // namespace cucore::cpu
