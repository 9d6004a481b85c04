// SPDX-License-Identifier: Apache-2.0
// A view of untrusted bytes that is read only inside its bounds; every refusal names the offset.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "support/counted.hpp"
#include "support/error.hpp"

namespace cucore::image {

static_assert(std::endian::native == std::endian::little,
              "every format read here is little endian");

class ByteView {
 public:
  // `what` begins every message; `base` is the offset of the bytes in the user's input.
  ByteView(std::string_view what, std::span<const std::byte> bytes, uint64_t base = 0)
      : what_(what), bytes_(bytes), base_(base) {}

  uint64_t size() const { return bytes_.size(); }
  std::span<const std::byte> bytes() const { return bytes_; }
  uint64_t base() const { return base_; }
  std::string_view what() const { return what_; }

  bool contains(uint64_t offset, uint64_t size) const {
    return offset <= bytes_.size() && size <= bytes_.size() - offset;
  }

  template <class T>
  T get(uint64_t offset) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (!contains(offset, sizeof(T))) fail(offset, "it ends too early");
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

  // Returns a part of the bytes; `part` names it in messages.
  ByteView slice(uint64_t offset, uint64_t size, std::string_view part) const {
    if (!contains(offset, size)) {
      fail(offset, std::string(part) + " of " + counted(size, "byte") + " does not lie inside");
    }
    return {what_, bytes_.subspan(offset, size), base_ + offset};
  }

  // Returns the string that begins at `offset`; its NUL must lie inside the view.
  std::string_view string(uint64_t offset) const {
    if (offset >= bytes_.size()) fail(offset, "a string does not lie inside its table");
    const char* begin = reinterpret_cast<const char*>(bytes_.data()) + offset;
    const void* end = std::memchr(begin, 0, bytes_.size() - offset);
    if (end == nullptr) fail(offset, "a string has no end");
    return {begin, static_cast<size_t>(static_cast<const char*>(end) - begin)};
  }

  bool all_zero(uint64_t offset, uint64_t size) const {
    if (size == 0) return true;
    const std::byte* first = bytes_.data() + offset;
    return *first == std::byte{0} && std::memcmp(first, first + 1, size - 1) == 0;
  }

  [[noreturn]] void fail(uint64_t offset, std::string_view why) const {
    std::string message(what_);
    message += " is not well formed at offset ";
    message += std::to_string(base_ + offset);
    message += ": ";
    message += why;
    throw Error(Status::INVALID_CODE, std::move(message));
  }

 private:
  std::string_view what_;
  std::span<const std::byte> bytes_;
  uint64_t base_;
};

// Aligned buffers have a few zeros after their last meaningful byte.
inline constexpr uint64_t MAX_SLACK = 63;

// Refuses more than MAX_SLACK bytes, or bytes other than zero, after `end`.
inline void check_slack(const ByteView& view, uint64_t end) {
  const uint64_t slack = view.size() - end;
  if (slack > MAX_SLACK || !view.all_zero(end, slack))
    view.fail(end, counted(slack, "byte") + " after the end that belong to nothing");
}

}  // namespace cucore::image
