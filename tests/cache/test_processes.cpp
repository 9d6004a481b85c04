// SPDX-License-Identifier: Apache-2.0
// Several processes and one folder: one compile per program, and no torn entry however they end.
// CUCORE_TEST_LONG takes the full numbers: 8 processes, 4 threads, 200 programs; 200 rounds.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <atomic>
#include <random>

#include "cache_testing.hpp"

extern char** environ;

namespace {

using namespace cache_test;

class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    std::vector<char*> pointers;
    std::vector<std::string> copies = arguments;
    copies.insert(copies.begin(), CACHE_WORKER);
    for (std::string& copy : copies) pointers.push_back(copy.data());
    pointers.push_back(nullptr);
    if (posix_spawn(&pid_, CACHE_WORKER, &actions, nullptr, pointers.data(), environ) != 0)
      throw std::runtime_error("spawn");
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    output_ = ends[0];
  }
  ~Process() {
    if (pid_ > 0) kill();
    close(output_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void kill() {
    ::kill(pid_, SIGKILL);
    wait();
  }
  int wait() {
    int status = -1;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return status;
  }
  void wait_for_first_byte() {
    char byte;
    ASSERT_EQ(::read(output_, &byte, 1), 1);
  }
  std::string rest() {
    std::string text;
    char buffer[256];
    for (ssize_t got; (got = ::read(output_, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<size_t>(got));
    return text;
  }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
};

TEST(Processes, OneCompileAProgram) {
  NEEDS_REAL_COMPILER();
  const int processes = is_long() ? 8 : 4;
  const int programs = is_long() ? 200 : 40;
  const Folder folder;
  std::vector<std::unique_ptr<Process>> running;
  for (int i = 0; i < processes; ++i)
    running.push_back(std::make_unique<Process>(
        std::vector<std::string>{"compile", folder.path(), "4", std::to_string(programs)}));
  int builds = 0, wrong = 0;
  for (const auto& process : running) {
    int one_builds = -1, one_wrong = -1;
    const std::string text = process->rest();
    ASSERT_EQ(std::sscanf(text.c_str(), "%d %d", &one_builds, &one_wrong), 2) << text;
    EXPECT_EQ(process->wait(), 0);
    builds += one_builds;
    wrong += one_wrong;
  }
  EXPECT_EQ(builds, programs);
  EXPECT_EQ(wrong, 0);
  const Cache cache = open_cache(folder.path());
  cucore_cache_statistics_info all = CUCORE_CACHE_STATISTICS_INFO_INIT;
  MUST(cucore_cache_statistics_of_all, cache, &all);
  EXPECT_EQ(all.builds, static_cast<uint64_t>(programs));
  EXPECT_EQ(all.entries, static_cast<uint64_t>(programs));
  uint64_t bad = 1;
  MUST(cucore_cache_verify, cache, nullptr, nullptr, &bad);
  EXPECT_EQ(bad, 0u);
}

TEST(Processes, KilledAtAnyMomentTheyLeaveNothingTorn) {
  const int rounds = is_long() ? 200 : 25;
  const Folder folder;
  std::mt19937 random(12345);
  for (int round = 0; round < rounds; ++round) {
    Process first({"churn", folder.path(), "12"}), second({"churn", folder.path(), "12"});
    first.wait_for_first_byte();
    second.wait_for_first_byte();
    usleep(random() % 30000);
    first.kill();
    usleep(random() % 10000);
    second.kill();
    ASSERT_FALSE(contains(first.rest() + second.rest(), "wrong")) << "round " << round;
  }
  const Cache cache = open_cache(folder.path());
  uint64_t bad = 1;
  MUST(cucore_cache_verify, cache, nullptr, nullptr, &bad);
  EXPECT_EQ(bad, 0u);
  EXPECT_EQ(statistics(cache).entries, files_in(folder.path()).size());
  EXPECT_GT(statistics(cache).entries, 0u);
}

cucore_status give_code(cucore_objectcode** out, cucore_error**, void*) {
  *out = cucore_objectcode_retain(make_ptx_code());
  return CUCORE_OK;
}

cucore_cache_outcome get_or_build(cucore_cache* cache, int number) {
  const uint8_t key[32] = {static_cast<uint8_t>(number), static_cast<uint8_t>(number >> 8)};
  Code code;
  cucore_cache_outcome outcome = CUCORE_CACHE_OUTCOME_NONE;
  cucore_cache_get_or_build(cache, key, give_code, nullptr, code.out(), &outcome, nullptr);
  return outcome;
}

// The checks of a child; a number other than 0 names the check that failed.
int use_in_child(cucore_cache* cache, int number) {
  alarm(60);  // ends a hang by a signal
  if (get_or_build(cache, 0) != CUCORE_CACHE_OUTCOME_HIT_DISK) return 1;
  if (get_or_build(cache, 0) != CUCORE_CACHE_OUTCOME_HIT_MEMORY) return 2;
  if (get_or_build(cache, 1000 + number) != CUCORE_CACHE_OUTCOME_BUILT) return 3;
  cucore_cache_statistics_info info = CUCORE_CACHE_STATISTICS_INFO_INIT;
  if (cucore_cache_statistics(cache, &info, nullptr) != CUCORE_OK || info.builds != 1) return 4;
  cucore_cache_release(cache);
  return 0;
}

// Threads of the parent, including one of the library, are active at the fork.
TEST(Processes, AChildOfAForkGoesOn) {
  const Folder folder, shared;
  const cucore_key key = {"secret", 6, CUCORE_KEY_HMAC_SHA256, 0};
  const Cache cache = open_cache(folder.path(), [&](auto& options) { options.signing_key = &key; });
  MUST(cucore_cache_add_remote_url, cache, ("file://" + shared.path()).c_str(), nullptr);
  ASSERT_EQ(get_or_build(cache, 0), CUCORE_CACHE_OUTCOME_BUILT);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; !stop; ++i) get_or_build(cache, 2000 + t + i % 500 * 4);
    });
  for (int number = 0; number < 40; ++number) {
    const pid_t child = fork();
    if (child == 0) _exit(use_in_child(cache, number));
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0) << "the check of that number failed in the child";
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(get_or_build(cache, 1000), CUCORE_CACHE_OUTCOME_HIT_DISK) << "a child's work is kept";
}

}  // namespace
