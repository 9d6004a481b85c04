// SPDX-License-Identifier: Apache-2.0
// The evaluation of pending values: when it begins, and what it launches.
#include <algorithm>

#include "array/plan/traffic.hpp"
#include "array/run/context.hpp"
#include "array/run/machine.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

// Memory that is not allocated yet will be aligned as every allocation.
constexpr uint64_t ALIGNED = 256;

// The addresses that the step will have, as far as they are known.
Addresses addresses_of(const Step& step) {
  Addresses addresses;
  const auto address = [](const Value& value) {
    return value.storage() ? static_cast<const DeviceStorage&>(*value.storage()).address()
                           : ALIGNED;
  };
  for (const ValueRef& input : step.kernel.inputs) addresses.inputs.push_back(address(*input));
  for (const Output& output : step.outputs)
    addresses.outputs.push_back(
        output.from && output.memory != Memory::COPIED ? address(*output.from) : ALIGNED);
  return addresses;
}

bool has_work(const Step& step) { return !step.kernel.stores.empty() && step.kernel.rows() > 0; }

}  // namespace

void Context::preview(std::span<const Ref<Cell>> cells,
                      const std::function<void(const Preview&)>& visit) {
  const Lock lock(*this);
  std::vector<Value*> roots;
  for (const Ref<Cell>& cell : cells) roots.push_back(&cell->current());
  const Cone cone(graph_, roots);
  const Plan plan = plan_of(cone, {.fuse = settings_.policy == Policy::LAZY});
  Preview preview{.plan = plan, .results = roots, .codes = {}};
  for (const Step& step : plan.steps) {
    Preview::Code code;
    if (has_work(step)) {
      code.addresses = addresses_of(step);
      code.variant = variant_of(step.kernel, target(), code.addresses);
      const std::string key = key_of(step.kernel, target(), code.addresses);
      code.is_compiled = kernels_.has(key);
      code.registers = kernels_.registers(key);
    }
    preview.codes.push_back(std::move(code));
  }
  visit(preview);
}

std::vector<Context::Missing> Context::missing_of(const Plan& plan) {
  std::vector<Missing> missing;
  for (const Step& step : plan.steps) {
    if (!has_work(step)) continue;
    const Addresses addresses = addresses_of(step);
    PreparedForm& form =
        PreparedKernel::of(step.kernel).form(step.kernel, kernels_.target(), addresses);
    if (kernels_.find(form)) continue;
    missing.push_back({form.key, code_of(step.kernel, kernels_.target(), addresses)});
  }
  return missing;
}

std::vector<Context::Missing> Context::launch(std::span<const Ref<Cell>> cells) {
  const Lock lock(*this);
  std::vector<Value*> roots;
  for (const Ref<Cell>& cell : cells)
    if (cell->current().is_pending()) roots.push_back(&cell->current());
  if (roots.empty()) return {};
  const PartitionLimits limits{.fuse = settings_.policy == Policy::LAZY};
  const Cone cone(graph_, roots);
  const ConeKey key(graph_, cone, limits);
  const KnownPlan::Use use(plans_.find(cone, key, limits), cone, key);
  Plan& plan = use.plan();
  std::vector<Missing> missing = missing_of(plan);
  if (!missing.empty()) return missing;
  statistics_.recomputed += plan.computed.size();
  statistics_.temporary_bytes += temporaries_of(plan, roots).bytes;
  DeviceMachine machine(*this);
  execute(plan, machine);
  return {};
}

// Kernels are compiled without the lock. Meanwhile, the graph may change: the plan is made again.
void Context::run(std::span<const Ref<Cell>> cells) {
  while (true) {
    const std::vector<Missing> missing = launch(cells);
    if (missing.empty()) return;
    for (const Missing& each : missing) kernels_.compile(each.key, each.code);
  }
}

