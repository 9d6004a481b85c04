// SPDX-License-Identifier: Apache-2.0
// A whole cache, its upkeep, and the life of a user's cache across forks.
#include <sys/wait.h>
#include <unistd.h>

#include "cache/user_cache.hpp"
#include "cache_parts.hpp"

namespace cucore::cache {
namespace {

container::BuildInputs inputs_of(const std::string& source) {
  container::BuildInputs inputs;
  inputs.fields = {container::key_field(container::KeyTag::SOURCE, source),
                   container::key_field(container::KeyTag::NAME, "a.cu"),
                   container::key_field(container::KeyTag::TARGET, "ptx")};
  inputs.digest = container::digest_of(inputs.fields);
  return inputs;
}

Build build_of(const std::string& name, int* builds = nullptr) {
  return {[=] {
            if (builds) ++*builds;
            return make_object(name);
          },
          {}};
}

class WholeCache : public testing::Test {
 protected:
  Settings settings() const {
    Settings settings;
    settings.directory = folder_ / "a";
    return settings;
  }
  static Ref<Cache> make_cache(const Settings& settings) {
    return make<Cache>(settings, test_codec());
  }
  Ref<Cache> make_cache() const { return make_cache(settings()); }

  const TemporaryFolder folder_;
};

TEST_F(WholeCache, BuildsOnceThenFindsInMemoryThenOnDisk) {
  int builds = 0;
  const auto inputs = inputs_of("one");
  {
    const auto cache = make_cache();
    EXPECT_FALSE(cache->find(inputs).object);
    EXPECT_EQ(cache->get_or_build(inputs, build_of("one", &builds)).outcome, Outcome::BUILT);
    EXPECT_EQ(cache->get_or_build(inputs, build_of("one", &builds)).outcome, Outcome::HIT_MEMORY);
    EXPECT_TRUE(cache->has_disk());
  }
  const auto other = make_cache();
  const Result found = other->find(inputs);
  EXPECT_EQ(found.outcome, Outcome::HIT_DISK);
  EXPECT_EQ(name_of(found.object), "one");
  EXPECT_EQ(builds, 1);
}

TEST_F(WholeCache, KeepsTheKeysOfCallersApartFromInputs) {
  const auto cache = make_cache();
  const auto inputs = inputs_of("one");
  EXPECT_TRUE(cache->put(inputs.digest, *make_object("put")));
  EXPECT_EQ(name_of(cache->get(inputs.digest).object), "put");
  EXPECT_FALSE(cache->find(inputs).object);
  EXPECT_FALSE(cache->get(key_of(9)).object);
  EXPECT_EQ(cache->statistics().of(Event::MISSES), 1u);
  EXPECT_EQ(cache->get_or_build(key_of(9), build_of("nine")).outcome, Outcome::BUILT);
  EXPECT_EQ(name_of(cache->get(key_of(9)).object), "nine");
}

TEST_F(WholeCache, BuildsEachTimeWithoutALookup) {
  auto inputs = inputs_of("one");
  inputs.bypass = "it uses a file that changes";
  const auto cache = make_cache();
  int builds = 0;
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(cache->get_or_build(inputs, build_of("one", &builds)).outcome, Outcome::BYPASSED);
  EXPECT_EQ(builds, 2);
  EXPECT_EQ(cache->explain(inputs), "bypassed: it uses a file that changes\n");
  EXPECT_EQ(cache->statistics().of(Event::BYPASSES), 2u);
}

TEST_F(WholeCache, KeepsNothingIfItIsOff) {
  Settings off = settings();
  off.is_off = true;
  const auto cache = make_cache(off);
  EXPECT_FALSE(cache->has_disk());
  EXPECT_FALSE(cache->put(key_of(1), *make_object("one")));
  EXPECT_FALSE(cache->get(key_of(1)).object);
  EXPECT_EQ(cache->statistics().of(Event::MISSES), 0u);
  EXPECT_EQ(cache->get_or_build(key_of(1), build_of("one")).outcome, Outcome::BYPASSED);
  EXPECT_EQ(cache->explain(inputs_of("one")).rfind("bypassed: ", 0), 0u);
}

TEST_F(WholeCache, ExplainsMissesAndHits) {
  const auto cache = make_cache();
  const auto inputs = inputs_of("one");
  EXPECT_EQ(cache->explain(inputs).rfind("miss: nothing of that name", 0), 0u);
  cache->get_or_build(inputs, build_of("one"));
  EXPECT_EQ(cache->explain(inputs).rfind("hit: ", 0), 0u);
  EXPECT_EQ(cache->explain(inputs_of("two")).rfind("miss: ", 0), 0u);
}

TEST_F(WholeCache, IsUpheld) {
  const auto cache = make_cache();
  for (unsigned char i = 1; i <= 3; ++i) cache->put(key_of(i), *make_object("a"));
  Maintenance& maintenance = cache->maintenance();
  EXPECT_EQ(maintenance.usage().files, 3);
  size_t entries = 0;
  maintenance.query([&](const EntryReport&) { return ++entries, true; });
  EXPECT_EQ(entries, 3u);
  EXPECT_EQ(maintenance.verify(nullptr), 0u);
  EXPECT_EQ(maintenance.all_events()[static_cast<size_t>(Event::STORES)], 3u);
  EXPECT_EQ(maintenance.trim({UINT64_MAX, 2}, nullptr), 1u);
  EXPECT_EQ(maintenance.usage().files, 2);
}

TEST_F(WholeCache, IsEmptyAfterATrimToNothing) {
  const auto cache = make_cache();
  cache->put(key_of(1), *make_object("one"));
  EXPECT_EQ(cache->maintenance().trim({0, UINT64_MAX}, nullptr), 1u);
  EXPECT_FALSE(cache->get(key_of(1)).object);
}

// == A user's cache ===============================================================================

class UsersCache : public WholeCache {
 protected:
  Ref<UserCache> open() const { return UserCache::open(settings(), test_codec()); }

