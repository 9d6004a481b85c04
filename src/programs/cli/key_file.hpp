// SPDX-License-Identifier: Apache-2.0
// The forms of keys in files: PEM, DER, hexadecimal digits, bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cucore::cli {

// The half of a key pair that a file contains, if its format shows it.
enum class KeyHalf { UNKNOWN, PRIVATE, PUBLIC };

struct Ed25519File {
  KeyHalf half = KeyHalf::UNKNOWN;
  std::string bytes;  // 32 bytes: the seed or the public key
};

// A file and its description on the command line.
struct KeySource {
  std::string path;
  std::string format;
  std::string prefix;  // prefix of the options: "--verify-"
};

// Reads an Ed25519 key: "pem", "der", "hex" or "raw"; "" detects PEM or DER. Throws a failure that
// names the file and its actual content.
Ed25519File read_ed25519(std::string_view text, const KeySource& source);

// Reads a secret: "hex" or "raw"; "" means hexadecimal for 32 digits or more. Refuses a key of a
// key pair, because its public half is not secret.
std::string read_secret(std::string_view text, const KeySource& source);

// Throws a failure about a key file.
[[noreturn]] void wrong_key(const std::string& path, const std::string& why);

}  // namespace cucore::cli
