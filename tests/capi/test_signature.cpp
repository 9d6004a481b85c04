// SPDX-License-Identifier: Apache-2.0
// Signed containers: which signatures are accepted, and the limits of an attacker without the key.
#include <array>
#include <cstring>

#include "capi_testing.hpp"

namespace {

using namespace capi_test;

constexpr char SECRET[] = "a secret that both sides know";
// RFC 8032, 7.1, test 1.
constexpr std::array<unsigned char, 32> SEED = {
    0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c, 0xc4,
    0x44, 0x49, 0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60};
constexpr std::array<unsigned char, 32> PUBLIC = {
    0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7, 0xd5, 0x4b, 0xfe, 0xd3, 0xc9, 0x64, 0x07, 0x3a,
    0x0e, 0xe1, 0x72, 0xf3, 0xda, 0xa6, 0x23, 0x25, 0xaf, 0x02, 0x1a, 0x68, 0xf7, 0x07, 0x51, 0x1a};

constexpr cucore_key HMAC{SECRET, sizeof SECRET - 1, CUCORE_KEY_HMAC_SHA256, 0};
constexpr cucore_key SIGNING{SEED.data(), SEED.size(), CUCORE_KEY_ED25519, 0};
constexpr cucore_key VERIFYING{PUBLIC.data(), PUBLIC.size(), CUCORE_KEY_ED25519, 0};

std::vector<unsigned char> signed_with(const cucore_key& key,
                                       cucore_toggle compression = CUCORE_TOGGLE_DEFAULT) {
  cucore_serialize_options options = CUCORE_SERIALIZE_OPTIONS_INIT;
  options.signing_key = &key;
  options.compression = compression;
  return serialized(make_ptx_code(), &options);
}

cucore_deserialize_options requiring(const cucore_key& key) {
  cucore_deserialize_options options = CUCORE_DESERIALIZE_OPTIONS_INIT;
  options.signature_policy = CUCORE_SIGNATURE_POLICY_REQUIRED;
  options.keys = &key;
  options.key_count = 1;
  return options;
}

void expect_read(const std::vector<unsigned char>& bytes, const cucore_deserialize_options* options,
                 cucore_signature_state state) {
  Code code;
  SUCCEEDS(cucore_objectcode_deserialize, bytes.data(), bytes.size(), options, code.out());
  EXPECT_EQ(cucore_objectcode_signature(code), state);
  EXPECT_EQ(std::strlen(cucore_objectcode_signature_key(code)),
            state == CUCORE_SIGNATURE_UNSIGNED ? 0u : 16u);
  EXPECT_EQ(bytes_of(code), bytes_of(make_ptx_code()));
}

TEST(Signature, OfBothAlgorithmsIsBelieved) {
  for (const cucore_toggle compression : {CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_ON}) {
    auto options = requiring(HMAC);
    expect_read(signed_with(HMAC, compression), &options, CUCORE_SIGNATURE_VALID);
    options = requiring(VERIFYING);
    expect_read(signed_with(SIGNING, compression), &options, CUCORE_SIGNATURE_VALID);
  }
  EXPECT_EQ(signed_with(SIGNING), signed_with(SIGNING)) << "not deterministic";
}

TEST(Signature, IsAnOfferWhereNoneIsRequired) {
  expect_read(serialized(make_ptx_code()), nullptr, CUCORE_SIGNATURE_UNSIGNED);
  expect_read(signed_with(HMAC), nullptr, CUCORE_SIGNATURE_UNKNOWN_KEY);
  auto options = requiring(HMAC);
  options.signature_policy = CUCORE_SIGNATURE_POLICY_NONE;
  expect_read(signed_with(HMAC), &options, CUCORE_SIGNATURE_VALID);
  expect_read(signed_with(SIGNING), &options, CUCORE_SIGNATURE_UNKNOWN_KEY);
}

TEST(Signature, ThatIsRequiredIsNotDoneWithout) {
  Code out;
  const auto options = requiring(HMAC);
  const auto unsigned_bytes = serialized(make_ptx_code());
  FAILS(CUCORE_ERROR_SIGNATURE, "sign", cucore_objectcode_deserialize, unsigned_bytes.data(),
        unsigned_bytes.size(), &options, out.out());
  const auto foreign = signed_with(SIGNING);
  FAILS(CUCORE_ERROR_SIGNATURE, "key", cucore_objectcode_deserialize, foreign.data(),
        foreign.size(), &options, out.out());
  // The secret of one algorithm is not a key of the other.
  const cucore_key confused{PUBLIC.data(), PUBLIC.size(), CUCORE_KEY_HMAC_SHA256, 0};
  const auto wrong = requiring(confused);
  FAILS(CUCORE_ERROR_SIGNATURE, "", cucore_objectcode_deserialize, foreign.data(), foreign.size(),
        &wrong, out.out());
}

TEST(Signature, HoldsEveryByte) {
  const auto options = requiring(VERIFYING);
  const auto good = signed_with(SIGNING);
  for (size_t i = 0; i < good.size(); ++i) {
    auto bent = good;
    bent[i] ^= static_cast<unsigned char>(1u << (i % 8));
    Code out;
    ASSERT_NE(cucore_objectcode_deserialize(bent.data(), bent.size(), &options, out.out(), nullptr),
              CUCORE_OK)
        << "byte " << i;
  }
}

TEST(Signature, RefusesKeysThatAreNone) {
  Code out;
  const auto bytes = signed_with(HMAC);
  cucore_deserialize_options options = CUCORE_DESERIALIZE_OPTIONS_INIT;
  options.signature_policy = CUCORE_SIGNATURE_POLICY_REQUIRED;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "the list of keys is empty", cucore_objectcode_deserialize,
        bytes.data(), bytes.size(), &options, out.out());
  options.key_count = 1;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "keys", cucore_objectcode_deserialize, bytes.data(),
        bytes.size(), &options, out.out());
  const cucore_key none{SECRET, 3, CUCORE_KEY_NONE, 0}, empty{SECRET, 0, CUCORE_KEY_HMAC_SHA256, 0},
      small{SECRET, 31, CUCORE_KEY_ED25519, 0};
  const auto refuses = [&](const cucore_key& key, const char* parts) {
    const auto with = requiring(key);
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, parts, cucore_objectcode_deserialize, bytes.data(),
          bytes.size(), &with, out.out());
    cucore_serialize_options write = CUCORE_SERIALIZE_OPTIONS_INIT;
    write.signing_key = &key;
    size_t size = 0;
    const Code code = make_ptx_code();
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, parts, cucore_objectcode_serialize, code, &write, nullptr,
          size_t{0}, &size);
  };
  refuses(none, "algorithm");
  refuses(empty, "empty");
  refuses(small, "32 bytes|31");
  options.signature_policy = static_cast<cucore_signature_policy>(7);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "signature_policy|7", cucore_objectcode_deserialize,
        bytes.data(), bytes.size(), &options, out.out());
}

