// SPDX-License-Identifier: Apache-2.0
// Many compiles at once in worker processes: the results are the same, and a failure does not
// spread.
#include <dirent.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <atomic>
#include <cctype>
#include <set>

#include "cache_testing.hpp"

namespace {

using namespace cache_test;

struct Batch {
  std::vector<Program> programs;
  std::vector<cucore_batch_item> items;
  std::vector<cucore_objectcode*> out;
  std::vector<cucore_error*> failures;
  std::set<size_t> told;

  void add(const std::string& source, cucore_code_type target = CUCORE_CODE_TYPE_PTX) {
    cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
    options.arch = "sm_80";
    options.name = "batch.cu";
    programs.push_back(make_program(source, &options));
    items.push_back({programs.back(), target, 0, nullptr, 0});
  }
  void run(cucore_cache* cache = nullptr, size_t workers = 3, uint32_t limit = 0) {
    cucore_batch_options options = CUCORE_BATCH_OPTIONS_INIT;
    options.workers = workers;
    options.time_limit_ms = limit;
    options.cache = cache;
    options.user_data = this;
    options.report = [](size_t index, size_t, size_t count, const cucore_error*, void* self) {
      auto& batch = *static_cast<Batch*>(self);
      EXPECT_EQ(count, batch.items.size());
      EXPECT_TRUE(batch.told.insert(index).second) << "told twice";
    };
    out.assign(items.size(), nullptr);
    failures.assign(items.size(), nullptr);
    MUST(cucore_program_compile_batch, items.data(), items.size(), &options, out.data(),
         failures.data());
    EXPECT_EQ(told.size(), items.size());
  }
  ~Batch() {
    for (cucore_objectcode* code : out) cucore_objectcode_release(code);
    for (cucore_error* error : failures) cucore_error_release(error);
  }
};

std::string kernel(int number) {
  const std::string digits = std::to_string(number);
  return "extern \"C\" __global__ void k" + digits + "(int* p) { *p = " + digits + "; }\n";
}

// Returns the number of live processes that this one has started.
int children() {
  int count = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    if (!std::isdigit(entry.path().filename().string()[0])) continue;
    const std::string status = read_file(entry.path().string() + "/stat");
    const size_t end = status.rfind(')');
    if (end == status.npos) continue;
    count += std::atoi(status.c_str() + end + 4) == getpid();
  }
  return count;
}

TEST(Batches, GiveWhatSingleCompilesGive) {
  NEEDS_COMPILER();
  Batch batch;
  for (int i = 0; i < 12; ++i)
    batch.add(kernel(i), i % 2 ? CUCORE_CODE_TYPE_PTX : CUCORE_CODE_TYPE_CUBIN);
  batch.run();
  for (size_t i = 0; i < batch.items.size(); ++i) {
    ASSERT_TRUE(batch.out[i]) << cucore_error_message(batch.failures[i]);
    EXPECT_EQ(batch.failures[i], nullptr);
    const Code single = capi_test::compile(batch.programs[i], batch.items[i].target);
    EXPECT_TRUE(serialized(single) == serialized(batch.out[i])) << i;
  }
  EXPECT_EQ(children(), 0) << "workers were left behind";
}

TEST(Batches, OneThatFailsIsAlone) {
  NEEDS_COMPILER();
  Batch batch;
  batch.add(kernel(1));
  batch.add("#error this one\n");
  batch.add(kernel(2));
  batch.run();
  EXPECT_TRUE(batch.out[0] && batch.out[2]);
  EXPECT_EQ(batch.out[1], nullptr);
  EXPECT_EQ(cucore_error_status(batch.failures[1]), CUCORE_ERROR_COMPILATION);
  EXPECT_TRUE(contains(cucore_error_log(batch.failures[1]), "this one"));
  EXPECT_STREQ(cucore_error_origin(batch.failures[1]), "nvrtc");
  EXPECT_STREQ(cucore_error_native_name(batch.failures[1]), "NVRTC_ERROR_COMPILATION");
}

TEST(Batches, GoThroughACache) {
  NEEDS_COMPILER();
  const Folder folder;
  const Cache cache = open_cache(folder.path());
  for (int round = 0; round < 2; ++round) {
    Batch batch;
    for (int i = 0; i < 6; ++i) batch.add(kernel(i));
    batch.add(kernel(0));
    batch.run(cache);
    for (cucore_objectcode* code : batch.out) EXPECT_TRUE(code);
  }
  EXPECT_EQ(statistics(cache).builds, 6u);
}

