// SPDX-License-Identifier: Apache-2.0
// System calls that fail one after the other while the cache, the command and the workers run. No
// result is wrong, a message names the cause, nothing is left behind, and later calls work.
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <thread>

#include "hostile_testing.hpp"

namespace {

using namespace hostile_test;
namespace fs = std::filesystem;

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  return files;
}

uint64_t entry_bytes(const std::string& folder) {
  uint64_t sum = 0;
  for (const std::string& file : files_below(folder))
    if (file.ends_with(".cuco")) sum += fs::file_size(file);
  return sum;
}

struct Fault {
  const char* call;
  const char* failure;
  const char* cause;  // in a message; null if the failure only repeats or slows the call
};

class Faults : public testing::Test {
 protected:
  std::string report() const { return folder_ / "struck"; }
  std::string work() const { return folder_ / "work"; }

  Environment with(const std::string& faults, const std::string& program,
                   const std::string& below) const {
    return {{"LD_PRELOAD", FAULTS_LIBRARY},
            {"FAULTS", faults},
            {"FAULT_BELOW", below},
            {"FAULT_REPORT", report()},
            {"FAULT_PROGRAM", program}};
  }

  // Calls `check` with the fault at the first call, at the second, and so on until a run has no
  // such call any more. The last run has the fault at every call.
  template <class Check>
  void at_each_call(const Fault& fault, Check&& check) {
    int runs = 0;
    for (bool struck = true; struck && runs < 60; ++runs) {
      const std::string rule =
          std::string(fault.call) + "=" + fault.failure + "@" + std::to_string(runs + 1);
      SCOPED_TRACE(rule);
      fs::remove(report());
      check(rule);
      struck = exists(report());
    }
    EXPECT_GT(runs, 1) << fault.call << " was never called";
    const std::string rule = std::string(fault.call) + "=" + fault.failure;
    SCOPED_TRACE(rule);
    check(rule);
  }

  Folder folder_;
};

class CacheFaults : public Faults {
 protected:
  Finished use(const std::string& folder, Environment environment) const {
    return run({PROBE, CUCORE_LIBRARY, "/", "use", folder}, environment);
  }
  void expect_right(const Finished& done) const {
    EXPECT_EQ(done.exit, 0) << done.errors;
    EXPECT_EQ(done.output, "0 0 wrong \n") << done.errors;
  }
  void expect_no_rubbish(const std::string& folder) const {
    if (!exists(folder)) return;
    for (const std::string& file : files_below(folder))
      EXPECT_EQ(file.find(".tmp."), std::string::npos) << file;
  }
};

// The format of the file of counts: 256 records of bytes, files and a check.
int64_t counted_files(const std::string& folder) {
  const std::string counts = read_file(folder + "/v1/usage");
  int64_t sum = 0;
  for (size_t at = 0; at + 24 <= counts.size(); at += 24) {
    int64_t files = 0;
    std::memcpy(&files, counts.data() + at + 8, sizeof files);
    sum += files;
  }
  return sum;
}

TEST_F(CacheFaults, NeverChangeAResult) {
  for (const Fault& fault :
       {Fault{"open", "EIO", ""}, Fault{"open", "EMFILE", ""}, Fault{"open", "EACCES", ""},
        Fault{"read", "EIO", ""}, Fault{"read", "short", ""}, Fault{"write", "EIO", ""},
        Fault{"write", "ENOSPC", ""}, Fault{"write", "short", ""}, Fault{"rename", "EIO", ""},
        Fault{"rename", "ENOSPC", ""}, Fault{"mkdir", "ENOSPC", ""}, Fault{"lock", "ENOLCK", ""}}) {
    at_each_call(fault, [&](const std::string& rule) {
      fs::remove_all(work());
      Environment environment = with(rule, "hostile_probe", work());
      environment["PROBE_KEYS"] = "1";
      expect_right(use(work(), environment));
      expect_no_rubbish(work());
      // Afterwards all entries are stored and found.
      const Finished later = use(work(), {{"PROBE_KEYS", "2"}});
      expect_right(later);
      EXPECT_EQ(later.errors, "");
      EXPECT_EQ(
          std::ranges::count_if(files_below(work()),
                                [](const std::string& file) { return file.ends_with(".cuco"); }),
          2);
      EXPECT_EQ(counted_files(work()), 2);
    });
  }
}

