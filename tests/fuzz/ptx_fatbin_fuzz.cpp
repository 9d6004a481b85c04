// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: the reader of fat binaries. Entries are also made from the input, so that both
// decompressors read hostile streams inside well-formed headers.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "cpu/driver/fatbin.hpp"

namespace {

using namespace cucore::cpu;

template <typename T>
void put(std::string& bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// The input as the compressed payload of one entry; its first bytes choose flags and size.
std::string wrapped(const uint8_t* data, size_t size) {
  if (size < 4) return {};
  std::string image(80, '\0');
  uint64_t payload = size - 4;
  put<uint32_t>(image, 0, FATBIN_MAGIC);
  put<uint16_t>(image, 6, 16);
  put<uint64_t>(image, 8, 64 + payload);
  put<uint16_t>(image, 16, 1);
  put<uint32_t>(image, 20, 64);
  put<uint64_t>(image, 24, payload);
  put<uint32_t>(image, 32, static_cast<uint32_t>(payload));
  put<uint32_t>(image, 44, 90);
  put<uint64_t>(image, 56, data[0] % 3 == 0 ? 0x8011 : data[0] % 3 == 1 ? 0x2011 : 0x11);
  put<uint64_t>(image, 72, data[1] | data[2] << 8);
  return image.append(reinterpret_cast<const char*>(data) + 4, payload);
}

void extract(const void* image, size_t size) {
  FatbinResult result = extract_ptx(image, size, 90);
  bool explained = result.status == FatbinStatus::OK || !result.message.empty();
  if (!explained) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  extract(data, size);
  std::string image = wrapped(data, size);
  if (!image.empty()) extract(image.data(), image.size());
  if (size >= 16) fatbin_size(data);
  looks_like_ptx({reinterpret_cast<const char*>(data), size});
  return 0;
}