  // Runs `check` in the child of a fork. Returns whether it returned true there.
  template <class Check>
  static bool is_true_in_child(const Check& check) {
    const pid_t child = fork();
    if (child == 0) _exit(check() ? 0 : 1);
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
};

TEST_F(UsersCache, IsOneCacheInOneProcess) {
  const auto cache = open();
  EXPECT_EQ(&cache->here(), &cache->here());
  EXPECT_EQ(&cache->here(), &cache->opened());
}

TEST_F(UsersCache, HasAnAbsoluteFolder) {
  Settings relative;
  relative.directory = "cucore-unit-relative";
  relative.is_off = true;  // nothing is created
  const auto cache = UserCache::open(relative, test_codec());
  EXPECT_EQ(cache->opened().settings().directory, current_directory() + "/cucore-unit-relative");
}

TEST_F(UsersCache, IsAnotherOneInTheChildOfAFork) {
  const auto cache = open();
  cache->here().remotes().add(std::make_unique<MemoryRemote>(std::make_shared<RemoteFiles>()));
  cache->here().put(key_of(1), *make_object("one"));
  EXPECT_TRUE(is_true_in_child([&] {
    Cache& own = cache->here();
    return &own != &cache->opened() && own.remotes().empty() &&
           own.get(key_of(1)).outcome == Outcome::HIT_DISK;
  }));
  EXPECT_EQ(cache->here().get(key_of(1)).outcome, Outcome::HIT_MEMORY);
}

TEST_F(UsersCache, IsNotDestroyedInTheChildOfAFork) {
  auto cache = open();
  EXPECT_TRUE(is_true_in_child([&] {
    cache->here().put(key_of(1), *make_object("one"));
    UserCache* const raw = cache.get();
    raw->prepare_release();
    cache = nullptr;
    return raw->opened().has_disk();
  }));
  // The child has added its counts before its end.
  const auto events = cache->here().maintenance().all_events();
  EXPECT_EQ(events[static_cast<size_t>(Event::STORES)], 1u);
}

TEST_F(UsersCache, IsRefusedWithinItsRemote) {
  class Reentering final : public Remote {
   public:
    explicit Reentering(UserCache& cache) : cache_(cache) {}
    RemoteAnswer get(const container::Digest&, FileKind, image::Bytes&) override {
      EXPECT_THROW(cache_.here(), Error);
      return RemoteAnswer::ABSENT;
    }
    RemoteAnswer put(const container::Digest&, FileKind, std::span<const std::byte>) override {
      return RemoteAnswer::FAILED;
    }
    bool can_write() const override { return false; }
    std::string name() const override { return "reentering"; }

   private:
    UserCache& cache_;
  };
  const auto cache = open();
  cache->here().remotes().add(std::make_unique<Reentering>(*cache));
  EXPECT_FALSE(cache->here().get(key_of(1)).object);
  EXPECT_EQ(cache->here().statistics().of(Event::REMOTE_MISSES), 1u);
}

}  // namespace
}  // namespace cucore::cache
