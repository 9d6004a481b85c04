// SPDX-License-Identifier: Apache-2.0
#include "cpu/driver/external_semaphore.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>

namespace cucore::cpu {
namespace {

bool is_eventfd(int descriptor) {
  char target[64] = {};
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t size = readlink(path.c_str(), target, sizeof target - 1);
  return size > 0 && std::string(target) == "anon_inode:[eventfd]";
}

class BinarySemaphore final : public ExternalSemaphore {
 public:
  BinarySemaphore(std::shared_ptr<Context> context, int descriptor)
      : ExternalSemaphore(std::move(context)), descriptor_(descriptor) {
    require(is_eventfd(descriptor));
  }
  ~BinarySemaphore() override {
    if (is_own_) close(descriptor_);
  }

  void take_over() { is_own_ = true; }

  void signal(uint64_t) override {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(descriptor_, &one, sizeof one);
  }

  // One thread of the process reads at a time, so that two waits do not find the same signal.
  bool try_wait(uint64_t) override {
    std::lock_guard lock(mutex_);
    pollfd readable{descriptor_, POLLIN, 0};
    if (poll(&readable, 1, 1) != 1 || !(readable.revents & POLLIN)) return false;
    uint64_t signals = 0;
    return read(descriptor_, &signals, sizeof signals) == sizeof signals;
  }

 private:
  const int descriptor_;
  bool is_own_ = false;
  std::mutex mutex_;
};

class TimelineSemaphore final : public ExternalSemaphore {
 public:
  TimelineSemaphore(std::shared_ptr<Context> context, int descriptor)
      : ExternalSemaphore(std::move(context)) {
    struct stat status {};
    require(fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
            static_cast<size_t>(status.st_size) >= sizeof(uint64_t));
    void* const mapped =
        mmap(nullptr, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    require(mapped != MAP_FAILED);
    value_ = static_cast<uint64_t*>(mapped);
  }
  ~TimelineSemaphore() override { munmap(value_, sizeof(uint64_t)); }

  // The number never falls.
  void signal(uint64_t value) override {
    const std::atomic_ref<uint64_t> now(*value_);
    for (uint64_t seen = now.load(); seen < value && !now.compare_exchange_weak(seen, value);) {
    }
  }

  bool try_wait(uint64_t value) override {
    const std::atomic_ref<uint64_t> now(*value_);
    if (now.load() >= value) return true;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    return now.load() >= value;
  }

 private:
  uint64_t* value_ = nullptr;
};

template <class Params>
SemaphoreList<Params> list_of(const CUexternalSemaphore* semaphores, const Params* params,
                              unsigned count) {
  require(count > 0 && semaphores && params);
  SemaphoreList<Params> list;
  for (unsigned i = 0; i < count; ++i) {
    list.semaphores.push_back(lookup<ExternalSemaphore>(semaphores[i]));
    require(params[i].flags == 0);
  }
  list.handles.assign(semaphores, semaphores + count);
  list.params.assign(params, params + count);
  return list;
}

}  // namespace

std::shared_ptr<ExternalSemaphore> ExternalSemaphore::import(std::shared_ptr<Context> context,
                                                             int descriptor, bool is_timeline) {
  if (is_timeline) {
    auto timeline = std::make_shared<TimelineSemaphore>(std::move(context), descriptor);
    close(descriptor);
    return timeline;
  }
  auto binary = std::make_shared<BinarySemaphore>(std::move(context), descriptor);
  binary->take_over();
  return binary;
}

SemaphoreSignals semaphore_list(const CUexternalSemaphore* semaphores,
                                const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS* params,
                                unsigned count) {
  return list_of(semaphores, params, count);
}
SemaphoreWaits semaphore_list(const CUexternalSemaphore* semaphores,
                              const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS* params, unsigned count) {
  return list_of(semaphores, params, count);
}

void run_semaphores(const SemaphoreSignals& signals) {
  for (size_t i = 0; i < signals.semaphores.size(); ++i)
    signals.semaphores[i]->signal(signals.params[i].params.fence.value);
}

void run_semaphores(const SemaphoreWaits& waits, const Context& context) {
  for (size_t i = 0; i < waits.semaphores.size(); ++i)
    while (!waits.semaphores[i]->try_wait(waits.params[i].params.fence.value))
      if (!context.alive() || context.poisoned()) return;
}

}  // namespace cucore::cpu
