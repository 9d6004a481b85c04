// SPDX-License-Identifier: Apache-2.0
#include "cache/manifest_index.hpp"

namespace cucore::cache {

// If no record of the manifest in memory fits, another process may have stored one.
Result ManifestIndex::find(Request& request) {
  find_loaded(request);
  if (request.manifest)
    if (Result result = find_match(request); result.object) return result;
  return load(request) ? find_match(request) : Result();
}

void ManifestIndex::find_loaded(Request& request) {
  std::lock_guard lock(mutex_);
  const auto found = manifests_.find(request.key);
  if (found != manifests_.end()) request.manifest = found->second;
}

Result ManifestIndex::find_match(Request& request) {
  std::unique_lock lock(request.manifest->mutex);
  Manifest& manifest = request.manifest->manifest;
  const ManifestMatch match = cache::match(manifest, request.directory, files_, toolkits_);
  request.changed = match.reason;
  if (match.record == ManifestMatch::NONE) return {};
  request.changed.clear();
  request.manifest->used = true;
  const container::Digest key = manifest.records[match.record].result;
  if (match.refreshed) tiers_.disk().write(request.key, FileKind::MANIFEST, manifest.serialize());
  lock.unlock();
  if (Result result = tiers_.find_local(request, key); result.object) return result;
  return tiers_.find_remote(request, key);
}

bool ManifestIndex::load(Request& request) {
  std::optional<Manifest> manifest = read(request.key);
  if (!manifest) manifest = read_remote(request.key);
  if (!manifest) return false;
  auto live = std::make_shared<LiveManifest>();
  live->manifest = std::move(*manifest);
  request.manifest = std::move(live);
  insert(request);
  return true;
}

std::optional<Manifest> ManifestIndex::read(const container::Digest& key) {
  Store& disk = tiers_.disk();
  const auto file = disk.read(key, FileKind::MANIFEST);
  if (!file) return std::nullopt;
  std::optional<Manifest> manifest = Manifest::parse(file->bytes, key);
  if (!manifest) {
    statistics_.count(Event::CORRUPT);
    disk.remove(key, FileKind::MANIFEST, file->identity);
    return std::nullopt;
  }
  statistics_.count(Event::BYTES_READ, file->bytes.size());
  disk.touch(key, FileKind::MANIFEST);
  return manifest;
}

std::optional<Manifest> ManifestIndex::read_remote(const container::Digest& key) {
  std::optional<Manifest> manifest;
  if (tiers_.remotes().empty()) return manifest;
  tiers_.remotes().get(key, FileKind::MANIFEST, [&](image::Bytes bytes) {
    manifest = Manifest::parse(bytes, key);
    // A manifest has no signature. The key of the result binds its content to a signed entry, but
    // not the stamps. With a forged stamp a changed file would count as the compiled one.
    if (manifest && !manifest->is_bound_to_results()) manifest.reset();
    if (manifest) manifest->forget_stamps();
    return manifest.has_value();
  });
  return manifest;
}

void ManifestIndex::add(Request& request, Record record) {
  if (!request.manifest) request.manifest = std::make_shared<LiveManifest>();
  LiveManifest& live = *request.manifest;
  image::Bytes bytes;
  {
    std::lock_guard lock(live.mutex);
    live.manifest.key = request.key;
    live.manifest.add(std::move(record));
    bytes = live.manifest.serialize();
  }
  insert(request);
  tiers_.store_manifest(request.key, std::move(bytes));
}

void ManifestIndex::insert(const Request& request) {
  constexpr size_t MOST = 4096;
  std::lock_guard lock(mutex_);
  if (manifests_.size() >= MOST) manifests_.clear();
  manifests_[request.key] = request.manifest;
}

void ManifestIndex::touch_used() {
  std::lock_guard lock(mutex_);
  for (const auto& [key, live] : manifests_) {
    std::lock_guard one(live->mutex);
    if (std::exchange(live->used, false)) tiers_.disk().touch(key, FileKind::MANIFEST);
  }
}

void ManifestIndex::clear() {
  std::lock_guard lock(mutex_);
  manifests_.clear();
}

}  // namespace cucore::cache