TEST(Signature, RefusesWeakPublicKeysAndSecretsThatArePublic) {
  const auto refuses = [](const cucore_key& key, const char* parts) {
    Code out;
    // Also for an unsigned file: the key is wrong, whatever it is compared with.
    const auto bytes = serialized(make_ptx_code());
    auto options = requiring(key);
    options.signature_policy = CUCORE_SIGNATURE_POLICY_NONE;
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, parts, cucore_objectcode_deserialize, bytes.data(),
          bytes.size(), &options, out.out());
  };
  std::array<unsigned char, 32> weak{};
  refuses({weak.data(), weak.size(), CUCORE_KEY_ED25519, 0}, "keys|small order");
  constexpr char PEM[] = "\xef\xbb\xbf-----BEGIN PUBLIC KEY-----\n";
  const cucore_key pem{PEM, sizeof PEM - 1, CUCORE_KEY_HMAC_SHA256, 0};
  refuses(pem, "keys|key pair");
  cucore_serialize_options write = CUCORE_SERIALIZE_OPTIONS_INIT;
  write.signing_key = &pem;
  size_t size = 0;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "signing_key|key pair", cucore_objectcode_serialize,
        make_ptx_code(), &write, nullptr, size_t{0}, &size);
}

TEST(Signature, NamesTheKeyAndItsAlgorithm) {
  const auto key_of = [](const std::vector<unsigned char>& bytes) {
    Code code;
    MUST(cucore_objectcode_deserialize, bytes.data(), bytes.size(), nullptr, code.out());
    return std::string(cucore_objectcode_signature_key(code));
  };
  const cucore_key confused{PUBLIC.data(), PUBLIC.size(), CUCORE_KEY_HMAC_SHA256, 0};
  EXPECT_NE(key_of(signed_with(SIGNING)), key_of(signed_with(confused)));
}

}  // namespace
