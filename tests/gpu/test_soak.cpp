// SPDX-License-Identifier: Apache-2.0
// Threads that use every part of the library at random on a driver that fails at random. Each
// failure is a documented one, each computed result is right, and the numbers of bytes, descriptors
// and objects of the driver stay level. Environment variables:
//
//   CUCORE_SOAK_SECONDS    how long; default 5
//   CUCORE_SOAK_SEED       repeats the choices of a run; the order of its threads still differs
//   CUCORE_SOAK_FAULT_ONE_IN  one of this many calls of the driver fails; default 40
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "gpu_testing.hpp"
#include "soak_rounds.hpp"

namespace gpu_test {
namespace {

using std::chrono::steady_clock;

constexpr unsigned SOAK_THREADS = 8;
constexpr const char* KINDS[] = {"stream",  "event", "memory", "host_memory",
                                 "library", "link",  "graph",  "graph_exec"};

uint64_t number(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 0) : otherwise;
}

// Quantities that must not grow.
struct Levels {
  int64_t host_bytes = 0, device_bytes = 0, descriptors = 0, links = 0;
  std::map<std::string, int64_t> objects;
};

// Excludes memory that the C library keeps for reuse.
int64_t trimmed_host_bytes() {
  malloc_trim(0);
  return static_cast<int64_t>(host_bytes());
}

int64_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

class Soak : public OnGpu {
 protected:
  void SetUp() override {
    driver_ = FaultyDriver::find();
    if (!driver_) GTEST_SKIP() << "needs the driver that fails at random";
    mallopt(M_ARENA_MAX, 2);  // fewer free pieces that stay resident
    OnGpu::SetUp();
    if (IsSkipped()) return;
    std::printf("CUCORE_SOAK_SEED=%llu\n", static_cast<unsigned long long>(seed_));
    world_ = std::make_unique<SoakWorld>(*driver_, device_.get());
  }
  void TearDown() override {
    world_.reset();
    OnGpu::TearDown();
  }

  // Runs until the time is over or an error occurs.
  void run_for(double seconds) {
    driver_->arm(one_in_, seed_ + slice_);
    const auto end = steady_clock::now() + std::chrono::nanoseconds(std::llround(seconds * 1e9));
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < SOAK_THREADS; ++t)
      threads.emplace_back(
          [this, end, seed = seed_ * 64 + slice_ * SOAK_THREADS + t] { work(seed, end); });
    for (std::thread& thread : threads) thread.join();
    driver_->arm(0, 0);
    ++slice_;
  }

  void work(uint64_t seed, steady_clock::time_point end) {
    SoakThread thread(*world_, static_cast<unsigned>(seed * 2654435761 % 2147483647));
    try {
      while (steady_clock::now() < end && !stop_ && thread.wrong().empty()) {
        thread.one_round();
        ++rounds_;
      }
      note(thread.wrong());
    } catch (const std::exception& e) {
      note(e.what());
    }
  }

  void note(const std::string& wrong) {
    if (wrong.empty()) return;
    stop_ = true;
    const std::lock_guard lock(mutex_);
    ADD_FAILURE() << wrong << "\nafter " << rounds_ << " rounds; CUCORE_SOAK_SEED=" << seed_;
  }

  // Waits until the threads of the library have freed their pending memory.
  Levels settled() {
    world_->settle();
    const auto is_used = [this] { return in_use() != 0; };
    for (int i = 0; i < 5000 && is_used(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_EQ(in_use(), 0) << "memory was not freed";
    size_t free_bytes = 0, total_bytes = 0;
    MUST(cucore_device_memory, device_, &free_bytes, &total_bytes);
    Levels levels;
    levels.host_bytes = trimmed_host_bytes();
    levels.device_bytes = static_cast<int64_t>(total_bytes - free_bytes);
    levels.descriptors = open_descriptors();
    levels.links = world_->links;
    for (const char* kind : KINDS) levels.objects[kind] = driver_->live_objects(kind);
    return levels;
  }
  int64_t in_use() const {
    return driver_->live_objects("memory") + driver_->live_objects("host_memory");
  }

  void print(const Levels& levels, double seconds) const {
    std::printf(
        "%.0f s: %llu rounds, %llu faults, host %.1f MiB, device %.1f MiB, "
        "%lld descriptors, %lld links",
        seconds, static_cast<unsigned long long>(rounds_),
        static_cast<unsigned long long>(driver_->struck()),
        static_cast<double>(levels.host_bytes) / 0x1p20,
        static_cast<double>(levels.device_bytes) / 0x1p20,
        static_cast<long long>(levels.descriptors), static_cast<long long>(levels.links));
    for (const auto& [kind, count] : levels.objects)
      std::printf(", %lld %s", static_cast<long long>(count), kind.c_str());
    std::printf("\n");
    std::fflush(stdout);
  }

  const FaultyDriver* driver_ = nullptr;
  const uint64_t seed_ =
      number("CUCORE_SOAK_SEED",
             static_cast<uint64_t>(steady_clock::now().time_since_epoch().count() % 1'000'000));
  const uint64_t one_in_ = number("CUCORE_SOAK_FAULT_ONE_IN", 40);
  std::unique_ptr<SoakWorld> world_;
  std::mutex mutex_;
  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> rounds_{0};
  uint64_t slice_ = 0;
};

void expect_level(const Levels& first, const Levels& now) {
  // More than the 4096 released handles of each kind and the compilers' own caches.
  constexpr int64_t SLACK = int64_t{16} << 20;
  // nvJitLink 13.0 keeps 20 blocks per thread that has optimised, 1.6 KB in all, and each link
  // needs a separate thread (nvjitlink_link.cpp). The same calls without the library keep as much.
  constexpr int64_t KEPT_PER_LINK = 2048;
  // An H200 (driver 580) reports up to 100 MiB more or less while no buffer exists.
  constexpr int64_t DEVICE_SLACK = int64_t{256} << 20;
  // Kept for reuse: streams for frees of memory, and events of streams until enough are released.
  constexpr int64_t KEPT = 64;
  constexpr int64_t FEW = 4;  // opened on first use
  EXPECT_LT(now.host_bytes, first.host_bytes + SLACK + (now.links - first.links) * KEPT_PER_LINK)
      << "host memory grows; links: " << now.links - first.links;
  EXPECT_LT(now.device_bytes, first.device_bytes + DEVICE_SLACK) << "device memory grows";
  EXPECT_LE(now.descriptors, first.descriptors + FEW) << "descriptors are left open";
  for (const auto& [kind, count] : now.objects)
    EXPECT_LE(count, first.objects.at(kind) + KEPT) << kind << ": objects are left behind";
}

TEST_F(Soak, WithFaults) {
  const auto total = static_cast<double>(number("CUCORE_SOAK_SECONDS", 5));
  // Long enough for each thread's first compile and link.
  const double warm_up = std::max(total / 10, std::min(total / 3, 3.0));
  const double slice = std::clamp(total / 10, 0.5, 60.0);
  const auto begin = steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(steady_clock::now() - begin).count();
  };
  run_for(warm_up);
  const Levels first = settled();
  print(first, elapsed());
  while (elapsed() < total && !HasFailure()) {
    run_for(std::min(slice, std::max(total - elapsed(), 0.1)));
    const Levels now = settled();
    print(now, elapsed());
    expect_level(first, now);
  }
  driver_->report(stdout);
  EXPECT_GT(rounds_, 0u);
  EXPECT_GT(driver_->struck(), 0u) << "no call has failed: nothing was tested";
}

}  // namespace
}  // namespace gpu_test
