// SPDX-License-Identifier: Apache-2.0
// One run of one scenario with one failure in it, and the conditions that must hold afterwards.
#pragma once

#include <cucore.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fakes/fake_client.hpp"

namespace sweep {

enum class Failing {
  DRIVER_CALL,      // the nth call of the driver
  COMPILER_CALL,    // the nth call of NVRTC
  RELEASE,          // the nth call of each of the driver's functions that release something
  ALLOCATION,       // the nth allocation
  ALL_ALLOCATIONS,  // the nth allocation and all after it
};

struct Failure {
  Failing what;
  uint64_t nth = 0;
  int32_t result = 0;     // of the driver or of NVRTC
  std::string name = {};  // of the function, for RELEASE
};

// The fakes that the library under test has opened.
struct Fakes {
  Fakes();
  fake::Client driver{fake::path("fake_driver")};
  fake::Client nvrtc{fake::path("fake_nvrtc")};
  fake::Client nvjitlink{fake::path("fake_nvjitlink")};

  // The driver's own function, which reads the current context without the library.
  void* current_context() const;
  void make_current(int device) const;

 private:
  template <class Fn>
  Fn* entry(const char* name) const;
  void* handle_;
};

class Run {
 public:
  Run(Fakes& fakes, Failure failure) : fakes_(fakes), failure_(std::move(failure)) {}

  // Calls a function that returns a status; failures are injected only in here.
  template <class Call>
  cucore_status call(Call&& function) {
    cucore_error* error = garbage<cucore_error>();
    arm();
    const cucore_status status = function(&error);
    disarm();
    judge(status, error);
    return status;
  }

  // Calls a function without a status: it cannot report a failure, so the scenario checks the
  // result.
  template <class Call>
  auto plain(Call&& function) {
    struct Armed {
      explicit Armed(Run& run) : run(run) { run.arm(); }
      ~Armed() { run.disarm(); }
      Run& run;
    };
    has_no_status_ = true;
    const Armed armed(*this);
    return function();
  }

  // An output: 0 or NULL if the call has failed.
  template <class T>
  void output(const char* name, const T& value) {
    if (status_ != CUCORE_OK) {
      EXPECT_EQ(value, T{}) << name << " of a failed call";
    }
  }

  bool ok() const { return status_ == CUCORE_OK; }
  bool struck() const { return struck_; }
  bool has_no_status() const { return has_no_status_; }
  cucore_status status() const { return status_; }
  const std::string& message() const { return message_; }
  std::string where() const;  // the call or allocation that failed
  const std::string& failed_call() const { return failed_call_; }
  int32_t result() const { return failure_.result; }  // result of the failed call

  // The call fails by design ("already in use"), with this status.
  void expect(cucore_status status) { expected_ = status; }
  cucore_status expected() const { return expected_; }

  // Accepts a failure that this call does not report by a status; the scenario has checked the
  // result.
  void tolerate() { tolerated_ = true; }
  bool tolerated() const { return tolerated_; }

  template <class T>
  static T* garbage() {
    return reinterpret_cast<T*>(uintptr_t{0x5a5a5a50});
  }

 private:
  void arm();
  void disarm();
  void judge(cucore_status status, cucore_error* error);

  Fakes& fakes_;
  Failure failure_;
  cucore_status status_ = CUCORE_OK;
  cucore_status expected_ = CUCORE_OK;
  std::string message_, failed_call_;
  bool struck_ = false, has_no_status_ = false, tolerated_ = false;
};

// The live objects in the fakes; equal before and after every run.
using Alive = std::map<std::string, uint64_t>;
Alive alive(const Fakes& fakes);

// Returns the same once it has the wanted value, or after two seconds: the library unloads code on
// a thread.
Alive settled(const Fakes& fakes, const Alive& wanted);

}  // namespace sweep
