// SPDX-License-Identifier: Apache-2.0
#include "array/plan/partition.hpp"

#include <algorithm>

namespace cucore::array {
namespace {

// Kinds that are computed element by element, wherever the element is needed.
bool is_elementwise(const Value& value) {
  return value.kind == ValueKind::MAP || value.kind == ValueKind::POSITION ||
         value.kind == ValueKind::GATHER || value.kind == ValueKind::SEARCH;
}

// Kinds whose kernel stores nothing else.
bool is_alone(const Value& value) {
  return value.kind == ValueKind::UPDATE || value.kind == ValueKind::EMPTY ||
         value.kind == ValueKind::SORT || value.kind == ValueKind::MATMUL;
}

uint32_t weight_of(const Value& value) {
  constexpr uint32_t INDEXED = 4, SEARCHED = 30;
  if (value.kind == ValueKind::GATHER) return INDEXED;
  if (value.kind == ValueKind::SEARCH) return SEARCHED;
  return value.kind == ValueKind::MAP && value.map.op ? value.map.op->weight : 1;
}

// The base of indices and of a write is memory, and so are factors.
bool must_be_memory(const Value& user, size_t operand) {
  if (user.kind == ValueKind::MATMUL) return true;
  return operand == 0 && (user.kind == ValueKind::GATHER || user.kind == ValueKind::SEARCH ||
                          user.kind == ValueKind::UPDATE);
}

}  // namespace

bool has_inner_space(const Value& value) noexcept {
  return value.kind == ValueKind::REDUCE || value.kind == ValueKind::SCAN ||
         value.kind == ValueKind::SORT;
}

Partition::Partition(const Cone& cone, const PartitionLimits& limits,
                     const std::vector<const Value*>& stored)
    : cone_(cone),
      limits_(limits),
      places_(cone.size()),
      must_store_(cone.size()),
      homes_(cone.size(), NONE),
      costs_(cone.size()) {
  for (const Value* value : stored) must_store_[value->number] = true;
  add_costs();
  for (size_t at = cone.size(); at-- > 0;) visit(*cone.values()[at]);
  if (limits.fuse) join_siblings();
}

void Partition::add_costs() {
  constexpr uint32_t MANY = 1 << 20;
  for (const ValueRef& value : cone_.values()) {
    Cost& cost = costs_[value->number];
    cost.weight = weight_of(*value);
    for (const Operand& operand : value->operands()) {
      if (operand.is_constant()) continue;
      const bool inside = operand.value->is_pending() && is_elementwise(*operand.value);
      cost.arrays += inside ? costs_[operand.value->number].arrays : 1;
      if (inside) cost.weight += costs_[operand.value->number].weight;
    }
    cost.weight = std::min(cost.weight, MANY);
    cost.arrays = std::min(cost.arrays, MANY);
  }
}

std::optional<uint32_t> Partition::home(const Value& value) const noexcept {
  if (homes_[value.number] == NONE) return {};
  return find(homes_[value.number]);
}

Access Partition::output_access(const Value& value) const {
  const Group& group = groups_[*home(value)];
  if (value.kind == ValueKind::UPDATE) return written_memory(value);
  for (const Place& place : places_[value.number])
    if (find(place.group) == *home(value)) return extended_to(place.access, group.space);
  if (value.kind != ValueKind::SCAN && value.kind != ValueKind::SORT)
    return extended_to(
        identity_access(value.kind == ValueKind::REDUCE ? group.space.outer : value.shape),
        group.space);
  return operand_access(value);
}

uint32_t Partition::find(uint32_t group) const noexcept {
  while (joined_[group] != group) group = joined_[group];
  return group;
}

// A value that a variable names is computed again at most once.
bool Partition::must_be_stored(const Value& value) const {
  if (cone_.is_root(value) || must_store_[value.number]) return true;
  if (!is_elementwise(value) && value.kind != ValueKind::REDUCE) return true;
  return value.cells() > 0 && (value.computed_before || is_only_reduced(value));
}

// Loops that test for convergence need a value and its reduction. A kernel that stores nothing per
// element stores the value too.
bool Partition::is_only_reduced(const Value& value) const {
  if (value.kind == ValueKind::POSITION) return false;
  const std::vector<Place>& places = places_[value.number];
  return std::any_of(places.begin(), places.end(), [&](const Place& place) {
    const Group& group = groups_[find(place.group)];
    const int64_t rows = count_of(group.space.outer);
    return place.before_reduction &&
           std::all_of(group.outputs.begin(), group.outputs.end(),
                       [&](const Value* output) { return output->count == rows; });
  });
}

void Partition::visit(Value& value) {
  const bool stored = must_be_stored(value);
  if (!stored && places_[value.number].empty()) return;
  if (!stored && is_inlined(value)) return;
  // A kernel cannot read memory at any place that it writes itself.
  if (limits_.fuse && !must_store_[value.number] && is_joined(value)) return;
  store(value);
}

// The places with the groups and the axes as they are now, each once.
std::vector<Place>& Partition::current_places(const Value& value) {
  std::vector<Place>& places = places_[value.number];
  std::vector<Place> distinct;
  for (Place& place : places) {
    place.group = find(place.group);
    place.access = extended_to(std::move(place.access), groups_[place.group].space);
    const auto same = std::find_if(distinct.begin(), distinct.end(), [&](const Place& other) {
      return other.group == place.group && other.access == place.access;
    });
    if (same == distinct.end())
      distinct.push_back(std::move(place));
    else
      same->before_reduction |= place.before_reduction;
  }
  places = std::move(distinct);
  return places;
}

// The group of all places. Groups that need the same value become one where that is possible.
std::optional<uint32_t> Partition::single_group(const std::vector<Place>& places) {
  if (places.empty()) return {};
  for (const Place& place : places)
    if (find(place.group) != find(places[0].group) && !merge(places[0].group, place.group))
      return {};
  return find(places[0].group);
}

bool Partition::is_cheap(const Value& value) const {
  const Cost& cost = costs_[value.number];
  return cost.weight <= limits_.cheap_weight && cost.arrays <= limits_.cheap_arrays;
}

bool Partition::fits(const Value& value, const std::vector<Place>& places) const {
  return std::all_of(places.begin(), places.end(), [&](const Place& place) {
    const Group& group = groups_[place.group];
    return group.nodes + value.operands().size() < limits_.nodes &&
           group.weight + weight_of(value) <= limits_.weight &&
           group.constants + value.operands().size() <= limits_.constants &&
           group.loads.size() + value.operands().size() <= limits_.arrays;
  });
}

std::optional<Access> Partition::access_in(const Value& value, size_t operand,
                                           const Place& place) const {
  return composed(place.access, value.operands()[operand].view);
}

bool Partition::can_enter(const Value& value, const std::vector<Place>& places) const {
  for (const Place& place : places)
    for (size_t at = 0; at < value.operands().size(); ++at)
      if (!value.operands()[at].is_constant() && !access_in(value, at, place)) return false;
  return true;
}

bool Partition::is_inlined(Value& value) {
  if (!limits_.fuse && value.kind != ValueKind::POSITION) return false;
  std::vector<Place>& places = current_places(value);
  if (value.kind == ValueKind::REDUCE) {
    if (!single_group(places) || !takes_reduction(value, current_places(value))) return false;
    for (const Place& place : std::vector<Place>(current_places(value))) enter(value, place);
    return true;
  }
  if (!is_cheap(value) && !single_group(places)) return false;
  current_places(value);
  if (places.size() > 1 && !is_cheap(value)) return false;
  if (!fits(value, places) || !can_enter(value, places)) return false;
  for (const Place& place : std::vector<Place>(places)) enter(value, place);
  return true;
}

// A stored value is stored by the kernel of its only users, if this visits its elements in order.
bool Partition::is_joined(Value& value) {
  const auto number = single_group(current_places(value));
  if (!number) return false;
  const std::vector<Place>& places = current_places(value);
  if (places.size() != 1 || places[0].access.inner || !fits(value, places)) return false;
  Group& group = groups_[*number];
  if (group.outputs.size() >= limits_.outputs || is_alone(*group.outputs[0])) return false;
  if (value.kind == ValueKind::REDUCE) {
    if (!takes_reduction(value, places)) return false;
    enter(value, Place(current_places(value)[0]));
  } else {
    if (!is_elementwise(value) || !is_identity(places[0].access.outer, value.count)) return false;
    if (!can_enter(value, places)) return false;
    enter(value, Place(places[0]));
  }
  homes_[value.number] = *number;
  group.outputs.push_back(&value);
  return true;
}

void Partition::store(Value& value) {
  const auto number = static_cast<uint32_t>(groups_.size());
  for (const Place& place : current_places(value))
    add_load(groups_[place.group], value, place.access);
  groups_.push_back({.space = space_of(value), .outputs = {&value}});
  joined_.push_back(number);
  homes_[value.number] = number;
  const Space& space = groups_[number].space;
  if (value.kind == ValueKind::UPDATE)
    enter(value, {.group = number, .access = written_elements(value)});
  else if (value.kind == ValueKind::EMPTY)
    enter(value, {.group = number, .access = identity_access(space.outer)});
  else if (has_inner_space(value))
    enter(value, {.group = number, .access = extended(identity_access(space.outer), space.inner)});
  else
    enter(value, {.group = number, .access = identity_access(value.shape)});
}

void Partition::enter(Value& value, const Place& place) {
  Group& group = groups_[place.group];
  ++group.nodes;
  group.weight += weight_of(value);
  for (size_t at = 0; at < value.operands().size(); ++at) {
    if (value.operands()[at].is_constant())
      ++group.constants;
    else
      need(value, at, place);
  }
}

void Partition::need(const Value& user, size_t operand, Place place) {
  Value& value = *user.operands()[operand].value;
  const View& view = user.operands()[operand].view;
  if (has_inner_space(user)) {
    place.access = *element_access(user, operand, groups_[place.group].space, place.access);
    place.before_reduction = true;
  } else if (user.kind == ValueKind::MATMUL) {
    place.access = {.outer = view};
  } else if (user.kind == ValueKind::UPDATE && operand == 0) {
    place.access = identity_access(view.shape);
  } else {
    place.access = *composed(place.access, view);
  }
  if (!value.is_pending()) return add_load(groups_[place.group], value, place.access);
  if (must_be_memory(user, operand)) must_store_[value.number] = true;
  places_[value.number].push_back(std::move(place));
}

void Partition::add_load(Group& group, Value& value, const Access& access) {
  for (const Load& load : group.loads)
    if (load.value == &value && load.access == access) return;
  group.loads.push_back({&value, access});
}

// ---- groups

bool Partition::depends(uint32_t later, uint32_t earlier) const {
  std::vector<uint32_t> path{later};
  std::vector<bool> seen(groups_.size());
  while (!path.empty()) {
    const uint32_t next = path.back();
    path.pop_back();
    for (const Load& load : groups_[next].loads) {
      if (!load.value->is_pending()) continue;
      const auto from = home(*load.value);
      if (!from || *from == next || seen[*from]) continue;
      if (*from == earlier) return true;
      seen[*from] = true;
      path.push_back(*from);
    }
  }
  return false;
}

bool Partition::merge(uint32_t a, uint32_t b) {
  a = find(a);
  b = find(b);
  if (a == b) return true;
  Group& into = groups_[a];
  Group& from = groups_[b];
  const auto space = common_space(into.space, from.space);
  if (!space || is_alone(*into.outputs[0]) || is_alone(*from.outputs[0])) return false;
  if (into.outputs.size() + from.outputs.size() > limits_.outputs ||
      into.nodes + from.nodes > limits_.nodes || into.weight + from.weight > limits_.weight ||
      into.constants + from.constants > limits_.constants ||
      into.loads.size() + from.loads.size() > limits_.arrays)
    return false;
  if (depends(a, b) || depends(b, a)) return false;
  into.space = *space;
  for (Value* output : from.outputs) into.outputs.push_back(output);
  for (const Load& load : from.loads) add_load(into, *load.value, load.access);
  into.nodes += from.nodes;
  into.weight += from.weight;
  into.constants += from.constants;
  from.outputs.clear();
  from.loads.clear();
  joined_[b] = a;
  return true;
}

void Partition::join_siblings() {
  const auto bytes = [](const Group& group) {
    int64_t sum = 0;
    for (const Value* output : group.outputs) sum += output->bytes();
    for (const Load& load : group.loads) sum += load.value->bytes();
    return sum;
  };
  const auto shares = [](const Group& a, const Group& b) {
    return std::any_of(a.loads.begin(), a.loads.end(), [&](const Load& one) {
      return std::any_of(b.loads.begin(), b.loads.end(),
                         [&](const Load& other) { return one.value == other.value; });
    });
  };
  for (uint32_t a = 0; a < groups_.size(); ++a) {
    for (uint32_t b = a + 1; b < groups_.size(); ++b) {
      const Group &one = groups_[a], &other = groups_[b];
      if (one.outputs.empty() || other.outputs.empty() || !common_space(one.space, other.space))
        continue;
      const bool small = bytes(one) < limits_.small_bytes && bytes(other) < limits_.small_bytes;
      if (small || shares(one, other)) merge(a, b);
    }
  }
}

}  // namespace cucore::array
