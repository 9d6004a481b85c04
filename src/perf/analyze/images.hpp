// SPDX-License-Identifier: Apache-2.0
// The kernels of one image: of a CUBIN, with the PTX that is embedded in it, or of PTX.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "image/image.hpp"
#include "perf/analyze/findings.hpp"
#include "perf/analyze/kernel.hpp"

namespace cucore::perf {

// One image of the code to analyse. The bytes must live until the analysis is made.
struct InputImage {
  image::CodeType type = image::CodeType::PTX;
  std::span<const std::byte> bytes;
  std::string arch;  // with its suffix, if it is known
  std::string log;   // of its compile
};

struct AnalysedImage {
  std::vector<Kernel> kernels;
  std::vector<Finding> findings;
  std::string ptx;  // the text to which the lines of PTX refer
};

// @throws Error INVALID_CODE
// With `wants_text`, the kernels have their machine code as text, or the reason why not.
AnalysedImage analyse_cubin(const InputImage& input, const Launch& launch, bool wants_text = false);
AnalysedImage analyse_ptx(const InputImage& input, const Launch& launch);

}  // namespace cucore::perf
