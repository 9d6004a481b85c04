// SPDX-License-Identifier: Apache-2.0
#include "array/plan/traffic.hpp"

#include <algorithm>

namespace cucore::array {
namespace {

// Indices of the view that find different elements, at most.
int64_t elements_of(const View& view) {
  int64_t count = 1;
  for (size_t axis = 0; axis < view.ndim(); ++axis)
    if (view.strides[axis] != 0) count *= view.shape[axis];
  return count;
}

bool reads(const Node& node) { return node.kind == NodeKind::LOAD || reads_anywhere(node); }

// A node that reads anywhere may read as many elements as the kernel has indices.
int64_t elements_read(const Kernel& kernel, const Node& node) {
  const int64_t most = kernel.rows() * kernel.row_size();
  if (node.kind == NodeKind::GATHER) return most;
  if (node.kind == NodeKind::SEARCH) return (*node.indices)[0].size;
  return elements_of(node.access.outer);
}

}  // namespace

uint64_t bytes_read(const Kernel& kernel) {
  std::vector<uint64_t> bytes(kernel.inputs.size());
  for (const Node& node : kernel.nodes) {
    if (!reads(node)) continue;
    const Value& input = *kernel.inputs[node.slot];
    const uint64_t size = size_of(node.part == Part::WHOLE ? input.dtype : real_of(input.dtype));
    bytes[node.slot] = std::min(bytes[node.slot] + uint64_t(elements_read(kernel, node)) * size,
                                uint64_t(input.bytes()));
  }
  uint64_t sum = 0;
  for (const uint64_t each : bytes) sum += each;
  return sum;
}

uint64_t bytes_written(const Kernel& kernel) {
  uint64_t bytes = 0;
  for (const Store& store : kernel.stores) {
    const bool per_element =
        !is_constant_from(store.access, kernel.outer.size()) || !store.arguments.empty();
    const int64_t count = kernel.rows() * (per_element ? kernel.row_size() : 1);
    bytes += uint64_t(count) * size_of(kernel.nodes[store.node].dtype);
  }
  return bytes;
}

uint64_t work_of(const Kernel& kernel) {
  const auto rows = uint64_t(kernel.rows()), length = uint64_t(kernel.row_size());
  uint64_t work = 0;
  for (const Node& node : kernel.nodes) {
    switch (node.kind) {
      case NodeKind::MAP:
        work += (node.map->op ? node.map->op->weight : 1) * rows * (node.per_element ? length : 1);
        break;
      case NodeKind::REDUCED:
      case NodeKind::SCANNED:
      case NodeKind::SORTED:
        work += rows * length;
        break;
      case NodeKind::PRODUCT: {
        const View& factor = kernel.nodes[node.arguments[0]].access.outer;
        work += 2 * rows * uint64_t(factor.shape[factor.ndim() - 1]);
        break;
      }
      default:
        break;
    }
  }
  return work;
}

Temporaries temporaries_of(const Plan& plan, std::span<Value* const> results) {
  Temporaries all;
  std::vector<const Value*> lasting(results.begin(), results.end());  // or their memory does
  const auto lasts = [&](const Value& value) {
    return value.cells() > 0 || std::find(lasting.begin(), lasting.end(), &value) != lasting.end();
  };
  for (auto step = plan.steps.rbegin(); step != plan.steps.rend(); ++step)
    for (const Output& output : step->outputs) {
      const bool moves = output.memory == Memory::TAKEN || output.memory == Memory::IN_PLACE;
      if (moves && lasts(*output.value)) lasting.push_back(output.from.get());
      if (output.memory != Memory::NEW || lasts(*output.value)) continue;
      ++all.count;
      all.bytes += static_cast<uint64_t>(output.value->bytes());
    }
  return all;
}

}  // namespace cucore::array
