// SPDX-License-Identifier: Apache-2.0
// The rates of devices, against the figures that NVIDIA's datasheets print.
#include <gtest/gtest.h>

#include "perf/machine/datasheets.hpp"
#include "perf/machine/limits.hpp"

namespace cucore::perf {
namespace {

constexpr double TERA = 1e12;

struct Printed {
  uint16_t arch;
  Unit unit;
  double tera;  // operations per second
};

// Products of matrices are those without sparsity. Some datasheets assume a lower clock for them.
constexpr Printed PRINTED[] = {
    {70, Unit::F32, 15.7},     {70, Unit::F64, 7.8},    {70, Unit::F16, 31.4},
    {70, Unit::MATRIX, 125},   {75, Unit::F32, 8.1},    {75, Unit::MATRIX, 65},
    {80, Unit::F32, 19.5},     {80, Unit::F64, 9.7},    {80, Unit::F16, 78},
    {80, Unit::MATRIX, 312},   {86, Unit::F32, 31.2},   {86, Unit::MATRIX, 125},
    {89, Unit::F32, 91.6},     {89, Unit::MATRIX, 362}, {90, Unit::F32, 67},
    {90, Unit::F64, 33.5},     {90, Unit::F16, 134},    {90, Unit::MATRIX, 989},
    {100, Unit::MATRIX, 2250}, {120, Unit::F32, 104.8}, {120, Unit::MATRIX, 419},
};

TEST(Datasheets, HaveTheRatesOfPrintedSheets) {
  for (const Printed& printed : PRINTED) {
    const Datasheet* const sheet = find_datasheet(printed.arch);
    ASSERT_NE(sheet, nullptr);
    const double rate = sheet->operations_per_second[static_cast<size_t>(printed.unit)] / TERA;
    const bool is_matrix = printed.unit == Unit::MATRIX;
    EXPECT_GT(rate, printed.tera * 0.985) << sheet->device;
    EXPECT_LT(rate, printed.tera * (is_matrix ? 1.1 : 1.015)) << sheet->device;
  }
}

TEST(Datasheets, AreOfKnownArchitectures) {
  EXPECT_GT(all_datasheets().size(), 5U);
  for (const Datasheet& sheet : all_datasheets()) {
    EXPECT_NE(find_limits(sheet.arch), nullptr) << sheet.device;
    EXPECT_EQ(find_datasheet(sheet.arch), &sheet);
    EXPECT_GT(sheet.bytes_per_second, 1e11);
    EXPECT_LT(sheet.bytes_per_second, 1e13);
    EXPECT_GE(sheet.l2_bytes, 4 << 20);
    EXPECT_LE(sheet.l2_bytes, 128 << 20);
  }
  EXPECT_EQ(find_datasheet(72), nullptr);
}

}  // namespace
}  // namespace cucore::perf
