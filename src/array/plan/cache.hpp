// SPDX-License-Identifier: Apache-2.0
// The plans of earlier evaluations. A loop records the same operations again and again: its plan is
// made once, and filled with the values of each evaluation.
#pragma once

#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "array/plan/cone_key.hpp"
#include "array/plan/plan.hpp"

namespace cucore::array {

// A plan, and its places for values, constants and details, each with the number of what belongs
// there. Values are numbered as in the cone, and leaves after them.
class KnownPlan {
 public:
  KnownPlan(Plan plan, const Cone& cone, const ConeKey& key);
  KnownPlan(const KnownPlan&) = delete;
  KnownPlan& operator=(const KnownPlan&) = delete;

  // The places are filled until this object ends.
  class Use {
   public:
    Use(KnownPlan& known, const Cone& cone, const ConeKey& key);
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use();
    Plan& plan() const noexcept { return known_.plan_; }

   private:
    KnownPlan& known_;
  };

 private:
  template <class T>
  struct Slot {
    T* place;
    uint32_t number;
  };
  void add_step(Step& step, const Cone& cone, const ConeKey& key);
  void add_details(Kernel& kernel, const Cone& cone);
  void add_value(ValueRef& place, const Cone& cone);

  Plan plan_;
  std::vector<Slot<ValueRef>> values_;
  std::vector<Slot<Constant>> constants_;
  std::vector<Slot<const MapDetail*>> maps_;
  std::vector<Slot<const std::vector<IndexDetail>*>> indices_;
};

class PlanCache {
 public:
  static constexpr size_t CAPACITY = 1024;
  explicit PlanCache(size_t capacity = CAPACITY) : capacity_(capacity) {}

  // The plan, which a new one replaces if none is known. The least recently used one is dropped if
  // there are too many. Valid until the next call.
  KnownPlan& find(const Cone& cone, const ConeKey& key, const PartitionLimits& limits);

  void clear() noexcept;  // while no plan is in use

  uint64_t planned() const noexcept { return planned_; }
  size_t size() const noexcept { return plans_.size(); }

 private:
  struct Entry {
    Entry(Plan made, const Cone& cone, const ConeKey& key)
        : key(key.bytes()), plan(std::move(made), cone, key) {}
    const std::string key;
    KnownPlan plan;
  };
  const size_t capacity_;
  std::list<Entry> plans_;  // the latest first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_key_;
  uint64_t planned_ = 0;
};

}  // namespace cucore::array
