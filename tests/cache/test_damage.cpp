// SPDX-License-Identifier: Apache-2.0
// Damage to a folder of files: flipped bits, cut ends, swapped names, a full disk, a folder
// that is read-only or belongs to another user. Compiles continue, and wrong content is never
// returned.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "cache_testing.hpp"

namespace {

using namespace cache_test;

// Without a compiler: object code under the test's own keys.
class Damage : public testing::Test {
 protected:
  Cache open() const {
    return open_cache(folder_.path(), [](auto& options) { options.max_memory = 1; });
  }
  static Code get(cucore_cache* cache, const uint8_t* key = KEY) {
    Code code;
    MUST(cucore_cache_get, cache, key, code.out());
    return code;
  }
  void put(const uint8_t* key = KEY, const std::string& more = "") const {
    const Cache cache = open();
    const std::string text = std::string(PTX, PTX_SIZE) + more;
    const Code code = make_code(CUCORE_CODE_TYPE_PTX, text.data(), text.size());
    MUST(cucore_cache_put, cache, key, code);
  }
  std::string only_file() const {
    const auto files = files_in(folder_.path());
    EXPECT_EQ(files.size(), 1u);
    return files.empty() ? "" : files[0];
  }

  Folder folder_;
};

TEST_F(Damage, NoFlippedBitIsBelieved) {
  put();
  const std::string file = only_file();
  const std::string whole = read_file(file);
  const std::string right(PTX, PTX_SIZE);
  const Cache cache = open();
  ASSERT_EQ(bytes_of(get(cache)), right);
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string bad = whole;
    bad[at] = static_cast<char>(bad[at] ^ (1 << at % 8));
    write_file(file, bad);
    const Code code = get(cache);
    ASSERT_TRUE(!code || bytes_of(code) == right) << "byte " << at;
    ASSERT_FALSE(code) << "byte " << at << " counts for nothing";
    ASSERT_FALSE(fs::exists(file)) << "a damaged file was left, byte " << at;
  }
  EXPECT_EQ(statistics(cache).corrupt, whole.size());
}

TEST_F(Damage, NoCutOrGrownFileIsBelieved) {
  put();
  const std::string file = only_file();
  const std::string whole = read_file(file);
  const Cache cache = open();
  for (size_t size = 0; size < whole.size(); size += 13) {
    write_file(file, whole.substr(0, size));
    ASSERT_FALSE(get(cache)) << size;
  }
  write_file(file, whole + std::string(64, '\0'));
  EXPECT_FALSE(get(cache));
  write_file(file, whole);
  EXPECT_TRUE(get(cache));
}

TEST_F(Damage, AnEntryUnderAnothersNameIsNotBelieved) {
  put();
  const std::string first = only_file();
  put(OTHER_KEY, "// another\n");
  const auto files = files_in(folder_.path());
  ASSERT_EQ(files.size(), 2u);
  const std::string second = files[0] == first ? files[1] : files[0];
  fs::copy_file(first, second, fs::copy_options::overwrite_existing);
  const Cache cache = open();
  EXPECT_TRUE(get(cache));
  EXPECT_FALSE(get(cache, OTHER_KEY));
}

TEST_F(Damage, WhatIsNoFileIsAMiss) {
  put();
  const std::string file = only_file();
  fs::remove(file);
  const Cache cache = open();
  EXPECT_FALSE(get(cache)) << "removed";
  fs::create_directory(file);
  EXPECT_FALSE(get(cache)) << "a folder";
  fs::remove(file);
  fs::create_symlink("/etc/passwd", file);
  EXPECT_FALSE(get(cache)) << "a link";
  fs::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_FALSE(get(cache)) << "a pipe, which must not be waited for";
}

TEST_F(Damage, CountsThatAreLostAreFoundAgain) {
  put();
  put(OTHER_KEY);
  for (const char* name : {"usage", "events"}) write_file(folder_ / "v1/" + name, "rubbish");
  const Cache cache = open();
  EXPECT_TRUE(get(cache));
  uint64_t bad = 1;
  MUST(cucore_cache_verify, cache, nullptr, nullptr, &bad);
  EXPECT_EQ(bad, 0u);
  EXPECT_EQ(statistics(cache).entries, 2u);
}

TEST_F(Damage, CountsInWhatIsNoFileAreNotWaitedFor) {
  put();
  for (const char* name : {"usage", "events", "lock"}) {
    fs::remove(folder_ / "v1/" + name);
    ASSERT_EQ(mkfifo((folder_ / "v1/" + name).c_str(), 0600), 0);
  }
  alarm(60);  // ends a hang by a signal
  for (const int32_t read_only : {1, 0}) {
    const Cache cache =
        open_cache(folder_.path(), [&](auto& options) { options.read_only = read_only; });
    EXPECT_TRUE(get(cache));
    EXPECT_EQ(statistics(cache).entries, 1u);
    cucore_cache_statistics_info all = CUCORE_CACHE_STATISTICS_INFO_INIT;
    MUST(cucore_cache_statistics_of_all, cache, &all);
    EXPECT_EQ(all.entries, 1u);
  }
  alarm(0);
}

