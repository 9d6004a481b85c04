// SPDX-License-Identifier: Apache-2.0
// SHA-256 through libcrypto. The algorithm is fetched once, because a fetch costs more than the
// digest of a small section.
#include "support/sha256.hpp"

#include <openssl/evp.h>

#include "support/error.hpp"

namespace cucore {

namespace {

[[noreturn]] void fail() { throw Error(Status::INTERNAL, "libcrypto cannot compute SHA-256"); }

const EVP_MD* algorithm() {
  // Never freed: threads may still hash while the process ends.
  static const EVP_MD* const fetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  if (fetched == nullptr) fail();
  return fetched;
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  if (context_ == nullptr) throw std::bad_alloc();
  if (EVP_DigestInit_ex2(context_.get(), algorithm(), nullptr) != 1) fail();
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

Sha256& Sha256::update(std::span<const std::byte> bytes) {
  if (EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) != 1) fail();
  return *this;
}

Sha256& Sha256::update(std::string_view text) { return update(std::as_bytes(std::span(text))); }

Sha256Digest Sha256::finish() {
  Sha256Digest digest;
  auto* out = reinterpret_cast<unsigned char*>(digest.data());
  if (EVP_DigestFinal_ex(context_.get(), out, nullptr) != 1) fail();
  return digest;
}

Sha256Digest Sha256::digest(std::span<const std::byte> bytes) {
  if (EVP_DigestInit_ex2(context_.get(), nullptr, nullptr) != 1) fail();
  return update(bytes).finish();
}

void prepare_sha256() { (void)algorithm(); }

Sha256Digest sha256(std::span<const std::byte> bytes) { return Sha256().update(bytes).finish(); }
Sha256Digest sha256(std::string_view text) { return Sha256().update(text).finish(); }

std::string hex(std::span<const std::byte> bytes) {
  static constexpr char DIGITS[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::byte byte : bytes) {
    text += DIGITS[static_cast<unsigned>(byte) >> 4];
    text += DIGITS[static_cast<unsigned>(byte) & 15];
  }
  return text;
}

}  // namespace cucore
