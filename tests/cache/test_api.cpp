// SPDX-License-Identifier: Apache-2.0
// The behaviour of a cache for its caller: outcomes, one build per key, reasons, keys of the
// caller.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <set>

#include "entries.hpp"

namespace {

using namespace cache_test;
using namespace std::chrono_literals;

class Api : public Entries {};

TEST_F(Api, ACompileIsFoundInMemoryThenOnDisk) {
  NEEDS_REAL_COMPILER();
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "compute_80";
  options.name = "saxpy.cu";
  const Program program = make_program(SAXPY_SOURCE, &options);
  {
    const Cache cache = open();
    const Got first = compile(cache, program);
    const Got second = compile(cache, make_program(SAXPY_SOURCE, &options));
    EXPECT_EQ(first.outcome, CUCORE_CACHE_OUTCOME_BUILT);
    EXPECT_EQ(second.outcome, CUCORE_CACHE_OUTCOME_HIT_MEMORY);
    EXPECT_EQ(first.code.get(), second.code.get()) << "the same object again";
    EXPECT_TRUE(contains(explain(cache, program), "hit: nothing has to be built"));
  }
  const Cache cache = open();
  EXPECT_EQ(compile(cache, program).outcome, CUCORE_CACHE_OUTCOME_HIT_DISK);
  const auto counts = statistics(cache);
  EXPECT_EQ(counts.hits_disk, 1u);
  EXPECT_EQ(counts.builds, 0u);
  EXPECT_EQ(counts.entries, 1u);
  EXPECT_STREQ(cucore_cache_directory(cache), folder_.path().c_str());
}

TEST_F(Api, FindCompilesNothing) {
  NEEDS_REAL_COMPILER();
  const Program program = make_program(SAXPY_SOURCE);
  const auto find = [&](cucore_cache* cache, cucore_cache_outcome* outcome) {
    Code code;
    MUST(cucore_cache_find, cache, program, CUCORE_CODE_TYPE_PTX, nullptr, 0, code.out(), outcome);
    return code;
  };
  cucore_cache_outcome outcome = CUCORE_CACHE_OUTCOME_BUILT;
  {
    const Cache cache = open();
    EXPECT_EQ(find(cache, &outcome).get(), nullptr);
    EXPECT_EQ(outcome, CUCORE_CACHE_OUTCOME_NONE);
    EXPECT_EQ(statistics(cache).builds, 0u);
    EXPECT_EQ(statistics(cache).misses, 0u);
    const Got made = compile(cache, program);
    EXPECT_EQ(find(cache, &outcome).get(), made.code.get());
    EXPECT_EQ(outcome, CUCORE_CACHE_OUTCOME_HIT_MEMORY);
    EXPECT_EQ(statistics(cache).hits_memory, 1u);
  }
  const Cache cache = open();
  EXPECT_NE(find(cache, &outcome).get(), nullptr);
  EXPECT_EQ(outcome, CUCORE_CACHE_OUTCOME_HIT_DISK);
}

TEST_F(Api, OneResultIsRemoved) {
  const auto remove = [](cucore_cache* cache, const uint8_t* key) {
    int32_t removed = 7;
    MUST(cucore_cache_remove, cache, key, &removed);
    return removed;
  };
  std::vector<std::vector<uint8_t>> keys;
  {
    const Cache cache = open();
    for (int i = 0; i < 3; ++i) put(cache, i);
    EXPECT_EQ(remove(cache, Key(0)), 1);
    EXPECT_EQ(remove(cache, Key(0)), 0);
    EXPECT_FALSE(has(cache, 0));
    EXPECT_TRUE(has(cache, 1));
    const auto take = [](const cucore_cache_entry_info* info, void* all) {
      static_cast<std::vector<std::vector<uint8_t>>*>(all)->emplace_back(info->key, info->key + 32);
      return 1;
    };
    MUST(cucore_cache_query, cache, take, &keys);
  }
  ASSERT_EQ(keys.size(), 2u) << "entries on disk";
  const Cache cache = open();
  for (const auto& key : keys) EXPECT_EQ(remove(cache, key.data()), 1);
  EXPECT_FALSE(has(cache, 1));
  EXPECT_FALSE(has(cache, 2));
  EXPECT_EQ(statistics(cache).entries, 0u);
}

TEST_F(Api, AReadOnlyCacheRefusesToRemove) {
  put(open(), 1);
  const Cache cache = open([](auto& options) { options.read_only = 1; });
  int32_t removed = 7;
  EXPECT_EQ(cucore_cache_remove(cache, Key(1), &removed, nullptr), CUCORE_ERROR_NOT_PERMITTED);
  EXPECT_EQ(removed, 0);
  EXPECT_TRUE(has(cache, 1));
}

TEST_F(Api, AFailedCompileIsReportedAsWithout) {
  NEEDS_REAL_COMPILER();
  const Cache cache = open();
  const Program program = make_program("#error no\n");
  Code code;
  cucore_cache_outcome outcome = CUCORE_CACHE_OUTCOME_BUILT;
  for (int i = 0; i < 2; ++i) {
    FAILS_ONCE(CUCORE_ERROR_COMPILATION, "no", cucore_cache_compile, cache, program,
               CUCORE_CODE_TYPE_PTX, nullptr, 0, code.out(), &outcome);
    EXPECT_EQ(outcome, CUCORE_CACHE_OUTCOME_NONE);
  }
  EXPECT_EQ(statistics(cache).build_failures, 2u);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "FATBIN", cucore_cache_compile, cache, program,
        CUCORE_CODE_TYPE_FATBIN, nullptr, 0, code.out(), &outcome);
}

