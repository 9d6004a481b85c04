// One question to the cache: the key, and what is known about it on the way to the answer.
#pragma once

#include <mutex>

#include "cache/cache.hpp"

namespace cucore::cache {

// A manifest in memory; held while it is looked at, since looking brings its stamps up to date.
struct Cache::LiveManifest {
  std::mutex mutex;
  Manifest manifest;
  bool used = false;
};

struct Cache::Request {
  const container::BuildInputs* inputs = nullptr;  // null: under a key of the caller's
  container::Digest key{};
  std::vector<container::KeyField> extra;  // of this process: its environment, its directory
  std::string directory;                   // the current one, where files are read
  std::shared_ptr<LiveManifest> manifest;  // found in memory or on disk
  std::string changed;                     // the file because of which its last record does not fit

  bool reads_files() const { return inputs && inputs->files; }
  std::vector<container::KeyField> fields() const {
    std::vector<container::KeyField> all;
    if (inputs) all = inputs->fields;
    all.insert(all.end(), extra.begin(), extra.end());
    return all;
  }
};

// The variables that NVIDIA's compilers read, "NAME=value", sorted.
std::vector<std::string> compiler_environment();

std::string current_directory();

}  // namespace cucore::cache
