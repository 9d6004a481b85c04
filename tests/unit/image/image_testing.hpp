// SPDX-License-Identifier: Apache-2.0
// Real images, and changes at known offsets.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>

#include "image/image.hpp"
#include "support/error.hpp"

namespace cucore::image::testing {

constexpr Arch SM90{.number = 90, .is_virtual = false};

inline Bytes bytes_of(std::string_view text) {
  const auto raw = std::as_bytes(std::span(text));
  return {raw.begin(), raw.end()};
}

// A PTX module of about `size` bytes with one kernel, scale(u64, f32, u32).
inline std::string ptx_text(size_t size = 0) {
  std::string text =
      "//\n// Cuda compilation tools, release 13.0, V13.0.88\n//\n"
      ".version 8.4\n.target sm_80\n.address_size 64\n"
      ".visible .entry scale(\n\t.param .u64 scale_0,\n\t.param .f32 scale_1,\n"
      "\t.param .u32 scale_2\n)\n{\n\tret;\n}\n";
  while (text.size() < size) text += "// padding " + std::to_string(text.size() * 7919) + "\n";
  return text;
}

// The message of a refusal; "" if there was none.
inline std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.message();
  }
  return {};
}

inline Bytes load_image(const std::string& name) {
  std::ifstream file(std::string(IMAGES) + "/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  return bytes_of(text);
}

template <class T>
T read_at(const Bytes& bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <class T>
Bytes changed_at(Bytes bytes, uint64_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
  return bytes;
}

inline std::string refusal(CodeType type, const Bytes& bytes) {
  return message_of([&] { inspect(type, bytes); });
}

#define EXPECT_IMAGE_REFUSED(part, type, image)                  \
  do {                                                           \
    const std::string message = testing::refusal(type, image);   \
    EXPECT_NE(message.find(part), std::string::npos) << message; \
    EXPECT_NE(message.find("at offset"), std::string::npos);     \
  } while (false)

// Truncates at every offset, in separate buffers so that ASan detects a read beyond the end;
// returns how many were accepted.
inline size_t accepted_truncations(CodeType type, const Bytes& image) {
  size_t accepted = 0;
  for (size_t size = 0; size < image.size(); ++size) {
    const Bytes part(image.begin(), image.begin() + static_cast<ptrdiff_t>(size));
    accepted += refusal(type, part).empty();
  }
  return accepted;
}

// Changes one to eight bits and whole numbers at random offsets: the read must end without a crash.
inline void shake(CodeType type, const Bytes& image, unsigned seed, int rounds) {
  std::mt19937 random(seed);
  for (int i = 0; i < rounds; ++i) {
    Bytes changed = image;
    for (unsigned n = 1 + random() % 8; n > 0; --n) {
      const size_t at = random() % changed.size();
      changed[at] ^= static_cast<std::byte>(1u << random() % 8);
      if (random() % 4 == 0) changed[at] = static_cast<std::byte>(random() % 2 ? 255 : 0);
    }
    refusal(type, changed);
  }
}

}  // namespace cucore::image::testing
