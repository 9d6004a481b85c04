// SPDX-License-Identifier: Apache-2.0
#include "cpu/driver/fatbin.hpp"

#include <cstring>
#include <vector>

namespace cucore::cpu {
namespace {

using image::ByteView;
using image::FatbinHeader;
using image::FatbinPart;
using image::FatbinParts;

// Decompressed PTX beyond this is refused: a small file must not ask for all memory.
constexpr uint64_t MAX_PTX_BYTES = uint64_t{1} << 28;

ByteView view_of(const void* image, size_t size) {
  return {"the fat binary", {static_cast<const std::byte*>(image), size}};
}

FatbinResult failure(FatbinStatus status, std::string message) {
  FatbinResult result;
  result.status = status;
  result.message = std::move(message);
  return result;
}

std::string no_ptx_message(unsigned lowest, unsigned device_target) {
  if (lowest == 0)
    return "the fat binary holds no PTX: build it with code=compute_XX, or as PTX, to run it here";
  return "the fat binary's PTX needs compute capability " + std::to_string(lowest) +
         " or higher, the device has " + std::to_string(device_target);
}

struct Choice {
  std::optional<FatbinPart> best;
  unsigned lowest = 0;  // the lowest target of any PTX
};

// Selects the PTX with the highest target that the device can run. @throws Error INVALID_CODE
Choice choose(const ByteView& image, unsigned device_target) {
  Choice choice;
  for (FatbinParts parts(image); const auto part = parts.next();) {
    if (part->header.kind != image::FATBIN_PTX) continue;
    const unsigned target = part->header.arch;
    if (choice.lowest == 0 || target < choice.lowest) choice.lowest = target;
    if (target > device_target) continue;
    if (!choice.best || target > choice.best->header.arch) choice.best.emplace(*part);
  }
  return choice;
}

// The text without trailing zeros. @throws Error INVALID_CODE
std::string text_of(const FatbinPart& part) {
  if (part.is_compressed() && part.header.raw_size > MAX_PTX_BYTES)
    part.head.fail(56, "the PTX is too large");
  const std::vector<std::byte> bytes = unpack_fatbin_part(part);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return std::string(text.substr(0, text.find_last_not_of('\0') + 1));
}

}  // namespace

bool is_fatbin(const void* image, size_t size) {
  uint32_t magic = 0;
  if (!image || size < sizeof(FatbinHeader)) return false;
  std::memcpy(&magic, image, sizeof magic);
  return magic == FATBIN_MAGIC;
}

std::optional<size_t> fatbin_size(const void* header) {
  if (!is_fatbin(header, sizeof(FatbinHeader))) return std::nullopt;
  FatbinHeader fields;
  std::memcpy(&fields, header, sizeof fields);
  if (fields.header_size < sizeof fields || fields.size > SIZE_MAX / 2) return std::nullopt;
  return static_cast<size_t>(fields.header_size + fields.size);
}

FatbinResult extract_ptx(const void* image, size_t size, unsigned device_target) {
  Choice choice;
  try {
    choice = choose(view_of(image, size), device_target);
  } catch (const Error& error) {
    return failure(FatbinStatus::MALFORMED, error.message());
  }
  if (!choice.best)
    return failure(FatbinStatus::NO_PTX, no_ptx_message(choice.lowest, device_target));
  FatbinResult result;
  try {
    result.ptx = text_of(*choice.best);
  } catch (const Error&) {
    return failure(FatbinStatus::UNSUPPORTED, "the PTX of a fat binary cannot be decompressed");
  }
  result.status = FatbinStatus::OK;
  result.target = choice.best->header.arch;
  return result;
}

bool looks_like_ptx(std::string_view image) {
  constexpr std::string_view BLANKS = " \t\r\n\v\f";
  for (;;) {
    size_t start = image.find_first_not_of(BLANKS);
    if (start == std::string_view::npos) return false;
    image.remove_prefix(start);
    size_t end = 0;
    if (image.starts_with("//")) {
      end = image.find('\n');
    } else if (image.starts_with("/*")) {
      end = image.find("*/", 2);
      end = end == std::string_view::npos ? end : end + 2;
    } else {
      return image.starts_with(".version");
    }
    if (end == std::string_view::npos) return false;
    image.remove_prefix(end);
  }
}

}  // namespace cucore::cpu
