// SPDX-License-Identifier: Apache-2.0
// HMAC-SHA256 and Ed25519 through libcrypto.
#include "container/signature.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "container/key_check.hpp"
#include "support/error.hpp"
#include "support/sha256.hpp"

namespace cucore::container {

namespace {

constexpr size_t ED25519_KEY_SIZE = 32;
constexpr size_t HMAC_SIZE = 32;

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
};
using PKey = std::unique_ptr<EVP_PKEY, Free>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Free>;
using MacContext = std::unique_ptr<EVP_MAC_CTX, Free>;

const unsigned char* raw(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

[[noreturn]] void fail(const char* what) {
  throw Error(Status::INTERNAL, std::string("libcrypto cannot ") + what);
}

template <class K>
std::string defect_of_form(const K& key) {
  switch (key.algorithm) {
    case SignatureAlgorithm::HMAC_SHA256:
      if (key.bytes.empty()) return "an HMAC-SHA256 key must not be empty";
      if (is_key_pair_file(key.bytes))
        return "an HMAC-SHA256 key is the file of a key of a key pair; expected a secret";
      return {};
    case SignatureAlgorithm::ED25519:
      if (key.bytes.size() == ED25519_KEY_SIZE) return {};
      return "an Ed25519 key has 32 bytes, this one has " + std::to_string(key.bytes.size());
  }
  return "unknown signature algorithm " + std::to_string(static_cast<int>(key.algorithm));
}

template <class K>
void check_key(const K& key) {
  if (std::string why = key_defect(key); !why.empty())
    throw Error(Status::INVALID_ARGUMENT, std::move(why));
}

SignatureBytes hmac(std::span<const std::byte> key, std::span<const std::byte> message) {
  static EVP_MAC* const algorithm = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
  if (algorithm == nullptr) fail("find HMAC");
  const MacContext context(EVP_MAC_CTX_new(algorithm));
  char digest[] = "SHA256";
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string("digest", digest, 0),
                                   OSSL_PARAM_construct_end()};
  SignatureBytes signature{};
  auto* out = reinterpret_cast<unsigned char*>(signature.data());
  size_t size = 0;
  if (!context || EVP_MAC_init(context.get(), raw(key), key.size(), parameters) != 1 ||
      EVP_MAC_update(context.get(), raw(message), message.size()) != 1 ||
      EVP_MAC_final(context.get(), out, &size, HMAC_SIZE) != 1 || size != HMAC_SIZE)
    fail("compute HMAC-SHA256");
  return signature;
}

PKey private_key(const SigningKey& key) {
  PKey native(EVP_PKEY_new_raw_private_key_ex(nullptr, "ED25519", nullptr, raw(key.bytes),
                                              key.bytes.size()));
  if (!native) fail("read an Ed25519 private key");
  return native;
}

SignatureBytes sign_ed25519(const SigningKey& key, std::span<const std::byte> message) {
  const PKey native = private_key(key);
  const DigestContext context(EVP_MD_CTX_new());
  SignatureBytes signature{};
  size_t size = signature.size();
  auto* out = reinterpret_cast<unsigned char*>(signature.data());
  if (!context ||
      EVP_DigestSignInit_ex(context.get(), nullptr, nullptr, nullptr, nullptr, native.get(),
                            nullptr) != 1 ||
      EVP_DigestSign(context.get(), out, &size, raw(message), message.size()) != 1 ||
      size != signature.size())
    fail("sign with Ed25519");
  return signature;
}

bool verify_ed25519(const VerifyingKey& key, std::span<const std::byte> message,
                    const SignatureBytes& signature) {
  const PKey native(EVP_PKEY_new_raw_public_key_ex(nullptr, "ED25519", nullptr, raw(key.bytes),
                                                   key.bytes.size()));
  const DigestContext context(EVP_MD_CTX_new());
  if (!native || !context ||
      EVP_DigestVerifyInit_ex(context.get(), nullptr, nullptr, nullptr, nullptr, native.get(),
                              nullptr) != 1)
    fail("verify with this Ed25519 public key");
  return EVP_DigestVerify(context.get(), raw(signature), signature.size(), raw(message),
                          message.size()) == 1;
}

}  // namespace

std::string key_defect(const SigningKey& key) { return defect_of_form(key); }

std::string key_defect(const VerifyingKey& key) {
  std::string why = defect_of_form(key);
  if (why.empty() && key.algorithm == SignatureAlgorithm::ED25519 && is_weak_point(key.bytes))
    why =
        "an Ed25519 public key is of small order or not in its one encoding; anyone can sign for "
        "it";
  return why;
}

VerifyingKey verifying_key(const SigningKey& key) {
  check_key(key);
  if (key.algorithm == SignatureAlgorithm::HMAC_SHA256) return {key.algorithm, key.bytes};
  VerifyingKey result{key.algorithm, std::vector<std::byte>(ED25519_KEY_SIZE)};
  size_t size = ED25519_KEY_SIZE;
  auto* out = reinterpret_cast<unsigned char*>(result.bytes.data());
  if (EVP_PKEY_get_raw_public_key(private_key(key).get(), out, &size) != 1)
    fail("derive an Ed25519 public key");
  return result;
}

KeyId key_id(const VerifyingKey& key) {
  check_key(key);
  const auto algorithm = static_cast<std::byte>(key.algorithm);
  const Sha256Digest digest = Sha256().update({&algorithm, 1}).update(key.bytes).finish();
  KeyId id;
  std::copy_n(digest.begin(), id.size(), id.begin());
  return id;
}

SignatureBytes sign_message(const SigningKey& key, std::span<const std::byte> message) {
  check_key(key);
  return key.algorithm == SignatureAlgorithm::HMAC_SHA256 ? hmac(key.bytes, message)
                                                          : sign_ed25519(key, message);
}

bool verify_message(const VerifyingKey& key, std::span<const std::byte> message,
                    const SignatureBytes& signature) {
  check_key(key);
  if (key.algorithm == SignatureAlgorithm::ED25519) return verify_ed25519(key, message, signature);
  const SignatureBytes expected = hmac(key.bytes, message);
  return CRYPTO_memcmp(expected.data(), signature.data(), signature.size()) == 0;
}

}  // namespace cucore::container
