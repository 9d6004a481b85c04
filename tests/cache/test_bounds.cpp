// SPDX-License-Identifier: Apache-2.0
// The bounds of a cache: entries, bytes, age, memory.
#include <fcntl.h>
#include <gtest/gtest.h>

#include "entries.hpp"

namespace {

using namespace cache_test;
using namespace std::chrono_literals;

class Bounds : public Entries {};

TEST_F(Bounds, TheLeastRecentlyUsedGoFirst) {
  const Change few = [](cucore_cache_options& options) { options.max_entries = 10; };
  {
    const Cache cache = open(few);
    for (int i = 0; i < 10; ++i) {
      put(cache, i);
      next_tick();
    }
    EXPECT_EQ(statistics(cache).entries, 10u);
  }
  const Cache cache = open(few);
  EXPECT_TRUE(has(cache, 0));
  EXPECT_TRUE(has(cache, 3));
  next_tick();
  put(cache, 10);
  next_tick();
  put(cache, 11);
  EXPECT_EQ(statistics(cache).entries, 10u);
  EXPECT_EQ(statistics(cache).evictions, 2u);
  const Cache after = open(few);
  for (const int kept : {0, 3, 10, 11}) EXPECT_TRUE(has(after, kept)) << kept;
  for (const int gone : {1, 2}) EXPECT_FALSE(has(after, gone)) << gone;
}

// Uses so many entries that eviction looks at only a part of them.
TEST_F(Bounds, OfThousandsTheLeastRecentlyUsedGoFirstToo) {
  const Cache cache = open([](auto& options) {
    options.max_entries = 4200;
    options.max_memory = 1;
  });
  const auto hot = [&] {
    int kept = 0;
    for (int i = 2000; i < 2200; ++i) kept += has(cache, i);
    return kept;
  };
  for (int i = 0; i < 4200; ++i) put(cache, i);
  for (int i = 4200; i < 6200; ++i) {
    if (i % 400 == 0) next_tick(), hot();
    put(cache, i);
  }
  EXPECT_EQ(hot(), 200);
  EXPECT_LE(statistics(cache).entries, 4300u);
  EXPECT_GE(statistics(cache).entries, 3700u);
  int old = 0;
  for (int i = 0; i < 1000; ++i) old += has(cache, i);
  EXPECT_LT(old, 100);
}

TEST_F(Bounds, OneLargerThanTheBoundTakesNoOtherAlong) {
  const Cache cache = open([](auto& options) {
    options.max_bytes = 200000;
    options.max_memory = 1;
  });
  for (int i = 0; i < 20; ++i) put(cache, i);
  std::string text(PTX, PTX_SIZE);  // zstd reduces it only a little
  for (unsigned i = 0, number = 1; i < 100000; ++i)
    text += "// " + std::to_string(number = number * 1664525u + 1013904223u) + "\n";
  MUST(cucore_cache_put, cache, Key(100),
       make_code(CUCORE_CODE_TYPE_PTX, text.data(), text.size()));
  EXPECT_FALSE(has(cache, 100));
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(has(cache, i)) << i;
}

// An entry used in the future goes first; otherwise all new entries would go at once.
TEST_F(Bounds, AClockThatWentBackEvictsNothingNew) {
  const Change few = [](auto& options) {
    options.max_entries = 20;
    options.max_memory = 1;
  };
  for (int i = 0; i < 20; ++i) put(open(few), i);
  const timespec times[] = {{4000000000, 0}, {4000000000, 0}};
  for (const std::string& file : files_in(folder_.path()))
    ASSERT_EQ(utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  const Cache cache = open(few);
  for (int i = 100; i < 110; ++i) {
    put(cache, i);
    EXPECT_TRUE(has(cache, i)) << i;
  }
}

TEST_F(Bounds, MemoryHoldsAsMuchAsIsSaid) {
  const Cache cache = open_cache("", [](auto& options) { options.max_memory = 1 << 20; });
  put(cache, 1, 80000);  // most of it
  EXPECT_TRUE(has(cache, 1));
  put(cache, 2, 80000);
  EXPECT_TRUE(has(cache, 2));
  EXPECT_FALSE(has(cache, 1)) << "more than is said";
  for (int i = 10; i < 2000; ++i) put(cache, i);
  EXPECT_TRUE(has(cache, 1999));
  int kept = 0;
  for (int i = 10; i < 2000; ++i) kept += has(cache, i);
  EXPECT_GT(kept, 100);
  EXPECT_LT(kept, 700);
}

TEST_F(Bounds, TheBytesHaveABound) {
  const Cache cache = open([](auto& options) { options.max_bytes = 200000; });
  for (int i = 0; i < 60; ++i) put(cache, i, 500);
  uint64_t bytes = 0;
  for (const std::string& file : files_in(folder_.path())) bytes += fs::file_size(file);
  EXPECT_LE(bytes, 200000u);
  EXPECT_GT(bytes, 100000u);
  EXPECT_EQ(statistics(cache).bytes, bytes);
  EXPECT_GT(statistics(cache).evictions, 0u);
}

int32_t count_files(const cucore_cache_entry_info* entry, void* user_data) {
  auto& seen = *static_cast<std::map<int, int>*>(user_data);
  ++seen[entry->kind];
  EXPECT_EQ(entry->struct_size, sizeof *entry);
  return 1;
}

TEST_F(Bounds, TrimVerifyAndQueryTellOfEachFile) {
  const Cache cache = open();
  for (int i = 0; i < 7; ++i) put(cache, i);
  std::map<int, int> seen;
  MUST(cucore_cache_query, cache, count_files, &seen);
  EXPECT_EQ(seen[CUCORE_CACHE_FILE_ENTRY], 7);
  write_file(files_in(folder_.path())[0], "rubbish");
  seen.clear();
  uint64_t bad = 0;
  MUST(cucore_cache_verify, cache, count_files, &seen, &bad);
  EXPECT_EQ(bad, 1u);
  EXPECT_EQ(seen[CUCORE_CACHE_FILE_ENTRY], 7);
  EXPECT_EQ(files_in(folder_.path()).size(), 6u);
  seen.clear();
  MUST(cucore_cache_trim, cache, 0, count_files, &seen);
  EXPECT_EQ(seen[CUCORE_CACHE_FILE_ENTRY], 6);
  EXPECT_TRUE(files_in(folder_.path()).empty());
  EXPECT_FALSE(has(cache, 1));
  EXPECT_EQ(statistics(cache).entries, 0u);
  // 0 ends the iteration.
  for (int i = 0; i < 7; ++i) put(cache, i);
  int calls = 0;
  MUST(
      cucore_cache_query, cache,
      [](const cucore_cache_entry_info*, void* count) { return ++*static_cast<int*>(count), 0; },
      &calls);
  EXPECT_EQ(calls, 1);
}

TEST_F(Bounds, OldEntriesAreBuiltAnew) {
  put(open(), 1);
  const std::string file = files_in(folder_.path())[0];
  fs::last_write_time(file, fs::file_time_type::clock::now() - 2h);
  EXPECT_TRUE(has(open([](auto& options) { options.max_age_seconds = 10800; }), 1));
  EXPECT_FALSE(has(open([](auto& options) { options.max_age_seconds = 3600; }), 1));
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(Bounds, WhatIsTooOldIsNotFoundInMemory) {
  const Change brief = [](auto& options) { options.max_age_seconds = 1; };
  const Cache cache = open(brief), alone = open_cache("", brief);
  for (cucore_cache* one : {cache.get(), alone.get()}) put(one, 1);
  EXPECT_TRUE(has(cache, 1) && has(alone, 1));
  std::this_thread::sleep_for(1100ms);
  EXPECT_FALSE(has(cache, 1));
  EXPECT_FALSE(has(alone, 1));
}

}  // namespace
