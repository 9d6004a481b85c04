// SPDX-License-Identifier: Apache-2.0
#include "cache/toolkit.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cstring>

#include "cache/descriptor.hpp"
#include "support/sha256.hpp"

namespace cucore::cache {
namespace {

constexpr const char* MARKS[] = {"cuda.h", "crt/host_config.h", "cccl/cuda/std/__cccl/version.h",
                                 "cuda/std/__cccl/version.h", "../version.json"};

// The beginnings of the names in a toolkit's folder. Other packages may add files there, as in
// /usr/include.
constexpr std::string_view NAMES[] = {"builtin_types.h",
                                      "cccl/",
                                      "channel_descriptor.h",
                                      "common_functions.h",
                                      "cooperative_groups",
                                      "crt/",
                                      "cuComplex.h",
                                      "cub/",
                                      "cublas",
                                      "cuda.h",
                                      "cuda/",
                                      "cuda_",
                                      "cudart_",
                                      "cufft",
                                      "curand",
                                      "cusolver",
                                      "cusparse",
                                      "device_atomic_functions.h",
                                      "device_double_functions.h",
                                      "device_functions.h",
                                      "device_launch_parameters.h",
                                      "device_types.h",
                                      "driver_functions.h",
                                      "driver_types.h",
                                      "host_config.h",
                                      "host_defines.h",
                                      "library_types.h",
                                      "math_constants.h",
                                      "math_functions.h",
                                      "mma.h",
                                      "nv/",
                                      "nvtx3/",
                                      "sm_",
                                      "surface_",
                                      "texture_",
                                      "thrust/",
                                      "vector_functions.h",
                                      "vector_types.h"};

bool is_toolkit(const std::string& folder) {
  return path_state(folder + "cuda.h") == PathState::FILE &&
         path_state(folder + "crt/host_config.h") == PathState::FILE;
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

// The files with the version contain it in their first lines, and some of them are large.
container::Digest Toolkits::beginning(const std::string& path) {
  constexpr size_t MOST = 64 << 10;
  const auto stamp = stamp_of(path);
  if (!stamp) return {};
  {
    std::lock_guard lock(mutex_);
    const auto known = beginnings_.find(path);
    if (known != beginnings_.end() && known->second.stamp == *stamp) return known->second.digest;
  }
  std::string text(std::min<uint64_t>(stamp->size, MOST), '\0');
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file || !read_all(file.get(), text.data(), text.size())) return {};
  const container::Digest digest =
      Sha256().update(text).update(std::to_string(stamp->size)).finish();
  std::lock_guard lock(mutex_);
  beginnings_[path] = {*stamp, digest};
  return digest;
}

container::Digest Toolkits::fingerprint(const std::string& folder) {
  Sha256 sum;
  for (const char* mark : MARKS) sum.update(beginning(folder + mark));
  return sum.finish();
}

// An include path is the toolkit's folder of headers, or a folder in it ("include/cccl").
std::optional<ToolkitFolder> Toolkits::find(const std::string& include_path) {
  std::string folder = include_path;
  for (int up = 0; up < 2; ++up) {
    if (is_toolkit(folder)) return ToolkitFolder{folder, fingerprint(folder)};
    const size_t slash = folder.rfind('/', folder.size() - 2);
    if (folder.size() < 2 || slash == folder.npos) break;
    folder.resize(slash + 1);
  }
  return std::nullopt;
}

bool ToolkitFolder::has(std::string_view file) const {
  return file.starts_with(path) && std::ranges::any_of(NAMES, [&](std::string_view name) {
           return file.substr(path.size()).starts_with(name);
         });
}

bool Toolkits::are_bound_ones_same(const Record& record) {
  for (const ToolkitFolder& folder : record.toolkits)
    if (folder.is_bound && fingerprint(folder.path) != folder.fingerprint) return false;
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
    if (fingerprint(folder.path) != folder.fingerprint) return false;
  return true;
}

void Toolkits::has_seen(const Record& record) {
  if (record.toolkits.empty()) return;
  std::lock_guard lock(mutex_);
  seen_[record.result] = fingerprints(record);
}

}  // namespace cucore::cache