TEST_F(Api, MissesSayWhy) {
  NEEDS_REAL_COMPILER();
  const Cache cache = open();
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "compute_80";
  options.name = "why.cu";
  const auto outcome = [&](const char* source) {
    const Program program = make_program(source, &options);
    const std::string why = explain(cache, program);
    compile(cache, program);
    return why;
  };
  EXPECT_TRUE(contains(outcome("__global__ void a() {}"), "miss: nothing of that name"));
  EXPECT_TRUE(contains(outcome("__global__ void b() {}"), "miss: the source is not"));
  options.use_fast_math = CUCORE_TOGGLE_ON;
  const std::string flags = outcome("__global__ void b() {}");
  EXPECT_TRUE(contains(flags, "an option is not") && contains(flags, "+ --use_fast_math")) << flags;
  options.arch = "compute_90";
  EXPECT_TRUE(contains(outcome("__global__ void b() {}"), "- compute_80"));
  options.time = "-";
  EXPECT_TRUE(contains(outcome("__global__ void b() {}"), "bypassed: --time"));
  const auto counts = statistics(cache);
  EXPECT_EQ(counts.misses, 4u);
  EXPECT_EQ(counts.misses_new, 1u);
  EXPECT_EQ(counts.misses_source, 1u);
  EXPECT_EQ(counts.misses_options, 1u);
  EXPECT_EQ(counts.misses_target, 1u);
  EXPECT_EQ(counts.bypasses, 1u);
  options.time = nullptr;
  MUST(cucore_cache_trim, cache, 0, nullptr, nullptr);
  const Program program = make_program("__global__ void b() {}", &options);
  compile(cache, program);
  for (const std::string& file : files_in(folder_.path(), ".cuco")) fs::remove(file);
  EXPECT_TRUE(contains(explain(open(), program), "has been removed"));
}

TEST_F(Api, ShortBuffersOfAnExplanationSayWhatIsNeeded) {
  NEEDS_REAL_COMPILER();
  const Cache cache = open();
  const Program program = make_program("");
  char small[3];
  size_t size = 0;
  FAILS(CUCORE_ERROR_BUFFER_TOO_SMALL, "needs", cucore_cache_explain_miss, cache, program,
        CUCORE_CODE_TYPE_PTX, nullptr, 0, small, sizeof small, &size);
  EXPECT_GT(size, sizeof small);
}

