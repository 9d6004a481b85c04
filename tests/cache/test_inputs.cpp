// SPDX-License-Identifier: Apache-2.0
// A change of any one input of a compile misses, and its reversal hits: 30 kinds and more.
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "cache_testing.hpp"

namespace {

using namespace cache_test;

// All inputs of a compile, as values that a test can change one by one.
struct Inputs {
  std::string source =
      "#include \"one.h\"\n"
      "#include <two.h>\n"
      "#include \"memory.h\"\n"
      "namespace { __device__ int hidden() { return ONE + TWO + MEMORY; } }\n"
      "template <class T> __global__ void kernel(T* out) { *out = hidden(); }\n"
      "#if __has_include(\"maybe.h\")\n"
      "extern \"C\" __global__ void maybe() {}\n"
      "#endif\n"
      "#ifdef CHOICE\nextern \"C\" __global__ void choice() {}\n#endif\n";
  std::string name = "inputs.cu";
  std::string arch = "compute_80";
  cucore_code_type target = CUCORE_CODE_TYPE_PTX;
  std::vector<std::string> macros, flags, includes, header_names{"memory.h"},
      header_sources{"#define MEMORY 3\n"}, expressions{"kernel<float>"}, pre_includes;
  std::string name_space, directory;
  std::map<std::string, std::string> environment;
  std::function<void(cucore_program_options&)> options;
};

std::vector<const char*> pointers(const std::vector<std::string>& strings) {
  std::vector<const char*> out;
  for (const std::string& s : strings) out.push_back(s.c_str());
  return out;
}

class InputsTest : public testing::Test {
 protected:
  void SetUp() override {
    NEEDS_REAL_COMPILER();
    write_file(headers_ / "a/other.h", "#define OTHER 1\n");
    write_file(headers_ / "b/one.h", "#include \"nested.h\"\n#include <deep.h>\n#define ONE 1\n");
    write_file(headers_ / "b/deep.h", "#define DEEP 6\n");
    write_file(headers_ / "b/two.h", "#define TWO 2\n");
    write_file(headers_ / "b/nested.h", "#define NESTED 4\n");
    write_file(headers_ / "b/pre.h", "#define PRE 1\n");
    base_.includes = {headers_ / "a", headers_ / "b"};
    next_tick();
  }

  cucore_cache_outcome compile(const Inputs& in) { return get(in).outcome; }

  Got get(const Inputs& in) {
    for (const auto& [name, value] : in.environment) setenv(name.c_str(), value.c_str(), 1);
    const fs::path before = fs::current_path();
    if (!in.directory.empty()) fs::current_path(in.directory);
    const Cache cache = open_cache(
        store_ / "c", [&](auto& options) { options.name_space = in.name_space.c_str(); });
    const auto macros = pointers(in.macros), flags = pointers(in.flags),
               includes = pointers(in.includes), names = pointers(in.header_names),
               sources = pointers(in.header_sources), pre = pointers(in.pre_includes);
    cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
    options.name = in.name.c_str();
    options.arch = in.arch.empty() ? nullptr : in.arch.c_str();
    options.define_macros = macros.data();
    options.define_macro_count = macros.size();
    options.flags = flags.data();
    options.flag_count = flags.size();
    options.include_paths = includes.data();
    options.include_path_count = includes.size();
    options.pre_includes = pre.data();
    options.pre_include_count = pre.size();
    options.header_names = names.data();
    options.header_sources = sources.data();
    options.header_count = names.size();
    if (in.options) in.options(options);
    const Program program = make_program(in.source, &options);
    Got got;
    const auto expressions = pointers(in.expressions);
    Error error;
    const cucore_status status =
        cucore_cache_compile(cache, program, in.target, expressions.data(), expressions.size(),
                             got.code.out(), &got.outcome, error.out());
    EXPECT_EQ(status, CUCORE_OK) << describe(status, error);
    fs::current_path(before);
    for (const auto& [name, value] : in.environment) unsetenv(name.c_str());
    return got;
  }

