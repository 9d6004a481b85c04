// SPDX-License-Identifier: Apache-2.0
// Headers of a CUDA toolkit: hundreds per compile, and changed only with the toolkit. They are read
// once per process, and again when the files with the toolkit's version change.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cache/manifest.hpp"

namespace cucore::cache {

class Toolkits {
 public:
  explicit Toolkits(bool trusts_unseen) : trusts_unseen_(trusts_unseen) {}

  // Returns the toolkit's folder that contains one of a compile's include paths, with its
  // fingerprint.
  std::optional<ToolkitFolder> find(const std::string& include_path);
  // Returns whether the folders whose version is bound to a record are the same.
  bool are_bound_ones_same(const Record& record);

  // Returns whether the files of the record below toolkits may be taken as unchanged without a
  // check.
  bool are_trusted(const Record& record);
  // Records that all files of the record have been checked and are unchanged.
  void has_seen(const Record& record);

 private:
  container::Digest fingerprint(const std::string& folder);
  container::Digest beginning(const std::string& path);

  const bool trusts_unseen_;
  std::mutex mutex_;
  struct Beginning {
    FileStamp stamp;
    container::Digest digest{};
  };
  std::map<std::string, Beginning> beginnings_;
  struct Hash {
    size_t operator()(const container::Digest& digest) const;
  };
  std::unordered_map<container::Digest, std::vector<container::Digest>, Hash> seen_;
};

}  // namespace cucore::cache
