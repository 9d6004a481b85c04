// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: the reader of fat binaries. Each input is also used as the contents of one
// entry, so that both decompressors read hostile streams behind a valid header.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "image/image.hpp"
#include "support/error.hpp"

namespace {

using namespace cucore;
using namespace cucore::image;

void try_image(std::span<const std::byte> image) {
  try {
    inspect(CodeType::FATBIN, image);
  } catch (const Error& error) {
    if (error.message().find("at offset") == std::string::npos) std::abort();
  }
}

// The first three bytes choose the kind, the compression and the declared size.
std::vector<std::byte> wrapped(const uint8_t* data, size_t size) {
  constexpr size_t HEADERS = 80;
  constexpr size_t CHOICES = 3;
  const size_t payload = size - CHOICES;
  std::vector<std::byte> image(HEADERS + payload);
  const auto put = [&](size_t at, auto value) { std::memcpy(&image[at], &value, sizeof value); };
  put(0, uint32_t{0xba55ed50});
  put(4, uint32_t{0x00100001});
  put(8, uint64_t{64 + payload});
  put(16, static_cast<uint16_t>(1 + data[0] % 2));
  put(20, uint32_t{64});
  put(24, uint64_t{payload});
  put(32, static_cast<uint32_t>(payload));
  put(44, uint32_t{90});
  put(56, uint64_t{(data[0] & 4) != 0 ? 0x8011u : 0x2011u});
  put(72, uint64_t{data[1]} + data[2] * uint64_t{256});
  std::memcpy(&image[HEADERS], data + CHOICES, payload);
  return image;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try_image(std::as_bytes(std::span(data, size)));
  if (size > 3) try_image(wrapped(data, size));
  return 0;
}
