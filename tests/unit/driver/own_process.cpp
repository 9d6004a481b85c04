// SPDX-License-Identifier: Apache-2.0
#include "own_process.hpp"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "fakes/fake_client.hpp"

namespace cucore::driver::test {
namespace {

constexpr const char* MARK = "CUCORE_TEST_OWN_PROCESS";

std::string this_test() {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  return std::string(info->test_suite_name()) + "." + info->name();
}

[[noreturn]] void become(const std::string& test, const Environment& environment) {
  for (const char* name :
       {"CUCORE_DRIVER", "CUCORE_CPU", "CUCORE_NVRTC", "CUCORE_NVJITLINK", "CUCORE_NVVM",
        "CUCORE_CUBLAS", "CUCORE_CUBLASLT", "CUCORE_CUFFT", "CUCORE_CUSOLVER", "CUCORE_CURAND",
        "CUCORE_CUSPARSE", "CUCORE_NCCL", "CUCORE_CUPTI", "CUCORE_NVML", "CUDA_HOME", "CUDA_PATH",
        "LD_LIBRARY_PATH"})
    unsetenv(name);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  setenv(MARK, test.c_str(), 1);
  const std::string filter = "--gtest_filter=" + test;
  execl("/proc/self/exe", "test", filter.c_str(), "--gtest_brief=1", static_cast<char*>(nullptr));
  _exit(127);
}

}  // namespace

bool own_process(const Environment& environment) {
  const std::string test = this_test();
  const char* mark = getenv(MARK);
  if (mark && test == mark) return true;
  const pid_t child = fork();
  if (child == 0) become(test, environment);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  return false;
}

Folder::Folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "cucore-test-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make a folder for the test");
  path_ = std::filesystem::canonical(pattern);
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string Folder::add(const std::string& fake, const std::string& name) const {
  const std::filesystem::path to = path_ / name;
  std::filesystem::create_directories(to.parent_path());
  std::filesystem::copy_file(fake::path(fake), to);
  return to.string();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace cucore::driver::test
