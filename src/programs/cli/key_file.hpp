// SPDX-License-Identifier: Apache-2.0
// The forms of keys in files: PEM, DER, hexadecimal digits, bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cucore::cli {

// Which half of a key pair a file is, where it says so.
enum class KeyHalf { UNKNOWN, PRIVATE, PUBLIC };

struct Ed25519File {
  KeyHalf half = KeyHalf::UNKNOWN;
  std::string bytes;  // 32, the seed or the public key
};

// A file and what the command line says of it.
struct KeySource {
  std::string path;
  std::string format;
  std::string prefix;  // of the options: "--verify-"
};

// Reads an Ed25519 key: "pem", "der", "hex" or "raw"; "" is PEM or DER, by the bytes. Throws a
// failure that names the file and says what it holds instead.
Ed25519File read_ed25519(std::string_view text, const KeySource& source);

// Reads a secret: "hex" or "raw"; "" is hexadecimal for 32 digits or more. A key of a key pair is
// refused, since its public half is no secret.
std::string read_secret(std::string_view text, const KeySource& source);

// Throws a failure about a key file.
[[noreturn]] void wrong_key(const std::string& path, const std::string& why);

}  // namespace cucore::cli
