// SPDX-License-Identifier: Apache-2.0
// Loads and stores of the program to managed memory, as work without a stream. The records of cells
// then find the program's accesses, and those of streams that have no order with them. A record of
// the program counts as strong. Volatile and atomic accesses of kernels thus do not race with it,
// because the program may use memory to communicate.
#pragma once

#include <cstdint>
#include <memory>

#include "cpu/checks/segments.hpp"
#include "cpu/exec/host_views.hpp"

namespace cucore::cpu {

inline constexpr uint32_t HOST_STREAM = 0;  // its place in clocks; streams have higher numbers

// The accesses of the program between two calls that change its order with streams.
struct HostWork {
  std::shared_ptr<StreamWork> work;
  uint32_t id = 0;  // of its only segment; 0: none are left
};
HostWork begin_host_work(std::shared_ptr<const StreamClock> before, uint32_t position);

// Checks the cell at the address, and records the access.
void check_host_access(const HostWork& host, const HostAccess& access);

// A kernel has made an atomic or volatile access to memory that the program can access. From then
// on, its order with the program is unknown.
void note_communication(const std::shared_ptr<StreamWork>& work);
// Returns false if the program and `work` may have an order that no clock contains. Then
// `work` may follow the host, or work that runs at the same time has communicated and passes it on.
bool is_host_order_known(const StreamWork& host, const StreamWork& work);

}  // namespace cucore::cpu