  static bool is_hit(cucore_cache_outcome outcome) {
    return outcome == CUCORE_CACHE_OUTCOME_HIT_DISK || outcome == CUCORE_CACHE_OUTCOME_HIT_MEMORY;
  }

  // Fresh inputs hit. Changed ones miss and are stored, and then the former ones hit again.
  void expect_own_entry(const std::string& kind, const Inputs& changed) {
    SCOPED_TRACE(kind);
    ++kinds_;
    EXPECT_TRUE(is_hit(compile(base_))) << "before the change";
    EXPECT_EQ(compile(changed), CUCORE_CACHE_OUTCOME_BUILT) << "the change went unseen";
    EXPECT_TRUE(is_hit(compile(changed))) << "the changed one was not kept";
    EXPECT_TRUE(is_hit(compile(base_))) << "after the change";
  }
  void expect_own_entry(const std::string& kind, const std::function<void(Inputs&)>& change) {
    Inputs changed = base_;
    change(changed);
    expect_own_entry(kind, changed);
  }

  // Does the same for the files on the disk.
  void expect_new_state(const std::string& kind, const std::function<void()>& change,
                        const std::function<void()>& undo) {
    SCOPED_TRACE(kind);
    ++kinds_;
    EXPECT_TRUE(is_hit(compile(base_))) << "before the change";
    change();
    next_tick();
    EXPECT_EQ(compile(base_), CUCORE_CACHE_OUTCOME_BUILT) << "the change went unseen";
    EXPECT_TRUE(is_hit(compile(base_))) << "the changed one was not kept";
    undo();
    next_tick();
    EXPECT_TRUE(is_hit(compile(base_))) << "as it was before";
  }
  // The same inputs in two folders are two programs.
  void expect_directory_counts(Inputs in, const Folder& left, const Folder& right) {
    in.directory = left.path();
    EXPECT_EQ(compile(in), CUCORE_CACHE_OUTCOME_BUILT);
    EXPECT_TRUE(is_hit(compile(in)));
    in.directory = right.path();
    EXPECT_EQ(compile(in), CUCORE_CACHE_OUTCOME_BUILT);
    in.directory = left.path();
    EXPECT_TRUE(is_hit(compile(in)));
  }

  void expect_new_file(const std::string& kind, const std::string& name, const std::string& text) {
    expect_new_state(
        kind, [&] { write_file(headers_ / name, text); }, [&] { fs::remove(headers_ / name); });
  }
  void expect_new_text(const std::string& kind, const std::string& name, const std::string& text) {
    const std::string old = read_file(headers_ / name);
    expect_new_state(
        kind, [&] { write_file(headers_ / name, text); },
        [&] { write_file(headers_ / name, old); });
  }

