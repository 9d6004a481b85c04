// SPDX-License-Identifier: Apache-2.0
#include "service/recent_results.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "fakes/fake_client.hpp"
#include "service_testing.hpp"
#include "support/environment.hpp"

namespace cucore::service {
namespace {

using image::CodeType;

bool is_off() { return environment("CUCORE_REUSE_RESULTS") == "off"; }

// The compiler that the library opens. Each test has kernels of its own, because the results of a
// process stay.
class RecentResults : public testing::Test {
 protected:
  void SetUp() override {
    if (is_off()) GTEST_SKIP() << "the results are switched off";
  }

  // Returns the compiles that the compiler runs during the call.
  template <class Call>
  uint64_t compiles(const Call& call) {
    const uint64_t before = compiler_.compile_count();
    call();
    return compiler_.compile_count() - before;
  }

  const fake::Client compiler_{environment("CUCORE_NVRTC")};
};

CompileRequest program_of(const std::string& source, const cucore_program_options& options) {
  return {core::Program::create(CUCORE_SOURCE_TYPE_CUDA_CPP, source, options), CodeType::PTX, {}};
}

cucore_program_options with_arch() {
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "compute_90";
  return options;
}

TEST_F(RecentResults, EqualThoseOfACompile) {
  const CompileRequest request = request_for("equal"), again = request_for("equal");
  Ref<const core::ObjectCode> first, second;
  EXPECT_GT(compiles([&] { first = compile_or_reuse(request); }), 0u);
  EXPECT_EQ(compiles([&] { second = compile_or_reuse(again); }), 0u);
  EXPECT_EQ(first->code(), second->code());
  EXPECT_EQ(first->code(), again.program->compile(again.target, {})->code());
  EXPECT_NE(first.get(), second.get()) << "each result loads and unloads by itself";
}

TEST_F(RecentResults, KeepTheLog) {
  const std::string source = "#warning careful\nextern \"C\" __global__ void logged() {}\n";
  const auto first = compile_or_reuse(program_of(source, with_arch()));
  const auto second = compile_or_reuse(program_of(source, with_arch()));
  EXPECT_NE(first->code().log.find("careful"), std::string::npos);
  EXPECT_EQ(first->code().log, second->code().log);
}

TEST_F(RecentResults, DifferInEachInput) {
  const CompileRequest ptx = request_for("inputs");
  CompileRequest cubin = ptx, named = ptx;
  cubin.target = CodeType::LTOIR;
  named.expressions = {"inputs"};
  cucore_program_options fast = with_arch();
  fast.use_fast_math = CUCORE_TOGGLE_ON;
  const CompileRequest other = program_of("extern \"C\" __global__ void inputs() {}\n", fast);
  for (const CompileRequest& request : {ptx, cubin, named, other}) {
    EXPECT_GT(compiles([&] { compile_or_reuse(request); }), 0u);
    EXPECT_EQ(compiles([&] { compile_or_reuse(request); }), 0u);
  }
}

TEST_F(RecentResults, AreNotOfAnotherHeader) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("recent_results_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string header = folder / "changing.h";
  std::ofstream(header) << "#define N 1\n";
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // a later stamp is another one
  const std::string path = folder;
  const char* const paths[] = {path.c_str()};
  cucore_program_options options = with_arch();
  options.toolkit_headers = CUCORE_TOGGLE_OFF;
  options.include_paths = paths;
  options.include_path_count = 1;
  const CompileRequest request = program_of(
      "#include \"changing.h\"\nextern \"C\" __global__ void with_header() {}\n", options);
  EXPECT_GT(compiles([&] { compile_or_reuse(request); }), 0u);
  EXPECT_EQ(compiles([&] { compile_or_reuse(request); }), 0u);
  std::ofstream(header) << "#define N 2\n";
  EXPECT_GT(compiles([&] { compile_or_reuse(request); }), 0u);
  std::filesystem::remove_all(folder);
}

TEST_F(RecentResults, AreNotThoseOfTheTime) {
  const CompileRequest request = program_of(
      "#include <string>\nextern \"C\" __global__ void dated() { const char* t = __TIME__; }\n",
      with_arch());
  for (int repetition = 0; repetition < 2; ++repetition)
    EXPECT_GT(compiles([&] { compile_or_reuse(request); }), 0u);
}

TEST_F(RecentResults, AreNotThoseOfFailures) {
  const CompileRequest request = program_of("#error never\n", with_arch());
  for (int repetition = 0; repetition < 2; ++repetition) {
    EXPECT_EQ(compiles([&] {
                expect_error(Status::COMPILATION, "compile", [&] { compile_or_reuse(request); });
              }),
              1u);
  }
}

TEST_F(RecentResults, AreOffByTheOption) {
  cucore_program_options options = with_arch();
  options.compiler_cache = CUCORE_TOGGLE_OFF;
  const CompileRequest request =
      program_of("extern \"C\" __global__ void repeated() {}\n", options);
  for (int repetition = 0; repetition < 2; ++repetition)
    EXPECT_GT(compiles([&] { compile_or_reuse(request); }), 0u);
}

TEST_F(RecentResults, AreBounded) {
  const auto source_of = [](int i) {
    return "#warning " + std::string(4 << 20, 'w') + "\nextern \"C\" __global__ void bounded_" +
           std::to_string(i) + "() {}\n";
  };
  constexpr int COUNT = 12;
  for (int i = 0; i < COUNT; ++i) compile_or_reuse(program_of(source_of(i), with_arch()));
  const auto newest = program_of(source_of(COUNT - 1), with_arch());
  EXPECT_EQ(compiles([&] { compile_or_reuse(newest); }), 0u);
  int missing = 0;
  for (int i = 0; i < COUNT; ++i)
    missing += compiles([&] { compile_or_reuse(program_of(source_of(i), with_arch())); }) > 0;
  EXPECT_GE(missing, 4) << "48 MiB of logs exceed the bound of 32 MiB";
}

TEST_F(RecentResults, OfManyThreadsAreBuiltOnce) {
  constexpr int COUNT = 16;
  const CompileRequest request = request_for("threads");
  const auto one = compiles([&] { compile_or_reuse(request_for("one")); });
  std::atomic<int> ready{0};
  std::vector<Ref<const core::ObjectCode>> results(COUNT);
  const auto together = compiles([&] {
    std::vector<std::thread> threads;
    for (size_t i = 0; i < COUNT; ++i)
      threads.emplace_back([&, i] {
        ++ready;
        while (ready < COUNT) std::this_thread::yield();
        results[i] = compile_or_reuse(request);
      });
    for (std::thread& thread : threads) thread.join();
  });
  EXPECT_EQ(together, one);
  for (const auto& result : results) EXPECT_EQ(result->code(), results[0]->code());
}

TEST_F(RecentResults, StayUsableInTheChildOfAFork) {
  compile_or_reuse(request_for("forked"));
  const pid_t child = fork();
  if (child == 0)
    _exit(compile_or_reuse(request_for("forked"))->code().symbols.size() == 1 ? 0 : 1);
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(RecentResultsSwitchedOff, RunTheCompilerEachTime) {
  if (!is_off()) GTEST_SKIP() << "set CUCORE_REUSE_RESULTS=off";
  const fake::Client compiler(environment("CUCORE_NVRTC"));
  const CompileRequest request = request_for("off");
  compile_or_reuse(request);
  const uint64_t before = compiler.compile_count();
  compile_or_reuse(request);
  EXPECT_GT(compiler.compile_count(), before);
}

}  // namespace
}  // namespace cucore::service
