// SPDX-License-Identifier: Apache-2.0
#include "array/plan/cache.hpp"

namespace cucore::array {
namespace {

// The number of the value with this detail.
template <class T>
uint32_t owner_of(const T* detail, T Value::*member, const Cone& cone) {
  uint32_t number = 0;
  while (&(*cone.values()[number].*member) != detail) ++number;
  return number;
}

}  // namespace

KnownPlan::KnownPlan(Plan plan, const Cone& cone, const ConeKey& key) : plan_(std::move(plan)) {
  for (Step& step : plan_.steps) add_step(step, cone, key);
  for (ValueRef& value : plan_.computed) add_value(value, cone);
  for (const auto& slot : values_) *slot.place = nullptr;
}

void KnownPlan::add_step(Step& step, const Cone& cone, const ConeKey& key) {
  for (ValueRef& value : step.kernel.inputs) add_value(value, cone);
  for (ValueRef& value : step.kernel.outputs) add_value(value, cone);
  for (Output& output : step.outputs) {
    add_value(output.value, cone);
    if (output.from) add_value(output.from, cone);
  }
  for (ValueRef& value : step.members) add_value(value, cone);
  for (Constant& constant : step.kernel.constants)
    constants_.push_back({&constant, static_cast<uint32_t>(key.constant_number(constant))});
  add_details(step.kernel, cone);
}

void KnownPlan::add_details(Kernel& kernel, const Cone& cone) {
  for (Node& node : kernel.nodes) {
    if (node.map) maps_.push_back({&node.map, owner_of(node.map, &Value::map, cone)});
    if (node.indices)
      indices_.push_back({&node.indices, owner_of(node.indices, &Value::indices, cone)});
  }
  for (Store& store : kernel.stores)
    if (store.indices)
      indices_.push_back({&store.indices, owner_of(store.indices, &Value::indices, cone)});
}

void KnownPlan::add_value(ValueRef& place, const Cone& cone) {
  const bool computed = place->is_pending();
  const size_t number = computed ? place->number : cone.size() + place->number;
  values_.push_back({&place, static_cast<uint32_t>(number)});
}

KnownPlan::Use::Use(KnownPlan& known, const Cone& cone, const ConeKey& key) : known_(known) {
  const auto value = [&](uint32_t number) -> Value* {
    return number < cone.size() ? cone.values()[number].get() : key.leaves[number - cone.size()];
  };
  for (const auto& slot : known.values_) *slot.place = ValueRef(value(slot.number));
  for (const auto& slot : known.constants_) *slot.place = *key.constants[slot.number];
  for (const auto& slot : known.maps_) *slot.place = &value(slot.number)->map;
  for (const auto& slot : known.indices_) *slot.place = &value(slot.number)->indices;
}

// The details end with their values.
KnownPlan::Use::~Use() {
  for (const auto& slot : known_.maps_) *slot.place = nullptr;
  for (const auto& slot : known_.indices_) *slot.place = nullptr;
  for (const auto& slot : known_.values_) *slot.place = nullptr;
}

void PlanCache::clear() noexcept {
  by_key_.clear();
  plans_.clear();
}

KnownPlan& PlanCache::find(const Cone& cone, const ConeKey& key, const PartitionLimits& limits) {
  if (const auto found = by_key_.find(key.bytes()); found != by_key_.end()) {
    plans_.splice(plans_.begin(), plans_, found->second);
    return found->second->plan;
  }
  plans_.emplace_front(plan_of(cone, limits), cone, key);
  by_key_.emplace(plans_.front().key, plans_.begin());
  ++planned_;
  if (plans_.size() > capacity_) {
    by_key_.erase(plans_.back().key);
    plans_.pop_back();
  }
  return plans_.front().plan;
}

}  // namespace cucore::array
