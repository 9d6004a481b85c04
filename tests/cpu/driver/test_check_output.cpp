// SPDX-License-Identifier: Apache-2.0
// The reports of a program without code for the checks: stderr, a file of JSON, suppressions
// and the exit code. Each test is a separate process.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>

#include "child_checks.hpp"
#include "driver.hpp"

namespace cutest {
namespace {

// Thread t stores to p[t]; it has lines in "past.cu".
constexpr char PAST_PTX[] = R"(.version 8.0
.target sm_75
.address_size 64
.file 1 "past.cu"
.visible .entry past(.param .u64 p)
{
  .reg .u32 %r<2>;
  .reg .u64 %rd<4>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  .loc 1 7 0
  st.global.u32 [%rd3], %r1;
  ret;
}
)";

using Settings = std::vector<std::pair<const char*, std::string>>;

struct Ended {
  int code = -1;
  std::string errors;  // its stderr
  bool has(const char* part) const { return errors.find(part) != std::string::npos; }
};

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class CheckOutput : public ::testing::Test {
 protected:
  CheckOutput() : base_(::testing::TempDir() + "check_output." + std::to_string(getpid())) {}
  ~CheckOutput() override {
    for (const char* suffix : {"", ".errors", ".rules"}) std::remove((base_ + suffix).c_str());
  }

  // Runs `body` in a process with the checks, which ends with `status` and its exit handlers.
  Ended run(const Settings& settings, const std::function<void(Driver&)>& body, int status = 0) {
    const std::string errors = base_ + ".errors";
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      if (!std::freopen(errors.c_str(), "w", stderr)) std::_Exit(94);
      setenv("CUCORE_CPU_CHECK", "memory", 1);
      for (const auto& [name, value] : settings) setenv(name, value.c_str(), 1);
      static Driver cu;
      body(cu);
      std::exit(status);
    }
    Ended ended;
    int state = 0;
    waitpid(child, &state, 0);
    if (WIFEXITED(state)) ended.code = WEXITSTATUS(state);
    ended.errors = text_of(errors);
    return ended;
  }

  // A kernel of 8 threads on memory for 4.
  static void make_reports(Driver& cu) {
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    CUfunction f = nullptr;
    CUdeviceptr p = 0;
    CHECK_CU(0, cu.cuInit(0));
    CHECK_CU(0, cu.cuCtxCreate_v4(&context, nullptr, 0, 0));
    CHECK_CU(0, cu.cuModuleLoadData(&module, PAST_PTX));
    CHECK_CU(0, cu.cuModuleGetFunction(&f, module, "past"));
    CHECK_CU(0, cu.cuMemAlloc_v2(&p, 16));
    void* parameters[] = {&p};
    CHECK_CU(0, cu.cuLaunchKernel(f, 1, 1, 1, 8, 1, 1, 0, nullptr, parameters, nullptr));
    CHECK_CU(0, cu.cuCtxSynchronize());
  }
  static void make_none(Driver& cu) { CHECK_CU(0, cu.cuInit(0)); }

  const std::string base_;
};

TEST_F(CheckOutput, ReportsChangeTheExitCodeOnDemand) {
  const Settings seven = {{"CUCORE_CPU_CHECK_EXIT", "7"}};
  EXPECT_EQ(run({}, make_reports).code, 0);
  const Ended ended = run(seven, make_reports);
  EXPECT_EQ(ended.code, 7);
  EXPECT_TRUE(ended.has("out-of-bounds: kernel 'past' block (0,0,0) thread (4,0,0)"))
      << ended.errors;
  EXPECT_EQ(run(seven, make_none).code, 0);
  EXPECT_EQ(run({{"CUCORE_CPU_CHECK_EXIT", "0"}}, make_reports).code, 0);
}

TEST_F(CheckOutput, AFailureKeepsItsExitCode) {
  EXPECT_EQ(run({{"CUCORE_CPU_CHECK_EXIT", "7"}}, make_reports, 3).code, 3);
}

// The handlers of the program that cuInit precedes, and those that precede cuInit, run all.
TEST_F(CheckOutput, OtherExitHandlersRun) {
  const Ended ended = run({{"CUCORE_CPU_CHECK_EXIT", "7"}}, [](Driver& cu) {
    std::atexit([] { std::fputs("first handler\n", stderr); });
    make_reports(cu);
    std::atexit([] { std::fputs("last handler\n", stderr); });
  });
  EXPECT_EQ(ended.code, 7);
  EXPECT_TRUE(ended.has("first handler\n") && ended.has("last handler\n")) << ended.errors;
}

TEST_F(CheckOutput, AForkedChildKeepsItsExitCode) {
  const Ended ended = run({{"CUCORE_CPU_CHECK_EXIT", "7"}}, [](Driver& cu) {
    make_reports(cu);
    const pid_t child = fork();
    if (child == 0) std::exit(0);
    int state = 0;
    waitpid(child, &state, 0);
    CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  });
  EXPECT_EQ(ended.code, 7);
  EXPECT_EQ(ended.errors.find("out-of-bounds"), ended.errors.rfind("out-of-bounds"))
      << ended.errors;
}

TEST_F(CheckOutput, WriteJson) {
  run({{"CUCORE_CPU_CHECK_JSON", base_}}, make_reports);
  const std::string json = text_of(base_);
  EXPECT_EQ(json.find("{\"reports\":[{\"kind\":\"out-of-bounds\",\"kernel\":\"past\","), 0u)
      << json;
  EXPECT_NE(json.find("\"file\":\"past.cu\",\"line\":7,"), std::string::npos) << json;
  EXPECT_TRUE(json.ends_with("],\"dropped\":0}\n")) << json;
  run({{"CUCORE_CPU_CHECK_JSON", base_}}, make_none);  // replaces the old reports
  EXPECT_EQ(text_of(base_), "{\"reports\":[],\"dropped\":0}\n");
}

