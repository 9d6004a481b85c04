// SPDX-License-Identifier: Apache-2.0
// Finds the PTX that suits a device inside a fat binary; the bytes are untrusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "image/fatbin_parts.hpp"

namespace cucore::cpu {

using image::FATBIN_MAGIC;
// First word of the wrapper `__fatBinC_Wrapper_t` that points to a fat binary.
inline constexpr uint32_t FATBIN_WRAPPER_MAGIC = 0x466243B1;

bool is_fatbin(const void* image, size_t size);

// Bytes of header and entries as the header says, for callers that were given no size; nullopt
// when the header is not one. Reads 16 bytes.
std::optional<size_t> fatbin_size(const void* header);

enum class FatbinStatus {
  OK,
  MALFORMED,    // not a fat binary, or sizes that do not fit
  NO_PTX,       // well-formed, without PTX that this device could run
  UNSUPPORTED,  // the PTX is compressed in a way that this build cannot read
};

struct FatbinResult {
  FatbinStatus status = FatbinStatus::MALFORMED;
  std::string ptx;      // the text, decompressed, without trailing zeros
  unsigned target = 0;  // its compute capability, 90
  std::string message;  // why not, for a log
};

// The PTX entry with the highest target that is not above `device_target` (90 for sm_90).
FatbinResult extract_ptx(const void* image, size_t size, unsigned device_target);

// True for text that begins like PTX (comments, then `.version`): what distinguishes an image that
// is text from one that is binary.
bool looks_like_ptx(std::string_view image);

}  // namespace cucore::cpu
