// SPDX-License-Identifier: Apache-2.0
// The presets for every chip that CUPTI lists. Its data need no GPU.
#include <cucore_perf.h>
#include <gtest/gtest.h>

#include <string>

namespace {

constexpr const char* PRESETS[] = {"quick", "balanced", "flops", "memory", "roof", "all"};

struct Row {
  const char* chip;
  int passes[6];
};
// From CUPTI 13.0.
constexpr Row ROWS[] = {
    {"GV100", {1, 1, 1, 7, 17, 9}}, {"TU102", {1, 1, 1, 4, 7, 5}}, {"TU104", {1, 1, 1, 4, 7, 5}},
    {"TU106", {1, 1, 1, 4, 7, 5}},  {"TU116", {1, 1, 1, 4, 7, 5}}, {"TU117", {1, 1, 1, 4, 7, 5}},
    {"GA100", {1, 1, 1, 4, 9, 5}},  {"GA102", {1, 1, 1, 4, 7, 5}}, {"GA103", {1, 1, 1, 4, 7, 5}},
    {"GA104", {1, 1, 1, 4, 7, 5}},  {"GA106", {1, 1, 1, 4, 7, 5}}, {"GA107", {1, 1, 1, 4, 7, 5}},
    {"GA10B", {1, 1, 1, 4, 7, 5}},  {"GH100", {1, 1, 1, 4, 9, 5}}, {"AD102", {1, 1, 1, 4, 7, 5}},
    {"AD103", {1, 1, 1, 4, 7, 5}},  {"AD104", {1, 1, 1, 4, 7, 5}}, {"AD106", {1, 1, 1, 4, 7, 5}},
    {"AD107", {1, 1, 1, 4, 7, 5}},  {"GB100", {1, 1, 1, 4, 9, 5}}, {"GB102", {1, 1, 1, 4, 9, 5}},
    {"GB110", {1, 1, 1, 4, 9, 5}},  {"GB10B", {1, 1, 1, 4, 9, 5}}, {"GB202", {1, 1, 1, 4, 8, 5}},
    {"GB203", {1, 1, 1, 4, 8, 5}},  {"GB205", {1, 1, 1, 4, 8, 5}}, {"GB206", {1, 1, 1, 4, 8, 5}},
    {"GB207", {1, 1, 1, 4, 8, 5}},  {"GB20B", {1, 1, 1, 4, 8, 5}},
};

std::string failure(const char* chip, const char* preset, cucore_status expected) {
  int32_t passes = 77;
  cucore_error* error = nullptr;
  EXPECT_EQ(cucore_preset_passes(chip, preset, &passes, &error), expected);
  EXPECT_EQ(passes, 0);
  const std::string message = error ? cucore_error_message(error) : "";
  cucore_error_release(error);
  return message;
}

bool has_cupti() {
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  return cucore_library_query(CUCORE_LIBRARY_CUPTI, &info, nullptr) == CUCORE_OK &&
         info.version_major >= 13;
}

class Presets : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_cupti()) GTEST_SKIP() << "needs CUPTI of CUDA 13";
  }
};

TEST_F(Presets, have_the_passes_of_the_table_on_every_chip) {
  for (const Row& row : ROWS)
    for (size_t i = 0; i < std::size(PRESETS); ++i) {
      int32_t passes = -1;
      cucore_error* error = nullptr;
      EXPECT_EQ(cucore_preset_passes(row.chip, PRESETS[i], &passes, &error), CUCORE_OK)
          << cucore_error_message(error);
      EXPECT_EQ(passes, row.passes[i]) << row.chip << ' ' << PRESETS[i];
      cucore_error_release(error);
    }
}

TEST_F(Presets, of_an_unknown_chip_list_the_chips) {
  const std::string message = failure("GX100", "quick", CUCORE_ERROR_NOT_FOUND);
  EXPECT_EQ(message.rfind("chip is \"GX100\"; CUPTI has metrics of ", 0), 0u) << message;
  for (const Row& row : ROWS) EXPECT_NE(message.find(row.chip), std::string::npos) << row.chip;
}

TEST_F(Presets, of_a_chip_without_data_are_unsupported) {
  EXPECT_EQ(failure("GV11B", "quick", CUCORE_ERROR_UNSUPPORTED),
            "cannot count the passes of a preset: CUPTI returned CUPTI_ERROR_NOT_SUPPORTED");
}

TEST(PresetNames, are_checked) {
  EXPECT_EQ(failure("GH100", "fast", CUCORE_ERROR_INVALID_ARGUMENT),
            "preset is \"fast\"; expected one of quick, balanced, flops, memory, roof, all");
  EXPECT_EQ(failure("GH100", nullptr, CUCORE_ERROR_INVALID_ARGUMENT), "preset must not be NULL");
  EXPECT_EQ(failure(nullptr, "quick", CUCORE_ERROR_INVALID_ARGUMENT), "chip must not be NULL");
  EXPECT_EQ(cucore_preset_passes("GH100", "quick", nullptr, nullptr),
            CUCORE_ERROR_INVALID_ARGUMENT);
}

}  // namespace
