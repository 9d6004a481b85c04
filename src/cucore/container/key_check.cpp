// SPDX-License-Identifier: Apache-2.0
// Keys that must not be used: weak points of Ed25519, and secrets that are public.
#include "container/key_check.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace cucore::container {

namespace {

using namespace std::string_view_literals;

using Point = std::array<uint8_t, 32>;

constexpr size_t LAST = 31;
constexpr uint8_t SIGN_BIT = 0x80;  // in the last byte: the sign of x, which -P shares y with

// The y of the points whose order divides 8, little endian. The orders: 1 for y = 1, 2 for y = p -
// 1, 4 for y = 0, and 8 for the other two.
constexpr Point SMALL_ORDER[] = {
    {},
    {1},
    {0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
    {0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4,
     0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6,
     0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05},
    {0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b,
     0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39,
     0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a},
};

// y >= p = 2^255 - 19: a second encoding of y - p.
bool is_above_prime(const Point& y) {
  return y[0] >= 0xed && y[LAST] == 0x7f &&
         std::all_of(y.begin() + 1, y.begin() + LAST, [](uint8_t byte) { return byte == 0xff; });
}

// RFC 8410: the bytes before the 32 bytes in DER; in PKCS #8 a SEQUENCE and the version precede
// them.
constexpr auto PUBLIC_HEAD = "\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00"sv;
constexpr auto PRIVATE_BODY = "\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20"sv;

}  // namespace

bool is_weak_point(std::span<const std::byte> key) {
  Point y;
  std::transform(key.begin(), key.end(), y.begin(),
                 [](std::byte byte) { return static_cast<uint8_t>(byte); });
  y[LAST] &= static_cast<uint8_t>(~SIGN_BIT);
  return is_above_prime(y) ||
         std::find(std::begin(SMALL_ORDER), std::end(SMALL_ORDER), y) != std::end(SMALL_ORDER);
}

bool is_key_pair_file(std::span<const std::byte> bytes) {
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const std::string_view der : {PUBLIC_HEAD, PRIVATE_BODY})
    if (text.find(der) != text.npos) return true;
  std::erase(text, '\0');  // of UTF-16
  constexpr std::string_view MARKS[] = {"-----BEGIN ", "---- BEGIN SSH2 ", "ssh-ed25519 "};
  return std::ranges::any_of(MARKS,
                             [&](std::string_view mark) { return text.find(mark) != text.npos; });
}

}  // namespace cucore::container
