// SPDX-License-Identifier: Apache-2.0
// The records of .nv.info sections: the properties of a kernel that ptxas records for the driver.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "image/byte_view.hpp"
#include "image/image.hpp"

namespace cucore::image {

// A record for one symbol of the table: a register count or a frame size.
struct NvInfoSymbolValue {
  uint8_t attribute = 0;
  uint32_t symbol = 0;
  uint32_t value = 0;
};

inline constexpr uint8_t NV_INFO_MAX_THREADS = 0x05;
inline constexpr uint8_t NV_INFO_PARAMETER_BANK = 0x0a;
inline constexpr uint8_t NV_INFO_EXTERNS = 0x0f;
inline constexpr uint8_t NV_INFO_REQUIRED_THREADS = 0x10;
inline constexpr uint8_t NV_INFO_FRAME_SIZE = 0x11;
inline constexpr uint8_t NV_INFO_MIN_STACK_SIZE = 0x12;
inline constexpr uint8_t NV_INFO_PARAMETER = 0x17;
inline constexpr uint8_t NV_INFO_PARAMETER_SIZE = 0x19;
inline constexpr uint8_t NV_INFO_EXIT_OFFSETS = 0x1c;
inline constexpr uint8_t NV_INFO_MAX_STACK_SIZE = 0x23;
inline constexpr uint8_t NV_INFO_COOPERATIVE_OFFSETS = 0x28;
inline constexpr uint8_t NV_INFO_REGISTER_COUNT = 0x2f;
inline constexpr uint8_t NV_INFO_WARP_WIDE_OFFSETS = 0x31;
inline constexpr uint8_t NV_INFO_API_VERSION = 0x37;
inline constexpr uint8_t NV_INFO_PARAMETER_V2 = 0x45;
inline constexpr uint8_t NV_INFO_ANNOTATIONS = 0x55;

struct NvInfo {
  std::vector<Parameter> parameters;  // in order; empty: not recorded
  std::optional<uint32_t> parameter_size;
  std::optional<std::vector<uint32_t>> max_threads;
  std::optional<std::vector<uint32_t>> required_threads;
  std::vector<NvInfoSymbolValue> values;
  std::vector<uint32_t> spills;  // offsets of instructions, as recorded, without a check
  uint16_t api_version = 0;      // 130
};

// `symbol_count` bounds the symbols in records. `code_size` bounds the offsets of instructions; it
// is 0 for a section without a function, which may have none.
// @throws Error INVALID_CODE
NvInfo read_nv_info(const ByteView& section, uint64_t symbol_count, uint64_t code_size);

}  // namespace cucore::image
