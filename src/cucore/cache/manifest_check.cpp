// SPDX-License-Identifier: Apache-2.0
#include "cache/manifest_check.hpp"

namespace cucore::cache {
namespace {

class Check {
 public:
  Check(Record& record, FileIndex& index, bool trusts_toolkits)
      : record_(record), index_(index), trusts_toolkits_(trusts_toolkits) {}

  // Returns "" if all files are unchanged.
  std::string run() {
    for (const Probe& probe : record_.probes) {
      if (probe.toolkit != 0 && trusts_toolkits_) continue;
      const bool is_there = path_state(probe.path) != PathState::NOTHING;
      if (is_there != probe.is_there)
        return probe.path + (is_there ? " is new and would be found first" : " is gone");
    }
    for (ManifestFile& file : record_.files) {
      if (file.toolkit != 0 && trusts_toolkits_) continue;
      if (std::string why = check(file); !why.empty()) return why;
    }
    return {};
  }
  bool refreshed() const { return refreshed_; }

 private:
  std::string check(ManifestFile& file) {
    const auto stamp = stamp_of(file.path);
    if (!stamp) return file.path + " is gone";
    if (*stamp == file.stamp) return {};
    const auto facts = index_.facts(file.path);
    if (!facts || facts->digest != file.digest) return file.path + " has changed";
    // Touched, or rewritten with the same content.
    if (facts->was_settled()) {
      file.stamp = facts->stamp;
      refreshed_ = true;
    }
    return {};
  }

  Record& record_;
  FileIndex& index_;
  const bool trusts_toolkits_;
  bool refreshed_ = false;
};

}  // namespace

ManifestMatch match(Manifest& manifest, const std::string& directory, FileIndex& index,
                    Toolkits& toolkits) {
  ManifestMatch out;
  for (size_t i = 0; i < manifest.records.size(); ++i) {
    Record& record = manifest.records[i];
    if (!record.directory.empty() && record.directory != directory) {
      if (out.reason.empty()) out.reason = "the current directory is another";
      continue;
    }
    if (!toolkits.are_bound_ones_same(record)) {
      if (out.reason.empty()) out.reason = "the toolkit's headers are of another version";
      continue;
    }
    const bool trusted = toolkits.are_trusted(record);
    Check check(record, index, trusted);
    const std::string why = check.run();
    out.refreshed = out.refreshed || check.refreshed();
    if (why.empty()) {
      if (!trusted) toolkits.has_seen(record);
      out.record = i;
      return out;
    }
    if (out.reason.empty()) out.reason = why;
  }
  return out;
}

}  // namespace cucore::cache
