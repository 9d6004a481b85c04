// SPDX-License-Identifier: Apache-2.0
// Headers of a CUDA toolkit: hundreds a compile, and changed only when the toolkit is. They are
// looked at once in a process, and again when the files that tell the toolkit's version change.
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

  // The toolkit's folder that one of a compile's include paths belongs to, with its fingerprint.
  std::optional<ToolkitFolder> find(const std::string& include_path);
  // Whether those are the same whose version a record must have.
  bool are_bound_ones_same(const Record& record);

  // Whether the files of the record below toolkits may be taken for unchanged without a look.
  bool are_trusted(const Record& record);
  // All files of the record have been looked at, and are as they were.
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
