// SPDX-License-Identifier: Apache-2.0
// A row of the corpus of shared kernels, run on the CPU device with counts, and its model.
#pragma once

#include <cucore_perf.h>

#include <memory>
#include <string>
#include <vector>

#include "../../cpu/corpus/case.hpp"
#include "../../cpu/driver/driver.hpp"

namespace cucore::perf::test {

struct AnalysisDeleter {
  void operator()(cucore_analysis* analysis) const { cucore_analysis_release(analysis); }
};
using AnalysisOwner = std::unique_ptr<cucore_analysis, AnalysisDeleter>;

AnalysisOwner analyse(const std::string& ptx, const cucore_analysis_options* options = nullptr);
// Returns the number of a kernel.
size_t kernel_index(const cucore_analysis* analysis, const std::string& name);

// The arrays and variables of a row on the device.
class CorpusLaunch {
 public:
  CorpusLaunch(cutest::Driver& driver, const cpu::corpus::Case& row, const std::string& ptx);
  ~CorpusLaunch();
  CorpusLaunch(const CorpusLaunch&) = delete;
  CorpusLaunch& operator=(const CorpusLaunch&) = delete;

  // Runs the launch on the device. The trace has its counts.
  cucore_cpu_trace* run();
  // Returns the model of the launch with the same addresses.
  cucore_status model(const cucore_analysis* analysis, cucore_model_info* info,
                      std::string* message);

 private:
  cutest::Driver& driver_;
  const cpu::corpus::Case& row_;
  CUmodule module_ = nullptr;
  std::vector<CUdeviceptr> arrays_;
  std::vector<std::vector<uint8_t>> parameters_;
};

}  // namespace cucore::perf::test
