// SPDX-License-Identifier: Apache-2.0
// Forks, exits and many threads at the time of the first use.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <set>
#include <thread>
#include <vector>

#include "driver/cuda.hpp"
#include "driver/library_info.hpp"
#include "driver/nvrtc.hpp"
#include "fakes/fake_client.hpp"
#include "own_process.hpp"

namespace cucore::driver::test {
namespace {

Environment with_fakes() {
  return {{"CUCORE_DRIVER", fake::path("fake_driver")}, {"CUCORE_NVRTC", fake::path("fake_nvrtc")}};
}

// Forks, and returns the result of the child's function.
template <class Function>
int in_child(Function function) {
  const pid_t child = fork();
  if (child == 0) _exit(function());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

TEST(Fork, AfterUseTheDriverIsLostInTheChildAlone) {
  if (!own_process(with_fakes())) return;
  cuda();
  EXPECT_FALSE(forked());
  const int wrong = in_child([] {
    const int lost = static_cast<int>(Status::INVALID_STATE);
    int wrong = !forked() + !is_gone() + (cuda_if_available() != nullptr);
    const Thrown failure = thrown([] { cuda(); });
    wrong += failure.status != lost || !has(failure.message, "fork");
    wrong += thrown([] { device_count(); }).status != lost;
    wrong += thrown([] { select_driver("cpu"); }).status != lost;
    wrong += query(Library::DRIVER).available;
    return wrong;
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_FALSE(forked());
  EXPECT_EQ(device_count(), 2);
}

TEST(Fork, BeforeUseBothMayUseTheDriver) {
  if (!own_process(with_fakes())) return;
  EXPECT_EQ(in_child([] { return device_count(); }), 2);
  EXPECT_EQ(device_count(), 2);
}

TEST(Fork, AFailedAttemptIsNoUse) {
  if (!own_process({{"CUCORE_DRIVER", "/no/such/driver.so"}})) return;
  EXPECT_EQ(device_count(), 0);
  EXPECT_EQ(in_child([] {
              setenv("CUCORE_DRIVER", fake::path("fake_driver").c_str(), 1);
              return device_count();
            }),
            2);
}

TEST(Fork, CompilingStillWorksInTheChild) {
  if (!own_process(with_fakes())) return;
  cuda();
  nvrtc();
  EXPECT_EQ(in_child([] { return forked() && nvrtc_build() == "V13.0.88 CL-12345678" ? 7 : 0; }),
            7);
}

TEST(Fork, WhileAnotherThreadOpensTheDriverDoesNotHang) {
  if (!own_process(with_fakes())) return;
  const fake::Client fake(fake::path("fake_driver"));
  fake.delay_call("cuInit", 400);
  std::thread opener([] { cuda(); });
  while (fake.call_count("cuInit") == 0) usleep(1000);
  EXPECT_EQ(in_child([] { return thrown([] { cuda(); }).status; }),
            static_cast<int>(Status::INVALID_STATE));
  opener.join();
  EXPECT_EQ(device_count(), 2);
}

TEST(Exit, IsKnownWhenItHasBegun) {
  if (!own_process(with_fakes())) return;
  EXPECT_EQ(in_child([] {
              // Runs after the handlers that the library registers later.
              std::atexit([] { _exit(exiting() ? 5 : 6); });
              cuda();
              if (exiting()) return 7;
              std::exit(8);
            }),
            5);
}

TEST(Threads, ManyAtFirstUseOpenOneDriver) {
  if (!own_process(with_fakes())) return;
  constexpr int COUNT = 64;
  const fake::Client fake(fake::path("fake_driver"));
  fake.delay_call("cuInit", 50);
  std::atomic<int> ready{0};
  std::vector<const CudaTable*> seen(COUNT);
  std::vector<std::thread> threads;
  for (int i = 0; i < COUNT; ++i)
    threads.emplace_back([&, i] {
      ++ready;
      while (ready < COUNT) std::this_thread::yield();
      seen[static_cast<size_t>(i)] = &cuda();
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set<const CudaTable*>(seen.begin(), seen.end()).size(), 1u);
  EXPECT_EQ(fake.call_count("cuInit"), 1u);
}

TEST(Threads, ManyAtFirstUseOpenOneCompiler) {
  if (!own_process(with_fakes())) return;
  constexpr int COUNT = 32;
  std::vector<std::string> builds(COUNT);
  std::vector<std::thread> threads;
  for (int i = 0; i < COUNT; ++i)
    threads.emplace_back([&, i] { builds[static_cast<size_t>(i)] = nvrtc_build(); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& build : builds) EXPECT_EQ(build, "V13.0.88 CL-12345678");
  const fake::Client fake(fake::path("fake_nvrtc"));
  EXPECT_EQ(fake.compile_count(), 1u);
  EXPECT_EQ(fake.live_objects(nullptr), 0u);
}

}  // namespace
}  // namespace cucore::driver::test
