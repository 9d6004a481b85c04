// SPDX-License-Identifier: Apache-2.0
// The table of options: nothing by default, the field's order, and every field of the struct in
// use.
#include "core/compile/nvrtc_options.hpp"

#include <gtest/gtest.h>

#include "support/error.hpp"

namespace cucore::core {
namespace {

cucore_program_options program_defaults() {
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  return options;
}

TEST(NvrtcOptions, AreNoneByDefault) { EXPECT_TRUE(nvrtc_flags(program_defaults()).empty()); }

TEST(NvrtcOptions, KeepTheOrderOfTheFields) {
  const char* last[] = {"--anything=1", "-x"};
  cucore_program_options options = program_defaults();
  options.flags = last;
  options.flag_count = 2;
  options.standard = "c++17";
  options.max_register_count = 32;
  options.lineinfo = CUCORE_TOGGLE_ON;
  options.relocatable_device_code = CUCORE_TOGGLE_OFF;
  EXPECT_EQ(nvrtc_flags(options),
            (std::vector<std::string>{"--relocatable-device-code=false", "--generate-line-info",
                                      "--maxrregcount=32", "--std=c++17", "--anything=1", "-x"}));
}

// Every toggle of the table switched on at once: as many flags as there are lines for it.
TEST(NvrtcOptions, HaveAFlagForEveryToggle) {
  cucore_program_options on = program_defaults(), off = program_defaults();
  size_t lit = 0, dark = 0;
#define TOGGLE(field, flag) \
  on.field = CUCORE_TOGGLE_ON, off.field = CUCORE_TOGGLE_OFF, ++lit, ++dark;
#define SWITCH(field, flag) on.field = CUCORE_TOGGLE_ON, off.field = CUCORE_TOGGLE_OFF, ++lit;
#define INVERSE(field, flag) on.field = CUCORE_TOGGLE_ON, off.field = CUCORE_TOGGLE_OFF, ++dark;
#define NUMBER(field, flag, least)
#define THREADS(field, flag)
#define TEXT(field, flag)
#define TEXTS(field, flag)
#define CODES(field, flag)
#include "core/compile/nvrtc_options.inc"
#undef TOGGLE
#undef SWITCH
#undef INVERSE
#undef NUMBER
#undef THREADS
#undef TEXT
#undef TEXTS
#undef CODES
  EXPECT_EQ(nvrtc_flags(on).size(), lit);
  EXPECT_EQ(nvrtc_flags(off).size(), dark);
}

TEST(NvrtcOptions, NameTheFieldThatIsWrong) {
  cucore_program_options options = program_defaults();
  options.pch_verbose = static_cast<cucore_toggle>(9);
  try {
    nvrtc_flags(options);
    FAIL() << "9 was taken for a toggle";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::INVALID_ARGUMENT);
    EXPECT_EQ(error.message(), "cucore_program_options.pch_verbose is 9, not a cucore_toggle");
  }
}

}  // namespace
}  // namespace cucore::core