void Context::evaluate(std::span<const Ref<Cell>> cells, Reason reason) {
  evaluate(cells, reason, Evaluation(evaluation_));
}

void Context::evaluate(std::span<const Ref<Cell>> cells, Reason reason, const Evaluation&) {
  {
    const Lock lock(*this);
    const bool pending = std::any_of(cells.begin(), cells.end(), [](const Ref<Cell>& cell) {
      return cell->current().is_pending();
    });
    if (!pending) return;
    require_no_capture("evaluate");
    ++statistics_.evaluations;
    ++statistics_.by[size_t(reason)];
  }
  try {
    run(cells);
  } catch (const Error& error) {
    if (!is_out_of_memory(error)) throw;
    // Memory that was released in the order of the stream is free after it.
    call("wait for memory", cucore_stream_synchronize, settings_.stream.get());
    run(cells);
  }
}

void Context::require_no_capture(const char* what) const {
  if (!cucore_stream_is_capturing(settings_.stream.get())) return;
  throw Error(Status::INVALID_STATE,
              concat(what,
                     ": the stream of the context is captured, and arrays are not computed "
                     "in a graph; do it before the capture or after it"));
}

// Values without an array are computed inside those that need them. Threads collect the values one
// after another: while memory is exhausted, lists of waiting threads would keep released values.
void Context::evaluate_all(Reason reason) {
  const Evaluation one(evaluation_);
  HeldCells held{*this};
  {
    const Lock lock(*this);
    for (Value* value = graph_.first_pending(); value; value = Graph::next_pending(*value))
      if (value->cells() > 0) held.cells.push_back(make<Cell>(ValueRef(value)));
  }
  try {
    evaluate(held.cells, reason, one);
  } catch (const Error& error) {
    if (error.status() != Status::UNSUPPORTED) throw;
    evaluate_each(held.cells, reason, one);
  }
}

// A kernel that cannot be launched keeps no others from being computed.
void Context::evaluate_each(std::span<const Ref<Cell>> cells, Reason reason,
                            const Evaluation& one) {
  std::exception_ptr first;
  for (const Ref<Cell>& cell : cells) {
    try {
      evaluate(std::span(&cell, 1), reason, one);
    } catch (const Error&) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

Context::Excess Context::excess(const Cell& cell, const Lock&) noexcept {
  if (cell.pinned && cell.current().is_pending()) return Excess::PINNED;
  if (is_end_of_chain(cell.current(), settings_.max_depth)) return Excess::DEEP;
  if (settings_.policy == Policy::EAGER) return Excess::EAGER;
  const auto pending = static_cast<int64_t>(graph_.pending());
  if (rounds_.end(cell.current(), pending, settings_.max_pending)) return Excess::MANY;
  const bool large = graph_.retained_bytes() > static_cast<int64_t>(settings_.max_retained_bytes);
  return large ? Excess::LARGE : Excess::NOTHING;
}

void Context::after_recording(const Ref<Cell>& cell) {
  Excess found{};
  {
    const Lock lock(*this);
    found = excess(*cell, lock);
  }
  after_recording(cell, found);
}

void Context::after_recording(const Ref<Cell>& cell, Excess excess) {
  static constexpr Reason REASONS[] = {Reason::CALL,  Reason::WRITE, Reason::CALL,
                                       Reason::DEPTH, Reason::COUNT, Reason::RETAINED};
  returns_->poll();
  if (excess == Excess::NOTHING) return;
  const Reason reason = REASONS[static_cast<size_t>(excess)];
  if (excess == Excess::MANY || excess == Excess::LARGE) return evaluate_all(reason);
  evaluate(std::span(&cell, 1), reason);
}

void Context::synchronize() {
  const uint64_t launches = latest_launch();
  call("wait for arrays", cucore_stream_synchronize, settings_.stream.get());
  const Lock lock(*this);
  checks_.settle(launches);
  checks_.throw_new_failure();
}

}  // namespace cucore::array
