// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "cache_parts.hpp"

namespace cucore::cache {
namespace {

using namespace std::chrono_literals;

class Builds : public testing::Test {
 protected:
  static Result get(Parts& parts, const std::function<Ref<const Object>()>& build) {
    Request request = request_for(1);
    return parts.builds.get_or_build(request, {build, {}});
  }
  // Runs `leader` on a thread, and `joiner` once the build of the leader is in progress.
  template <class Joiner>
  void join(const std::function<Ref<const Object>()>& end, Parts& parts, const Joiner& joiner) {
    std::atomic<bool> is_building = false, may_end = false;
    std::thread leader([&] {
      try {
        get(parts, [&] {
          is_building = true;
          while (!may_end) std::this_thread::sleep_for(1ms);
          return end();
        });
      } catch (const Error&) {
      }
    });
    while (!is_building) std::this_thread::sleep_for(1ms);
    joiner(may_end);
    may_end = true;
    leader.join();
  }
  static Settings impatient() {
    Settings settings;
    settings.lock_timeout = 1ms;
    return settings;
  }

  const TemporaryFolder folder_;
};

TEST_F(Builds, StoresTheResultInAllTiers) {
  Parts parts(folder_ / "a"), other(folder_ / "a");
  EXPECT_EQ(get(parts, [] { return make_object("one"); }).outcome, Outcome::BUILT);
  EXPECT_EQ(parts.find(1).outcome, Outcome::HIT_MEMORY);
  EXPECT_EQ(name_of(other.find(1).object), "one");
  EXPECT_EQ(parts.count(Event::BUILDS), 1u);
  EXPECT_EQ(parts.count(Event::MISSES), 1u);
}

TEST_F(Builds, AHitBuildsNothing) {
  Parts parts(folder_ / "a");
  parts.put(1, "one");
  const Result result = get(parts, []() -> Ref<const Object> { throw 1; });
  EXPECT_EQ(result.outcome, Outcome::HIT_MEMORY);
  EXPECT_EQ(parts.count(Event::BUILDS), 0u);
}

TEST_F(Builds, AFailureIsThrownAndNothingIsStored) {
  Parts parts(folder_ / "a");
  EXPECT_THROW(get(parts, []() -> Ref<const Object> { throw Error(Status::IO, "no"); }), Error);
  EXPECT_EQ(parts.count(Event::BUILD_FAILURES), 1u);
  EXPECT_EQ(get(parts, [] { return make_object("one"); }).outcome, Outcome::BUILT);
}

TEST_F(Builds, AThreadThatCannotWaitOnlyBuilds) {
  Parts parts(folder_ / "a", impatient()), other(folder_ / "a");
  join([]() -> Ref<const Object> { throw Error(Status::IO, "no"); }, parts,
       [&](auto&) {
         const Result result = get(parts, [] { return make_object("joiner"); });
         EXPECT_EQ(result.outcome, Outcome::NOT_STORED);
         EXPECT_EQ(name_of(result.object), "joiner");
       });
  EXPECT_FALSE(parts.find(1).object);
  EXPECT_FALSE(other.find(1).object);
  EXPECT_EQ(parts.count(Event::LOCK_TIMEOUTS), 1u);
  EXPECT_EQ(parts.count(Event::NOT_STORABLE), 1u);
  EXPECT_EQ(parts.count(Event::BUILDS), 2u);
}

TEST_F(Builds, AThreadThatWaitsJoins) {
  Parts parts(folder_ / "a");
  join([] { return make_object("leader"); }, parts,
       [&](std::atomic<bool>& may_end) {
         std::thread end([&] {
           std::this_thread::sleep_for(20ms);
           may_end = true;
         });
         const Result result = get(parts, [] { return make_object("joiner"); });
         end.join();
         EXPECT_EQ(name_of(result.object), "leader");
       });
  EXPECT_EQ(parts.count(Event::BUILDS), 1u);
}

TEST_F(Builds, AReentrantRequestIsRefused) {
  Parts parts(folder_ / "a");
  try {
    get(parts, [&] { return get(parts, [] { return make_object("inner"); }).object; });
    FAIL() << "a build function has requested its own result";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::INVALID_STATE);
  }
}

TEST_F(Builds, ABypassedBuildIsNeitherFoundNorStored) {
  Parts parts(folder_ / "a");
  const Build build = {[] { return make_object("one"); }, {}};
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(parts.builds.build_bypassed(build).outcome, Outcome::BYPASSED);
  EXPECT_FALSE(parts.find(1).object);
  EXPECT_EQ(parts.count(Event::BYPASSES), 2u);
  EXPECT_EQ(parts.count(Event::BUILDS), 2u);
}

TEST_F(Builds, AHermeticCacheRefusesAProgramThatReadsFiles) {
  Settings settings;
  settings.hermetic = true;
  Parts parts(folder_ / "a", settings);
  folder_.write("config.h", "#define VALUE 1\n");
  container::BuildInputs inputs;
  auto access = std::make_unique<container::FileAccess>();
  access->texts = {{"a.cu", "#include \"config.h\"\n"}};
  access->include_paths = {folder_.path()};
  inputs.files = std::move(access);
  inputs.label = "a.cu";
  Request request = request_of(inputs, "");
  const Build build = {[] { return make_object("one"); }, {}};
  try {
    parts.builds.get_or_build(request, build);
    FAIL() << "a hermetic cache has built a program that reads a file";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::INVALID_ARGUMENT);
    EXPECT_NE(error.message().find("config.h"), std::string::npos) << error.message();
  }
  EXPECT_EQ(parts.count(Event::BUILDS), 0u);
}

}  // namespace
}  // namespace cucore::cache
