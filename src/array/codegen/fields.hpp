// SPDX-License-Identifier: Apache-2.0
// The parameter block of a kernel. The same walk over a kernel declares its fields and writes their
// bytes, so that both agree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "support/concat.hpp"

namespace cucore::array {

class Fields {
 public:
  enum class What { DECLARATIONS, BYTES };
  explicit Fields(What what) : what_(what) {
    if (what == What::BYTES) bytes_.reserve(USUAL_BYTES);
  }

  // A field named by a letter and up to two numbers: "s3_1".
  template <class T>
  void add(std::string_view type, std::string_view name, const T& value) {
    put(type, name, &value, sizeof value);
  }
  template <class T>
  void add(std::string_view type, std::string_view name, size_t number, const T& value) {
    if (what_ == What::DECLARATIONS)
      text_ += concat("  ", type, " ", name, number, ";\n");
    else
      append(&value, sizeof value, sizeof value);
  }
  template <class T>
  void add(std::string_view type, std::string_view name, size_t first, size_t second,
           const T& value) {
    if (what_ == What::DECLARATIONS)
      text_ += concat("  ", type, " ", name, first, "_", second, ";\n");
    else
      append(&value, sizeof value, sizeof value);
  }
  // Of a type whose size is its alignment.
  void put(std::string_view type, std::string_view name, const void* value, size_t size) {
    if (what_ == What::DECLARATIONS)
      text_ += concat("  ", type, " ", name, ";\n");
    else
      append(value, size, size);
  }

  bool declares() const noexcept { return what_ == What::DECLARATIONS; }
  const std::string& text() const noexcept { return text_; }
  std::vector<std::byte> bytes() && {
    bytes_.resize((bytes_.size() + 15) / 16 * 16);
    return std::move(bytes_);
  }

 private:
  static constexpr size_t USUAL_BYTES = 256;

  void append(const void* value, size_t size, size_t alignment) {
    const size_t at = (bytes_.size() + alignment - 1) / alignment * alignment;
    bytes_.resize(at + size);
    std::memcpy(bytes_.data() + at, value, size);
  }

  const What what_;
  std::string text_;
  std::vector<std::byte> bytes_;
};

}  // namespace cucore::array
