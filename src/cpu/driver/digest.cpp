// SPDX-License-Identifier: Apache-2.0
// FIPS 180-4. The constants are the fractions of the roots of the first primes.
#include "cpu/driver/digest.hpp"

#include <bit>
#include <cstring>

namespace cucore::cpu {
namespace {

constexpr uint32_t ROUNDS[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr size_t BLOCK = 64;

uint32_t big_endian(const uint8_t* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

class Hash {
 public:
  void block(const uint8_t* bytes) {
    uint32_t w[64];
    for (size_t i = 0; i < 16; ++i) w[i] = big_endian(bytes + 4 * i);
    for (size_t i = 16; i < 64; ++i) {
      const uint32_t a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
             (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    std::array<uint32_t, 8> s = state_;
    for (size_t i = 0; i < 64; ++i) round(s, ROUNDS[i] + w[i]);
    for (size_t i = 0; i < 8; ++i) state_[i] += s[i];
  }

  Digest digest() const {
    Digest out;
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
    return out;
  }

 private:
  static void round(std::array<uint32_t, 8>& s, uint32_t word) {
    const auto [a, b, c, d, e, f, g, h] = s;
    const uint32_t t =
        h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + word;
    const uint32_t u =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    s = {t + u, a, b, c, d + t, e, f, g};
  }

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
};

}  // namespace

Digest digest_of(std::span<const std::byte> bytes) {
  Hash hash;
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  const size_t whole = bytes.size() / BLOCK * BLOCK;
  for (size_t at = 0; at < whole; at += BLOCK) hash.block(data + at);
  // The rest is followed by a one bit, zeros and the number of bits.
  uint8_t last[2 * BLOCK] = {};
  const size_t rest = bytes.size() - whole;
  if (rest != 0) std::memcpy(last, data + whole, rest);
  last[rest] = 0x80;
  const size_t padded = rest + 9 <= BLOCK ? BLOCK : 2 * BLOCK;
  const uint64_t bits = uint64_t{bytes.size()} * 8;
  for (size_t i = 0; i < 8; ++i) last[padded - 1 - i] = static_cast<uint8_t>(bits >> (8 * i));
  for (size_t at = 0; at < padded; at += BLOCK) hash.block(last + at);
  return hash.digest();
}

std::string hex_of(const Digest& digest) {
  constexpr char DIGITS[] = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : digest) (text += DIGITS[byte >> 4]) += DIGITS[byte & 15];
  return text;
}

}  // namespace cucore::cpu
