// SPDX-License-Identifier: Apache-2.0
// Every flip of a bit and every truncation of a container is refused; with a required signature, so
// is every repair by an attacker.
#include "container_testing.hpp"

namespace cucore::container {
namespace {

using namespace testing;

struct Case {
  const char* name;
  WriteOptions options;
};

std::vector<Case> cases() {
  return {{"plain", {}},
          {"compressed", {.compress = true}},
          {"hmac", {.sign = hmac_key()}},
          {"ed25519", {.sign = ed25519_key()}}};
}

ReadOptions keys_only() {
  ReadOptions options;
  options.keys = {verifying_key(hmac_key()), verifying_key(ed25519_key())};
  return options;
}

Bytes flipped(const Bytes& bytes, size_t bit) {
  Bytes changed = bytes;
  changed[bit / 8] ^= std::byte{1} << (bit % 8);
  return changed;
}

// The bytes of a signature's key id and of the signature itself. Without the key and without a
// requirement they are not checked, and a changed signature cannot be distinguished from that of
// another key.
bool says_nothing(const Bytes& bytes, size_t byte) {
  const SectionEntry signature = entry_at(bytes, index_of(bytes, SIG));
  return byte >= signature.offset + 8;
}

TEST(Flips, EveryBitOfAContainerOf4KiB) {
  for (const Case& one : cases()) {
    const Bytes bytes = write(rich_code(), one.options);
    EXPECT_TRUE(one.options.compress || (bytes.size() > 3700 && bytes.size() < 4500));
    for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      const Status status = status_of(flipped(bytes, bit));
      if (status != Status::OK) continue;
      ASSERT_TRUE(one.options.sign && says_nothing(bytes, bit / 8)) << one.name << " " << bit;
    }
  }
}

TEST(Flips, EveryBitWhereTheSignatureIsRequired) {
  for (const Case& one : cases()) {
    if (!one.options.sign) continue;
    const Bytes bytes = write(rich_code(), one.options);
    const ReadOptions options = required(*one.options.sign);
    ASSERT_EQ(status_of(bytes, options), Status::OK);
    // Ed25519 takes 0.1 ms each time, so one bit of every byte is flipped there, and elsewhere all.
    const size_t step = one.options.sign->algorithm == SignatureAlgorithm::ED25519 ? 7 : 1;
    for (size_t bit = 0; bit < bytes.size() * 8; bit += step)
      ASSERT_NE(status_of(flipped(bytes, bit), options), Status::OK) << one.name << " " << bit;
  }
}

TEST(Flips, WhatAnAttackerRepairsIsRefusedWhereTheSignatureIsRequired) {
  for (const SigningKey& key : {hmac_key(), ed25519_key()}) {
    const Bytes bytes = write(rich_code(), {.sign = key});
    const ReadOptions options = required(key);
    const size_t step = key.algorithm == SignatureAlgorithm::ED25519 ? 11 : 1;
    size_t forged = 0;
    for (size_t bit = 0; bit < bytes.size() * 8; bit += step) {
      Bytes changed = flipped(bytes, bit);
      if (header_of(changed).section_count != header_of(bytes).section_count) continue;
      repair(changed);
      if (changed == bytes) continue;  // the flip was in bytes that the repair computes
      forged += status_of(changed) == Status::OK;
      ASSERT_NE(status_of(changed, options), Status::OK) << bit;
    }
    EXPECT_GT(forged * step, 2000u) << "many forgeries must pass where no signature is required";
  }
}

TEST(Flips, AKnownKeyJudgesAlsoWhereNoneIsRequired) {
  const Bytes bytes = write(rich_code(), {.sign = hmac_key()});
  for (size_t bit = (bytes.size() - 64) * 8; bit < bytes.size() * 8; ++bit)
    ASSERT_NE(status_of(flipped(bytes, bit), keys_only()), Status::OK) << bit;
}

TEST(Flips, EveryTruncationAndOneByteMore) {
  for (const Case& one : cases()) {
    Bytes bytes = write(rich_code(), one.options);
    for (size_t size = 0; size < bytes.size(); ++size) {
      // A separate buffer, so that ASan detects a read beyond the end.
      const Bytes part(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
      ASSERT_EQ(status_of(part), Status::INVALID_CODE) << one.name << " " << size;
    }
    bytes.push_back(std::byte{0});
    EXPECT_EQ(status_of(bytes), Status::INVALID_CODE);
  }
}

TEST(Signature, PolicyAndKeys) {
  const Bytes unsigned_bytes = write(rich_code());
  const Bytes bytes = write(rich_code(), {.sign = hmac_key()});
  EXPECT_EQ(status_of(unsigned_bytes, required(hmac_key())), Status::SIGNATURE);
  EXPECT_EQ(status_of(bytes, required(hmac_key("another"))), Status::SIGNATURE);
  EXPECT_EQ(status_of(bytes, required(ed25519_key())), Status::SIGNATURE);
  EXPECT_EQ(status_of(bytes, required(hmac_key())), Status::OK);
  EXPECT_EQ(read_contents(unsigned_bytes).signature.state, SignatureState::UNSIGNED);
  EXPECT_EQ(read_contents(bytes).signature.state, SignatureState::UNKNOWN_KEY);
  EXPECT_EQ(read_contents(bytes, keys_only()).signature.state, SignatureState::VALID);
  ReadOptions none;
  none.policy = SignaturePolicy::REQUIRED;
  EXPECT_EQ(status_of(bytes, none), Status::SIGNATURE);
}

TEST(Signature, SigningWhatExistsChangesNothingElse) {
  const Bytes bytes = write(rich_code());
  const Bytes once = sign(bytes, hmac_key());
  EXPECT_TRUE(once == write(rich_code(), {.sign = hmac_key()}));
  const Bytes twice = sign(once, ed25519_key());
  EXPECT_TRUE(twice == write(rich_code(), {.sign = ed25519_key()}));
  EXPECT_TRUE(read(twice, required(ed25519_key())) == rich_code());
  EXPECT_EQ(status_of(twice, required(hmac_key())), Status::SIGNATURE);
  Bytes damaged = bytes;
  damaged.back() ^= std::byte{1};
  EXPECT_THROW(sign(damaged, hmac_key()), Error);
}

TEST(Signature, KnownAnswers) {
  // RFC 4231, test 2, and RFC 8032, test 2.
  const SignatureBytes mac =
      sign_message(hmac_key("Jefe"), bytes_of("what do ya want for nothing?"));
  EXPECT_EQ(hex(mac).substr(0, 64),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex(mac).substr(64), std::string(64, '0'));
  const std::string seed = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";
  SigningKey key{SignatureAlgorithm::ED25519, {}};
  for (size_t i = 0; i < seed.size(); i += 2)
    key.bytes.push_back(static_cast<std::byte>(std::stoi(seed.substr(i, 2), nullptr, 16)));
  const Bytes message(1, std::byte{0x72});
  EXPECT_EQ(hex(verifying_key(key).bytes),
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
  EXPECT_EQ(hex(sign_message(key, message)),
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
  EXPECT_TRUE(verify_message(verifying_key(key), message, sign_message(key, message)));
}

TEST(Signature, WrongKeysAreRefused) {
  EXPECT_THROW(sign_message({SignatureAlgorithm::HMAC_SHA256, {}}, {}), Error);
  EXPECT_THROW(sign_message({SignatureAlgorithm::ED25519, Bytes(31)}, {}), Error);
  EXPECT_THROW(key_id({SignatureAlgorithm::ED25519, Bytes(33)}), Error);
  EXPECT_THROW(verifying_key({SignatureAlgorithm{9}, Bytes(32)}), Error);
}

TEST(Signature, TheKeyIdNamesTheAlgorithmToo) {
  const Bytes key = verifying_key(ed25519_key()).bytes;
  Bytes named(1, std::byte{2});
  named.insert(named.end(), key.begin(), key.end());
  EXPECT_EQ(hex(key_id({SignatureAlgorithm::ED25519, key})), hex(sha256(named)).substr(0, 16));
  EXPECT_NE(key_id({SignatureAlgorithm::ED25519, key}),
            key_id({SignatureAlgorithm::HMAC_SHA256, key}));
}

Bytes from_hex(std::string_view digits) {
  Bytes bytes;
  for (size_t i = 0; i < digits.size(); i += 2)
    bytes.push_back(
        static_cast<std::byte>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16)));
  return bytes;
}

// Under a public key of small order, at least one in eight signatures of an attacker's choice is
// accepted.
TEST(Signature, PublicKeysOfSmallOrderAreRefused) {
  const std::string zeros(62, '0'), ones(60, 'f');
  for (const std::string& y :
       {"00" + zeros, "01" + zeros, "ec" + ones + "7f", "ed" + ones + "7f", "ee" + ones + "7f",
        std::string("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
        std::string("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")}) {
    for (const std::byte sign : {std::byte{0}, std::byte{0x80}}) {
      Bytes key = from_hex(y);
      key.back() |= sign;
      EXPECT_THROW(key_id({SignatureAlgorithm::ED25519, key}), Error) << y;
      EXPECT_THROW(verify_message({SignatureAlgorithm::ED25519, key}, {}, {}), Error) << y;
      EXPECT_NO_THROW(sign_message({SignatureAlgorithm::ED25519, key}, {}))
          << "a seed is not a point";
    }
  }
}

TEST(Signature, PublicKeysHaveOneEncoding) {
  for (int low = 0xed; low <= 0xff; ++low) {
    Bytes key(32, std::byte{0xff});
    key.front() = static_cast<std::byte>(low);
    EXPECT_THROW(key_id({SignatureAlgorithm::ED25519, key}), Error) << low;
    key.back() = std::byte{0x7f};
    EXPECT_THROW(key_id({SignatureAlgorithm::ED25519, key}), Error) << low;
  }
}

TEST(Signature, KeysOfKeyPairsAreNoSecrets) {
  const Bytes key = verifying_key(ed25519_key()).bytes;
  Bytes der = from_hex("302a300506032b6570032100");
  der.insert(der.end(), key.begin(), key.end());
  Bytes private_der = from_hex("302e020100300506032b657004220420");
  private_der.insert(private_der.end(), key.begin(), key.end());
  for (const Bytes& bytes :
       {der, private_der, bytes_of("-----BEGIN PUBLIC KEY-----\nMCow"),
        bytes_of("\xef\xbb\xbf-----BEGIN PUBLIC KEY-----\n"),
        bytes_of("mine:\n-----BEGIN RSA PUBLIC KEY-----\n"), bytes_of("ssh-ed25519 AAAAC3Nza")}) {
    EXPECT_THROW(sign_message({SignatureAlgorithm::HMAC_SHA256, bytes}, {}), Error);
    EXPECT_THROW(key_id({SignatureAlgorithm::HMAC_SHA256, bytes}), Error);
  }
}

TEST(Sha256, KnownAnswersWholeAndInParts) {
  EXPECT_EQ(hex(sha256(std::string_view("abc"))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256(std::string_view())),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256().update("a").update("").update("bc").finish(), sha256(std::string_view("abc")));
}

}  // namespace
}  // namespace cucore::container
