// SPDX-License-Identifier: Apache-2.0
// Keys in files: key pairs of Ed25519, and shared secrets of HMAC-SHA256 on request.
#include "key.hpp"

#include <fmt/format.h>

#include <set>

#include "failure.hpp"
#include "files.hpp"
#include "key_file.hpp"
#include "support/counted.hpp"
#include "terminal.hpp"

namespace cucore::cli {
namespace {

constexpr std::size_t LEAST_SECRET = 16;  // bytes; a shorter secret can be guessed
constexpr std::size_t MOST_BYTES = 64 << 10;

void check_half(KeyHalf half, const std::string& path, KeyUse use) {
  if (half == KeyHalf::PRIVATE && use == KeyUse::VERIFY)
    wrong_key(path, fmt::format("is a private key, which signs; the public one verifies: "
                                "'openssl pkey -in {} -pubout -out public.pem'",
                                path));
  if (half == KeyHalf::PUBLIC && use == KeyUse::SIGN)
    wrong_key(path, "is a public key, which verifies; the private one signs");
}

// The library decides which public keys are weak. It checks the keys before the bytes, which are
// empty here.
void check_strength(const Key& key, const std::string& path) {
  DeserializeOptions options;
  options.keys.push_back(key.view());
  try {
    ObjectCode::deserialize(Bytes("", 1), options);
  } catch (const InvalidArgumentError&) {
    wrong_key(path, "is a weak Ed25519 public key, for which anyone can sign");
  } catch (const Error&) {
  }
}

Key read_key(const std::string& path, const KeyFlags& flags, KeyUse use) {
  const Ed25519File file =
      read_ed25519(read_file(path, MOST_BYTES), {path, flags.format, flags.prefix});
  check_half(file.half, path, use);
  const Key key{KeyAlgorithm::ed25519, file.bytes};
  if (use == KeyUse::VERIFY) check_strength(key, path);
  return key;
}

Key read_secret_key(const std::string& path, const KeyFlags& flags, KeyUse use) {
  const Key key{KeyAlgorithm::hmac_sha256, read_secret(read_file(path, MOST_BYTES),
                                                       {path, flags.secret_format, flags.prefix})};
  if (use == KeyUse::SIGN && key.bytes.size() < LEAST_SECRET)
    print_warning(
        fmt::format("{} has only {}, which can be guessed; 'openssl rand -hex 32' "
                    "makes a good secret",
                    path, counted(key.bytes.size(), "byte")));
  return key;
}

void add_files(CLI::App& command, const std::string& names, std::vector<std::string>& to,
               const std::string& what, KeyUse use) {
  auto* option = command.add_option(names, to, what + (use == KeyUse::SIGN ? "" : "; repeatable"))
                     ->type_name("FILE")
                     ->allow_extra_args(false);
  if (use == KeyUse::SIGN) option->expected(1);
}

void add_format(CLI::App& command, const std::string& name, std::string& to, const char* what,
                const std::set<std::string>& words) {
  command.add_option(name, to, what)->check(CLI::IsMember(words))->type_name("NAME");
}

}  // namespace

void KeyFlags::add_to(CLI::App& command, KeyUse use, const std::string& before) {
  prefix = "--" + before;
  const bool signs = use == KeyUse::SIGN;
  const std::string key = prefix + "key", secret = prefix + "secret";
  add_files(command, before.empty() ? "-k," + key : key, files,
            signs ? "file of the Ed25519 private key that signs, in PEM or DER"
                  : "file of an Ed25519 public key that verifies, in PEM or DER",
            use);
  add_files(command, secret, secrets,
            signs ? "file of a secret of HMAC-SHA256, which signs and verifies; instead of a key"
                  : "file of a secret of HMAC-SHA256, which signs and verifies",
            use);
  add_format(command, key + "-format", format,
             "of keys: pem, der, hex or raw, 32 bytes; default: pem or der",
             {"pem", "der", "hex", "raw"});
  add_format(command, secret + "-format", secret_format,
             "of secrets: hex or raw; default: hex from 32 digits on, else raw", {"hex", "raw"});
}

std::vector<Key> KeyFlags::read(KeyUse use) const {
  std::vector<Key> keys;
  for (const std::string& path : files) keys.push_back(read_key(path, *this, use));
  for (const std::string& path : secrets) keys.push_back(read_secret_key(path, *this, use));
  return keys;
}

std::vector<std::string> KeyFlags::inputs() const {
  std::vector<std::string> all = files;
  all.insert(all.end(), secrets.begin(), secrets.end());
  return all;
}

const char* algorithm_name(KeyAlgorithm algorithm) {
  return algorithm == KeyAlgorithm::ed25519 ? "Ed25519" : "HMAC-SHA256";
}

}  // namespace cucore::cli
