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
  Toolkits(bool trusts_unseen, FileIndex& index) : trusts_unseen_(trusts_unseen), index_(index) {}

  // The toolkit's folder that one of a compile's include paths belongs to, with its fingerprint.
  static std::optional<ToolkitFolder> find(const std::string& include_path, FileIndex& index);
  // Whether those are the same whose version a record must have.
  bool are_bound_ones_same(const Record& record);

  // Whether the files of the record below toolkits may be taken for unchanged without a look.
  bool are_trusted(const Record& record);
  // All files of the record have been looked at, and are as they were.
  void has_seen(const Record& record);

 private:
  const bool trusts_unseen_;
  FileIndex& index_;
  std::mutex mutex_;
  struct Hash {
    size_t operator()(const container::Digest& digest) const;
  };
  std::unordered_map<container::Digest, std::vector<container::Digest>, Hash> seen_;
};

}  // namespace cucore::cache
