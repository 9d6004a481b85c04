// SPDX-License-Identifier: Apache-2.0
// A process without a free file descriptor receives an error, and works again once descriptors are
// free.
#include "hostile_testing.hpp"

namespace {

using namespace hostile_test;

struct Lines {
  std::string starved, recovered;
};

Lines act(const std::string& action, Environment environment = {}, const std::string& what = "") {
  environment["PROBE_STARVES"] = "1";
  const Finished done = run({PROBE, CUCORE_LIBRARY, "/", action, what}, environment);
  EXPECT_EQ(done.exit, 0) << done.errors;
  const size_t end = done.output.find('\n');
  return {done.output.substr(0, end), end == std::string::npos ? "" : done.output.substr(end + 1)};
}

void expect_named(const Lines& lines, const std::string& subject) {
  EXPECT_EQ(lines.starved.substr(0, 4), "206 ") << lines.starved;
  EXPECT_NE(lines.starved.find("EMFILE"), std::string::npos) << lines.starved;
  EXPECT_NE(lines.starved.find(subject), std::string::npos) << lines.starved;
}

TEST(Descriptors, DevicesAreNotCounted) {
  for (const char* choice : {"cpu", "auto", FAKE_DRIVER}) {
    const Lines lines = act("count", {{"CUCORE_DRIVER", choice}});
    expect_named(lines, "descriptors");
    EXPECT_NE(lines.recovered.substr(0, 4), "0 0 ") << choice;
    EXPECT_EQ(lines.recovered.substr(0, 2), "0 ") << choice << lines.recovered;
  }
}

TEST(Descriptors, CompilesNameTheCause) {
  for (const Environment& environment :
       {Environment{}, Environment{{"CUCORE_NVRTC", FAKE_NVRTC}}}) {
    const Lines lines = act("compile", environment);
    expect_named(lines, "NVRTC");
    if (!environment.empty()) {
      EXPECT_EQ(lines.recovered, "0 \n");
    }
    EXPECT_EQ(lines.recovered.find("EMFILE"), std::string::npos) << lines.recovered;
  }
}

// The system loader's record of a failure must not persist.
TEST(Descriptors, ALibraryOfTheSystemIsFoundLater) {
  const std::string alone = run({PROBE, CUCORE_LIBRARY, "/", "compile"}, {}).output;
  EXPECT_EQ(act("compile").recovered, alone);
}

TEST(Descriptors, BatchesNameTheCause) {
  const Lines lines =
      act("batch", {{"CUCORE_NVRTC", FAKE_NVRTC}, {"CUCORE_WORKER", CUCORE_WORKER_PROGRAM}});
  EXPECT_EQ(lines.starved.substr(0, 4), "206 ") << lines.starved;
  EXPECT_NE(lines.starved.find("EMFILE"), std::string::npos) << lines.starved;
  EXPECT_EQ(lines.recovered, "0 \n");
}

TEST(Descriptors, RemotesNameTheCause) {
  const Lines lines = act("remote", {}, "file:///tmp");
  expect_named(lines, "cucore-remote-directory.so");
  EXPECT_EQ(lines.recovered, "0 \n");
}

}  // namespace
