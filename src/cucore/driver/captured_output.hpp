// SPDX-License-Identifier: Apache-2.0
// Redirects the output of a toolkit library to the caller instead of the process's stdout and
// stderr. For example, nvJitLink prints errors of its inputs there and returns success.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "driver/imports.hpp"

namespace cucore::driver {

// While it lives, collects the output of a library with output_imports() on this thread and on
// threads that the library starts from it. The newest one of a thread receives it.
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

// The functions that print, and the one that starts threads, for replace_imports(). Without a
// CapturedOutput they work as usual.
std::span<const Import> output_imports() noexcept;

}  // namespace cucore::driver
