// SPDX-License-Identifier: Apache-2.0
// Finds the PTX for a device inside a fat binary; the bytes are untrusted.
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

// Returns the size of header and entries that the header declares, for callers without a size;
// nullopt if it is not a header. Reads 16 bytes.
std::optional<size_t> fatbin_size(const void* header);

enum class FatbinStatus {
  OK,
  MALFORMED,    // not a fat binary, or sizes that do not fit
  NO_PTX,       // well-formed, but without PTX for this device
  UNSUPPORTED,  // this build cannot read the compression of the PTX
};

struct FatbinResult {
  FatbinStatus status = FatbinStatus::MALFORMED;
  std::string ptx;      // the decompressed text without trailing zeros
  unsigned target = 0;  // its compute capability, such as 90
  std::string message;  // the reason, for a log
};

// Returns the PTX entry with the highest target that is not above `device_target` (90 for sm_90).
FatbinResult extract_ptx(const void* image, size_t size, unsigned device_target);

// Returns true for text that begins as PTX does (comments, then `.version`). Binary images do not.
bool looks_like_ptx(std::string_view image);

}  // namespace cucore::cpu
