// SPDX-License-Identifier: Apache-2.0
// Semaphores as other libraries export them, for tests: an eventfd, and a number in a shared file.
#pragma once

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capi_testing.hpp"

namespace capi_test {

// The other library's side of a semaphore.
class OtherSide {
 public:
  explicit OtherSide(bool is_timeline) : is_timeline_(is_timeline) {
    own_ = is_timeline ? memfd_create("timeline", MFD_CLOEXEC)
                       : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (own_ < 0 || (is_timeline && ftruncate(own_, sizeof(uint64_t)) != 0))
      throw std::runtime_error("no descriptor");
  }
  ~OtherSide() { close(own_); }
  OtherSide(const OtherSide&) = delete;
  OtherSide& operator=(const OtherSide&) = delete;

  // A descriptor to hand over.
  int exported() const { return fcntl(own_, F_DUPFD_CLOEXEC, 0); }

  void signal(uint64_t value = 1) const {
    const ssize_t written =
        is_timeline_ ? pwrite(own_, &value, sizeof value, 0) : write(own_, &value, sizeof value);
    if (written != sizeof value) throw std::runtime_error("no signal");
  }
  // The signals since the last call, or the number of a timeline.
  uint64_t take() const {
    uint64_t value = 0;
    const ssize_t size =
        is_timeline_ ? pread(own_, &value, sizeof value, 0) : read(own_, &value, sizeof value);
    return size == sizeof value ? value : 0;
  }

 private:
  const bool is_timeline_;
  int own_ = -1;
};

// Null on a driver that imports no such descriptor, as NVIDIA's, which needs one of Vulkan.
External make_semaphore(const cucore_device* device, const OtherSide& other, bool is_timeline);
External make_semaphore(const cucore_device* device);

}  // namespace capi_test
