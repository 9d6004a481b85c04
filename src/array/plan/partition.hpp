// SPDX-License-Identifier: Apache-2.0
// Which values one kernel computes together.
//
// The values of a cone are visited from the last users to the first operands. A value is computed
// inside the kernel of its users, or it is stored by a kernel of its own, which becomes a group.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "array/plan/cone.hpp"
#include "array/plan/kernel.hpp"

namespace cucore::array {

struct PartitionLimits {
  bool fuse = true;  // false: a kernel per value
  uint32_t arrays = 24, constants = 32, nodes = 96, weight = 600, outputs = 8;
  uint32_t cheap_weight = 8, cheap_arrays = 2;  // of a value that may be computed twice
  int64_t small_bytes = 64 << 10;               // kernels that move fewer bytes are joined
  int64_t row_bytes = 128 << 10;                // of a row that a block keeps
};

// The space of a kernel, as in Kernel.
struct Space {
  KernelFamily family = KernelFamily::MAP;
  Dims outer = {}, inner = {};
  size_t columns = 0;

  friend bool operator==(const Space&, const Space&) = default;
};

struct Load {
  Value* value;
  Access access;
};

struct Group {
  Space space;
  std::vector<Value*> outputs = {};  // what the kernel stores
  std::vector<Load> loads = {};      // of values that have memory before the kernel runs
  uint32_t nodes = 0, weight = 0, constants = 0;
};

// A kernel needs a value at this access. Before a reduction, it needs one per element.
struct Place {
  uint32_t group;
  Access access;
  bool before_reduction = false;
};

class Partition {
 public:
  // `stored` are values that kernels of their own store.
  Partition(const Cone& cone, const PartitionLimits& limits,
            const std::vector<const Value*>& stored = {});

  // The number of groups. Those that were joined with others have no outputs.
  size_t size() const noexcept { return groups_.size(); }
  const Group& group(uint32_t number) const noexcept { return groups_[number]; }
  // The group that stores the value; nothing if it is computed inside other kernels alone.
  std::optional<uint32_t> home(const Value& value) const noexcept;
  // The access by which the group finds the elements that it stores: each index of its space, or
  // each row, has one.
  Access output_access(const Value& value) const;

 private:
  static constexpr uint32_t NONE = ~uint32_t{0};
  struct Cost {
    uint32_t weight = 0, arrays = 0;  // of the value with everything that is computed inside it
  };

  void add_costs();
  bool must_be_stored(const Value& value) const;
  bool is_only_reduced(const Value& value) const;
  void visit(Value& value);
  void store(Value& value);
  bool is_inlined(Value& value);
  bool is_joined(Value& value);
  bool is_cheap(const Value& value) const;

  std::vector<Place>& current_places(const Value& value);
  std::optional<uint32_t> single_group(const std::vector<Place>& places);
  bool fits(const Value& value, const std::vector<Place>& places) const;
  std::optional<Access> access_in(const Value& value, size_t operand, const Place& place) const;
  bool can_enter(const Value& value, const std::vector<Place>& places) const;
  void enter(Value& value, const Place& place);
  void need(const Value& user, size_t operand, Place place);
  void add_load(Group& group, Value& value, const Access& access);

  std::optional<Space> space_with(const Value& value, const std::vector<Place>& places) const;
  bool writes_through_indices(const Place& place) const;
  bool takes_reduction(const Value& value, const std::vector<Place>& places);
  bool merge(uint32_t a, uint32_t b);
  bool depends(uint32_t later, uint32_t earlier) const;
  void join_siblings();
  uint32_t find(uint32_t group) const noexcept;

  const Cone& cone_;
  const PartitionLimits limits_;
  std::vector<Group> groups_;
  std::vector<uint32_t> joined_;  // the group that took this one over, or itself
  // By the numbers of the values:
  std::vector<std::vector<Place>> places_;
  std::vector<bool> must_store_;
  std::vector<uint32_t> homes_;
  std::vector<Cost> costs_;
};

// Whether the value needs rows of its operand.
bool has_inner_space(const Value& value) noexcept;
// The space of the kernel of one value alone.
Space space_of(const Value& value);
// Of a write in its space: where it goes, and which elements of its operands it needs.
Access written_memory(const Value& value);
Access written_elements(const Value& value);
// The place of operand 0 of a reduction or scan, for an access of its space: outer axes, then the
// run.
Access operand_access(const Value& value);
// The place of an operand of a reduction or scan, for an access of the kernel that finds the
// result.
std::optional<Access> element_access(const Value& value, size_t operand, const Space& space,
                                     const Access& access);
// Adds the inner axes, if the access does not have them.
Access extended_to(Access access, const Space& space);
// The space of two kernels together; nothing if they do not fit.
std::optional<Space> common_space(const Space& a, const Space& b);

}  // namespace cucore::array