TEST_F(CacheFaults, AreNamedInTheLog) {
  for (const Fault& fault :
       {Fault{"write", "ENOSPC", "No space left on device"},
        Fault{"write", "EDQUOT", "Disk quota exceeded"},
        Fault{"write", "EIO", "Input/output error"}, Fault{"rename", "EIO", "Input/output error"},
        Fault{"open", "EMFILE", "Too many open files"},
        Fault{"mkdir", "EROFS", "Read-only file system"}}) {
    const std::string rule = std::string(fault.call) + "=" + fault.failure;
    fs::remove_all(work());
    if (std::string_view(fault.call) != "mkdir") fs::create_directories(work());
    const Finished done = use(work(), with(rule, "hostile_probe", work()));
    EXPECT_NE(done.errors.find(fault.cause), std::string::npos) << rule << ": " << done.errors;
    EXPECT_NE(done.errors.find(work()), std::string::npos) << rule << ": " << done.errors;
  }
}

// Processes that share a folder on a file system without locks, at once and for long enough that
// each would fill it alone.
TEST_F(CacheFaults, WithoutLocksTheBoundsHold) {
  constexpr uint64_t BOUND = 480000;  // about 130 entries
  std::atomic<uint64_t> worst{0};
  std::atomic<bool> stop{false};
  fs::create_directories(work());
  ASSERT_EQ(chmod(work().c_str(), 0700), 0);
  std::vector<std::thread> processes;
  for (int i = 0; i < 3; ++i)
    processes.emplace_back([&, i] {
      for (int round = 0; round < 6; ++round) {
        Environment environment = with("lock=ENOLCK", "hostile_probe", work());
        environment["PROBE_MAX_BYTES"] = std::to_string(BOUND);
        environment["PROBE_KEYS"] = "60";
        environment["PROBE_FIRST_KEY"] = std::to_string((i * 6 + round) * 60);
        expect_right(use(work(), environment));
      }
    });
  std::thread watch([&] {
    while (!stop) {
      try {
        worst = std::max(worst.load(), entry_bytes(work()));
      } catch (const fs::filesystem_error&) {
        continue;  // a file was removed meanwhile
      }
    }
  });
  for (std::thread& process : processes) process.join();
  stop = true;
  watch.join();
  EXPECT_LE(worst, BOUND * 11 / 10);
  EXPECT_GE(worst, BOUND / 2) << "nothing was kept";
}

TEST_F(CacheFaults, ASlowDiskOnlyTakesTime) {
  expect_right(use(work(), with("read=slow;write=slow", "hostile_probe", work())));
}

// A shared folder is a remote: a failing or slow one counts as a remote without the entry.
TEST_F(CacheFaults, OfASharedFolderAreMisses) {
  const auto share = [&](const Environment& environment) {
    fs::remove_all(work());
    fs::create_directories(work());
    const Finished done =
        run({PROBE, CUCORE_LIBRARY, "/", "share", "file://" + work()}, environment);
    EXPECT_EQ(done.exit, 0) << done.errors;
    expect_no_rubbish(work());
    return done;
  };
  EXPECT_EQ(share({}).output, "0 right \n");
  for (const std::string rule : {"open=EIO", "open=EMFILE", "read=EIO", "write=ENOSPC",
                                 "rename=EIO", "mkdir=EIO", "read=trickle", "write=trickle"}) {
    const Finished done = share(with(rule, "hostile_probe", work()));
    EXPECT_EQ(done.output, "0 absent \n") << rule;
    EXPECT_LT(done.seconds, 10) << rule;
  }
  for (const std::string rule : {"read=short", "write=short"})
    EXPECT_EQ(share(with(rule, "hostile_probe", work())).output, "0 right \n") << rule;
}

