// SPDX-License-Identifier: Apache-2.0
// Occupancy through cucore_perf.h: values derived by hand, NVIDIA's calculator, recorded answers of
// the driver, and the definitions of the header.
#include <cucore_perf.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "nvidia_calculator.hpp"
#include "perf/machine/limits.hpp"

namespace {

using cucore::perf::all_limits;
using cucore::perf::Limits;

cucore_occupancy_info ask(const std::string& arch, uint32_t registers, uint32_t threads,
                          uint32_t shared) {
  cucore_occupancy_needs needs = CUCORE_OCCUPANCY_NEEDS_INIT;
  needs.registers = registers;
  needs.threads = threads;
  needs.shared = shared;
  cucore_occupancy_info info = CUCORE_OCCUPANCY_INFO_INIT;
  cucore_error* error = nullptr;
  EXPECT_EQ(cucore_occupancy_query(arch.c_str(), &needs, &info, &error), CUCORE_OK)
      << cucore_error_message(error);
  cucore_error_release(error);
  return info;
}

std::string name_of(const Limits& limits) { return "sm_" + std::to_string(limits.arch); }

TEST(Occupancy, IsThatOfAHandCalculation) {
  // sm_90: 64 warps; 8 warps per block.
  cucore_occupancy_info info = ask("sm_90", 32, 256, 0);
  EXPECT_EQ(info.blocks, 8U);
  EXPECT_EQ(info.warps, 64U);
  EXPECT_EQ(info.fraction, 1.0);
  EXPECT_EQ(info.limiter, CUCORE_OCCUPANCY_LIMITER_WARPS);
  EXPECT_EQ(info.registers_for_more, -1);
  EXPECT_EQ(info.shared_for_more, -1);
  // 33 registers: 33 * 32 = 1056, rounded to 1280 per warp; 16384 / 1280 = 12 warps in each of four
  // partitions = 48 warps = 6 blocks. 32 registers: 1024 per warp, 64 warps.
  info = ask("sm_90", 33, 256, 0);
  EXPECT_EQ(info.blocks, 6U);
  EXPECT_EQ(info.warps, 48U);
  EXPECT_EQ(info.fraction, 0.75);
  EXPECT_EQ(info.limiter, CUCORE_OCCUPANCY_LIMITER_REGISTERS);
  EXPECT_EQ(info.registers_for_more, 32);
  // 255 registers: 8160, rounded to 8192 per warp; 2 warps per partition = 8 warps = 1 block. Two
  // blocks need 4 warps per partition: 4096 per warp = 128 registers.
  info = ask("sm_90", 255, 256, 0);
  EXPECT_EQ(info.blocks, 1U);
  EXPECT_EQ(info.registers_for_more, 128);
  // Shared memory: 233472 / (40960 + 1024) = 5. Six blocks: 233472 / 6 = 38912 - 1024 = 37888.
  info = ask("sm_90a", 32, 32, 40960);
  EXPECT_EQ(info.blocks, 5U);
  EXPECT_EQ(info.limiter, CUCORE_OCCUPANCY_LIMITER_SHARED);
  EXPECT_EQ(info.shared_for_more, 37888);
  // Small blocks: 32 of them, although 64 warps are available.
  info = ask("compute_90", 32, 32, 0);
  EXPECT_EQ(info.blocks, 32U);
  EXPECT_EQ(info.limiter, CUCORE_OCCUPANCY_LIMITER_BLOCKS);
  // sm_86: 48 warps, so that one block of 1024 threads leaves a third unused.
  info = ask("sm_86", 32, 1024, 0);
  EXPECT_EQ(info.blocks, 1U);
  EXPECT_DOUBLE_EQ(info.fraction, 32.0 / 48);
  // sm_75 reserves no shared memory and allocates it in units of 256: 65536 / 4352 = 15.
  info = ask("sm_75", 16, 32, 4097);
  EXPECT_EQ(info.blocks, 15U);
  EXPECT_EQ(info.limiter, CUCORE_OCCUPANCY_LIMITER_SHARED);
  EXPECT_EQ(info.shared_for_more, 4096);
}

TEST(Occupancy, OfABlockThatCannotBeLaunchedIsZero) {
  const cucore_occupancy_info by_shared = ask("sm_80", 32, 256, 166913);  // 163 KiB at most
  EXPECT_EQ(by_shared.blocks, 0U);
  EXPECT_EQ(by_shared.limiter, CUCORE_OCCUPANCY_LIMITER_SHARED);
  EXPECT_EQ(by_shared.shared_for_more, 166912);
  const cucore_occupancy_info by_registers = ask("sm_80", 255, 1024, 0);
  EXPECT_EQ(by_registers.blocks, 0U);
  EXPECT_EQ(by_registers.limiter, CUCORE_OCCUPANCY_LIMITER_REGISTERS);
  EXPECT_EQ(by_registers.registers_for_more, 64);
}

// The definitions of cucore_occupancy_info, by a search over all values.
TEST(Occupancy, TheNumbersForOneMoreBlockAreTheLargest) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const Limits& limits = all_limits()[random() % all_limits().size()];
    const uint32_t registers = random() % 256;
    const uint32_t threads = 1 + random() % 1024;
    const uint32_t shared = random() % 3000;
    const cucore_occupancy_info info = ask(name_of(limits), registers, threads, shared);
    int32_t by_registers = -1;
    for (uint32_t fewer = 0; fewer < registers; ++fewer)
      if (ask(name_of(limits), fewer, threads, shared).blocks > info.blocks)
        by_registers = static_cast<int32_t>(fewer);
    EXPECT_EQ(info.registers_for_more, by_registers) << name_of(limits) << " " << registers;
    int32_t by_shared = -1;
    for (uint32_t less = 0; less < shared; ++less)
      if (ask(name_of(limits), registers, threads, less).blocks > info.blocks)
        by_shared = static_cast<int32_t>(less);
    EXPECT_EQ(info.shared_for_more, by_shared) << name_of(limits) << " " << shared;
  }
}

