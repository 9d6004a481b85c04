// SPDX-License-Identifier: Apache-2.0
// A hit returns the result of a fresh compile, in every field: the kernel corpus, with templates,
// headers and macros.
#include <gtest/gtest.h>

#include <algorithm>

#include "cache_testing.hpp"

namespace {

using namespace cache_test;

struct Kernel {
  std::string file, source;
};

std::vector<Kernel> corpus() {
  std::vector<Kernel> kernels;
  for (const auto& entry : fs::directory_iterator(CUCORE_KERNELS))
    if (entry.path().extension() == ".cu")
      kernels.push_back({entry.path().filename().string(), read_file(entry.path().string())});
  std::ranges::sort(kernels, {}, &Kernel::file);
  return kernels;
}

class Corpus {
 public:
  Corpus() {
    for (const std::string& path : paths_) include_.push_back(path.c_str());
  }
  Program program(const Kernel& kernel) const {
    const char* macros[] = {"CUCORE_TEST=1", "UNUSED"};
    const char* names[] = {"in_memory.h"};
    const char* sources[] = {"#define IN_MEMORY 1\n"};
    cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
    options.name = kernel.file.c_str();
    options.arch = "sm_90";
    options.device_int128 = CUCORE_TOGGLE_ON;
    options.include_paths = include_.data();
    options.include_path_count = include_.size();
    options.define_macros = macros;
    options.define_macro_count = 2;
    options.header_names = names;
    options.header_sources = sources;
    options.header_count = 1;
    const std::string more =
        "\n#include \"in_memory.h\"\n"
        "template <class T> __global__ void added_here(T* p) { *p = T(1); }\n"
        "namespace { __global__ void hidden_here() {} }\n";
    return make_program(kernel.source + more, &options);
  }

 private:
  const std::vector<std::string> paths_ = {std::string(CUDA_INCLUDE),
                                           std::string(CUDA_INCLUDE) + "/cccl"};
  std::vector<const char*> include_;
};

const std::vector<const char*> EXPRESSIONS = {"added_here<float>", "added_here<unsigned char>",
                                              "hidden_here"};

void expect_equal(const cucore_objectcode* fresh, const cucore_objectcode* found) {
  EXPECT_TRUE(serialized(fresh) == serialized(found)) << "the containers differ";
  EXPECT_TRUE(bytes_of(fresh) == bytes_of(found)) << "the code differs";
  EXPECT_STREQ(cucore_objectcode_log(fresh), cucore_objectcode_log(found));
  EXPECT_STREQ(cucore_objectcode_name(fresh), cucore_objectcode_name(found));
  EXPECT_STREQ(cucore_objectcode_arch(fresh), cucore_objectcode_arch(found));
  ASSERT_EQ(cucore_objectcode_symbol_count(fresh), cucore_objectcode_symbol_count(found));
  for (size_t i = 0; i < cucore_objectcode_symbol_count(fresh); ++i) {
    cucore_symbol_info a = CUCORE_SYMBOL_INFO_INIT, b = CUCORE_SYMBOL_INFO_INIT;
    MUST(cucore_objectcode_symbol_at, fresh, i, &a);
    MUST(cucore_objectcode_symbol_at, found, i, &b);
    EXPECT_STREQ(a.expression, b.expression);
    EXPECT_STREQ(a.lowered_name, b.lowered_name);
    EXPECT_EQ(a.parameter_count, b.parameter_count);
  }
  for (const char* expression : EXPRESSIONS) {
    bool has = false;
    for (size_t i = 0; i < cucore_objectcode_symbol_count(found); ++i) {
      cucore_symbol_info info = CUCORE_SYMBOL_INFO_INIT;
      MUST(cucore_objectcode_symbol_at, found, i, &info);
      has = has || std::string(info.expression) == expression;
    }
    EXPECT_TRUE(has) << expression << " was lost";
  }
}

void compare_all(const std::vector<Kernel>& kernels, cucore_code_type target) {
  const Corpus corpus;
  const Folder folder;
  for (const Kernel& kernel : kernels) {
    SCOPED_TRACE(kernel.file);
    const Program program = corpus.program(kernel);
    const Code fresh = capi_test::compile(program, target, EXPRESSIONS);
    {
      const Cache cache = open_cache(folder.path());
      const Got first = compile(cache, program, target, EXPRESSIONS);
      EXPECT_EQ(first.outcome, CUCORE_CACHE_OUTCOME_BUILT);
      expect_equal(fresh, first.code);
      const Got second = compile(cache, program, target, EXPRESSIONS);
      EXPECT_EQ(second.outcome, CUCORE_CACHE_OUTCOME_HIT_MEMORY);
      expect_equal(fresh, second.code);
    }
    const Cache cache = open_cache(folder.path());
    const Got third = compile(cache, corpus.program(kernel), target, EXPRESSIONS);
    EXPECT_EQ(third.outcome, CUCORE_CACHE_OUTCOME_HIT_DISK);
    expect_equal(fresh, third.code);
  }
}

// By default to CUBIN; with CUCORE_TEST_LONG also to PTX and LTOIR.

TEST(Equality, HitsEqualFreshCompiles) {
  NEEDS_REAL_COMPILER();
  std::vector<Kernel> kernels = corpus();
  ASSERT_EQ(kernels.size(), 40u);
  compare_all(kernels, CUCORE_CODE_TYPE_CUBIN);
  if (!is_long()) return;
  compare_all(kernels, CUCORE_CODE_TYPE_PTX);
  compare_all(kernels, CUCORE_CODE_TYPE_LTOIR);
}

}  // namespace
