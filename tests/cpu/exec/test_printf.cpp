// SPDX-License-Identifier: Apache-2.0
// The output of kernels, format by format, against the C library; and output that does not fit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "cpu/exec/printf.hpp"

namespace cucore::cpu::test {
namespace {

// One argument of a call, as the kernel stores it; strings stay on the host.
template <class T>
PrintfSource source_of(const T& value) {
  PrintfSource source;
  source.argument = [value](uint64_t offset, void* to, uint64_t size) {
    std::byte bytes[16] = {};
    std::memcpy(bytes, &value, sizeof value);
    std::memcpy(to, bytes + offset, size);
  };
  source.string = [](uint64_t address) {
    return std::string(reinterpret_cast<const char*>(address));
  };
  return source;
}

template <class T>
void expect_as_in_c(const char* format, T value) {
  char wanted[4096];
  std::snprintf(wanted, sizeof wanted, format, value);
  std::string text;
  EXPECT_EQ(format_printf(format, source_of(value), 1 << 20, text), 1) << format;
  EXPECT_EQ(text, wanted) << format;
}

TEST(Printf, FormatsAsTheCLibrary) {
  for (const char* format : {"%d", "%5d|", "%-5d|", "%05d", "%+d", "% d", "%.3d", "%8.3d", "%i",
                             "%u", "%x", "%#X", "%o", "%-+-+8d|", "%.0d"})
    for (const int value : {0, 1, -1, 42, 2147483647}) expect_as_in_c(format, value);
  for (const char* format : {"%lld", "%20lld", "%llx", "%llu"})
    expect_as_in_c(format, static_cast<long long>(-1234567890123));
  for (const char* format : {"%f", "%.0f", "%#.0f", "%10.3f|", "%-10.3f|", "%e", "%.12E", "%g",
                             "%#g", "%.3000g", "%.30g", "%a", "%+.3A", "%.1500f", "%#.1500g"})
    for (const double value : {0.0, 1.0, -2.5, 1e300, 5e-324, HUGE_VAL})
      expect_as_in_c(format, value);
  for (const char* format : {"%s", "%10s|", "%-10s|", "%.2s", "%10.2s|", "%.100s", "%.0s"})
    expect_as_in_c(format, "text");
  for (const char* format : {"%c", "%3c|", "%-3c|"}) expect_as_in_c(format, int{'x'});
  expect_as_in_c("%p", reinterpret_cast<void*>(0x1234));
}

TEST(Printf, ArgumentsAsWidthAndPrecision) {
  struct Numbers {
    int first, second;
  };
  const auto print = [](const char* format, Numbers numbers) {
    std::string text;
    EXPECT_EQ(format_printf(format, source_of(numbers), 100, text), 2) << format;
    return text;
  };
  EXPECT_EQ(print("%*d|", {5, 42}), "   42|");
  EXPECT_EQ(print("%*d|", {-5, 42}), "42   |");
  EXPECT_EQ(print("%.*d|", {5, 42}), "00042|");
  EXPECT_EQ(print("%.*d|", {-5, 42}), "42|");
}

TEST(Printf, TextThatDoesNotFitIsRefused) {
  struct Case {
    const char* format;
    uint64_t capacity;
    bool fits;
  };
  for (const Case& c : {Case{"%10d", 10, true},
                        {"%11d", 10, false},
                        {"%.10d", 10, true},
                        {"%.11d", 10, false},
                        {"a%9d", 10, true},
                        {"a%10d", 10, false},
                        {"%d0123456789", 10, false},
                        {"%2147483648d", 1u << 20, false},
                        {"%.99999999999999999999d", 1u << 20, false},
                        {"%-4294967297d", ~uint64_t{0}, false}}) {
    std::string text;
    EXPECT_EQ(format_printf(c.format, source_of(5), c.capacity, text), c.fits ? 1 : -1) << c.format;
    EXPECT_LE(text.size(), c.capacity) << c.format;
  }
}

TEST(Printf, PrecisionThatAddsNothingFits) {
  std::string text;
  EXPECT_EQ(format_printf("%.2000000000f", source_of(HUGE_VAL), 1 << 20, text), 1);
  EXPECT_EQ(format_printf(" %.2000000000g", source_of(1.5), 1 << 20, text), 1);
  EXPECT_EQ(format_printf(" %.2000000000s", source_of<const char*>("text"), 1 << 20, text), 1);
  EXPECT_EQ(text, "inf 1.5 text");
}

}  // namespace
}  // namespace cucore::cpu::test
