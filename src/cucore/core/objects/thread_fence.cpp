// SPDX-License-Identifier: Apache-2.0
#include "core/objects/thread_fence.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace cucore::core {

// Without the system call it only waits: stores leave a processor in far less time.
void fence_all_threads() noexcept {
  (void)syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0) return;
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

}  // namespace cucore::core