TEST(Occupancy, IsThatOfTheCalculatorOfNvidia) {
  if (!has_nvidia_calculator()) GTEST_SKIP() << "cuda_occupancy.h is missing";
  size_t compared = 0;
  for (const Limits& limits : all_limits())
    for (uint32_t registers = 1; registers <= 255; registers += 3)
      for (uint32_t threads = 1; threads <= 1024; threads += 31)
        for (const uint32_t shared : {0U, 1U, 1000U, 4097U, 17000U, 49152U, 65536U, 101376U}) {
          const auto expected = blocks_by_nvidia(limits, registers, threads, shared);
          if (!expected) continue;  // the calculator refuses more than the limit of a block
          ASSERT_EQ(ask(name_of(limits), registers, threads, shared).blocks, *expected)
              << name_of(limits) << ": " << registers << " registers, " << threads << " threads, "
              << shared << " bytes";
          ++compared;
        }
  EXPECT_GT(compared, 200000U);
}

// Compares the answers of one driver, in a file that occupancy_table.cpp wrote.
size_t compare_with_driver(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line, word;
  std::getline(file, line);
  std::vector<uint32_t> sizes;  // of shared memory
  std::stringstream names(line);
  while (std::getline(names, word, ','))
    if (word != "registers" && word != "threads") sizes.push_back(uint32_t(std::stoul(word)));
  size_t compared = 0;
  while (std::getline(file, line)) {
    std::vector<uint32_t> row;
    std::stringstream words(line);
    while (std::getline(words, word, ',')) row.push_back(uint32_t(std::stoul(word)));
    if (row.size() != sizes.size() + 2) {
      ADD_FAILURE() << path << ": " << line;
      return compared;
    }
    for (size_t at = 0; at < sizes.size(); ++at, ++compared)
      EXPECT_EQ(ask(path.stem().string(), row[0], row[1], sizes[at]).blocks, row[at + 2])
          << path.stem() << ": " << row[0] << " registers, " << row[1] << " threads, " << sizes[at]
          << " bytes";
  }
  return compared;
}

TEST(Occupancy, IsThatOfTheDriver) {
  size_t compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CUCORE_OCCUPANCY_ANSWERS))
    if (entry.path().extension() == ".csv") compared += compare_with_driver(entry.path());
  EXPECT_GE(compared, 20000U);
}

cucore_status status_of(const char* arch, cucore_occupancy_needs needs, std::string* message) {
  cucore_occupancy_info info = CUCORE_OCCUPANCY_INFO_INIT;
  info.blocks = 77;
  cucore_error* error = nullptr;
  const cucore_status status = cucore_occupancy_query(arch, &needs, &info, &error);
  EXPECT_EQ(info.blocks, 0U) << "a failed call leaves old values";
  EXPECT_EQ(cucore_error_status(error), status);
  *message = cucore_error_message(error);
  cucore_error_release(error);
  return status;
}

TEST(Occupancy, RefusesWrongArguments) {
  std::string message;
  cucore_occupancy_needs needs = CUCORE_OCCUPANCY_NEEDS_INIT;
  EXPECT_EQ(status_of("sm_90", needs, &message), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(message, "threads is 0; expected 1 to 1024");
  needs.threads = 1025;
  EXPECT_EQ(status_of("sm_90", needs, &message), CUCORE_ERROR_INVALID_ARGUMENT);
  needs.threads = 32;
  needs.registers = 256;
  EXPECT_EQ(status_of("sm_90", needs, &message), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(message, "registers is 256; expected 0 to 255");
  needs.registers = 32;
  EXPECT_EQ(status_of("hopper", needs, &message), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(message, "arch is 'hopper'; expected the name of an architecture, as sm_90");
  EXPECT_EQ(status_of("sm_60", needs, &message), CUCORE_ERROR_UNSUPPORTED);
  EXPECT_NE(message.find("expected one of sm_70, sm_72, sm_75"), std::string::npos) << message;
  needs.reserved = 1;
  EXPECT_EQ(status_of("sm_90", needs, &message), CUCORE_ERROR_INVALID_ARGUMENT);
  needs.reserved = 0;
  needs.struct_size = 4;
  EXPECT_EQ(status_of("sm_90", needs, &message), CUCORE_ERROR_ABI_MISMATCH);
}

TEST(Occupancy, RefusesNull) {
  cucore_occupancy_needs needs = CUCORE_OCCUPANCY_NEEDS_INIT;
  needs.threads = 32;
  cucore_occupancy_info info = CUCORE_OCCUPANCY_INFO_INIT;
  EXPECT_EQ(cucore_occupancy_query(nullptr, &needs, &info, nullptr), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(cucore_occupancy_query("sm_90", nullptr, &info, nullptr),
            CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(cucore_occupancy_query("sm_90", &needs, nullptr, nullptr),
            CUCORE_ERROR_INVALID_ARGUMENT);
  info.struct_size = 8;
  EXPECT_EQ(cucore_occupancy_query("sm_90", &needs, &info, nullptr), CUCORE_ERROR_ABI_MISMATCH);
}

TEST(Version, IsThatOfLibcucore) { EXPECT_EQ(cucore_perf_version(), cucore_version()); }

}  // namespace