// The file of counts in the library's format: a record per shard of bytes, files and a check.
std::string counts_of(int64_t bytes, int64_t files) {
  std::string all;
  for (uint64_t shard = 0; shard < 256; ++shard) {
    uint64_t sum = 0x9e3779b97f4a7c15 + shard;
    for (const int64_t number : {bytes, files}) {
      sum = (sum ^ static_cast<uint64_t>(number)) * 0xbf58476d1ce4e5b9;
      sum ^= sum >> 29;
    }
    const uint64_t record[] = {static_cast<uint64_t>(bytes), static_cast<uint64_t>(files), sum};
    all.append(reinterpret_cast<const char*>(record), sizeof record);
  }
  return all;
}

TEST_F(Damage, CountsThatCannotBeAreCountedAgain) {
  put();
  const auto only = fs::file_size(only_file());
  for (const int64_t number : {INT64_MAX, INT64_MAX / 128, int64_t{1} << 60}) {
    write_file(folder_ / "v1/usage", counts_of(number, number));
    const Cache cache = open();
    EXPECT_EQ(statistics(cache).entries, 1u) << number;
    EXPECT_EQ(statistics(cache).bytes, only) << number;
  }
}

uint64_t bytes_on_disk(const std::string& folder) {
  uint64_t sum = 0;
  for (const std::string& file : files_in(folder)) sum += fs::file_size(file);
  return sum;
}

// Processes that each store one entry, as compiles do, while another process damages the counts.
TEST_F(Damage, BoundsHoldWhateverTheCountsSay) {
  constexpr uint64_t BOUND = 200000;
  const std::string rubbish = "rubbish";
  const std::string zeros(256 * 24, '\0'), ones(256 * 24, '\xff'), large(256 * 24, '\x7f');
  const std::string counts = folder_ / "v1/usage";
  std::string good;
  uint64_t worst = 0;
  const auto put_one = [&](int number) {
    const Cache cache = open_cache(folder_.path(), [](auto& with) { with.max_bytes = BOUND; });
    const std::string text = std::string(PTX, PTX_SIZE) + std::string(5000, ' ');
    const Code code = make_code(CUCORE_CODE_TYPE_PTX, text.data(), text.size());
    const uint8_t key[32] = {static_cast<uint8_t>(number), static_cast<uint8_t>(number >> 8)};
    MUST(cucore_cache_put, cache, key, code);
    worst = std::max(worst, bytes_on_disk(folder_.path()));
  };
  for (int number = 0; number < 20; ++number) put_one(number);
  good = read_file(counts);
  for (int number = 20; number < 300; ++number) {
    const std::string swapped = good.substr(good.size() / 2) + good.substr(0, good.size() / 2);
    const std::string cut = read_file(counts).substr(0, 1000);
    const std::string* const damage[] = {&rubbish, &zeros, &ones, &large, &swapped, &cut};
    if (number % 8 == 0) write_file(counts, *damage[number / 8 % 6]);
    if (number % 48 == 1) fs::remove(counts);
    put_one(number);
  }
  EXPECT_LE(worst, BOUND * 11 / 10);
  EXPECT_GE(bytes_on_disk(folder_.path()), BOUND / 2) << "counts that are too high empty the cache";
  const Cache cache = open_cache(folder_.path());
  EXPECT_EQ(statistics(cache).bytes, bytes_on_disk(folder_.path()));
}

TEST_F(Damage, TheFolderMayGoWhileItIsInUse) {
  const Cache cache = open();
  fs::remove_all(folder_.path());
  const Code code = make_ptx_code();
  MUST(cucore_cache_put, cache, KEY, code);
  get(cache);
  EXPECT_EQ(statistics(cache).store_failures, 1u);
}

// A limit on the size of files stands for a full disk.
TEST_F(Damage, AFullDiskIsNoFailure) {
  const Cache cache = open();
  signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit little{700, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &little);
  const Code code = make_ptx_code();
  MUST(cucore_cache_put, cache, KEY, code);
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(statistics(cache).store_failures, 1u);
  EXPECT_TRUE(files_in(folder_.path()).empty());
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path()))
    EXPECT_FALSE(contains(entry.path().string(), ".tmp.")) << "rubbish was left";
  MUST(cucore_cache_put, cache, KEY, code);
  EXPECT_TRUE(get(cache));
}

