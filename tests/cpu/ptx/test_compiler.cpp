// SPDX-License-Identifier: Apache-2.0
// NVRTC's output for the kernels of tests/data parses, for each architecture.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "../tools/nvrtc.hpp"
#include "../tools/promises.hpp"
#include "ptx_test.hpp"

namespace cucore::ptx::test {
namespace {

struct Source {
  std::string name, text;
};

std::vector<Source> kernels() {
  std::vector<Source> sources;
  for (const auto& file : std::filesystem::directory_iterator(CUCORE_KERNELS)) {
    if (file.path().extension() != ".cu") continue;
    std::ifstream stream(file.path());
    sources.push_back({file.path().filename().string(),
                       {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()}});
  }
  std::sort(sources.begin(), sources.end(),
            [](const Source& a, const Source& b) { return a.name < b.name; });
  return sources;
}

void check(const std::string& name, const std::string& ptx) {
  Parsed parsed(ptx);
  ASSERT_NE(parsed.module, nullptr) << name << "\n" << parsed.log.to_string();
  EXPECT_EQ(broken_promise(*parsed.module), "") << name;
  for (const Form& form : parsed.module->forms)
    EXPECT_NE(form.op, Opcode::unsupported) << name << ": " << form.text;
}

class Compiler : public testing::TestWithParam<const char*> {};

// The parameter is a list of options.
TEST_P(Compiler, KernelsParse) {
  auto nvrtc = cucore::cpu::test::Nvrtc::open();
  if (!nvrtc) GTEST_SKIP() << "no NVRTC on this machine";
  std::vector<std::string> options = {"-std=c++17", "--device-int128"};
  std::string parameter = GetParam(), option;
  for (char c : parameter + " ")
    if (c != ' ')
      option += c;
    else
      options.push_back(std::exchange(option, ""));
  std::vector<Source> sources = kernels();
  ASSERT_EQ(sources.size(), 40u);
  for (const Source& source : sources) {
    std::string error;
    std::string ptx = nvrtc->compile(source.text, source.name, options, error);
    ASSERT_FALSE(ptx.empty()) << source.name << "\n" << error;
    check(source.name, ptx);
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, Compiler,
                         testing::Values("-arch=compute_75", "-arch=compute_90",
                                         "-arch=compute_100", "-arch=compute_80 -G",
                                         "-arch=compute_90 -lineinfo",
                                         "-arch=compute_90 --use_fast_math -ftz=true"));

TEST(CompilerOptions, JumpTablesBecomeBranchTargets) {
  auto nvrtc = cucore::cpu::test::Nvrtc::open();
  if (!nvrtc) GTEST_SKIP() << "no NVRTC on this machine";
  std::string source = "extern \"C\" __global__ void k(int* o, int n) { switch (n) {";
  for (int i = 0; i < 12; ++i) {
    std::string number = std::to_string(i);
    source += "case " + number + ": o[" + number + "] = " + std::to_string(i * i * 7 + 1) +
              "; o[n*3] += o[" + number + "]; break;";
  }
  source += "default: o[99] = 5; } }";
  std::string error;
  std::string ptx =
      nvrtc->compile(source, "switch.cu", {"-arch=compute_75", "--jump-table-density=50"}, error);
  ASSERT_NE(ptx.find("brx.idx"), std::string::npos) << error << ptx;
  Parsed parsed(ptx);
  EXPECT_PARSES(parsed);
  ASSERT_EQ(parsed.function().target_lists.size(), 1u);
  EXPECT_GE(parsed.function().target_lists[0].size(), 12u);
}

}  // namespace
}  // namespace cucore::ptx::test
