// SPDX-License-Identifier: Apache-2.0
// Fuzz target of the analysis: any bytes are refused or analysed, and its JSON can be written.
#include <cstddef>
#include <cstdint>
#include <span>

#include "perf/analyze/analysis.hpp"
#include "perf/report/report.hpp"
#include "support/error.hpp"

namespace {

using cucore::image::CodeType;

CodeType type_of(std::span<const std::byte> bytes) {
  return bytes.size() > 4 && bytes[0] == std::byte{0x7f} ? CodeType::CUBIN : CodeType::PTX;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const cucore::perf::InputImage image{type_of(bytes), bytes, "sm_90a", "a log"};
  cucore::perf::AnalysisOptions options;
  options.archs = {"sm_75", "sm_120"};
  try {
    const auto analysis =
        cucore::make<cucore::perf::Analysis>("fuzz", std::span(&image, 1), options);
    const auto text =
        cucore::perf::as_text(*analysis).size() + cucore::perf::as_json(*analysis).size();
    if (text == 0) __builtin_trap();
  } catch (const cucore::Error&) {
  }
  return 0;
}