  Folder headers_, store_;
  Inputs base_;
  int kinds_ = 0;
};

TEST_F(InputsTest, EachOneMissesAndComesBack) {
  EXPECT_EQ(compile(base_), CUCORE_CACHE_OUTCOME_BUILT);
  // the program
  expect_own_entry("source", [](Inputs& in) { in.source += " "; });
  expect_own_entry("name", [](Inputs& in) { in.name = "other.cu"; });
  expect_own_entry("folder of the name", [&](Inputs& in) { in.name = headers_ / "a/inputs.cu"; });
  expect_own_entry("architecture", [](Inputs& in) { in.arch = "compute_90"; });
  expect_own_entry("real architecture", [](Inputs& in) { in.arch = "sm_80"; });
  expect_own_entry("kind of code, LTOIR", [](Inputs& in) { in.target = CUCORE_CODE_TYPE_LTOIR; });
  expect_own_entry("kind of code, CUBIN", [](Inputs& in) {
    in.arch = "sm_80";
    in.target = CUCORE_CODE_TYPE_CUBIN;
  });
  expect_own_entry("name expression", [](Inputs& in) { in.expressions = {"kernel<double>"}; });
  expect_own_entry("one more expression",
                   [](Inputs& in) { in.expressions.push_back("kernel<int>"); });
  expect_own_entry("no expression", [](Inputs& in) { in.expressions.clear(); });
  // options
  expect_own_entry("macro", [](Inputs& in) { in.macros = {"CHOICE"}; });
  expect_own_entry("value of a macro", [](Inputs& in) { in.macros = {"CHOICE=2"}; });
  expect_own_entry("order of macros", [](Inputs& in) { in.macros = {"A=1", "B=2"}; });
  expect_own_entry("order of macros turned", [](Inputs& in) { in.macros = {"B=2", "A=1"}; });
  expect_own_entry("flag", [](Inputs& in) { in.flags = {"--fmad=false"}; });
  expect_own_entry("lineinfo", [](Inputs& in) {
    in.options = [](auto& options) { options.lineinfo = CUCORE_TOGGLE_ON; };
  });
  expect_own_entry("fast math", [](Inputs& in) {
    in.options = [](auto& options) { options.use_fast_math = CUCORE_TOGGLE_ON; };
  });
  expect_own_entry("register count", [](Inputs& in) {
    in.options = [](auto& options) { options.max_register_count = 32; };
  });
  expect_own_entry("standard", [](Inputs& in) {
    in.options = [](auto& options) { options.standard = "c++14"; };
  });
  expect_own_entry("relocatable", [](Inputs& in) {
    in.options = [](auto& options) { options.relocatable_device_code = CUCORE_TOGGLE_ON; };
  });
  expect_own_entry(
      "seed", [](Inputs& in) { in.options = [](auto& options) { options.random_seed = "mine"; }; });
  expect_own_entry("order of the include paths",
                   [](Inputs& in) { std::swap(in.includes[0], in.includes[1]); });
  expect_own_entry("one more include path",
                   [&](Inputs& in) { in.includes.push_back(headers_ / "c"); });
  expect_own_entry("pre-include", [](Inputs& in) { in.pre_includes = {"pre.h"}; });
  // headers in memory
  expect_own_entry("text of a header in memory",
                   [](Inputs& in) { in.header_sources = {"#define MEMORY 4\n"}; });
  expect_own_entry("one more header in memory", [](Inputs& in) {
    in.header_names.push_back("more.h");
    in.header_sources.push_back("\n");
  });
  expect_own_entry("header in memory before one on disk", [](Inputs& in) {
    in.header_names.push_back("two.h");
    in.header_sources.push_back("#define TWO 22\n");
  });
  // the process
  expect_own_entry("environment", [](Inputs& in) {
    in.environment = {{"NVRTC_APPEND_FLAGS", "-DX=1"}};
  });
  expect_own_entry("name space", [](Inputs& in) { in.name_space = "tenant"; });
  // files
  expect_new_text("text of a header", "b/one.h", "#define ONE 10\n");
  expect_new_text("text of the same length", "b/two.h", "#define TWO 9\n");
  expect_new_text("text of a nested header", "b/nested.h", "#define NESTED 5\n");
  expect_new_file("a header that shadows a quoted one", "a/one.h", "#define ONE 7\n");
  expect_new_file("a header that shadows one in brackets", "a/two.h", "#define TWO 8\n");
  expect_new_file("a header that shadows a nested one", "a/deep.h", "#define DEEP 7\n");
  expect_new_file("a header that __has_include finds", "b/maybe.h", "\n");
  EXPECT_GE(kinds_, 30);
}

TEST_F(InputsTest, TheDirectoryCountsWherePathsAreRelative) {
  Folder left, right;
  for (const Folder* folder : {&left, &right}) {
    write_file(*folder / "inc/one.h", "#define ONE 1\n");
    write_file(*folder / "inc/two.h", "#define TWO 2\n");
  }
  write_file(right / "inc/two.h", "#define TWO 20\n");
  next_tick();
  Inputs in = base_;
  in.includes = {"inc"};
  expect_directory_counts(in, left, right);
}

TEST_F(InputsTest, AHeaderInMemoryMayReadTheCurrentDirectory) {
  Folder left, right;
  write_file(left / "beside.h", "#define BESIDE 1\n");
  write_file(right / "beside.h", "#define BESIDE 2\n");
  next_tick();
  Inputs in = base_;
  in.header_sources = {"#include \"beside.h\"\n#define MEMORY BESIDE\n"};
  expect_directory_counts(in, left, right);
}

TEST_F(InputsTest, WhatDoesNotChangeTheResultHits) {
  EXPECT_EQ(compile(base_), CUCORE_CACHE_OUTCOME_BUILT);
  // Changes the time alone, rewrites the same text, and changes a file that no directive finds.
  fs::last_write_time(headers_ / "b/one.h", fs::file_time_type::clock::now());
  EXPECT_TRUE(is_hit(compile(base_))) << "touched";
  const std::string text = read_file(headers_ / "b/two.h");
  fs::remove(headers_ / "b/two.h");
  write_file(headers_ / "b/two.h", text);
  EXPECT_TRUE(is_hit(compile(base_))) << "written anew";
  write_file(headers_ / "a/unrelated.h", "#error never read\n");
  EXPECT_TRUE(is_hit(compile(base_))) << "unrelated";
  write_file(headers_ / "a/nested.h",
             "#error never read: the one in the same folder is found first\n");
  EXPECT_TRUE(is_hit(compile(base_))) << "no shadow";
  Inputs in = base_;
  in.expressions = {"kernel<float>", "kernel<float>"};
  EXPECT_TRUE(is_hit(compile(in))) << "the same expression twice";
  in = base_;
  in.directory = headers_.path();
  EXPECT_TRUE(is_hit(compile(in))) << "another directory, and only absolute paths";
  in = base_;
  in.environment = {{"HOME", "/nowhere"}};
  EXPECT_TRUE(is_hit(compile(in))) << "a variable that no compiler reads";
}

// If a clock goes backwards or a time is set by hand, the content decides.
TEST_F(InputsTest, AChangeWithAnOldTimeMisses) {
  EXPECT_EQ(compile(base_), CUCORE_CACHE_OUTCOME_BUILT);
  const auto time = fs::last_write_time(headers_ / "b/two.h");
  write_file(headers_ / "b/two.h", "#define TWO 7\n");
  fs::last_write_time(headers_ / "b/two.h", time);
  EXPECT_EQ(compile(base_), CUCORE_CACHE_OUTCOME_BUILT);
}

// As in /usr/include: files next to the toolkit's headers do not belong to the toolkit.
TEST_F(InputsTest, AChangeBesideTheToolkitsHeadersMisses) {
  const Folder shared;
  write_file(shared / "cuda.h", "#define CUDA_VERSION 13000\n");
  write_file(shared / "crt/host_config.h", "");
  write_file(shared / "crt/own.h", "#define OWN 1\n");
  const Cache cache = open_cache(store_ / "c");
  const std::string path = shared.path();
  const char* paths[] = {path.c_str()};
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "compute_80";
  options.include_paths = paths;
  options.include_path_count = 1;
  const Program program = make_program(
      "#include <crt/own.h>\n#include <mine/m.h>\nextern \"C\" __global__ void k(int* x) "
      "{ *x = MINE + OWN; }\n",
      &options);
  for (const auto* mine : {"#define MINE 1\n", "#define MINE 2\n"}) {
    write_file(shared / "mine/m.h", mine);
    next_tick();
    EXPECT_EQ(cache_test::compile(cache, program).outcome, CUCORE_CACHE_OUTCOME_BUILT) << mine;
    EXPECT_EQ(cache_test::compile(cache, program).outcome, CUCORE_CACHE_OUTCOME_HIT_MEMORY);
  }
}

// Written just before the compile and again just after it, within one tick of the clock that stamps
// files.
TEST_F(InputsTest, AChangeInTheSameTickMisses) {
  for (int round = 0; round < 10; ++round) {
    const std::string digits = std::to_string(100 + round);
    write_file(headers_ / "b/two.h", "#define TWO 1" + digits + "\n");
    EXPECT_EQ(compile(base_), CUCORE_CACHE_OUTCOME_BUILT);
    write_file(headers_ / "b/two.h", "#define TWO 2" + digits + "\n");
    EXPECT_EQ(compile(base_), CUCORE_CACHE_OUTCOME_BUILT) << round;
    EXPECT_TRUE(is_hit(compile(base_))) << round;
  }
}

TEST_F(InputsTest, AHeaderThatWentIsTheCompilersToReport) {
  EXPECT_EQ(compile(base_), CUCORE_CACHE_OUTCOME_BUILT);
  fs::remove(headers_ / "b/two.h");
  const Cache cache = open_cache(store_ / "c");
  const std::string path = headers_ / "b";
  const char* includes[] = {path.c_str()};
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.include_paths = includes;
  options.include_path_count = 1;
  options.arch = "compute_80";
  const Program program = make_program("#include <two.h>\n", &options);
  Code code;
  FAILS(CUCORE_ERROR_COMPILATION, "two.h", cucore_cache_compile, cache, program,
        CUCORE_CODE_TYPE_PTX, nullptr, 0, code.out(), nullptr);
  write_file(headers_ / "b/two.h", "#define TWO 2\n");
  EXPECT_EQ(cache_test::compile(cache, program).outcome, CUCORE_CACHE_OUTCOME_BUILT);
}

TEST_F(InputsTest, IncludesThatMacrosMakeAreFollowed) {
  Inputs in = base_;
  in.source =
      "#define NAME \"one.h\"\n#include NAME\nextern \"C\" __global__ void k(int* p) "
      "{ *p = ONE; }\n";
  in.expressions.clear();
  EXPECT_EQ(compile(in), CUCORE_CACHE_OUTCOME_BUILT);
  EXPECT_TRUE(is_hit(compile(in)));
  write_file(headers_ / "b/nested.h", "#define NESTED 77\n");
  next_tick();
  EXPECT_EQ(compile(in), CUCORE_CACHE_OUTCOME_BUILT);
  EXPECT_TRUE(is_hit(compile(in)));
  write_file(headers_ / "a/one.h", "#define ONE 5\n");
  next_tick();
  EXPECT_EQ(compile(in), CUCORE_CACHE_OUTCOME_BUILT) << "shadowed";
}

// The header in a directive of any form is found.
TEST_F(InputsTest, DirectivesOfAnyShapeAreRead) {
  Inputs in = base_;
  in.expressions.clear();
  for (const char* directive :
       {"#\vinclude <two.h>", "#\finclude <two.h>", "#include\f<two.h>", "%:include <two.h>",
        "#/* /* */include <two.h>", "#/**//* * */ include /**/ <two.h>", "#inc\\\nlude <two.h>"}) {
    SCOPED_TRACE(directive);
    in.source = std::string(directive) + "\nextern \"C\" __global__ void k(int* p) { *p = TWO; }\n";
    write_file(headers_ / "b/two.h", "#define TWO 2\n");
    next_tick();
    EXPECT_EQ(compile(in), CUCORE_CACHE_OUTCOME_BUILT);
    EXPECT_TRUE(is_hit(compile(in)));
    write_file(headers_ / "b/two.h", "#define TWO 3\n");
    next_tick();
    EXPECT_EQ(compile(in), CUCORE_CACHE_OUTCOME_BUILT) << "the change went unseen";
  }
}

TEST_F(InputsTest, AnEmptyIncludePathIsTheCurrentDirectory) {
  Folder left, right;
  for (const Folder* folder : {&left, &right}) {
    write_file(*folder / "one.h", "#define ONE 1\n");
    write_file(*folder / "two.h", "#define TWO 2\n");
  }
  write_file(right / "two.h", "#define TWO 20\n");
  next_tick();
  Inputs in = base_;
  in.includes = {""};
  expect_directory_counts(in, left, right);
  in.directory = left.path();
  write_file(left / "two.h", "#define TWO 200\n");
  EXPECT_EQ(compile(in), CUCORE_CACHE_OUTCOME_BUILT);
}

// A file appears, or changes and is restored, during the compile. The result must not be found once
// the files are as before.
TEST_F(InputsTest, WhatComesAndGoesDuringACompileIsNotKept) {
  using namespace std::chrono;
  Inputs in = base_;
  in.expressions.clear();
  in.includes.push_back(CUDA_INCLUDE);
  in.includes.push_back(CUDA_INCLUDE "/cccl");
  const auto source_of = [](int number) {
    return "#include <cub/block/block_reduce.cuh>\n#include <two.h>\n"
           "extern \"C\" __global__ void k(int* p) { *p = TWO; } // " +
           std::to_string(number);
  };
  in.source = source_of(0);
  const auto begin = steady_clock::now();
  compile(in);  // all headers are known from here on
  auto time = steady_clock::now() - begin;
  for (const bool is_new : {true, false}) {
    bool was_seen = false;
    for (int attempt = 1; attempt < 12 && !was_seen; ++attempt) {
      in.source = source_of(is_new * 100 + attempt);
      const std::string file = headers_ / (is_new ? "a/two.h" : "b/two.h");
      std::thread other([&] {
        std::this_thread::sleep_for(time / 20);
        write_file(file, "#define TWO 7\n");
        if (!is_new) std::this_thread::sleep_for(time * (attempt + 3) / 8);
        if (!is_new) write_file(file, "#define TWO 2\n");
      });
      const cucore_cache_outcome first = compile(in);
      other.join();
      if (is_new) fs::remove(file);
      next_tick();
      was_seen = first == CUCORE_CACHE_OUTCOME_NOT_STORED;
      // If the compile did not see the file, it came too early or too late, and the result is
      // correct.
      EXPECT_TRUE(contains(bytes_of(get(in).code), ", 2;")) << is_new << attempt;
    }
    EXPECT_TRUE(was_seen) << is_new;
  }
}

TEST_F(InputsTest, TracesOfProcessesThatWereKilledGoAfterAWhile) {
  const auto compile_traced = [&](int number) {
    Inputs in = base_;
    in.source = "#define HEADER \"two.h\"\n#include HEADER\n" + in.source + "// " +
                std::to_string(number) + "\n";
    return compile(in);
  };
  compile_traced(1);
  const std::string old = store_ / "c/v1/.trace.killed", young = store_ / "c/v1/.trace.busy";
  for (const std::string& folder : {old, young}) write_file(folder + "/trace.json", "[");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  EXPECT_EQ(compile_traced(2), CUCORE_CACHE_OUTCOME_BUILT);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
}

TEST_F(InputsTest, WhatVariesIsNotKept) {
  const auto outcome_of = [&](const std::function<void(Inputs&)>& change) {
    Inputs in = base_;
    change(in);
    compile(in);
    return compile(in);
  };
  const std::string kernel = "__device__ const char* when() { return __TIME__; }\n";
  EXPECT_EQ(outcome_of([&](Inputs& in) { in.source += kernel; }), CUCORE_CACHE_OUTCOME_NOT_STORED);
  EXPECT_EQ(outcome_of([&](Inputs& in) { in.header_sources[0] += kernel; }),
            CUCORE_CACHE_OUTCOME_NOT_STORED);
  write_file(headers_ / "b/two.h", "#define TWO 2\n" + kernel);
  next_tick();
  EXPECT_EQ(outcome_of([](Inputs&) {}), CUCORE_CACHE_OUTCOME_NOT_STORED);
  write_file(headers_ / "b/two.h", "#define TWO 2\n");
  next_tick();
  for (const char* flag : {"--time=-", "-pch"}) {
    EXPECT_EQ(outcome_of([&](Inputs& in) { in.flags = {flag}; }), CUCORE_CACHE_OUTCOME_BYPASSED)
        << flag;
  }
  const std::string trace = headers_ / "trace";
  EXPECT_EQ(outcome_of([&](Inputs& in) {
              in.options = [&](auto& options) { options.time_trace = trace.c_str(); };
            }),
            CUCORE_CACHE_OUTCOME_BYPASSED);
  EXPECT_TRUE(fs::exists(trace + ".json")) << "the user's trace was lost";
}

}  // namespace
