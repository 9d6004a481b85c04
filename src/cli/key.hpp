// Keys in files: PEM of Ed25519, hexadecimal digits, or the bytes as they are.
#pragma once

#include <cucore.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cucore::cli {

enum class KeyUse { kSign, kVerify };

/// One key, as the library takes it.
struct Key {
  cucore_key_algorithm algorithm = CUCORE_KEY_NONE;
  std::string bytes;

  cucore_key to_c() const { return {bytes.data(), bytes.size(), algorithm, 0}; }
};

/// The options of sign, verify and inspect that name keys.
struct KeyFlags {
  std::vector<std::string> files;
  std::string algorithm;
  std::string format;

  void add_to(CLI::App& command, KeyUse use);
  /// Reads the files; a failure says what a file holds instead, and the command that helps.
  std::vector<Key> read(KeyUse use) const;
};

/// "Ed25519", as people write it.
const char* algorithm_name(cucore_key_algorithm algorithm);

}  // namespace cucore::cli
