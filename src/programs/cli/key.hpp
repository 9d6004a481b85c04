// SPDX-License-Identifier: Apache-2.0
// Keys in files: key pairs of Ed25519, and shared secrets of HMAC-SHA256 on request.
#pragma once

#include <CLI/CLI.hpp>
#include <cucore/objectcode.hpp>
#include <string>
#include <vector>

namespace cucore::cli {

enum class KeyUse { SIGN, VERIFY };

// One key in the form that the library accepts.
struct Key {
  KeyAlgorithm algorithm = KeyAlgorithm::none;
  std::string bytes;

  cucore::Key view() const { return {bytes, algorithm}; }
};

// The options that name keys. The content of a file never selects the algorithm; otherwise the
// owner of a public key could sign with it as a secret.
struct KeyFlags {
  std::vector<std::string> files;
  std::vector<std::string> secrets;
  std::string format;
  std::string secret_format;
  std::string prefix = "--";  // prefix of the options

  // `before` precedes the options' names: "verify-".
  void add_to(CLI::App& command, KeyUse use, const std::string& before = {});
  // Reads the files. A failure describes the actual content and the command that helps.
  std::vector<Key> read(KeyUse use) const;
  // Returns all named files.
  std::vector<std::string> inputs() const;
  bool empty() const { return files.empty() && secrets.empty(); }
};

// Returns "Ed25519" or "HMAC-SHA256".
const char* algorithm_name(KeyAlgorithm algorithm);

}  // namespace cucore::cli
