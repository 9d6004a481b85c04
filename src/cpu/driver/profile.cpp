// SPDX-License-Identifier: Apache-2.0
// Expands profiles.inc and derives values for occupancy and the executor.
#include "cpu/driver/profile.hpp"

namespace cucore::cpu {
namespace {

struct Row {
  CUdevice_attribute attribute;
  int values[5];
};

constexpr Row ROWS[] = {
#define ATTRIBUTE(name, a, b, c, d, e) {CU_DEVICE_ATTRIBUTE_##name, {a, b, c, d, e}},
#define SAME(name, v) ATTRIBUTE(name, v, v, v, v, v)
#include "cpu/driver/profiles.inc"
#undef ATTRIBUTE
#undef SAME
};

// CUDA 13 removed number 96, cooperative launches over several devices, from cuda.h. Older programs
// still query it.
constexpr size_t COOPERATIVE_MULTI_DEVICE = 96;

}  // namespace

Profile::Profile(std::string_view name, int sm, size_t column) : name_(name), sm_(sm) {
  for (const Row& row : ROWS) values_[row.attribute] = row.values[column];
  values_[COOPERATIVE_MULTI_DEVICE] = 0;
  Multiprocessor& m = multiprocessor_;
  m.warps = value(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / 32;
  m.blocks = value(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  m.registers = value(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  m.shared = value(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  m.reserved_shared = value(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  m.shared_unit = sm == 75 ? 256 : 128;
  if (sm >= 90) {
    m.max_cluster = 8;
    m.max_cluster_non_portable = 16;
    m.gpc = 16;
  }
}

std::optional<int> Profile::attribute(CUdevice_attribute which) const {
  return which > 0 && which < CU_DEVICE_ATTRIBUTE_MAX ? values_[which] : std::nullopt;
}

DeviceLimits Profile::limits() const {
  DeviceLimits l;
  auto get = [this](CUdevice_attribute a) { return static_cast<unsigned>(value(a)); };
  l.sm = sm_;
  l.sm_count = get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  l.max_threads_per_block = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  l.max_shared_per_block = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  l.max_shared_per_block_optin = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  return l;
}

const Profile* find_profile(std::string_view name) {
  static const auto& profiles = *new std::array<Profile, 5>{
      Profile("sm_75", 75, 0), Profile("sm_80", 80, 1), Profile("sm_89", 89, 2),
      Profile("sm_90", 90, 3), Profile("sm_100", 100, 4)};
  for (const Profile& profile : profiles)
    if (profile.name() == name) return &profile;
  return nullptr;
}

}  // namespace cucore::cpu