// Runs in a separate process, with another user's rights if this one is root.
int as_nobody(const std::string& folder, const std::function<bool()>& check) {
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && (chown(folder.c_str(), 65534, 65534) != 0 || seteuid(65534) != 0))
      _exit(3);
    _exit(check() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST_F(Damage, AFolderThatCannotBeWrittenToIsReadOrLeftAlone) {
  const std::string folder = folder_ / "own";
  ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  EXPECT_EQ(as_nobody(folder,
                      [&] {
                        const Code code = make_ptx_code();
                        {
                          const Cache cache = open_cache(folder);
                          MUST(cucore_cache_put, cache, KEY, code);
                        }
                        if (chmod((folder + "/v1").c_str(), 0500) != 0) return false;
                        const Cache cache = open_cache(folder);
                        MUST(cucore_cache_put, cache, OTHER_KEY, code);
                        return bytes_of(get(cache)) == bytes_of(code) &&
                               files_in(folder).size() == 1 &&
                               bytes_of(get(cache, OTHER_KEY)) == bytes_of(code);
                      }),
            0);
}

TEST_F(Damage, AFolderThatOthersCanWriteToIsRefused) {
  cucore_cache_options options = CUCORE_CACHE_OPTIONS_INIT;
  options.directory = folder_.path().c_str();
  Cache cache;
  for (const mode_t mode : {0770, 0702, 0777}) {
    ASSERT_EQ(chmod(folder_.path().c_str(), mode), 0);
    FAILS(CUCORE_ERROR_IO, folder_.path() + "|others can write", cucore_cache_open, &options,
          cache.out());
  }
  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  SUCCEEDS(cucore_cache_open, &options, cache.out());
  // The folder below it is also changed.
  ASSERT_EQ(chmod((folder_ / "v1").c_str(), 0777), 0);
  FAILS(CUCORE_ERROR_IO, "v1|others can write", cucore_cache_open, &options, cache.out());
}

TEST_F(Damage, AFolderOfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  ASSERT_EQ(chown(folder_.path().c_str(), 65534, 65534), 0);
  cucore_cache_options options = CUCORE_CACHE_OPTIONS_INIT;
  options.directory = folder_.path().c_str();
  Cache cache;
  FAILS(CUCORE_ERROR_IO, "belongs to user 65534", cucore_cache_open, &options, cache.out());
}

TEST_F(Damage, ReadOnlyWritesNothing) {
  put();
  const auto before = files_in(folder_.path(), "");
  {
    const Cache cache = open_cache(folder_.path(), [](auto& options) { options.read_only = 1; });
    const Code code = make_ptx_code();
    EXPECT_TRUE(get(cache));
    MUST(cucore_cache_put, cache, OTHER_KEY, code);
    EXPECT_TRUE(get(cache, OTHER_KEY)) << "in memory it may be";
    MUST(cucore_cache_trim, cache, 0, nullptr, nullptr);
  }
  EXPECT_EQ(files_in(folder_.path(), ""), before);
}

// Entries are found at any clock time; the times only decide the order of eviction.
TEST_F(Damage, TimesOfAnotherCenturyDoNoHarm) {
  put();
  const std::string file = only_file();
  for (const time_t second : {time_t{0}, time_t{1}, time_t{4000000000}}) {
    const timespec times[] = {{second, 0}, {second, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
    EXPECT_TRUE(get(open())) << second;
  }
}

// Does the same through the compiler: it returns a result, whatever happens to the cache.
TEST_F(Damage, CompilesSucceedWhateverIsDamaged) {
  NEEDS_REAL_COMPILER();
  const std::string include = folder_ / "include";
  write_file(include + "/a.h", "#define A 1\n");
  const char* paths[] = {include.c_str()};
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.include_paths = paths;
  options.include_path_count = 1;
  options.arch = "compute_80";
  const Program program = make_program(
      "#include <a.h>\nextern \"C\" __global__ void k(int* p) { *p = A; }\n", &options);
  const std::string right = bytes_of(capi_test::compile(program));
  const std::string store = folder_ / "store";
  compile(open_cache(store), program);
  for (const std::string suffix : {".cuco", ".man", ".key", "usage", "events", "lock"})
    for (const std::string& bad : {std::string(), std::string("x"), std::string(5000, '\xff')}) {
      for (const std::string& file : files_in(store, suffix)) write_file(file, bad);
      const Cache cache = open_cache(store);
      EXPECT_EQ(bytes_of(compile(cache, program).code), right) << suffix;
      EXPECT_EQ(bytes_of(compile(cache, program).code), right) << suffix;
    }
  EXPECT_EQ(compile(open_cache(store), program).outcome, CUCORE_CACHE_OUTCOME_HIT_DISK);
}

}  // namespace
