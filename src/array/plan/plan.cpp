// SPDX-License-Identifier: Apache-2.0
#include "array/plan/plan.hpp"

#include <algorithm>
#include <cassert>

#include "array/model/overlap.hpp"
#include "array/plan/body.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

bool is_write(const Kernel& kernel) {
  return !kernel.outputs.empty() && kernel.outputs[0]->kind == ValueKind::UPDATE;
}

Value& base_of(const Kernel& kernel) { return *kernel.outputs[0]->operands()[0].value; }

bool reads(const Kernel& kernel, const Value& value) {
  return std::any_of(kernel.inputs.begin(), kernel.inputs.end(),
                     [&](const ValueRef& input) { return input.get() == &value; });
}

// Whether each load of the value is of the element that the store writes at the same index.
bool loads_only(const Kernel& kernel, const Value& value, const Access& written) {
  for (const Node& node : kernel.nodes) {
    if (node.kind != NodeKind::LOAD && !reads_anywhere(node)) continue;
    if (kernel.inputs[node.slot].get() != &value) continue;
    if (reads_anywhere(node) || !(node.access == written)) return false;
  }
  return true;
}

// Whether a kernel that writes through `written` changes an element before another index reads it.
bool disturbs(const Kernel& kernel, const Value& value, const Store& store) {
  for (const Node& node : kernel.nodes) {
    if (node.kind != NodeKind::LOAD && !reads_anywhere(node)) continue;
    if (kernel.inputs[node.slot].get() != &value) continue;
    if (reads_anywhere(node) || node.access.inner || !store.arguments.empty()) return true;
    if (node.access == store.access) continue;
    View read = node.access.outer, written = store.access.outer;
    read.part = node.part;
    written.part = store.part;
    if (overlap_of(read, written, PLANNER_WORK) != Overlap::NONE) return true;
  }
  return false;
}

class Planner {
 public:
  Planner(const Cone& cone, const PartitionLimits& limits, const std::vector<const Value*>& stored)
      : cone_(cone), partition_(cone_, limits, stored) {
    find_survivors();
    for (uint32_t group = 0; group < partition_.size(); ++group)
      if (!partition_.group(group).outputs.empty()) add_kernel(group);
  }

  // The source or an index of a write that would read what the same kernel has written. Stored
  // before, it permits the write in place, which memory that others see requires.
  const Value* disturbed_source() const {
    for (const Kernel& kernel : kernels_) {
      if (!is_write(kernel)) continue;
      const Value& base = base_of(kernel);
      if (is_needed_later(base) || !disturbs(kernel, base, kernel.stores[0])) continue;
      const bool seen = base.storage() && base.storage()->pinned();
      const std::vector<Operand>& operands = kernel.outputs[0]->operands();
      for (size_t at = 1; at < (seen ? operands.size() : 2); ++at) {
        const Value* source = operands[at].value.get();
        const bool computed = source && source->is_pending() && !partition_.home(*source);
        if (computed && (seen || source->bytes() < base.bytes())) return source;
      }
    }
    return nullptr;
  }

  Plan plan() {
    after_.resize(kernels_.size());
    for (uint32_t later = 0; later < kernels_.size(); ++later) add_operands(later);
    copies_.resize(kernels_.size());
    for (uint32_t writer = 0; writer < kernels_.size(); ++writer)
      if (is_write(kernels_[writer])) place_write(writer);
    sort();
    return result();
  }

 private:
  void add_kernel(uint32_t group) {
    const auto number = static_cast<uint32_t>(kernels_.size());
    kernels_.push_back(kernel_of(partition_, group));
    for (const ValueRef& output : kernels_.back().outputs) producers_[output->number] = number;
  }

