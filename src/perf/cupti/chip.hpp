// SPDX-License-Identifier: Apache-2.0
// The metrics of one chip, as CUPTI lists them. It needs no GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "perf/cupti/library.hpp"

namespace cucore::perf {

// The configuration of the hardware for some metrics.
struct CounterPlan {
  std::vector<uint8_t> image;
  size_t passes = 0;
};

// Not for use by several threads at a time.
class Chip {
 public:
  // Throws NOT_FOUND for a name that CUPTI does not list, and UNSUPPORTED for a chip of whose
  // metrics it has no data.
  Chip(const std::string& name, const char* attempt);
  ~Chip();
  Chip(const Chip&) = delete;
  Chip& operator=(const Chip&) = delete;

  bool has(const char* metric) const;
  // Throws if a metric is missing. Call once.
  CounterPlan plan(std::span<const char* const> metrics) const;
  // Returns the values of the metrics in one range of decoded counters.
  std::vector<double> evaluate(std::span<const uint8_t> counters, size_t range,
                               std::span<const char* const> metrics) const;

 private:
  const CuptiHost& cupti_;
  const char* const attempt_;
  CUpti_Profiler_Host_Object* object_ = nullptr;
};

}  // namespace cucore::perf
