// SPDX-License-Identifier: Apache-2.0
// The table of texture and surface objects.
#include "cpu/exec/image.hpp"

#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace cucore::cpu {
namespace {

struct Objects {
  std::shared_mutex mutex;
  std::unordered_map<uint64_t, std::shared_ptr<const ImageObject>> by_handle;
  std::unordered_map<uint64_t, OpaqueKind> variables;  // by address
};
Objects& objects() {
  static Objects& all = *new Objects;  // never destroyed
  return all;
}

}  // namespace

uint32_t channel_bytes(ChannelFormat format) {
  switch (format) {
    case ChannelFormat::U8:
    case ChannelFormat::S8:
      return 1;
    case ChannelFormat::U16:
    case ChannelFormat::S16:
    case ChannelFormat::HALF:
      return 2;
    default:
      return 4;
  }
}

bool is_integer(ChannelFormat format) { return format < ChannelFormat::HALF; }

void publish_opaque(uint64_t address, OpaqueKind kind) {
  std::unique_lock lock(objects().mutex);
  objects().variables[address] = kind;
}

void withdraw_opaque(uint64_t address) {
  std::unique_lock lock(objects().mutex);
  objects().variables.erase(address);
}

std::optional<OpaqueKind> find_opaque(uint64_t address) {
  std::shared_lock lock(objects().mutex);
  const auto found = objects().variables.find(address);
  if (found == objects().variables.end()) return std::nullopt;
  return found->second;
}

void publish_image(uint64_t handle, std::shared_ptr<const ImageObject> object) {
  std::unique_lock lock(objects().mutex);
  objects().by_handle[handle] = std::move(object);
}

void withdraw_image(uint64_t handle) {
  std::unique_lock lock(objects().mutex);
  objects().by_handle.erase(handle);
}

std::shared_ptr<const ImageObject> find_image(uint64_t handle) {
  std::shared_lock lock(objects().mutex);
  const auto found = objects().by_handle.find(handle);
  return found == objects().by_handle.end() ? nullptr : found->second;
}

}  // namespace cucore::cpu
