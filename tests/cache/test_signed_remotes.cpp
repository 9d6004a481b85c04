// SPDX-License-Identifier: Apache-2.0
// Remotes in memory: signatures, keys of the caller, failures.
#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "entries.hpp"

namespace {

using namespace cache_test;
using namespace std::chrono_literals;

class SignedRemotes : public Entries {};

// A remote in memory that a test can make fail.
struct MemoryRemote {
  std::mutex mutex;
  std::map<std::string, std::string> files;
  std::atomic<int> gets{0}, puts{0}, closed{0};
  std::atomic<bool> fails{false};

  cucore_cache_remote table() {
    cucore_cache_remote remote = CUCORE_CACHE_REMOTE_INIT;
    remote.context = this;
    remote.name = "memory";
    remote.get = [](void* self, const char* name, cucore_cache_receive_fn receive, void* to) {
      auto& me = *static_cast<MemoryRemote*>(self);
      ++me.gets;
      if (me.fails) return CUCORE_CACHE_ANSWER_FAILED;
      std::lock_guard lock(me.mutex);
      const auto found = me.files.find(name);
      if (found == me.files.end()) return CUCORE_CACHE_ANSWER_ABSENT;
      receive(found->second.data(), found->second.size(), to);
      return CUCORE_CACHE_ANSWER_DONE;
    };
    remote.put = [](void* self, const char* name, const void* data, size_t size) {
      auto& me = *static_cast<MemoryRemote*>(self);
      ++me.puts;
      if (me.fails) return CUCORE_CACHE_ANSWER_FAILED;
      std::lock_guard lock(me.mutex);
      me.files[name].assign(static_cast<const char*>(data), size);
      return CUCORE_CACHE_ANSWER_DONE;
    };
    remote.close = [](void* self) { ++static_cast<MemoryRemote*>(self)->closed; };
    return remote;
  }
};

const cucore_key WRONG = {"wrong", 5, CUCORE_KEY_HMAC_SHA256, 0};

Cache with_remote(MemoryRemote& remote, const std::string& folder, const cucore_key* sign,
                  const cucore_key* verify) {
  Cache cache = open_cache(folder, [&](auto& options) {
    options.signing_key = sign;
    options.keys = verify;
    options.key_count = verify ? 1 : 0;
  });
  const cucore_cache_remote table = remote.table();
  MUST(cucore_cache_add_remote, cache, &table);
  return cache;
}

TEST_F(SignedRemotes, RemotesGiveWhatIsSigned) {
  MemoryRemote remote;
  Builder builder;
  get_or_build(with_remote(remote, folder_ / "a", &SECRET, &SECRET), 1, builder);
  EXPECT_EQ(remote.files.size(), 1u) << "sent before the cache was closed";
  EXPECT_EQ(remote.closed, 1);
  {
    const Cache other = with_remote(remote, folder_ / "b", nullptr, &SECRET);
    EXPECT_EQ(get_or_build(other, 1, builder).outcome, CUCORE_CACHE_OUTCOME_HIT_REMOTE);
    EXPECT_EQ(statistics(other).hits_remote, 1u);
  }
  EXPECT_EQ(get_or_build(open_cache(folder_ / "b"), 1, builder).outcome,
            CUCORE_CACHE_OUTCOME_HIT_DISK)
      << "kept on this machine too";
  EXPECT_EQ(builder.calls, 1);
}

TEST_F(SignedRemotes, RemotesAreAskedForKeysOfOnesOwn) {
  MemoryRemote remote;
  put(with_remote(remote, folder_ / "a", &SECRET, &SECRET), 1);
  const Cache other = with_remote(remote, folder_ / "b", nullptr, &SECRET);
  EXPECT_TRUE(has(other, 1));
  EXPECT_FALSE(has(other, 2));
  EXPECT_EQ(statistics(other).hits_remote, 1u);
}

TEST_F(SignedRemotes, RemotesAreNotBelievedWithoutASignature) {
  MemoryRemote remote;
  Builder builder;
  get_or_build(with_remote(remote, folder_ / "a", &SECRET, &SECRET), 1, builder);
  const std::string right = remote.files.begin()->second;
  const auto built = [&](const std::string& bytes, const cucore_key* key, const char* name) {
    remote.files.begin()->second = bytes;
    const Cache cache = with_remote(remote, folder_ / name, nullptr, key);
    const auto outcome = get_or_build(cache, 1, builder).outcome;
    EXPECT_EQ(statistics(cache).remote_refused, 1u) << name;
    return outcome;
  };
  EXPECT_EQ(built(right, &WRONG, "wrong"), CUCORE_CACHE_OUTCOME_BUILT);
  EXPECT_EQ(built(right, nullptr, "none"), CUCORE_CACHE_OUTCOME_BUILT);
  std::string flipped = right;
  flipped[flipped.size() / 2] ^= 1;
  EXPECT_EQ(built(flipped, &SECRET, "flipped"), CUCORE_CACHE_OUTCOME_BUILT);
  EXPECT_EQ(built(read_file(files_in(folder_ / "a")[0]), &SECRET, "unsigned"),
            CUCORE_CACHE_OUTCOME_BUILT);
}

TEST_F(SignedRemotes, ARemoteThatFailsIsLeftAlone) {
  MemoryRemote remote;
  remote.fails = true;
  const Cache cache = with_remote(remote, folder_.path(), nullptr, &SECRET);
  Builder builder;
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(get_or_build(cache, i, builder).outcome, CUCORE_CACHE_OUTCOME_BUILT);
  EXPECT_EQ(remote.gets, 3);
  EXPECT_GE(statistics(cache).remote_errors, 3u);
}

TEST_F(SignedRemotes, ProgramsWithHeadersComeFromRemotesToo) {
  NEEDS_REAL_COMPILER();
  write_file(folder_ / "include/a.h", "#define A 1\n");
  next_tick();
  const std::string include = folder_ / "include";
  const char* paths[] = {include.c_str()};
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "compute_80";
  options.include_paths = paths;
  options.include_path_count = 1;
  const Program program = make_program("#include <a.h>\n__global__ void k() {}\n", &options);
  MemoryRemote remote;
  EXPECT_EQ(compile(with_remote(remote, folder_ / "a", &SECRET, &SECRET), program).outcome,
            CUCORE_CACHE_OUTCOME_BUILT);
  EXPECT_EQ(compile(with_remote(remote, folder_ / "b", nullptr, &SECRET), program).outcome,
            CUCORE_CACHE_OUTCOME_HIT_REMOTE);
  write_file(folder_ / "include/a.h", "#define A 2\n");
  next_tick();
  EXPECT_EQ(compile(with_remote(remote, folder_ / "c", nullptr, &SECRET), program).outcome,
            CUCORE_CACHE_OUTCOME_BUILT);
}

}  // namespace
