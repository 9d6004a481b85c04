// SPDX-License-Identifier: Apache-2.0
// Advice about managed memory, and its attributes.
#include "cpu/driver/memory_advice.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "cpu/driver/failure.hpp"
#include "cpu/driver/process.hpp"

namespace cucore::cpu {
namespace {

using Location = std::pair<int, int>;  // type and id
constexpr Location NOWHERE{CU_MEM_LOCATION_TYPE_INVALID, CU_DEVICE_INVALID};

Location pair_of(const CUmemLocation& l) {
  const bool is_numbered =
      l.type == CU_MEM_LOCATION_TYPE_DEVICE || l.type == CU_MEM_LOCATION_TYPE_HOST_NUMA;
  if (l.type == CU_MEM_LOCATION_TYPE_INVALID) return NOWHERE;
  return {l.type, is_numbered ? l.id : 0};
}

int device_number(const Location& location) {
  if (location.first == CU_MEM_LOCATION_TYPE_DEVICE) return location.second;
  return location.first == CU_MEM_LOCATION_TYPE_INVALID ? CU_DEVICE_INVALID : CU_DEVICE_CPU;
}

// A value that not all parts have counts as none.
template <class F>
Location common_location(const AdviceMap& map, uint64_t first, uint64_t end, F member) {
  std::optional<Location> common;
  bool same = true;
  map.visit(first, end, [&](const Advice& a) {
    const Location here = pair_of(member(a));
    same = same && common.value_or(here) == here;
    common = here;
  });
  return same && common ? *common : NOWHERE;
}

void write_accessed_by(const AdviceMap& map, uint64_t first, uint64_t end, void* data,
                       size_t size) {
  uint64_t devices = ~uint64_t{0};
  bool host = true;
  map.visit(first, end, [&](const Advice& a) {
    devices &= a.accessed_by;
    host = host && a.accessed_by_host;
  });
  std::vector<int> list;
  if (host) list.push_back(CU_DEVICE_CPU);
  for (int i = 0; i < 64; ++i)
    if (devices >> i & 1) list.push_back(i);
  list.resize(size / sizeof(int), CU_DEVICE_INVALID);
  std::memcpy(data, list.data(), size);
}

int number_of(const AdviceMap& map, uint64_t first, uint64_t end, CUmem_range_attribute which) {
  const auto preferred = [&] {
    return common_location(map, first, end, [](const Advice& a) { return a.preferred; });
  };
  const auto prefetched = [&] {
    return common_location(map, first, end, [](const Advice& a) { return a.prefetched; });
  };
  bool read_mostly = true;
  switch (which) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
      map.visit(first, end, [&](const Advice& a) { read_mostly = read_mostly && a.read_mostly; });
      return read_mostly;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
      return device_number(preferred());
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
      return device_number(prefetched());
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
      return preferred().first;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
      return preferred().second;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
      return prefetched().first;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
      return prefetched().second;
    default:
      fail(CUDA_ERROR_INVALID_VALUE);
  }
}

}  // namespace

void AdviceMap::split(uint64_t at) {
  const Advice before = std::prev(parts_.upper_bound(at))->second;
  parts_.emplace(at, before);
}

void check_location(const CUmemLocation& location) {
  require(location.type > CU_MEM_LOCATION_TYPE_INVALID &&
          location.type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT);
  if (location.type == CU_MEM_LOCATION_TYPE_DEVICE) find_device(location.id);
}

CUmemLocation location_of(CUdevice device) {
  CUmemLocation location{};
  location.type = device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
  location.id = device == CU_DEVICE_CPU ? 0 : device;
  return location;
}

void apply_advice(Advice& advice, CUmem_advise which, const CUmemLocation& location) {
  const bool on_device = location.type == CU_MEM_LOCATION_TYPE_DEVICE;
  const uint64_t bit = on_device ? uint64_t{1} << (location.id & 63) : 0;
  switch (which) {
    case CU_MEM_ADVISE_SET_READ_MOSTLY:
    case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
      advice.read_mostly = which == CU_MEM_ADVISE_SET_READ_MOSTLY;
      return;
    case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
      advice.preferred = location;
      return;
    case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
      advice.preferred = {};
      return;
    case CU_MEM_ADVISE_SET_ACCESSED_BY:
      advice.accessed_by |= bit;
      advice.accessed_by_host |= !on_device;
      return;
    default:
      advice.accessed_by &= ~bit;
      advice.accessed_by_host &= on_device;
  }
}

void read_advice(const AdviceMap& map, uint64_t first, uint64_t end, CUmem_range_attribute which,
                 void* data, size_t size) {
  if (which == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY) {
    require(size > 0 && size % sizeof(int) == 0);
    return write_accessed_by(map, first, end, data, size);
  }
  require(size == sizeof(int));
  const int value = number_of(map, first, end, which);
  std::memcpy(data, &value, sizeof value);
}

}  // namespace cucore::cpu
