// SPDX-License-Identifier: Apache-2.0
// C names in a message become those of a language, and nothing else changes.
#include "spelling.hpp"

#include <gtest/gtest.h>

const cucore::bind::Spelling cucore::bind::SPELLINGS[] = {
    {"CUCORE_CODE_TYPE_PTX", "CodeType.PTX"},
    {"NULL", "None"},
    {"cucore_buffer_size", "Buffer.size"},
    {"cucore_code_type", "CodeType"},
    {"cucore_device_reset", "Device.reset()"},
    {"cucore_event_options", "Event"},
    {"cucore_event_options.timing", "Event(timing=...)"},
    {"cucore_launch_options.grid", "LaunchConfig.grid"},
};
const size_t cucore::bind::SPELLING_COUNT = std::size(cucore::bind::SPELLINGS);

namespace {

using cucore::bind::respell;

TEST(Spelling, functions_have_their_parentheses_once) {
  EXPECT_EQ(respell("call cucore_device_reset to go on"), "call Device.reset() to go on");
  EXPECT_EQ(respell("cucore_device_reset() did"), "Device.reset() did");
  EXPECT_EQ(respell("cucore_device_reset"), "Device.reset()");
  EXPECT_EQ(respell("(cucore_device_reset())."), "(Device.reset()).");
  EXPECT_EQ(respell("cucore_buffer_size()"), "Buffer.size()");  // a property has no "()"
}

TEST(Spelling, fields_go_with_their_structs) {
  EXPECT_EQ(respell("cucore_event_options.timing is 5"), "Event(timing=...) is 5");
  EXPECT_EQ(respell("cucore_event_options.later is 5"), "Event.later is 5");
  EXPECT_EQ(respell("cucore_event_options. More"), "Event. More");
  EXPECT_EQ(respell("cucore_event_options."), "Event.");
  EXPECT_EQ(respell("cucore_launch_options.grid[1] is 0"), "LaunchConfig.grid[1] is 0");
  EXPECT_EQ(respell("7, not a cucore_code_type"), "7, not a CodeType");
  EXPECT_EQ(respell("CUCORE_CODE_TYPE_PTX, NULL"), "CodeType.PTX, None");
}

TEST(Spelling, what_is_not_in_the_table_stays) {
  for (const char* text :
       {"", "plain words", "cucore_device_resets", "xcucore_device_reset",
        "/tmp/cucore_device_reset", "libcucore-cpu.so", "a-cucore_device_reset", "NULLABLE",
        "isNULL", "CUCORE_DRIVER=cpu", "cucore_unknown()", "sch\xc3\xb6n", "...", "_"})
    EXPECT_EQ(respell(text), text);
}

}  // namespace
