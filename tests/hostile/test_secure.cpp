// SPDX-License-Identifier: Apache-2.0
// A program with more rights than the user who started it: that user's environment does not control
// the libraries. The kernel marks such a process if the real and the effective user differ, so no
// file needs the bit.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hostile_testing.hpp"

namespace {

using namespace hostile_test;

constexpr uid_t SERVICE = 65534;

class Secure : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can run a program with other rights";
    if (!service_can_run_probe()) GTEST_SKIP() << "other users cannot run what was built here";
    ASSERT_EQ(chmod(folder_.path().c_str(), 0777), 0);
  }
  static bool service_can_run_probe() {
    if (seteuid(SERVICE) != 0) return false;
    const bool can = faccessat(AT_FDCWD, PROBE, X_OK, AT_EACCESS) == 0 &&
                     faccessat(AT_FDCWD, CUCORE_LIBRARY, R_OK, AT_EACCESS) == 0;
    return seteuid(0) == 0 && can;
  }
  // With the rights of a service, started by a user without them.
  Finished act(const std::string& action, Environment environment, const std::string& what = "") {
    environment["HOSTILE_MARK"] = folder_ / "mark";
    environment["PROBE_SECURE"] = "1";
    return run({PROBE, CUCORE_LIBRARY, "/", action, what}, environment, [] {
      if (seteuid(SERVICE) != 0) _exit(126);
    });
  }
  void expect_untouched(const Finished& done) const {
    EXPECT_EQ(done.exit, 0) << done.errors;
    EXPECT_FALSE(exists(folder_ / "mark")) << "code of the user was run";
  }

  Folder folder_;
};

TEST_F(Secure, TheCpuDeviceWritesNoTrace) {
  expect_untouched(act("count", {{"CUCORE_CPU_TRACE", folder_ / "trace"}}));
  EXPECT_FALSE(exists(folder_ / "trace"));
}

TEST_F(Secure, TheCpuDeviceHasItsDefaults) {
  const Finished done =
      act("count", {{"CUCORE_CPU_DEVICES", "7"}, {"CUCORE_CPU_FAULT", "cuInit@1=100"}});
  expect_untouched(done);
  EXPECT_EQ(done.output, "0 1 \n");
}

TEST_F(Secure, NoVariableNamesCode) {
  for (const char* name : {"CUCORE_DRIVER", "CUCORE_CPU", "CUCORE_NVRTC", "CUCORE_NVJITLINK",
                           "CUCORE_NVVM", "CUCORE_WORKER"})
    for (const char* action : {"count", "compile", "batch"})
      expect_untouched(act(action, {{name, MARKER_LIBRARY}}));
  folder_.add(MARKER_LIBRARY, "cuda/lib64/libnvrtc.so.13");
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    expect_untouched(act("compile", {{name, folder_ / "cuda"}}));
}

TEST_F(Secure, TheCacheIsTheServicesOwn) {
  for (const char* name : {"CUCORE_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) {
    const Finished done = act("cache", {{name, folder_ / "cache"}});
    EXPECT_EQ(done.output.find(folder_.path()), std::string::npos) << name << done.output;
    EXPECT_FALSE(exists(folder_ / "cache")) << name;
  }
}

// libcurl reads environment variables of its own: proxies, and a file for the keys of connections.
TEST_F(Secure, AWebServerIsNoRemote) {
  const Finished done =
      act("remote", {{"SSLKEYLOGFILE", folder_ / "keys"}}, "http://127.0.0.1:9/cache");
  EXPECT_EQ(done.output.substr(0, 4), "101 ") << done.output;
  EXPECT_NE(done.output.find("more rights"), std::string::npos) << done.output;
  EXPECT_FALSE(exists(folder_ / "keys"));
}

// The worker has the service's rights, and none of the user's variables.
TEST_F(Secure, AWorkerHasNoVariablesOfTheUsers) {
  const Finished done = run(
      {PROBE, folder_.add(CUCORE_LIBRARY, "lib/libcucore.so.0"), "/", "batch"},
      {{"CUCORE_NVRTC", FAKE_NVRTC}, {"MINE", "1"}}, [&] {
        write_file(folder_ / "lib/cucore-worker", "#!/bin/sh\nenv >'" + (folder_ / "seen") + "'\n");
        if (chmod((folder_ / "lib/cucore-worker").c_str(), 0755) != 0) _exit(125);
        if (chmod((folder_ / "lib").c_str(), 0777) != 0 || seteuid(SERVICE) != 0) _exit(126);
      });
  EXPECT_EQ(done.exit, 0) << done.errors;
  if (!exists(folder_ / "seen")) GTEST_SKIP() << "no compiler, so no worker: " << done.output;
  EXPECT_EQ(read_file(folder_ / "seen").find("MINE"), std::string::npos);
}

// If the variable is read, the file must be a trace already or a new one.
class Trace : public testing::Test {
 protected:
  Finished count(const std::string& file) {
    return run({PROBE, CUCORE_LIBRARY, "/", "count"},
               {{"CUCORE_DRIVER", "cpu"}, {"CUCORE_CPU_TRACE", file}});
  }
  void expect_refused(const std::string& file) {
    const Finished done = count(file);
    EXPECT_NE(done.output.find("CUCORE_CPU_TRACE"), std::string::npos) << done.output;
  }

  Folder folder_;
};

TEST_F(Trace, GrowsFromRunToRun) {
  EXPECT_EQ(count(folder_ / "trace").output, "0 1 \n");
  const std::string first = read_file(folder_ / "trace");
  EXPECT_NE(first.find("\"cuInit\""), std::string::npos);
  EXPECT_EQ(count(folder_ / "trace").output, "0 1 \n");
  EXPECT_GT(read_file(folder_ / "trace").size(), first.size());
}

TEST_F(Trace, IsNotAppendedToAnythingElse) {
  write_file(folder_ / "notes", "mine\n");
  expect_refused(folder_ / "notes");
  EXPECT_EQ(read_file(folder_ / "notes"), "mine\n");
  ASSERT_EQ(symlink((folder_ / "target").c_str(), (folder_ / "link").c_str()), 0);
  expect_refused(folder_ / "link");
  EXPECT_FALSE(exists(folder_ / "target"));
  write_file(folder_ / "empty", "");
  ASSERT_EQ(link((folder_ / "empty").c_str(), (folder_ / "second").c_str()), 0);
  expect_refused(folder_ / "second");
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  expect_refused(folder_ / "pipe");
  expect_refused("/dev/null");
}

}  // namespace