TEST_F(Api, LinksAreFoundToo) {
  NEEDS_REAL_COMPILER();
  cucore_linker_options options = CUCORE_LINKER_OPTIONS_INIT;
  options.arch = "sm_80";
  const Code input = make_ptx_code();
  const auto link = [&](cucore_cache* cache, const cucore_linker_options& with) {
    Linker linker;
    MUST(cucore_linker_create, &with, linker.out());
    MUST(cucore_linker_add, linker, input);
    Got got;
    MUST(cucore_cache_link, cache, linker, CUCORE_CODE_TYPE_CUBIN, got.code.out(), &got.outcome);
    Code fresh;
    MUST(cucore_linker_link, linker, CUCORE_CODE_TYPE_CUBIN, fresh.out());
    EXPECT_TRUE(serialized(fresh) == serialized(got.code));
    return got.outcome;
  };
  EXPECT_EQ(link(open(), options), CUCORE_CACHE_OUTCOME_BUILT);
  const Cache cache = open();
  EXPECT_EQ(link(cache, options), CUCORE_CACHE_OUTCOME_HIT_DISK);
  EXPECT_EQ(link(cache, options), CUCORE_CACHE_OUTCOME_HIT_MEMORY);
  options.lineinfo = CUCORE_TOGGLE_ON;
  EXPECT_EQ(link(cache, options), CUCORE_CACHE_OUTCOME_BUILT);
  options.arch = "sm_90";
  EXPECT_EQ(link(cache, options), CUCORE_CACHE_OUTCOME_BUILT);
  Linker empty;
  Code code;
  MUST(cucore_linker_create, &options, empty.out());
  FAILS(CUCORE_ERROR_INVALID_STATE, "nothing to link", cucore_cache_link, cache, empty,
        CUCORE_CODE_TYPE_CUBIN, code.out(), nullptr);
}

// One image of a bundle is linked; with the images as separate inputs, all are.
TEST_F(Api, ABundleIsNotItsImagesOneByOne) {
  NEEDS_REAL_COMPILER();
  const auto kernel = [](const char* arch, const char* name) {
    const std::string text = std::string(".version 8.0\n.target ") + arch +
                             "\n.address_size 64\n.visible .entry " + name + "() { ret; }\n";
    return make_code(CUCORE_CODE_TYPE_PTX, text.data(), text.size());
  };
  const Code a = kernel("sm_80", "a"), b = kernel("sm_90", "b"), c = kernel("sm_86", "c");
  const auto bundle = [](std::vector<const cucore_objectcode*> images) {
    Code out;
    MUST(cucore_objectcode_bundle, images.data(), images.size(), out.out());
    return out;
  };
  const Code all = bundle({a, b, c}), two = bundle({a, b});
  const Cache cache = open();
  for (const std::vector<const cucore_objectcode*>& inputs :
       {std::vector<const cucore_objectcode*>{all}, {two, c}}) {
    cucore_linker_options options = CUCORE_LINKER_OPTIONS_INIT;
    options.arch = "sm_90";
    Linker linker;
    MUST(cucore_linker_create, &options, linker.out());
    for (const cucore_objectcode* input : inputs) MUST(cucore_linker_add, linker, input);
    Got got;
    MUST(cucore_cache_link, cache, linker, CUCORE_CODE_TYPE_CUBIN, got.code.out(), &got.outcome);
    Code fresh;
    MUST(cucore_linker_link, linker, CUCORE_CODE_TYPE_CUBIN, fresh.out());
    EXPECT_TRUE(serialized(fresh) == serialized(got.code)) << inputs.size() << " inputs";
  }
}

