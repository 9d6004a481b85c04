// SPDX-License-Identifier: Apache-2.0
// What a toolkit library prints goes to the caller instead of the process's stdout and stderr.
// nvJitLink prints errors of its inputs there and returns success.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "driver/imports.hpp"

namespace cucore::driver {

// While it lives, collects what a library with output_imports() prints on this thread and on the
// threads that the library starts from it. The newest of a thread's gets it.
class CapturedOutput {
 public:
  CapturedOutput();
  ~CapturedOutput();
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;

  std::string text() const;

  struct Sink;

 private:
  const std::shared_ptr<Sink> sink_;
  const std::shared_ptr<Sink>* const before_;
};

// The functions that print, and the one that starts threads, for replace_imports(). Outside a
// CapturedOutput they do what they always do.
std::span<const Import> output_imports() noexcept;

}  // namespace cucore::driver
