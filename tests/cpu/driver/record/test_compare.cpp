// SPDX-License-Identifier: Apache-2.0
// The comparison of a run with the record: what it accepts and what it refuses.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "compare.hpp"

namespace cucore::cpu::record {
namespace {

class Compare : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/driver_record_test_XXXXXX";
    ASSERT_NE(nullptr, mkdtemp(name));
    folder_ = name;
    write_lines({{"a", "SUCCESS"}, {"b", "INVALID_VALUE"}}, "a device", folder_ + "/record");
  }
  void TearDown() override {
    for (const char* file : {"/record", "/differences"}) unlink((folder_ + file).c_str());
    rmdir(folder_.c_str());
  }
  int compared(const Lines& lines, const std::string& differences = "", bool whole = true) {
    std::ofstream(folder_ + "/differences") << differences;
    return compare(lines, folder_ + "/record", folder_ + "/differences", whole);
  }
  std::string folder_;
};

TEST_F(Compare, EqualLinesPass) {
  EXPECT_EQ(0, compared({{"a", "SUCCESS"}, {"b", "INVALID_VALUE"}}));
}

TEST_F(Compare, AnotherTextFails) {
  EXPECT_EQ(1, compared({{"a", "SUCCESS"}, {"b", "SUCCESS"}}));
  EXPECT_EQ(1, compared({{"a", "SUCCESS"}, {"b", ""}}));
}

TEST_F(Compare, ADifferenceMustBeAsListed) {
  const Lines lines = {{"a", "SUCCESS"}, {"b", "SUCCESS"}};
  EXPECT_EQ(0, compared(lines, "# a comment\nb | SUCCESS | a reason\n"));
  EXPECT_EQ(1, compared(lines, "b | NOT_FOUND | a reason\n"));
  EXPECT_EQ(1, compared({{"a", "SUCCESS"}, {"b", "INVALID_VALUE"}}, "b | INVALID_VALUE | none\n"));
}

TEST_F(Compare, TheRowsOfBothTablesMustExist) {
  EXPECT_EQ(1, compared({{"a", "SUCCESS"}}));
  EXPECT_EQ(0, compared({{"a", "SUCCESS"}}, "", false));
  EXPECT_EQ(0, compared({{"a", "SUCCESS"}, {"b", "INVALID_VALUE"}, {"c", "SUCCESS"}}));
  EXPECT_EQ(1, compared({{"a", "SUCCESS"}, {"b", "INVALID_VALUE"}}, "c | SUCCESS | a reason\n"));
}

TEST_F(Compare, WithoutARecordTheTestIsSkipped) {
  unlink((folder_ + "/record").c_str());
  EXPECT_EQ(77, compared({{"a", "SUCCESS"}}));
}

TEST_F(Compare, MalformedTablesAreRefused) {
  EXPECT_THROW(compared({{"a", "SUCCESS"}}, "b | SUCCESS\n"), std::runtime_error);
  EXPECT_THROW(compared({{"a", "SUCCESS"}}, "b | X | r\nb | Y | r\n"), std::runtime_error);
}

}  // namespace
}  // namespace cucore::cpu::record
