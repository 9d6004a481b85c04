// SPDX-License-Identifier: Apache-2.0
// The programs that a session has seen at their compile, so that machine code leads to its source.
#pragma once

#include <cstddef>
#include <deque>

#include "perf/measure/device.hpp"

namespace cucore::perf {

using ProgramOwner = client::Native<cucore_program, cucore_program_retain, cucore_program_release>;
using CodeOwner =
    client::Native<cucore_objectcode, cucore_objectcode_retain, cucore_objectcode_release>;

// The caller guards it by a lock.
class CompiledPrograms {
 public:
  static constexpr size_t MOST = 256;  // programs that are kept

  // Adds a compile that has ended without a failure.
  void add(const cucore_operation& compile);

  // Returns the program that was compiled to this image; null if the session has not seen it.
  ProgramOwner find(const cucore_objectcode* image) const;

 private:
  struct Compiled {
    ProgramOwner program;
    CodeOwner code;
  };
  std::deque<Compiled> compiled_;  // the latest last
};

}  // namespace cucore::perf