  // Values that stay pending, although kernels compute them: something else needs them later.
  void find_survivors() {
    survives_.resize(cone_.size());
    producers_.assign(cone_.size(), 0);
    for (size_t at = cone_.size(); at-- > 0;) {
      const Value& value = *cone_.values()[at];
      if (partition_.home(value)) continue;
      survives_[at] =
          value.cells() > 0 ||
          std::any_of(value.users().begin(), value.users().end(), [&](const Value* user) {
            return !cone_.contains(*user) || survives_[user->number];
          });
    }
  }

  // Whether a pending value needs the elements after this plan.
  bool is_needed_later(const Value& value) const {
    if (value.cells() > 0) return true;
    if (value.is_pending() && cone_.is_root(value)) return true;
    return std::any_of(value.users().begin(), value.users().end(), [&](const Value* user) {
      return !cone_.contains(*user) || survives_[user->number];
    });
  }

  void add_operands(uint32_t later) {
    const Kernel& kernel = kernels_[later];
    for (const ValueRef& input : kernel.inputs) follow(*input, later);
    if (is_write(kernel)) follow(base_of(kernel), later);
  }
  void follow(const Value& value, uint32_t later) {
    if (value.is_pending() && cone_.contains(value))
      after_[later].push_back(producers_[value.number]);
  }

  bool is_after(uint32_t later, uint32_t earlier) const {
    std::vector<uint32_t> path{later};
    std::vector<bool> seen(kernels_.size());
    while (!path.empty()) {
      const uint32_t next = path.back();
      path.pop_back();
      if (next == earlier) return true;
      if (seen[next]) continue;
      seen[next] = true;
      path.insert(path.end(), after_[next].begin(), after_[next].end());
    }
    return false;
  }

  // The kernels that read the base run first. If one of them needs the written value, or somebody
  // needs the old one later, the write goes into a copy.
  void place_write(uint32_t writer) {
    const Kernel& kernel = kernels_[writer];
    const Value& base = base_of(kernel);
    bool copies = is_needed_later(base) || disturbs(kernel, base, kernel.stores[0]);
    std::vector<uint32_t> readers;
    for (uint32_t other = 0; other < kernels_.size(); ++other) {
      if (other == writer) continue;
      const bool writes_same = is_write(kernels_[other]) && &base_of(kernels_[other]) == &base;
      if (writes_same || reads(kernels_[other], base)) readers.push_back(other);
    }
    copies = copies || std::any_of(readers.begin(), readers.end(),
                                   [&](uint32_t reader) { return is_after(reader, writer); });
    copies_[writer] = copies;
    if (!copies) after_[writer].insert(after_[writer].end(), readers.begin(), readers.end());
  }

  // Each kernel after those that it waits for, otherwise in the order of the recorded operations.
  void sort() {
    std::vector<uint32_t> waiting(kernels_.size());
    std::vector<std::vector<uint32_t>> next(kernels_.size());
    for (uint32_t later = 0; later < kernels_.size(); ++later) {
      auto& earlier = after_[later];
      std::sort(earlier.begin(), earlier.end());
      earlier.erase(std::unique(earlier.begin(), earlier.end()), earlier.end());
      waiting[later] = static_cast<uint32_t>(earlier.size());
      for (const uint32_t each : earlier) next[each].push_back(later);
    }
    const auto is_later = [&](uint32_t a, uint32_t b) {
      return kernels_[a].outputs[0]->number > kernels_[b].outputs[0]->number;
    };
    std::vector<uint32_t> free;
    for (uint32_t kernel = 0; kernel < kernels_.size(); ++kernel)
      if (waiting[kernel] == 0) free.push_back(kernel);
    while (!free.empty()) {
      std::pop_heap(free.begin(), (std::make_heap(free.begin(), free.end(), is_later), free.end()),
                    is_later);
      const uint32_t kernel = free.back();
      free.pop_back();
      order_.push_back(kernel);
      for (const uint32_t later : next[kernel])
        if (--waiting[later] == 0) free.push_back(later);
    }
    assert(order_.size() == kernels_.size());
  }