TEST(Batches, MayBeEmptyAndSayWhatIsWrong) {
  SUCCEEDS(cucore_program_compile_batch, nullptr, 0, nullptr, nullptr, nullptr);
  Batch batch;
  batch.add(kernel(1));
  cucore_objectcode* out = nullptr;
  const std::string worker = std::getenv("CUCORE_WORKER") ? std::getenv("CUCORE_WORKER") : "";
  setenv("CUCORE_WORKER", "/no/such/worker", 1);
  FAILS(CUCORE_ERROR_NOT_FOUND, "/no/such/worker|CUCORE_WORKER", cucore_program_compile_batch,
        batch.items.data(), 1, nullptr, &out, nullptr);
  setenv("CUCORE_WORKER", worker.c_str(), 1);
  batch.items[0].reserved = 1;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "reserved", cucore_program_compile_batch, batch.items.data(),
        1, nullptr, &out, nullptr);
}

TEST(Batches, SurviveACompilerThatCrashes) {
  NEEDS_FAKE_COMPILER();
  Batch batch;
  for (int i = 0; i < 5; ++i) batch.add(kernel(i));
  batch.add("#crash\n");
  for (int i = 5; i < 10; ++i) batch.add(kernel(i));
  batch.run(nullptr, 2);
  for (size_t i = 0; i < batch.items.size(); ++i) EXPECT_EQ(batch.out[i] != nullptr, i != 5) << i;
  EXPECT_EQ(cucore_error_status(batch.failures[5]), CUCORE_ERROR_COMPILATION);
  EXPECT_TRUE(contains(cucore_error_message(batch.failures[5]), "died twice"));
  EXPECT_TRUE(contains(cucore_error_message(batch.failures[5]), "Abort"));
  EXPECT_EQ(children(), 0);
}

// Only the compiler finds a header whose name is a macro. A hermetic cache asks it before the
// compile.
TEST(Batches, SurviveACompilerThatCrashesOverHeaders) {
  NEEDS_FAKE_COMPILER();
  for (const int32_t hermetic : {0, 1}) {
    const Folder folder;
    const Cache cache =
        open_cache(folder.path(), [&](auto& options) { options.hermetic = hermetic; });
    Batch batch;
    batch.add("#define HEADER <vector_types.h>\n#include HEADER\n#crash\n");
    batch.add(kernel(1));
    batch.run(cache, 2);
    EXPECT_EQ(batch.out[0], nullptr);
    EXPECT_TRUE(batch.out[1]);
    EXPECT_TRUE(contains(cucore_error_message(batch.failures[0]), "died twice"));
  }
}

TEST(Batches, EndACompilerThatHangs) {
  NEEDS_FAKE_COMPILER();
  Batch batch;
  for (int i = 0; i < 5; ++i) batch.add(kernel(i));
  batch.add("#hang\n");
  const auto begin = std::chrono::steady_clock::now();
  batch.run(nullptr, 2, 2000);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  for (size_t i = 0; i < batch.items.size(); ++i) EXPECT_EQ(batch.out[i] != nullptr, i != 5) << i;
  EXPECT_TRUE(contains(cucore_error_message(batch.failures[5]), "longer than 2000 ms"));
  EXPECT_EQ(children(), 0);
}

// A script in place of the worker program, for the life of this object.
class ScriptedWorker {
 public:
  explicit ScriptedWorker(const std::string& script)
      : before_(std::getenv("CUCORE_WORKER") ? std::getenv("CUCORE_WORKER") : "") {
    const std::string path = folder_.path() + "/worker";
    write_file(path, "#!/bin/sh\n" + script);
    fs::permissions(path, fs::perms::owner_all);
    setenv("CUCORE_WORKER", path.c_str(), 1);
  }
  ~ScriptedWorker() { setenv("CUCORE_WORKER", before_.c_str(), 1); }
  ScriptedWorker(const ScriptedWorker&) = delete;
  ScriptedWorker& operator=(const ScriptedWorker&) = delete;

 private:
  const Folder folder_;
  const std::string before_;
};

TEST(Batches, EndAWorkerThatLeavesItsSocket) {
  NEEDS_COMPILER();
  const ScriptedWorker worker("exec 3>&-\nexec sleep 60\n");
  Batch batch;
  batch.add(kernel(1));
  const auto begin = std::chrono::steady_clock::now();
  batch.run(nullptr, 1, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_EQ(cucore_error_status(batch.failures[0]), CUCORE_ERROR_COMPILATION);
  EXPECT_TRUE(contains(cucore_error_message(batch.failures[0]), "left its socket"));
  EXPECT_EQ(children(), 0);
}

std::string blocked_signals(const std::string& status) {
  const size_t begin = status.find("SigBlk:");
  return status.substr(begin, status.find('\n', begin) - begin);
}

// Returns the lines with the blocked signals of the workers of this process.
std::set<std::string> signals_of_workers() {
  std::set<std::string> lines;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string status = read_file(entry.path().string() + "/status");
    // Until it executes the program, the process has another name and blocks all signals.
    if (contains(status, "Name:\tcucore-worker\n") &&
        contains(status, "\nPPid:\t" + std::to_string(getpid()) + "\n"))
      lines.insert(blocked_signals(status));
  }
  return lines;
}