TEST_F(Api, ProgramsInPtxAreFoundToo) {
  NEEDS_REAL_COMPILER();
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "sm_80";
  Program program;
  MUST(cucore_program_create, CUCORE_SOURCE_TYPE_PTX, PTX, PTX_SIZE, &options, program.out());
  EXPECT_EQ(compile(open(), program, CUCORE_CODE_TYPE_CUBIN).outcome, CUCORE_CACHE_OUTCOME_BUILT);
  const Got found = compile(open(), program, CUCORE_CODE_TYPE_CUBIN);
  EXPECT_EQ(found.outcome, CUCORE_CACHE_OUTCOME_HIT_DISK);
  const Code fresh = capi_test::compile(program, CUCORE_CODE_TYPE_CUBIN);
  EXPECT_TRUE(serialized(fresh) == serialized(found.code));
}

TEST_F(Api, KeysOfOnesOwn) {
  const Cache cache = open();
  EXPECT_FALSE(has(cache, 1));
  put(cache, 1);
  EXPECT_TRUE(has(cache, 1));
  EXPECT_FALSE(has(cache, 2));
  EXPECT_TRUE(has(open(), 1));
  EXPECT_FALSE(has(open([](auto& options) { options.name_space = "other"; }), 1));
  Code code;
  MUST(cucore_cache_get, open(), Key(1), code.out());
  EXPECT_TRUE(serialized(code) == serialized(code_of(1)));
}

TEST_F(Api, BuildersAreCalledOnceAKey) {
  const Cache cache = open();
  Builder builder;
  EXPECT_EQ(get_or_build(cache, 1, builder).outcome, CUCORE_CACHE_OUTCOME_BUILT);
  EXPECT_EQ(get_or_build(cache, 1, builder).outcome, CUCORE_CACHE_OUTCOME_HIT_MEMORY);
  EXPECT_EQ(get_or_build(open(), 1, builder).outcome, CUCORE_CACHE_OUTCOME_HIT_DISK);
  EXPECT_EQ(builder.calls, 1);
}

TEST_F(Api, BuildersOfOneKeyAreWaitedFor) {
  const Cache one = open(), two = open();
  Builder builder;
  builder.time = 50ms;
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 16; ++i)
    threads.emplace_back(
        [&, i] { right += get_or_build(i % 2 ? one : two, 1, builder).code.get() != nullptr; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 16);
  EXPECT_EQ(builder.calls, 1) << "also between two caches of one folder, as of two processes";
}

TEST_F(Api, TheBuilderOfOneKeyHoldsUpNoOther) {
  const Cache one = open(), two = open();
  Builder slow, quick;
  slow.time = 1500ms;
  std::thread busy([&] { get_or_build(one, 1, slow); });
  std::this_thread::sleep_for(100ms);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 2; i < 40; ++i) get_or_build(i % 2 ? one : two, i, quick);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1000ms);
  busy.join();
}

TEST_F(Api, TheWaitHasABound) {
  const Cache cache = open([](auto& options) { options.lock_timeout_ms = 50; });
  Builder slow, quick;
  slow.time = 2000ms;
  std::thread busy([&] { get_or_build(cache, 1, slow); });
  std::this_thread::sleep_for(100ms);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(get_or_build(cache, 1, quick).code);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1000ms);
  EXPECT_EQ(statistics(cache).lock_timeouts, 1u);
  busy.join();
}

TEST_F(Api, FailuresOfABuilderAreItsOwn) {
  const Cache cache = open();
  Builder builder;
  Code code;
  builder.status = CUCORE_ERROR_UNSUPPORTED;
  FAILS(CUCORE_ERROR_UNSUPPORTED, "the build function failed", cucore_cache_get_or_build, cache,
        Key(1), Builder::build, &builder, code.out(), nullptr);
  builder.status = CUCORE_ERROR_INVALID_CODE;
  FAILS(CUCORE_ERROR_INVALID_CODE, "offset", cucore_cache_get_or_build, cache, Key(1),
        Builder::build, &builder, code.out(), nullptr);
  builder.status = CUCORE_OK;
  EXPECT_EQ(get_or_build(cache, 1, builder).outcome, CUCORE_CACHE_OUTCOME_BUILT);
}

