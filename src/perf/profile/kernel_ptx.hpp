// SPDX-License-Identifier: Apache-2.0
// The PTX of kernels that a session has seen: of their image, or of the program that it was
// compiled from.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "perf/analyze/analysis.hpp"
#include "perf/profile/compiled_programs.hpp"
#include "perf/profile/launch_table.hpp"

namespace cucore::perf {

class KernelPtx {
 public:
  // Without `may_compile`, only images are searched.
  KernelPtx(const CompiledPrograms& programs, bool may_compile)
      : programs_(programs), may_compile_(may_compile) {}

  // The PTX of a kernel, and the findings of the analysis in it.
  struct Found {
    const PtxFacts* facts = nullptr;
    std::map<uint16_t, Place> places;  // of the first finding of each number
  };
  // @throws Error NOT_FOUND without PTX, INVALID_CODE, and what a compile throws
  Found find(const LaunchEntry& entry);

 private:
  const Analysis* analysis_of(const std::string& key, const CodeOwner& code);
  const Analysis* compiled(const LaunchEntry& entry, const CodeOwner& image);

  const CompiledPrograms& programs_;
  const bool may_compile_;
  std::map<std::string, std::unique_ptr<Analysis>> analyses_;  // by the content of the code
};

}  // namespace cucore::perf
