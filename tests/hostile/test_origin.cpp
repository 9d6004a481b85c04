// SPDX-License-Identifier: Apache-2.0
// A library opened by a relative path finds its own files after a change of folder. It does not use
// files of the same name in the new folder.
#include <sys/stat.h>

#include "hostile_testing.hpp"

namespace {

using namespace hostile_test;

class Origin : public testing::Test {
 protected:
  // As installed, except for the place of the worker, in the folder "home"; the same names in
  // "evil".
  void SetUp() override {
    folder_.add(CUCORE_LIBRARY, "home/lib/libcucore.so.0");
    folder_.add(CUCORE_CPU_LIBRARY, "home/lib/libcucore-cpu.so");
    folder_.add(CUCORE_REMOTE_DIRECTORY, "home/lib/cucore/cucore-remote-directory.so");
    folder_.add(CUCORE_WORKER_PROGRAM, "home/lib/cucore-worker");
    folder_.add(FAKE_NVJITLINK, "home/toolkit/libcudart.so.13");
    folder_.add(FAKE_NVRTC, "home/toolkit/libnvrtc.so.13");
    for (const char* name :
         {"lib/libcucore-cpu.so", "lib/cpu/driver/libcucore-cpu.so", "toolkit/libnvrtc.so.13",
          "lib/cucore-remote-directory.so", "lib/cucore/cucore-remote-directory.so",
          "lib/remote/cucore-remote-directory.so"})
      folder_.add(MARKER_LIBRARY, std::string("evil/") + name);
    write_file(folder_ / "evil/lib/cucore-worker", "#!/bin/sh\n: >\"$HOSTILE_MARK\"\n");
    ASSERT_EQ(chmod((folder_ / "evil/lib/cucore-worker").c_str(), 0755), 0);
  }

  void act(const std::string& action, const std::string& expected, Environment environment) {
    environment["HOSTILE_MARK"] = folder_ / "mark";
    const Finished done = run(
        {PROBE, "lib/libcucore.so.0", folder_ / "evil", action, "file:///tmp"}, environment, [&] {
          if (chdir((folder_ / "home").c_str()) != 0) _exit(126);
        });
    EXPECT_EQ(done.exit, 0) << done.errors;
    EXPECT_FALSE(exists(folder_ / "mark")) << "code of the current folder was run";
    EXPECT_EQ(done.output, expected) << done.errors;
  }

  Folder folder_;
};

TEST_F(Origin, OfThePluginsOfRemotes) { act("remote", "0 \n", {}); }

TEST_F(Origin, OfTheCpuDevice) { act("count", "0 1 \n", {{"CUCORE_DRIVER", "cpu"}}); }

TEST_F(Origin, OfTheWorkers) { act("batch", "0 \n", {{"CUCORE_NVRTC", FAKE_NVRTC}}); }

TEST_F(Origin, OfLibrariesThatTheProgramHasLoaded) {
  act("compile", "0 \n", {{"PROBE_LOADS", "toolkit/libcudart.so.13"}});
}

// The worker receives the path of the compiler that the program has loaded.
TEST_F(Origin, OfACompilerThatTheProgramHasLoaded) {
  act("batch", "0 \n", {{"PROBE_LOADS", "toolkit/libnvrtc.so.13"}});
}

}  // namespace
