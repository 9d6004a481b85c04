// SPDX-License-Identifier: Apache-2.0
// Every exported function, with each call and allocation below it failing once. Each failure is a
// status with a message; outputs are empty, nothing leaks, and the caller's context stays.
#include <cuda.h>
#include <nvrtc.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <set>
#include <thread>

#include "memory_failure.hpp"
#include "support/idle_events.hpp"
#include "world.hpp"

namespace sweep {
namespace {

constexpr uint64_t ENOUGH = 5000;     // no function makes more calls or allocations
constexpr int QUARANTINE = 2 * 4096;  // handles of a type until slots are used again

std::set<std::string> exported_functions() {
  std::ifstream map(CUCORE_MAP);
  const std::string text{std::istreambuf_iterator<char>(map), {}};
  const std::regex name(R"(\b(cucore_[a-z0-9_]+);)");
  std::set<std::string> names;
  for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it)
    names.insert((*it)[1]);
  return names;
}

std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> all;
  for (const auto& part :
       {library_scenarios(), device_scenarios(), stream_scenarios(), event_scenarios(),
        pool_scenarios(), buffer_scenarios(), program_scenarios(), linker_scenarios(),
        cache_scenarios(), objectcode_scenarios(), kernel_scenarios(), completion_scenarios(),
        checks_scenarios(), observer_scenarios(), graph_scenarios(), graph_change_scenarios(),
        capture_scenarios(), external_scenarios()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

// The library's thread frees its memory after a moment.
int64_t settled_blocks(int64_t wanted) {
  for (int i = 0; i < 20000 && blocks_alive() != wanted; ++i)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  return blocks_alive();
}

// Waits until the library's threads have freed their pending memory.
int64_t quiet_blocks() {
  int64_t blocks = blocks_alive();
  for (int quiet = 0; quiet < 5; ++quiet) {
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    const int64_t now = blocks_alive();
    if (now != blocks) quiet = 0;
    blocks = now;
  }
  return blocks;
}

// Handle slots are new until enough have been released; after that, memory stays level.
void fill_quarantine(World& world) {
  for (int i = 0; i < QUARANTINE; ++i) {
    make_stream(world.device.get());
    make_event(world.device.get());
    make_buffer(world.device.get(), world.stream.get());
    make_program();
    make_linker();
    make_cache();
    make_checks();
    make_observer();
    make_future(world.stream.get(), make_queue().get());
    make_executable(make_graph(world.device.get()).get());
    const Code code = make_ptx();
    prepare_saxpy(find_saxpy(code.get()).get(), world.stream.get(), world.buffer.get());
    cucore_error* error = nullptr;
    cucore_device_open(-1, nullptr, &error);
    cucore_error_release(error);
  }
}

// The most streams that a context keeps for frees of memory that several streams used.
constexpr int RELEASE_STREAMS = 8;

// With held work each release creates one.
void make_release_streams(World& world, const Fakes& fakes) {
  for (int i = 0; i <= RELEASE_STREAMS; ++i) {
    fakes.driver.hold_streams(i != 0);  // the first finds a stream idle, and its queue empty
    const Buffer buffer = make_buffer(world.device.get(), world.stream.get());
    ASSERT_EQ(cucore_buffer_record_use(buffer.get(), world.second_stream.get(), nullptr),
              CUCORE_OK);
  }
  fakes.driver.hold_streams(0);
}

class Sweep : public testing::Test {
 protected:
  void SetUp() override {
    fakes_.emplace();
    fakes_->driver.set_logging(0);
    fakes_->nvrtc.set_logging(0);
    fakes_->nvjitlink.set_logging(0);
  }

  // The caller's current context in the following calls.
  void make_current(int device) {
    fakes_->make_current(device);
    callers_context_ = fakes_->current_context();
    ASSERT_NE(callers_context_, nullptr);
  }

  // Sweeps before the library has opened anything, then with everything open.
  void sweep_all(Failure failure) {
    for (const Scenario& scenario : first_scenarios()) sweep_one(scenario, failure, nullptr);
    World world;
    make_release_streams(world, *fakes_);
    make_current(1);
    fill_quarantine(world);
    wait_for_the_worlds_own(world);
    for (const Scenario& scenario : all_scenarios()) sweep_one(scenario, failure, &world);
    EXPECT_EQ(visited_, exported_functions());
    std::printf("%llu failures in %zu functions\n", static_cast<unsigned long long>(struck_),
                visited_.size());
    EXPECT_GT(struck_, 0u);
  }

  // Code is unloaded, memory freed and events of futures destroyed some time after their use.
  void wait_for_the_worlds_own(const World& world) {
    test_support::fill_idle_events(world.device.get());
    // Each of the two streams that make_release_streams() uses keeps an event.
    const std::pair<const char*, uint64_t> own[] = {{"library", 1},
                                                    {"event", 2 + 2 + test_support::IDLE_EVENTS},
                                                    {"memory", 2},
                                                    {"host_memory", 1},
                                                    {"graph_exec", 1}};
    for (const auto& [kind, count] : own)
      while (fakes_->driver.live_objects(kind) != count)
        std::this_thread::sleep_for(std::chrono::microseconds(100));
  }

  // Fails the first call, the second, and so on, until no further call exists.
  void sweep_one(const Scenario& scenario, Failure failure, World* world) {
    SCOPED_TRACE(scenario.function);
    visited_.insert(scenario.function);
    for (failure.nth = 1; failure.nth < ENOUGH; ++failure.nth) {
      const Alive before = alive(*fakes_);
      const bool struck = run(scenario, failure, world);
      EXPECT_EQ(settled(*fakes_, before), before) << "left alive in the fakes";
      if (HasFailure()) return;
      // The second time caches are full, so memory must be level.
      expect_level(scenario, failure, world, before);
      if (!struck || HasFailure()) return;
    }
    FAIL() << "the failure strikes without end";
  }

  // Threads of the library free and allocate some blocks late, so that a single count may be too
  // high or too low. A leak adds blocks in each run.
  void expect_level(const Scenario& scenario, const Failure& failure, World* world,
                    const Alive& before) {
    constexpr int LEAKS = 3;
    int grown = 0;
    int64_t blocks = 0, now = 0;
    for (int tries = 0; tries < 5 + LEAKS && grown < LEAKS; ++tries) {
      blocks = quiet_blocks();
      run(scenario, failure, world);
      settled(*fakes_, before);
      if (!world || HasFailure()) return;
      now = settled_blocks(blocks);
      if (now == blocks) return;
      grown = now > blocks ? grown + 1 : 0;
    }
    FAIL() << (grown < LEAKS ? "memory is never level" : "memory leaked") << ": " << now
           << " blocks after " << blocks << "; n = " << failure.nth;
  }

  bool run(const Scenario& scenario, const Failure& failure, World* world) {
    ::sweep::Run run(*fakes_, failure);
    World none(nullptr);
    World& in = world ? *world : none;
    scenario.body(run, in);
    check(run);
    EXPECT_EQ(fakes_->current_context(), callers_context_) << "the caller's; " << run.where();
    if (scenario.settle) scenario.settle(in);
    EXPECT_EQ(fakes_->driver.violations(), 0u) << fakes_->driver.last_violation();
    EXPECT_EQ(fakes_->nvrtc.violations(), 0u) << fakes_->nvrtc.last_violation();
    if (world) test_support::fill_idle_events(world->device.get());
    struck_ += run.struck();
    return run.struck();
  }

  static void check(const ::sweep::Run& run) {
    if (!run.struck()) {
      EXPECT_EQ(run.status(), run.expected()) << run.message();
      return;
    }
    if (run.has_no_status() || run.tolerated()) return;
    // Only a capture needs the mode that this call sets.
    if (run.failed_call() == "cuThreadExchangeStreamCaptureMode") return;
    EXPECT_NE(run.status(), CUCORE_OK) << "a failure was lost: " << run.where();
  }

  std::optional<Fakes> fakes_;
  void* callers_context_ = nullptr;  // none at first
  std::set<std::string> visited_;
  uint64_t struck_ = 0;
};

TEST_F(Sweep, DriverCallsWithAnUnknownError) {
  sweep_all({Failing::DRIVER_CALL, 0, CUDA_ERROR_UNKNOWN});
}

TEST_F(Sweep, DriverCallsOutOfMemory) {
  sweep_all({Failing::DRIVER_CALL, 0, CUDA_ERROR_OUT_OF_MEMORY});
}

TEST_F(Sweep, DriverCallsAfterAKernelFault) {
  sweep_all({Failing::DRIVER_CALL, 0, CUDA_ERROR_ILLEGAL_ADDRESS});
}

TEST_F(Sweep, CompilerCalls) { sweep_all({Failing::COMPILER_CALL, 0, NVRTC_ERROR_INTERNAL_ERROR}); }

TEST_F(Sweep, Allocations) { sweep_all({Failing::ALLOCATION}); }

TEST_F(Sweep, AllocationsFromOneOn) { sweep_all({Failing::ALL_ALLOCATIONS}); }

TEST_F(Sweep, Releases) {
  World world;
  make_release_streams(world, *fakes_);
  make_current(1);
  cucore_library_info nvrtc = CUCORE_LIBRARY_INFO_INIT;
  ASSERT_EQ(cucore_library_query(CUCORE_LIBRARY_NVRTC, &nvrtc, nullptr), CUCORE_OK);
  for (const char* name :
       {"cuStreamDestroy", "cuEventDestroy", "cuLibraryUnload", "cuMemFree", "cuMemFreeAsync",
        "cuMemFreeHost", "cuGraphDestroy", "cuGraphExecDestroy", "cuGraphReleaseUserObject",
        "cuDestroyExternalSemaphore", "cuCtxPopCurrent", "cuDevicePrimaryCtxRelease"})
    for (const Scenario& scenario : all_scenarios()) {
      SCOPED_TRACE(scenario.function);
      // The program frees, so the failure has its status.
      if (scenario.function == std::string("cucore_pool_free")) continue;
      {
        // Objects that are created once and kept, such as a device's context, exist before the
        // count.
        ::sweep::Run first(*fakes_, {Failing::DRIVER_CALL, UINT64_MAX, CUDA_ERROR_UNKNOWN});
        scenario.body(first, world);
        if (scenario.settle) scenario.settle(world);
      }
      wait_for_the_worlds_own(world);
      const Alive before = alive(*fakes_);
      ::sweep::Run run(*fakes_, {Failing::RELEASE, 1, CUDA_ERROR_ILLEGAL_ADDRESS, name});
      scenario.body(run, world);
      if (scenario.settle) scenario.settle(world);
      EXPECT_EQ(run.status(), run.expected()) << name << " has nobody to fail to";
      test_support::fill_idle_events(world.device.get());
      EXPECT_EQ(settled(*fakes_, before), before) << name;
      EXPECT_EQ(fakes_->current_context(), callers_context_) << name;
      EXPECT_EQ(fakes_->driver.violations(), 0u) << fakes_->driver.last_violation();
      if (HasFailure()) return;
    }
}

}  // namespace
}  // namespace sweep