// The threads of a batch block all signals, but their workers block what the caller blocks.
TEST(Batches, HaveWorkersWithTheSignalsOfTheCaller) {
  NEEDS_COMPILER();
  sigset_t one, before;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &one, &before);
  const std::string own = blocked_signals(read_file("/proc/thread-self/status"));
  Batch batch;
  for (int i = 0; i < 8; ++i) batch.add(kernel(i));
  std::set<std::string> seen;
  cucore_batch_options options = CUCORE_BATCH_OPTIONS_INIT;
  options.workers = 3;
  options.user_data = &seen;
  options.report = [](size_t, size_t, size_t, const cucore_error*, void* found) {
    static_cast<std::set<std::string>*>(found)->merge(signals_of_workers());
  };
  batch.out.assign(batch.items.size(), nullptr);
  MUST(cucore_program_compile_batch, batch.items.data(), batch.items.size(), &options,
       batch.out.data(), nullptr);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(seen, std::set<std::string>{own});
}

// The system then reports no child's end.
TEST(Batches, NameNoStatusOfAWorkerIfTheProgramIgnoresTheirEnds) {
  NEEDS_COMPILER();
  const ScriptedWorker worker("exit 3\n");
  for (const bool ignores : {false, true}) {
    Batch batch;
    batch.add(kernel(1));
    const auto before = signal(SIGCHLD, ignores ? SIG_IGN : SIG_DFL);
    batch.run(nullptr, 1);
    signal(SIGCHLD, before);
    EXPECT_TRUE(contains(cucore_error_message(batch.failures[0]),
                         ignores ? "how it ended is unknown" : "it ended with 3"))
        << cucore_error_message(batch.failures[0]);
  }
}

// A message of 20 bytes: a result of no bytes and no names.
TEST(Batches, BelieveNoResultWithoutTheNames) {
  NEEDS_COMPILER();
  std::string script = "printf '\\024\\000\\000\\000\\000\\000\\000\\000\\002";
  for (int i = 0; i < 19; ++i) script += "\\000";
  const ScriptedWorker worker(script + "' >&3\nexec sleep 60 3>&3\n");
  Batch batch;
  batch.add("template <class T> __global__ void k(T* p) { *p = 1; }\n");
  const char* const expressions[] = {"k<int>", "k<float>"};
  batch.items[0].name_expressions = expressions;
  batch.items[0].name_expression_count = 2;
  batch.run(nullptr, 1, 20000);
  EXPECT_EQ(batch.out[0], nullptr);
  EXPECT_EQ(cucore_error_status(batch.failures[0]), CUCORE_ERROR_INTERNAL);
  EXPECT_TRUE(contains(cucore_error_message(batch.failures[0]), "malformed"));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// An answer of 2 GiB whose bytes would be the answer to the next job: a failure with status 1.
TEST(Batches, ForgetAWorkerWhoseAnswerDoesNotFit) {
  NEEDS_COMPILER();
  std::string script =
      "printf '\\000\\000\\000\\200\\000\\000\\000\\000"
      "\\034\\000\\000\\000\\000\\000\\000\\000\\003\\000\\000\\000\\001";
  for (int i = 0; i < 23; ++i) script += "\\000";
  const ScriptedWorker worker(script + "' >&3\nexec sleep 60 3>&3\n");
  Batch batch;
  for (int i = 0; i < 2; ++i) batch.add(kernel(i));
  const std::string status = read_file("/proc/self/statm");
  const rlim_t used = std::stoull(status) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  const rlimit less{used + (rlim_t{1} << 30), before.rlim_max};
  setrlimit(RLIMIT_AS, &less);
  batch.run(nullptr, 1, 20000);
  setrlimit(RLIMIT_AS, &before);
  for (const cucore_error* failure : batch.failures)
    EXPECT_EQ(cucore_error_status(failure), CUCORE_ERROR_OUT_OF_MEMORY)
        << cucore_error_message(failure);
  EXPECT_EQ(children(), 0);
}
#endif

// Messages of 28 bytes: failures whose status is OK or an unknown number.
TEST(Batches, BelieveNoFailureWithoutAFailuresStatus) {
  NEEDS_COMPILER();
  for (const char* status :
       {"\\000\\000\\000\\000", "\\377\\377\\377\\377", "\\071\\060\\000\\000"}) {
    std::string script = "printf '\\034\\000\\000\\000\\000\\000\\000\\000\\003\\000\\000\\000";
    script += status;
    for (int i = 0; i < 20; ++i) script += "\\000";
    const ScriptedWorker worker(script + "' >&3\nexec sleep 60 3>&3\n");
    Batch batch;
    batch.add(kernel(1));
    batch.run(nullptr, 1, 20000);
    EXPECT_EQ(batch.out[0], nullptr);
    ASSERT_TRUE(batch.failures[0]) << status;
    EXPECT_EQ(cucore_error_status(batch.failures[0]), CUCORE_ERROR_INTERNAL) << status;
    EXPECT_TRUE(contains(cucore_error_message(batch.failures[0]), "malformed"));
  }
}

}  // namespace
