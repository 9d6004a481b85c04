// SPDX-License-Identifier: Apache-2.0
// The signature of a container during a read.
#include "container/signature_check.hpp"

namespace cucore::container {

namespace {

[[noreturn]] void refuse_signature(const std::string& why) {
  throw Error(Status::SIGNATURE, "the container " + why);
}

SignatureRecord signature_record(const Table& table, const SectionEntry& section) {
  const image::ByteView stored = table.stored(section);
  if (section.compression != STORED || stored.size() != sizeof(SignatureRecord))
    stored.fail(0, "the signature has not 80 bytes");
  const auto record = stored.get<SignatureRecord>(0);
  if (record.algorithm < 1 || record.algorithm > 2) stored.fail(0, "an unknown signature");
  constexpr uint64_t HMAC_END = 48;
  const bool hmac = record.algorithm == 1;
  if (!stored.all_zero(1, 7) || (hmac && !stored.all_zero(HMAC_END, stored.size() - HMAC_END)))
    stored.fail(1, "reserved bytes of the signature are not zero");
  return record;
}

}  // namespace

SignatureInfo check_signature(const Table& table, const ReadOptions& options) {
  SignatureInfo info;
  const SectionEntry* section = table.find(SIG);
  if (section == nullptr) {
    if (options.policy == SignaturePolicy::REQUIRED)
      refuse_signature("is not signed; expected a signature");
    return info;
  }
  const SignatureRecord record = signature_record(table, *section);
  info.algorithm = static_cast<SignatureAlgorithm>(record.algorithm);
  info.key = record.key_id;
  info.state = SignatureState::UNKNOWN_KEY;
  for (const VerifyingKey& key : options.keys) {
    if (key.algorithm != info.algorithm || key_id(key) != info.key) continue;
    if (!verify_message(key, table.signed_part(), record.signature))
      refuse_signature("has a wrong signature");
    info.state = SignatureState::VALID;
    return info;
  }
  if (options.policy == SignaturePolicy::REQUIRED)
    refuse_signature("is signed with an unknown key");
  return info;
}

}  // namespace cucore::container
