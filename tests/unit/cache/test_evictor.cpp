// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "cache_parts.hpp"

namespace cucore::cache {
namespace {

// Entries 1 to 3, of which 1 was used last and 3 before that.
class Eviction : public testing::Test {
 protected:
  void SetUp() override {
    for (unsigned char number = 1; number <= 3; ++number) parts_.put(number, "entry");
    for (const auto& [number, seconds] : {std::pair(2, 300), {3, 200}, {1, 100}})
      set_used(static_cast<unsigned char>(number), seconds);
  }
  void set_used(unsigned char number, int64_t seconds_ago) const {
    timespec times[2] = {};
    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= seconds_ago;
    times[1].tv_nsec = UTIME_OMIT;
    ASSERT_EQ(utimensat(AT_FDCWD, file(number).c_str(), times, 0), 0);
  }
  std::string file(unsigned char number) const {
    return folder_ / ("a/" + entry_name(key_of(number), FileKind::ENTRY));
  }
  std::string left() const {
    std::string numbers;
    for (unsigned char number = 1; number <= 3; ++number)
      if (std::filesystem::exists(file(number))) numbers += static_cast<char>('0' + number);
    return numbers;
  }

  const TemporaryFolder folder_;
  Parts parts_{folder_ / "a"};
};

TEST_F(Eviction, RemovesTheLeastRecentlyUsedFilesFirst) {
  EXPECT_EQ(parts_.evictor.trim({UINT64_MAX, 2}, nullptr), 1u);
  EXPECT_EQ(left(), "13");
  EXPECT_EQ(parts_.evictor.trim({UINT64_MAX, 1}, nullptr), 1u);
  EXPECT_EQ(left(), "1");
  EXPECT_EQ(parts_.count(Event::EVICTIONS), 2u);
}

TEST_F(Eviction, ATimeInTheFutureCountsAsTheOldest) {
  set_used(1, -86400);
  parts_.evictor.trim({UINT64_MAX, 2}, nullptr);
  EXPECT_EQ(left(), "23");
}

TEST_F(Eviction, OfNoBytesEmptiesTheFolder) {
  EXPECT_EQ(parts_.evictor.trim({0, UINT64_MAX}, nullptr), 3u);
  EXPECT_EQ(left(), "");
  EXPECT_EQ(parts_.store.usage().bytes, 0);
}

TEST_F(Eviction, MarksUsedFilesBefore) {
  parts_.evictor.trim({UINT64_MAX, 3}, nullptr);
  EXPECT_EQ(parts_.touches, 1);
  EXPECT_EQ(left(), "123");
}

TEST_F(Eviction, EndsWhenItsReportReturnsFalse) {
  size_t reports = 0;
  const auto stop = [&](const EntryReport& entry) {
    EXPECT_EQ(entry.key, key_of(2));
    return ++reports < 1;
  };
  EXPECT_EQ(parts_.evictor.trim({0, 0}, stop), 1u);
  EXPECT_EQ(reports, 1u);
  EXPECT_EQ(left(), "13");
}

TEST_F(Eviction, RefusesATrimWithinItsReport) {
  const auto again = [&](const EntryReport&) -> bool {
    parts_.evictor.trim({0, 0}, nullptr);
    return true;
  };
  try {
    parts_.evictor.trim({UINT64_MAX, 2}, again);
    FAIL() << "a trim within a report was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::INVALID_STATE);
  }
}

TEST_F(Eviction, AStoreWithinAReportDoesNotWaitForTheTrim) {
  Settings settings;
  settings.max_entries = 2;
  Parts small(folder_ / "a", settings);
  const auto store = [&](const EntryReport&) { return small.put(9, "nine"), true; };
  EXPECT_EQ(small.evictor.trim({UINT64_MAX, 2}, store), 1u);
  EXPECT_EQ(name_of(small.find(9).object), "nine");
}

TEST_F(Eviction, EnforcesTheLimitsAfterAStore) {
  Settings settings;
  settings.max_entries = 3;
  Parts small(folder_ / "a", settings);
  small.put(9, "nine");
  EXPECT_EQ(left(), "13");
}

TEST_F(Eviction, WithinTheLimitsNothingHappens) {
  parts_.evictor.enforce();
  EXPECT_EQ(left(), "123");
  EXPECT_EQ(parts_.touches, 0);
}

}  // namespace
}  // namespace cucore::cache