TEST_F(Api, MemoryAloneWritesNothing) {
  const Cache cache = open_cache("");
  put(cache, 1);
  EXPECT_TRUE(has(cache, 1));
  EXPECT_STREQ(cucore_cache_directory(cache), "");
}

TEST_F(Api, TheEnvironmentChoosesTheFolder) {
  const auto folder_by = [&](const char* name, const std::string& value) {
    setenv(name, value.c_str(), 1);
    Cache cache;
    MUST(cucore_cache_open, nullptr, cache.out());
    const std::string folder = cucore_cache_directory(cache);
    unsetenv(name);
    return folder;
  };
  EXPECT_EQ(folder_by("CUCORE_CACHE_DIR", folder_ / "a/b"), folder_ / "a/b");
  EXPECT_EQ(folder_by("XDG_CACHE_HOME", folder_ / "xdg"), folder_ / "xdg/cucore");
  const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
  EXPECT_EQ(folder_by("HOME", folder_.path()), folder_ / ".cache/cucore");
  if (!home.empty()) setenv("HOME", home.c_str(), 1);
  struct stat status {};
  ASSERT_EQ(stat((folder_ / "a/b").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(Api, SwitchedOffItDoesNothing) {
  setenv("CUCORE_CACHE", "off", 1);
  const Cache cache = open();
  unsetenv("CUCORE_CACHE");
  Builder builder;
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(get_or_build(cache, 1, builder).outcome, CUCORE_CACHE_OUTCOME_BYPASSED);
  EXPECT_EQ(builder.calls, 2);
  put(cache, 2);
  EXPECT_FALSE(has(cache, 2));
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(Api, HermeticRefusesWhatReadsTheDisk) {
  NEEDS_REAL_COMPILER();
  const Cache cache = open([](auto& options) { options.hermetic = 1; });
  write_file(folder_ / "include/a.h", "\n");
  const std::string include = folder_ / "include";
  const char* paths[] = {include.c_str()};
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "compute_80";
  options.include_paths = paths;
  options.include_path_count = 1;
  Code code;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "hermetic|a.h", cucore_cache_compile, cache,
        make_program("#include <a.h>\n", &options), CUCORE_CODE_TYPE_PTX, nullptr, 0, code.out(),
        nullptr);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "hermetic|a.h", cucore_cache_compile, cache,
        make_program("#define HEADER <a.h>\n#include HEADER\n", &options), CUCORE_CODE_TYPE_PTX,
        nullptr, 0, code.out(), nullptr);
  const char* names[] = {"b.h"};
  const char* sources[] = {"\n"};
  options.header_names = names;
  options.header_sources = sources;
  options.header_count = 1;
  EXPECT_EQ(compile(cache, make_program("#include <b.h>\n", &options)).outcome,
            CUCORE_CACHE_OUTCOME_BUILT);
}

// The current folder of the process does not matter.
TEST_F(Api, ARelativeFolderStaysWhereItWas) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  const Cache cache = open_cache("relative");
  fs::current_path("/");
  EXPECT_EQ(fs::canonical(cucore_cache_directory(cache)), fs::canonical(folder_ / "relative"));
  fs::current_path(before);
}

TEST_F(Api, OptionsOutOfRangeAreNamed) {
  cucore_cache_options options = CUCORE_CACHE_OPTIONS_INIT;
  options.directory = "";
  Cache cache;
  options.read_only = 2;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "read_only", cucore_cache_open, &options, cache.out());
  options = CUCORE_CACHE_OPTIONS_INIT;
  options.trust_toolkit = static_cast<cucore_toggle>(7);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "trust_toolkit", cucore_cache_open, &options, cache.out());
  options = CUCORE_CACHE_OPTIONS_INIT;
  options.key_count = 1;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "keys", cucore_cache_open, &options, cache.out());
  options = CUCORE_CACHE_OPTIONS_INIT;
  options.struct_size = 8;
  FAILS(CUCORE_ERROR_ABI_MISMATCH, "struct_size", cucore_cache_open, &options, cache.out());
}

}  // namespace