class CommandFaults : public Faults {
 protected:
  void SetUp() override {
    write_file(folder_ / "work/in.cu", "extern \"C\" __global__ void k(int* p) { *p = 1; }\n");
    ASSERT_EQ(compile({}).exit, 0);
    right_ = read_file(folder_ / "work/out.ptx");
    ASSERT_NE(right_, "");
  }
  Finished compile(Environment environment) const {
    environment["CUCORE_NVRTC"] = FAKE_NVRTC;
    return run(
        {COMMAND, "compile", work() + "/in.cu", "--arch", "compute_80", "-o", work() + "/out.ptx"},
        environment);
  }
  void check(const Fault& fault, const std::string& rule, const std::string& before) {
    const std::string out = folder_ / "work/out.ptx";
    fs::remove(out);
    if (!before.empty()) write_file(out, before);
    const Finished done = compile(with(rule, "cucore", work()));
    const std::string now = exists(out) ? read_file(out) : "";
    if (done.exit == 0) {
      EXPECT_EQ(now, right_);
    } else {
      EXPECT_LT(done.exit, 128) << "ended by a signal";
      EXPECT_NE(done.errors.find(fault.cause), std::string::npos) << done.errors;
      EXPECT_EQ(now, before) << "neither the old output nor none";
    }
    EXPECT_LE(files_below(work()).size(), now.empty() ? 1u : 2u) << "something was left behind";
  }

  std::string right_;
};

TEST_F(CommandFaults, LeaveTheOldOutputOrTheNew) {
  for (const Fault& fault :
       {Fault{"open", "EIO", "Input/output error"}, Fault{"open", "EMFILE", "Too many open files"},
        Fault{"read", "EIO", "Input/output error"}, Fault{"read", "short", ""},
        Fault{"write", "ENOSPC", "No space left on device"},
        Fault{"write", "EIO", "Input/output error"}, Fault{"write", "short", ""},
        Fault{"rename", "EIO", "Input/output error"}})
    for (const std::string before : {"", "the old output\n"})
      at_each_call(fault, [&](const std::string& rule) { check(fault, rule, before); });
  EXPECT_EQ(compile({}).exit, 0);
  EXPECT_EQ(read_file(folder_ / "work/out.ptx"), right_);
}

class WorkerFaults : public Faults {
 protected:
  Finished batch(Environment environment) const {
    environment["CUCORE_NVRTC"] = FAKE_NVRTC;
    environment["CUCORE_WORKER"] = CUCORE_WORKER_PROGRAM;
    return run({PROBE, CUCORE_LIBRARY, "/", "batch"}, environment);
  }
};

TEST_F(WorkerFaults, AreSurvivedOrNamed) {
  struct Case {
    const char* program;
    Fault fault;
  };
  for (const auto& [program, fault] :
       {Case{"cucore-worker", {"read", "EIO", "Input/output error"}},
        Case{"cucore-worker", {"write", "EIO", "Input/output error"}},
        Case{"cucore-worker", {"read", "short", nullptr}},
        Case{"cucore-worker", {"write", "short", nullptr}},
        Case{"hostile_probe", {"send", "EIO", "Input/output error"}},
        Case{"hostile_probe", {"recv", "EIO", "Input/output error"}},
        Case{"hostile_probe", {"send", "short", nullptr}},
        Case{"hostile_probe", {"recv", "short", nullptr}},
        Case{"hostile_probe", {"socketpair", "EMFILE", "Too many open files"}}}) {
    SCOPED_TRACE(program);
    at_each_call(fault, [&, name = program](const std::string& rule) {
      const Finished done = batch(with(rule, name, ""));
      EXPECT_EQ(done.exit, 0) << done.errors;
      if (done.output == "0 \n") return;
      ASSERT_NE(fault.cause, nullptr) << done.output;
      EXPECT_NE(done.output.find(fault.cause), std::string::npos) << done.output;
    });
  }
  EXPECT_EQ(batch({}).output, "0 \n");
}

}  // namespace
