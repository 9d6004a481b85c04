#include "cache/toolkit.hpp"

#include <cstring>

#include "support/sha256.hpp"

namespace cucore::cache {
namespace {

constexpr const char* MARKS[] = {"cuda.h", "crt/host_config.h", "cccl/cuda/std/__cccl/version.h",
                                 "cuda/std/__cccl/version.h", "../version.json"};

bool is_toolkit(const std::string& folder) {
  return path_state(folder + "cuda.h") == PathState::FILE &&
         path_state(folder + "crt/host_config.h") == PathState::FILE;
}

container::Digest fingerprint(const std::string& folder, FileIndex& index) {
  Sha256 sum;
  for (const char* mark : MARKS) {
    const auto facts = index.facts(folder + mark);
    sum.update(facts ? facts->digest : container::Digest{});
  }
  return sum.finish();
}

std::vector<container::Digest> fingerprints(const Record& record) {
  std::vector<container::Digest> out;
  for (const ToolkitFolder& folder : record.toolkits) out.push_back(folder.fingerprint);
  return out;
}

}  // namespace

size_t Toolkits::Hash::operator()(const container::Digest& digest) const {
  size_t value = 0;
  std::memcpy(&value, digest.data(), sizeof value);
  return value;
}

// An include path is the toolkit's folder of headers, or one in it ("include/cccl").
std::optional<ToolkitFolder> Toolkits::find(const std::string& include_path, FileIndex& index) {
  std::string folder = include_path;
  for (int up = 0; up < 2; ++up) {
    if (is_toolkit(folder)) return ToolkitFolder{folder, fingerprint(folder, index)};
    const size_t slash = folder.rfind('/', folder.size() - 2);
    if (folder.size() < 2 || slash == folder.npos) break;
    folder.resize(slash + 1);
  }
  return std::nullopt;
}

bool Toolkits::are_bound_ones_same(const Record& record) {
  for (const ToolkitFolder& folder : record.toolkits)
    if (folder.is_bound && fingerprint(folder.path, index_) != folder.fingerprint) return false;
  return true;
}

bool Toolkits::are_trusted(const Record& record) {
  if (record.toolkits.empty()) return false;
  if (!trusts_unseen_) {
    std::lock_guard lock(mutex_);
    const auto found = seen_.find(record.result);
    if (found == seen_.end() || found->second != fingerprints(record)) return false;
  }
  for (const ToolkitFolder& folder : record.toolkits)
    if (fingerprint(folder.path, index_) != folder.fingerprint) return false;
  return true;
}

void Toolkits::has_seen(const Record& record) {
  if (record.toolkits.empty()) return;
  std::lock_guard lock(mutex_);
  seen_[record.result] = fingerprints(record);
}

}  // namespace cucore::cache
