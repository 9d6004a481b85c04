/// @file cucore/bytes.hpp
/// Borrowed strings, bytes and addresses.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_BYTES_HPP_INCLUDED
#define CUCORE_BYTES_HPP_INCLUDED

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

#include "base.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

/// A borrowed sequence of elements. In C++20 it converts to and from std::span.
template <class T>
class Span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using iterator = T*;

  constexpr Span() noexcept = default;
  constexpr Span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}
  template <std::size_t N>
  constexpr Span(T (&array)[N]) noexcept : data_(array), size_(N) {}
  /// Elements of a list live until the end of the full expression.
  template <class U = T, class = std::enable_if_t<std::is_const_v<U>>>
  constexpr Span(std::initializer_list<value_type> list) noexcept
      : Span(list.begin(), list.size()) {}
  /// Any contiguous container: std::vector, std::array, std::span, std::string.
  template <
      class C,
      class = std::enable_if_t<
          !std::is_same_v<std::decay_t<C>, Span> && !std::is_array_v<std::remove_reference_t<C>> &&
          std::is_convertible_v<
              std::remove_pointer_t<decltype(std::data(std::declval<C&>()))> (*)[], T (*)[]>>>
  constexpr Span(C&& container) noexcept
      : data_(std::data(container)), size_(std::size(container)) {}

  constexpr T* data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr T* begin() const noexcept { return data_; }
  constexpr T* end() const noexcept { return data_ + size_; }
  constexpr T& operator[](std::size_t index) const noexcept { return data_[index]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Borrowed bytes to read: a pointer and a size, or any contiguous container of plain elements.
class Bytes {
 public:
  constexpr Bytes() noexcept = default;
  constexpr Bytes(const void* data, std::size_t size) noexcept : data_(data), size_(size) {}
  template <class C, class T = std::remove_pointer_t<decltype(std::data(std::declval<C&>()))>,
            class = std::enable_if_t<std::is_trivially_copyable_v<T>>>
  constexpr Bytes(const C& container) noexcept
      : data_(std::data(container)), size_(std::size(container) * sizeof(T)) {}

  constexpr const void* data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }

 private:
  const void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Borrowed bytes to write: a pointer and a size, or any contiguous container of plain elements
/// that are not const.
class MutableBytes {
 public:
  constexpr MutableBytes() noexcept = default;
  constexpr MutableBytes(void* data, std::size_t size) noexcept : data_(data), size_(size) {}
  template <class C, class T = std::remove_pointer_t<decltype(std::data(std::declval<C&>()))>,
            class = std::enable_if_t<std::is_trivially_copyable_v<T> && !std::is_const_v<T> &&
                                     !std::is_same_v<std::decay_t<C>, MutableBytes>>>
  constexpr MutableBytes(C&& container) noexcept
      : data_(std::data(container)), size_(std::size(container) * sizeof(T)) {}

  constexpr void* data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The bytes of one plain value, to read or to write.
template <class T, class = std::enable_if_t<std::is_trivially_copyable_v<T>>>
auto bytes_of(T& value) noexcept {
  return std::conditional_t<std::is_const_v<T>, Bytes, MutableBytes>(std::addressof(value),
                                                                     sizeof(T));
}

/// A string parameter that ends with a NUL. Only a std::string_view, which need not end with one,
/// is copied.
class Name {
 public:
  Name(const char* text) noexcept : text_(text) {}
  Name(const std::string& text) noexcept : text_(text.c_str()) {}
  Name(std::string_view text) : copy_(text), text_(copy_.c_str()) {}
  Name(const Name&) = delete;
  Name& operator=(const Name&) = delete;

  const char* c_str() const noexcept { return text_; }

 private:
  std::string copy_;
  const char* text_;
};

/// A parameter that is a list of strings: of string literals, or any container of strings. The
/// strings are borrowed.
class Names {
 public:
  Names() noexcept = default;
  Names(std::initializer_list<const char*> list) : pointers_(list) {}
  template <class C, class = decltype(std::begin(std::declval<const C&>())),
            class = std::enable_if_t<!std::is_same_v<C, Names> &&
                                     !std::is_convertible_v<const C&, std::string_view>>>
  Names(const C& list) {
    for (const auto& text : list) pointers_.push_back(pointer(text));
  }

  const char* const* data() const noexcept { return pointers_.data(); }
  std::size_t size() const noexcept { return pointers_.size(); }

 private:
  static const char* pointer(const char* text) noexcept { return text; }
  static const char* pointer(const std::string& text) noexcept { return text.c_str(); }

  std::vector<const char*> pointers_;
};

/// An address in device memory. A launch passes it for a pointer parameter; an integer is refused
/// there. Work that uses an address is not recorded: see cucore_buffer_record_use().
class Address {
 public:
  constexpr Address() noexcept = default;
  constexpr explicit Address(std::uint64_t value) noexcept : value_(value) {}
  explicit Address(const void* pointer) noexcept
      : value_(reinterpret_cast<std::uintptr_t>(pointer)) {}

  constexpr std::uint64_t value() const noexcept { return value_; }
  template <class T>
  T* as() const noexcept {
    return reinterpret_cast<T*>(static_cast<std::uintptr_t>(value_));
  }

  /// The address that is so many bytes further.
  friend constexpr Address operator+(Address address, std::uint64_t bytes) noexcept {
    return Address(address.value_ + bytes);
  }
  friend constexpr bool operator==(Address a, Address b) noexcept { return a.value_ == b.value_; }
  friend constexpr bool operator!=(Address a, Address b) noexcept { return a.value_ != b.value_; }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#if __cplusplus >= 202002L && defined(__cpp_lib_ranges)
template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<cucore::Span<T>> = true;
#endif

#endif  // CUCORE_BYTES_HPP_INCLUDED
