// SPDX-License-Identifier: Apache-2.0
// Places of counted instructions, with and without source lines in the PTX.
#include <gtest/gtest.h>

#include <vector>

#include "perf/profile/counted_places.hpp"

namespace {

using namespace cucore::perf;

// A load of one warp that wastes sectors.
cucore_cpu_trace_row load(uint32_t ptx_line, uint32_t line, uint64_t sectors) {
  cucore_cpu_trace_row row{};
  row.function = "k";
  row.text = "ld.global.u32";
  row.file = line == 0 ? "" : "k.cu";
  row.inlined_file = "";
  row.ptx_line = ptx_line;
  row.line = line;
  row.counts.warp_instructions = 1;
  row.counts.thread_instructions = 32;
  row.counts.global_load = {1, 128, sectors, 0, 0};
  return row;
}

Place place_of(const std::vector<cucore_cpu_trace_row>& rows,
               const CountedPlaces::Sources& sources = {}) {
  cucore_cpu_trace_launch launch{};
  launch.kernel = "k";
  launch.block[0] = 32;
  launch.row_count = rows.size();
  launch.rows = rows.data();
  CountedPlaces places;
  places.add(launch, sizeof(cucore_cpu_trace_row), sources);
  EXPECT_TRUE(places.of("other").empty());
  const auto found = places.of("k");
  return found.count(203) != 0 ? found.at(203) : Place{};
}

TEST(PlaceSources, AddTheInstructionsOfALine) {
  const Place place = place_of({load(10, 5, 20), load(11, 6, 15), load(12, 6, 16)});
  EXPECT_EQ(place.file, "k.cu");
  EXPECT_EQ(place.line, 6u) << "two instructions together waste more";
  EXPECT_EQ(place.ptx_line, 12u) << "the worst of them";
}

TEST(PlaceSources, CountEachInstructionWithoutSources) {
  const Place place = place_of({load(10, 0, 20), load(11, 0, 15), load(12, 0, 16)});
  EXPECT_EQ(place.line, 0u);
  EXPECT_EQ(place.ptx_line, 10u);
}

// The PTX inside of machine code has no `.loc`.
TEST(PlaceSources, TakeTheLinesOfMachineCode) {
  const CountedPlaces::Sources sources{{10, {.file = "m.cu", .line = 3, .ptx_line = 10}},
                                       {11, {.file = "m.cu", .line = 4, .ptx_line = 11}},
                                       {12, {.file = "m.cu", .line = 4, .ptx_line = 12}}};
  const Place place = place_of({load(10, 0, 20), load(11, 0, 15), load(12, 0, 16)}, sources);
  EXPECT_EQ(place.file, "m.cu");
  EXPECT_EQ(place.line, 4u);
}

TEST(PlaceSources, AreTheCallOfAnInlinedFunction) {
  cucore_cpu_trace_row row = load(10, 99, 20);
  row.file = "header.h";
  row.inlined_file = "/.cucore/k.cu";
  row.inlined_line = 8;
  const Place place = place_of({row});
  EXPECT_EQ(place.file, "k.cu");
  EXPECT_EQ(place.line, 8u);
}

TEST(PlaceSources, AreNoneWithoutWaste) {
  EXPECT_EQ(place_of({load(10, 5, 4)}).line, 0u);
  EXPECT_EQ(place_of({}).line, 0u);
}

}  // namespace
