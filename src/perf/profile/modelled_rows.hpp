// SPDX-License-Identifier: Apache-2.0
// Bytes and operations of rows that neither a counter nor a declaration has, by the model of
// launches. It runs when the report is made.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "perf/model/launch_model.hpp"
#include "perf/profile/counted_places.hpp"
#include "perf/profile/kernel_ptx.hpp"
#include "perf/profile/report_data.hpp"

namespace cucore::perf {

enum class ModelUse : int32_t {
  OFF,
  AUTO,     // what a sample of the blocks has
  REQUIRED  // all blocks if the reuse of data is unknown; the report lists kernels without a model
};

class ModelledRows {
 public:
  static constexpr double MOST_SECONDS = 2;  // for the models of a report

  ModelledRows(const CompiledPrograms& programs, ModelUse use, bool may_compile, double l2_bytes)
      : ptx_(programs, may_compile), use_(use), l2_bytes_(l2_bytes) {}

  // Adds what the row lacks, and the places of findings. A failure is a note in the row. Call it
  // for the slowest rows first.
  void add_to(KernelRow& row, const LaunchEntry& entry);

  std::vector<MissingPart> take_missing() { return std::move(missing_); }

 private:
  struct Part {
    LaunchModel model;
    double calls;
  };
  std::vector<Part> parts_of(const LaunchEntry& entry, const PtxFacts& facts,
                             CountedPlaces* places) const;
  void add_parts(KernelRow& row, const LaunchEntry& entry, const PtxFacts& facts);
  LaunchModel model_of(ModelledLaunch launch) const;
  double seconds() const;

  KernelPtx ptx_;
  const ModelUse use_;
  const double l2_bytes_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::vector<MissingPart> missing_;
};

}  // namespace cucore::perf