  Plan result() {
    find_last_uses();
    Plan plan;
    for (size_t at = 0; at < order_.size(); ++at) {
      Step step{.kernel = std::move(kernels_[order_[at]]), .outputs = {}, .members = {}};
      for (size_t slot = 0; slot < step.kernel.outputs.size(); ++slot)
        step.outputs.push_back(output(step.kernel, slot, at));
      plan.steps.push_back(std::move(step));
    }
    for (const ValueRef& value : cone_.values()) {
      if (partition_.home(*value)) continue;
      if (value->cells() > 0) plan.computed.push_back(value);
      if (!plan.steps.empty()) plan.steps.back().members.push_back(value);
    }
    return plan;
  }

  struct LastUse {
    const Value* value;
    size_t step;
  };

  void find_last_uses() {
    for (size_t at = 0; at < order_.size(); ++at) {
      const Kernel& kernel = kernels_[order_[at]];
      for (const ValueRef& input : kernel.inputs) use(*input, at);
      if (is_write(kernel)) use(base_of(kernel), at);
    }
  }
  void use(const Value& value, size_t at) {
    for (LastUse& each : last_uses_)
      if (each.value == &value) {
        each.step = at;
        return;
      }
    last_uses_.push_back({&value, at});
  }
  size_t last_use(const Value& value) const {
    for (const LastUse& each : last_uses_)
      if (each.value == &value) return each.step;
    return 0;
  }

  Output output(const Kernel& kernel, size_t slot, size_t at) {
    const ValueRef& value = kernel.outputs[slot];
    if (value->kind == ValueKind::UPDATE)
      return {.value = value,
              .memory = copies_[order_[at]] ? Memory::COPIED : Memory::IN_PLACE,
              .from = value->operands()[0].value};
    const auto taken =
        std::find_if(kernel.inputs.begin(), kernel.inputs.end(),
                     [&](const ValueRef& input) { return can_take(kernel, slot, *input, at); });
    if (taken == kernel.inputs.end()) return {.value = value};
    taken_.push_back(taken->get());
    return {.value = value, .memory = Memory::TAKEN, .from = *taken};
  }

  // The last reader of a value may write over it, if each index reads the element that it writes.
  bool can_take(const Kernel& kernel, size_t slot, const Value& input, size_t at) const {
    const Value& value = *kernel.outputs[slot];
    const bool elementwise =
        kernel.family == KernelFamily::MAP || kernel.family == KernelFamily::ROWS;
    if (!elementwise || value.kind == ValueKind::REDUCE || input.count != value.count ||
        input.bytes() != value.bytes() || input.count == 0)
      return false;
    if (std::find(taken_.begin(), taken_.end(), &input) != taken_.end()) return false;
    if (last_use(input) != at || is_needed_later(input)) return false;
    if (input.storage() && input.storage()->pinned()) return false;
    const auto store = std::find_if(kernel.stores.begin(), kernel.stores.end(),
                                    [&](const Store& each) { return each.slot == slot; });
    return store != kernel.stores.end() && loads_only(kernel, input, store->access);
  }

  const Cone& cone_;
  const Partition partition_;
  std::vector<Kernel> kernels_;
  std::vector<uint32_t> producers_;           // by value
  std::vector<bool> survives_;                // by value
  std::vector<std::vector<uint32_t>> after_;  // the kernels that a kernel waits for
  std::vector<bool> copies_;
  std::vector<uint32_t> order_;
  std::vector<LastUse> last_uses_;
  std::vector<const Value*> taken_;
};

}  // namespace

Plan plan_of(const Cone& cone, const PartitionLimits& limits) {
  std::vector<const Value*> stored;
  while (true) {
    Planner planner(cone, limits, stored);
    const Value* source = planner.disturbed_source();
    if (!source) return planner.plan();
    stored.push_back(source);
  }
}

}  // namespace cucore::array
