// SPDX-License-Identifier: Apache-2.0
// One request to the cache: its key, and the facts that the lookup finds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "container/build_inputs.hpp"

namespace cucore::cache {

struct LiveManifest;

struct Request {
  const container::BuildInputs* inputs = nullptr;  // null: under a key of the caller
  container::Digest key{};
  std::vector<container::KeyField> extra;  // of this process: its environment and its folder
  std::string directory;                   // the current one, if files are read
  std::shared_ptr<LiveManifest> manifest;  // found in memory or on disk
  std::string changed;                     // the file that makes its last record not fit

  bool reads_files() const { return inputs && inputs->files; }
  std::vector<container::KeyField> fields() const {
    std::vector<container::KeyField> all;
    if (inputs) all = inputs->fields;
    all.insert(all.end(), extra.begin(), extra.end());
    return all;
  }
};

Request request_of(const container::BuildInputs& inputs, const std::string& name_space);
Request request_of(const container::Digest& key, const std::string& name_space);

// The variables that NVIDIA's compilers read, "NAME=value", sorted.
std::vector<std::string> compiler_environment();

std::string current_directory();

}  // namespace cucore::cache
