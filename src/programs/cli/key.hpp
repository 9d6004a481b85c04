// SPDX-License-Identifier: Apache-2.0
// Keys in files: key pairs of Ed25519, and shared secrets of HMAC-SHA256 where one asks for them.
#pragma once

#include <cucore.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cucore::cli {

enum class KeyUse { SIGN, VERIFY };

// One key, as the library takes it.
struct Key {
  cucore_key_algorithm algorithm = CUCORE_KEY_NONE;
  std::string bytes;

  cucore_key to_c() const { return {bytes.data(), bytes.size(), algorithm, 0}; }
};

// The options that name keys. A file never decides by what it holds which algorithm it is for:
// whoever has a public key could sign with it as a secret.
struct KeyFlags {
  std::vector<std::string> files;
  std::vector<std::string> secrets;
  std::string format;
  std::string secret_format;
  std::string prefix = "--";  // of the options

  // `before` comes before the options' names: "verify-".
  void add_to(CLI::App& command, KeyUse use, const std::string& before = {});
  // Reads the files; a failure says what a file holds instead, and the command that helps.
  std::vector<Key> read(KeyUse use) const;
  // All files that are named.
  std::vector<std::string> inputs() const;
  bool empty() const { return files.empty() && secrets.empty(); }
};

// "Ed25519", as people write it.
const char* algorithm_name(cucore_key_algorithm algorithm);

}  // namespace cucore::cli
