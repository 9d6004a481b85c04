// SPDX-License-Identifier: Apache-2.0
// Every chip that CUPTI lists has every metric of the presets, apart from those of memory that it
// does not have. The data of CUPTI need no GPU.
#include <cucore_perf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "perf/cupti/chip.hpp"
#include "perf/cupti/presets.hpp"
#include "support/error.hpp"

namespace {

using namespace cucore::perf;

constexpr const char* LIST = "count metrics";
constexpr uint32_t QUICK = PRESET_QUICK, BALANCED = PRESET_BALANCED, FLOPS = PRESET_FLOPS,
                   MEMORY = PRESET_MEMORY, ROOF = PRESET_ROOF;
struct MetricRow {
  uint32_t presets;
  std::string_view name;
};
constexpr MetricRow METRIC_ROWS[] = {
#define PRESET_METRIC(presets, name, other_name) {(presets), name},
#include "perf/cupti/presets.inc"
#undef PRESET_METRIC
};
// Chips that use the memory of the processor have no counters of DRAM.
const std::set<std::string> WITHOUT_DRAM{"GA10B", "GB10B", "GB20B"};

size_t expected_metrics(uint32_t preset, bool has_dram) {
  return size_t(std::ranges::count_if(METRIC_ROWS, [=](const MetricRow& row) {
    return (row.presets & preset) != 0 && (has_dram || !row.name.starts_with("dram__"));
  }));
}

// Returns the chips that CUPTI lists, from the message about one that it does not list.
std::vector<std::string> listed_chips() {
  std::string message;
  try {
    const Chip unknown("GX100", LIST);
  } catch (const cucore::Error& error) {
    message = error.what();
  }
  std::stringstream words(message.substr(message.rfind(" of ") + 4));
  std::vector<std::string> chips;
  for (std::string word; words >> word;) chips.push_back(word.substr(0, word.find(',')));
  return chips;
}

TEST(PresetMetrics, ExistOnEveryChip) {
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  if (cucore_library_query(CUCORE_LIBRARY_CUPTI, &info, nullptr) != CUCORE_OK ||
      info.version_major < 13)
    GTEST_SKIP() << "needs CUPTI of CUDA 13";
  size_t chips = 0;
  for (const std::string& name : listed_chips()) {
    SCOPED_TRACE(name);
    try {
      const Chip chip(name, LIST);
      for (const uint32_t preset : {QUICK, BALANCED, FLOPS, MEMORY, ROOF})
        EXPECT_EQ(metrics_of(preset, chip).size(),
                  expected_metrics(preset, !WITHOUT_DRAM.contains(name)))
            << preset;
      ++chips;
    } catch (const cucore::Error& error) {
      EXPECT_EQ(error.status(), cucore::Status::UNSUPPORTED) << error.what();
    }
  }
  EXPECT_GE(chips, 29U);
}

}  // namespace
