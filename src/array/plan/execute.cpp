// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "array/plan/plan.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

Ref<Storage> storage_for(const Output& output, Machine& machine) {
  if (output.memory != Memory::NEW && !output.from->storage())
    throw Error(Status::INTERNAL, "a kernel was planned on memory that is gone");
  switch (output.memory) {
    case Memory::TAKEN:
    case Memory::IN_PLACE:
      return output.from->storage();
    case Memory::NEW:
      return machine.allocate(output.value->bytes());
    case Memory::COPIED:
      break;
  }
  Ref<Storage> copy = machine.allocate(output.value->bytes());
  machine.copy(*copy, *output.from->storage(), output.value->bytes());
  return copy;
}

bool has_work(const Kernel& kernel) { return !kernel.stores.empty() && count_of(kernel.outer) > 0; }

void run(Step& step, Machine& machine) {
  std::vector<Ref<Storage>> storages;
  std::vector<Storage*> inputs, outputs;
  for (const Output& output : step.outputs) storages.push_back(storage_for(output, machine));
  for (const ValueRef& input : step.kernel.inputs) inputs.push_back(input->storage().get());
  for (const Ref<Storage>& storage : storages) outputs.push_back(storage.get());
  if (has_work(step.kernel)) machine.launch(step.kernel, inputs, outputs);
  for (size_t slot = 0; slot < storages.size(); ++slot) {
    const Output& output = step.outputs[slot];
    if (output.memory == Memory::TAKEN || output.memory == Memory::IN_PLACE)
      output.from->set_moved();
    output.value->set_ready(std::move(storages[slot]));
  }
}

}  // namespace

// A finished step drops its values, so that memory returns before the next step needs some.
void execute(Plan& plan, Machine& machine) {
  for (Step& step : plan.steps) {
    run(step, machine);
    for (ValueRef& input : step.kernel.inputs) input = nullptr;
    for (ValueRef& output : step.kernel.outputs) output = nullptr;
    for (Output& output : step.outputs) output.value = output.from = nullptr;
  }
  for (const ValueRef& value : plan.computed) value->computed_before = true;
}

}  // namespace cucore::array
