// SPDX-License-Identifier: Apache-2.0
// The analysis of object code: all its kernels, without a device.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "perf/analyze/images.hpp"
#include "perf/machine/roof.hpp"
#include "perf/model/launch_model.hpp"
#include "support/ref.hpp"

namespace cucore::perf {

struct AnalysisOptions {
  std::vector<std::string> archs;  // for which occupancy is listed
  std::vector<std::string> allow;  // "A103"
  Launch launch;
  bool read_sources = false;
  bool disassemble = false;  // machine code also becomes text
  Ref<const Roof> roof;      // whose rates predictions use; null: those of datasheets
  ModelMode model = ModelMode::SAMPLE;
};

class Analysis final : public Object {
 public:
  // @throws Error INVALID_CODE, INVALID_ARGUMENT, UNSUPPORTED, NOT_FOUND
  Analysis(std::string name, std::span<const InputImage> images, const AnalysisOptions& options);

  const std::string& name() const { return name_; }
  std::span<const Kernel> kernels() const { return kernels_; }
  std::span<const Finding> findings() const { return findings_; }
  size_t allowed() const { return allowed_; }  // findings that are not listed

  // The occupancy of one kernel. `block` 0 stands for the largest block of the kernel, and an empty
  // arch for that of the kernel.
  // @throws Error INVALID_STATE if the code does not record the registers
  Occupancy occupancy(const Kernel& kernel, const std::string& arch, uint32_t block,
                      uint32_t shared) const;

  ModelMode model_mode() const { return model_mode_; }
  // Returns the architecture whose caches and rates models assume.
  uint16_t model_arch(const Kernel& kernel) const;
  const Roof* roof() const { return roof_.get(); }  // nullptr: none

 private:
  void require_kernel(const std::string& name) const;
  void add(AnalysedImage image, const AnalysisOptions& options);
  void add_occupancy(Kernel& kernel, const AnalysisOptions& options) const;
  void find_compiles_at_load(std::span<const InputImage> images, const AnalysisOptions& options);

  const std::string name_;
  const ModelMode model_mode_;
  const uint16_t first_arch_;  // of the options; 0: none
  const Ref<const Roof> roof_;
  std::vector<Kernel> kernels_;
  std::vector<Finding> findings_;
  size_t allowed_ = 0;
};

}  // namespace cucore::perf