TEST_F(CheckOutput, TheNameOfTheFileMayHaveTheProcess) {
  std::string path;
  run({{"CUCORE_CPU_CHECK_JSON", base_ + ".%p"}}, [&](Driver& cu) {
    make_none(cu);
    std::ofstream(base_) << getpid();
  });
  path = base_ + "." + text_of(base_);
  EXPECT_EQ(text_of(path), "{\"reports\":[],\"dropped\":0}\n") << path;
  std::remove(path.c_str());
}

TEST_F(CheckOutput, RefuseToReplaceOtherFiles) {
  std::ofstream(base_) << "other";
  const Ended ended = run({{"CUCORE_CPU_CHECK_JSON", base_}}, [](Driver& cu) {
    CHECK_CU(CUDA_ERROR_INVALID_VALUE, cu.cuInit(0));
    char text[512] = "";
    CHECK_CU(0, cu.control().last_load_log(text, sizeof text, nullptr));
    CHECK(std::strstr(text, "CUCORE_CPU_CHECK_JSON is '"));
  });
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_EQ(text_of(base_), "other");
}

TEST_F(CheckOutput, SuppressReports) {
  const std::string rules = base_ + ".rules";
  Settings settings = {{"CUCORE_CPU_CHECK_EXIT", "7"}, {"CUCORE_CPU_CHECK_SUPPRESS", rules}};
  for (const char* line : {"out-of-bounds", "* past past.cu:7", "# none\n\nout-* p?st *:7\n"}) {
    std::ofstream(rules) << line;
    const Ended ended = run(settings, make_reports);
    EXPECT_EQ(ended.code, 0) << line;
    EXPECT_EQ(ended.errors, "") << line;
  }
  for (const char* line : {"use-after-free", "* other", "* * past.cu:8", ""}) {
    std::ofstream(rules) << line;
    EXPECT_EQ(run(settings, make_reports).code, 7) << line;
  }
}

// A suppressed report does not end its launch either.
TEST_F(CheckOutput, SuppressedReportsDoNotStop) {
  const std::string rules = base_ + ".rules";
  std::ofstream(rules) << "out-of-bounds";
  EXPECT_EQ(
      run({{"CUCORE_CPU_CHECK_STOP", "1"}, {"CUCORE_CPU_CHECK_SUPPRESS", rules}}, make_reports)
          .code,
      0);
}

TEST_F(CheckOutput, RefuseWrongSettings) {
  const std::string rules = base_ + ".rules";
  std::ofstream(rules) << "kind kernel place more\n";
  const Settings wrong = {{"CUCORE_CPU_CHECK_EXIT", "256"},
                          {"CUCORE_CPU_CHECK_EXIT", "-1"},
                          {"CUCORE_CPU_CHECK_SUPPRESS", rules},
                          {"CUCORE_CPU_CHECK_SUPPRESS", "/no/such/file"},
                          {"CUCORE_CPU_CHECK_JSON", "/no/such/folder/x"},
                          {"CUCORE_CPU_LAUNCH_OUTPUT", "much"},
                          {"CUCORE_CPU_SCHEDULE", "random:"}};
  for (const auto& setting : wrong)
    EXPECT_EQ(run({setting},
                  [&](Driver& cu) {
                    char text[512] = "";
                    CHECK_CU(CUDA_ERROR_INVALID_VALUE, cu.cuInit(0));
                    CHECK_CU(0, cu.control().last_load_log(text, sizeof text, nullptr));
                    CHECK(std::strstr(text, setting.first));
                  })
                  .code,
              0)
        << setting.first;
}

TEST_F(CheckOutput, NameTheLineOfAnUnknownKind) {
  const std::string rules = base_ + ".rules";
  std::ofstream(rules) << "* known\nstrem-race kernel\n";
  const Ended ended = run({{"CUCORE_CPU_CHECK_SUPPRESS", rules}}, [](Driver& cu) {
    char text[1024] = "";
    CHECK_CU(CUDA_ERROR_INVALID_VALUE, cu.cuInit(0));
    CHECK_CU(0, cu.control().last_load_log(text, sizeof text, nullptr));
    CHECK(std::strstr(text,
                      "line 2 has the unknown kind 'strem-race'; did you mean "
                      "'stream-race'? expected one of out-of-bounds, "));
  });
  EXPECT_EQ(ended.code, 0);
}

// A random schedule without a seed chooses one, and the printed line repeats the order.
TEST_F(CheckOutput, RandomSchedulesPrintTheirSeed) {
  const Settings random = {{"CUCORE_CPU_SCHEDULE", "random"}};
  const Ended ended = run(random, make_reports);
  std::smatch line;
  ASSERT_TRUE(std::regex_search(ended.errors, line,
                                std::regex("CUCORE_CPU_SCHEDULE=(random:[0-9]+) repeats")))
      << ended.errors;
  EXPECT_TRUE(ended.has(("; schedule " + line.str(1) + "\n").c_str())) << ended.errors;
  const Ended again = run({{"CUCORE_CPU_SCHEDULE", line.str(1)}}, make_reports);
  EXPECT_TRUE(again.has(("; schedule " + line.str(1) + "\n").c_str())) << again.errors;
  EXPECT_FALSE(again.has("repeats")) << again.errors;  // the seed was given
}

}  // namespace
}  // namespace cutest
