// SPDX-License-Identifier: Apache-2.0
// The exact table of linker options: the flags of each state of a field, and the fields that only
// nvJitLink has.
#include "core/compile/linker_options.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "support/error.hpp"

namespace cucore::core {
namespace {

using Flags = std::vector<std::string>;

cucore_linker_options linker_defaults() {
  cucore_linker_options options = CUCORE_LINKER_OPTIONS_INIT;
  return options;
}

LinkerOptions read(const std::function<void(cucore_linker_options&)>& set) {
  cucore_linker_options options = linker_defaults();
  set(options);
  return read_linker_options(options, "cucore_linker_options");
}

struct ToggleRow {
  const char* name;
  cucore_toggle cucore_linker_options::*field;
  Flags on, off;
  bool driver_has_it;
};

const ToggleRow TOGGLES[] = {
    {"time", &cucore_linker_options::time, {"-time"}, {}, false},
    {"verbose", &cucore_linker_options::verbose, {"-verbose"}, {}, true},
    {"debug", &cucore_linker_options::debug, {"-g"}, {}, true},
    {"lineinfo", &cucore_linker_options::lineinfo, {"-lineinfo"}, {}, true},
    {"ftz", &cucore_linker_options::ftz, {"-ftz=1"}, {"-ftz=0"}, false},
    {"prec_div", &cucore_linker_options::prec_div, {"-prec-div=1"}, {"-prec-div=0"}, false},
    {"prec_sqrt", &cucore_linker_options::prec_sqrt, {"-prec-sqrt=1"}, {"-prec-sqrt=0"}, false},
    {"fma", &cucore_linker_options::fma, {"-fma=1"}, {"-fma=0"}, false},
    {"optimize_unused_variables",
     &cucore_linker_options::optimize_unused_variables,
     {"-optimize-unused-variables"},
     {},
     false},
    // Not in the list: the link decides on these by its target and its inputs.
    {"link_time_optimization", &cucore_linker_options::link_time_optimization, {}, {}, true},
    {"ptx", &cucore_linker_options::ptx, {}, {}, true},
    {"linker_cache", &cucore_linker_options::linker_cache, {}, {}, true},
};

TEST(LinkerOptions, AreNoneByDefault) {
  const LinkerOptions options = read([](auto&) {});
  EXPECT_EQ(options.flags, Flags{});
  EXPECT_EQ(options.nvjitlink_only, Flags{});
  EXPECT_FALSE(options.cache);
  EXPECT_EQ(options.optimization_level, -1);
}

TEST(LinkerOptions, TogglesInEachOfTheirStates) {
  for (const ToggleRow& row : TOGGLES)
    for (const cucore_toggle state : {CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_ON, CUCORE_TOGGLE_OFF}) {
      const LinkerOptions options = read([&](auto& o) { o.*row.field = state; });
      const Flags expected = state == CUCORE_TOGGLE_ON    ? row.on
                             : state == CUCORE_TOGGLE_OFF ? row.off
                                                          : Flags{};
      EXPECT_EQ(options.flags, expected) << row.name << " " << state;
      const bool noted = !expected.empty() && !row.driver_has_it;
      EXPECT_EQ(options.nvjitlink_only, noted ? Flags{row.name} : Flags{}) << row.name;
    }
}

TEST(LinkerOptions, NumbersAndTexts) {
  EXPECT_EQ(read([](auto& o) { o.max_register_count = 40; }).flags, Flags{"-maxrregcount=40"});
  EXPECT_EQ(read([](auto& o) { o.split_compile = -1; }).flags, Flags{"-split-compile=0"});
  EXPECT_EQ(read([](auto& o) { o.split_compile = 4; }).flags, Flags{"-split-compile=4"});
  EXPECT_EQ(read([](auto& o) { o.split_compile_extended = -1; }).flags,
            Flags{"-split-compile-extended=0"});
  EXPECT_EQ(read([](auto& o) { o.split_compile_extended = 2; }).flags,
            Flags{"-split-compile-extended=2"});
  for (const char* level : {"0", "3"})
    EXPECT_EQ(read([&](auto& o) { o.optimization_level = level; }).flags,
              Flags{std::string("-O") + level});
}

TEST(LinkerOptions, ListsKeepTheirOrder) {
  const char* two[] = {"b", "a"};
  EXPECT_EQ(read([&](auto& o) { o.kernels_used = two, o.kernels_used_count = 2; }).flags,
            (Flags{"-kernels-used=b", "-kernels-used=a"}));
  EXPECT_EQ(read([&](auto& o) { o.variables_used = two, o.variables_used_count = 2; }).flags,
            (Flags{"-variables-used=b", "-variables-used=a"}));
  EXPECT_EQ(read([&](auto& o) { o.ptxas_options = two, o.ptxas_option_count = 2; }).flags,
            (Flags{"-Xptxas=b", "-Xptxas=a"}));
  EXPECT_EQ(read([&](auto& o) { o.flags = two, o.flag_count = 2; }).flags, (Flags{"b", "a"}));
}

// Every field at once: as many flags as the table has lines, in its order.
TEST(LinkerOptions, HaveEveryLineOfTheTable) {
  const char* one[] = {"x"};
  const LinkerOptions options = read([&](auto& o) {
#define SWITCH(field, flag, by) o.field = CUCORE_TOGGLE_ON;
#define BINARY(field, flag, by) o.field = CUCORE_TOGGLE_OFF;
#define NUMBER(field, flag, least, by) o.field = 8;
#define THREADS(field, flag, by) o.field = 8;
#define LEVEL(field, flag, by) o.field = "3";
#define TEXTS(field, count, flag, by) o.field = one, o.count = 1;
#include "core/compile/linker_options.inc"
#undef SWITCH
#undef BINARY
#undef NUMBER
#undef THREADS
#undef LEVEL
#undef TEXTS
  });
  EXPECT_EQ(options.flags,
            (Flags{"-maxrregcount=8", "-time", "-verbose", "-O3", "-g", "-lineinfo", "-ftz=0",
                   "-prec-div=0", "-prec-sqrt=0", "-fma=0", "-kernels-used=x", "-variables-used=x",
                   "-optimize-unused-variables", "-Xptxas=x", "-split-compile=8",
                   "-split-compile-extended=8", "x"}));
}

}  // namespace
}  // namespace cucore::core
