// SPDX-License-Identifier: Apache-2.0
// The parts of a cache in a separate folder, with plain objects as results.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "cache/build_coordinator.hpp"
#include "container/build_inputs.hpp"

namespace cucore::cache {

class TestObject final : public Object {
 public:
  explicit TestObject(container::Code code) : code(std::move(code)) {}
  const container::Code code;
};

inline Codec test_codec() {
  return {
      [](container::Code code) -> Ref<const Object> { return make<TestObject>(std::move(code)); },
      [](const Object& object) -> const container::Code& {
        return static_cast<const TestObject&>(object).code;
      }};
}

inline Ref<const Object> make_object(const std::string& name, size_t comment = 0) {
  const std::string ptx = ".version 8.0\n.target sm_80\n.address_size 64\n//" +
                          std::string(comment, 'x') + "\n.visible .entry k() { ret; }\n";
  return make<TestObject>(
      container::make_code(image::CodeType::PTX, std::as_bytes(std::span(ptx)), name));
}

inline std::string name_of(const Ref<const Object>& object) {
  return object ? static_cast<const TestObject&>(*object).code.name : "none";
}

inline container::Digest key_of(unsigned char number) {
  container::Digest key{};
  key.fill(std::byte{number});
  return key;
}

inline Request request_for(unsigned char number) {
  Request request;
  request.key = key_of(number);
  return request;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    char path[] = "/tmp/cucore-cache-unit-XXXXXX";
    path_ = mkdtemp(path);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(*this / name) << text;
  }

 private:
  std::string path_;
};

// Signs with a secret, and accepts entries signed with it.
inline Settings signing_settings(const std::string& secret) {
  Settings settings;
  const auto bytes = std::as_bytes(std::span(secret));
  settings.signing_key = {container::SignatureAlgorithm::HMAC_SHA256, {bytes.begin(), bytes.end()}};
  settings.keys = {container::verifying_key(*settings.signing_key)};
  return settings;
}

// A remote in memory, which several caches share.
using RemoteFiles = std::map<std::string, image::Bytes>;
class MemoryRemote final : public Remote {
 public:
  explicit MemoryRemote(std::shared_ptr<RemoteFiles> files) : files_(std::move(files)) {}
  RemoteAnswer get(const container::Digest& key, FileKind kind, image::Bytes& out) override {
    const auto found = files_->find(entry_name(key, kind));
    if (found == files_->end()) return RemoteAnswer::ABSENT;
    out = found->second;
    return RemoteAnswer::DONE;
  }
  RemoteAnswer put(const container::Digest& key, FileKind kind,
                   std::span<const std::byte> bytes) override {
    (*files_)[entry_name(key, kind)] = {bytes.begin(), bytes.end()};
    return RemoteAnswer::DONE;
  }
  bool can_write() const override { return true; }
  std::string name() const override { return "memory"; }

 private:
  const std::shared_ptr<RemoteFiles> files_;
};

// The parts as in one process; a second set for the same folder represents another process.
struct Parts {
  explicit Parts(const std::string& directory, Settings given = {})
      : settings(std::move(given)),
        store(open_root(directory, settings.read_only), false),
        evictor(store, statistics, {settings.max_bytes, settings.max_entries},
                [this] { ++touches; }),
        tiers(settings, test_codec(), store, evictor, statistics),
        manifests(settings, tiers, statistics),
        misses(store, statistics),
        builds(settings, tiers, manifests, misses, statistics) {}

  void put(unsigned char number, const std::string& name, size_t comment = 0) {
    const Request request = request_for(number);
    tiers.store(request, request.key, make_object(name, comment));
  }
  Result find(unsigned char number) {
    const Request request = request_for(number);
    return tiers.find_local(request, request.key);
  }
  uint64_t count(Event event) const { return statistics.of(event); }
  void share(const std::shared_ptr<RemoteFiles>& files) {
    tiers.remotes().add(std::make_unique<MemoryRemote>(files));
  }
  void flush() { tiers.remotes().flush(std::chrono::seconds(60)); }

  int touches = 0;
  const Settings settings;
  Statistics statistics;
  Store store;
  Evictor evictor;
  Tiers tiers;
  ManifestIndex manifests;
  MissReport misses;
  BuildCoordinator builds;
};

}  // namespace cucore::cache
