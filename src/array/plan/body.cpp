// SPDX-License-Identifier: Apache-2.0
#include "array/plan/body.hpp"

#include <algorithm>

#include "array/model/composition.hpp"

namespace cucore::array {
namespace {

class Builder {
 public:
  Builder(const Partition& partition, uint32_t number) : partition_(partition), number_(number) {
    const Group& group = partition.group(number);
    space_ = group.space;
    kernel_.family = space_.family;
    kernel_.outer = space_.outer;
    kernel_.inner = space_.inner;
    kernel_.columns = space_.columns;
    outputs_ = group.outputs;
    std::sort(outputs_.begin(), outputs_.end(),
              [](const Value* a, const Value* b) { return a->number < b->number; });
  }

  Kernel build() {
    for (Value* output : outputs_) add_output(*output);
    return std::move(kernel_);
  }

 private:
  struct Known {
    const Value* value;
    Access access;
    uint16_t node;
  };

  void add_output(Value& value) {
    const auto slot = static_cast<uint16_t>(kernel_.outputs.size());
    kernel_.outputs.emplace_back(&value);
    const Access access = partition_.output_access(value);
    if (value.kind == ValueKind::EMPTY) return;
    if (value.kind == ValueKind::UPDATE) {
      const Operand& source = value.operands()[1];
      const Access whole = extended_to(written_elements(value), space_);
      const uint16_t node = source.is_constant() ? constant(source.constant)
                                                 : operand(source, *composed(whole, source.view));
      Access target{.outer = access.outer};
      target.outer.part = Part::WHOLE;
      kernel_.stores.push_back({.node = node,
                                .slot = slot,
                                .access = extended_to(target, space_),
                                .part = access.outer.part,
                                .arguments = arguments_of(value, whole, 2),
                                .indices = &value.indices,
                                .ordered = !value.distinct,
                                .skips = value.skips});
      return;
    }
    // A scan is placed by its operand's order of axes; its elements are found by the identity
    // there.
    const Access wanted = value.kind == ValueKind::SCAN || value.kind == ValueKind::SORT
                              ? extended_to(identity_access(space_.outer), space_)
                              : access;
    kernel_.stores.push_back({.node = node_of(value, wanted), .slot = slot, .access = access});
  }

  uint16_t add(Node node) {
    for (size_t at = 0; at < kernel_.nodes.size(); ++at)
      if (is_same(kernel_.nodes[at], node)) return static_cast<uint16_t>(at);
    kernel_.nodes.push_back(std::move(node));
    return static_cast<uint16_t>(kernel_.nodes.size() - 1);
  }

  static bool is_same(const Node& a, const Node& b) {
    return a.kind == b.kind && a.dtype == b.dtype && a.slot == b.slot && a.part == b.part &&
           a.access == b.access && a.arguments == b.arguments && a.reduction == b.reduction &&
           a.sort == b.sort && a.indices == b.indices && is_same_map(a.map, b.map);
  }
  static bool is_same_map(const MapDetail* a, const MapDetail* b) {
    if (a == b || !a || !b) return a == b;
    return a->op == b->op && a->output == b->output && a->types.operands == b->types.operands &&
           a->types.results == b->types.results && a->parameters == b->parameters;
  }

  uint16_t constant(const Constant& value) {
    const auto found = std::find(kernel_.constants.begin(), kernel_.constants.end(), value);
    const auto slot = static_cast<uint16_t>(found - kernel_.constants.begin());
    if (found == kernel_.constants.end()) kernel_.constants.push_back(value);
    return add({.kind = NodeKind::CONSTANT, .dtype = value.dtype, .slot = slot});
  }

  uint16_t input(Value& value) {
    for (size_t at = 0; at < kernel_.inputs.size(); ++at)
      if (kernel_.inputs[at].get() == &value) return static_cast<uint16_t>(at);
    kernel_.inputs.emplace_back(&value);
    return static_cast<uint16_t>(kernel_.inputs.size() - 1);
  }

  // The part is of the operand; the access is of the whole element.
  uint16_t operand(const Operand& operand, const Access& access) {
    const uint16_t node = node_of(*operand.value, access, operand.view.part);
    return node;
  }

  uint16_t node_of(Value& value, const Access& access, Part part = Part::WHOLE) {
    if (is_memory(value)) return load(value, access, part);
    const uint16_t node = computed(value, access);
    if (part == Part::WHOLE) return node;
    return derived(
        {.kind = NodeKind::PART, .dtype = real_of(value.dtype), .part = part, .arguments = {node}});
  }

  bool is_memory(const Value& value) const {
    if (!value.is_pending()) return true;
    const auto home = partition_.home(value);
    return home && *home != number_;
  }

  bool varies_inside(const Access& access) const {
    return access.inner ? !is_constant_from({.outer = access.outer}, space_.outer.size())
                        : !is_constant_from(access, space_.outer.size());
  }

  uint16_t load(Value& value, const Access& access, Part part) {
    const Dtype dtype = part == Part::WHOLE ? value.dtype : real_of(value.dtype);
    return add({.kind = NodeKind::LOAD,
                .dtype = dtype,
                .per_element = varies_inside(access),
                .slot = input(value),
                .part = part,
                .access = access});
  }

  uint16_t computed(Value& value, const Access& access) {
    for (const Known& known : known_)
      if (known.value == &value && known.access == access) return known.node;
    const uint16_t node = new_node(value, access);
    known_.push_back({&value, access, node});
    return node;
  }

  uint16_t new_node(Value& value, const Access& access) {
    switch (value.kind) {
      case ValueKind::POSITION:
        return add({.kind = NodeKind::POSITION,
                    .dtype = value.dtype,
                    .per_element = varies_inside(access),
                    .access = access});
      case ValueKind::GATHER:
      case ValueKind::SEARCH:
        return gather(value, access);
      case ValueKind::MATMUL:
        return product(value);
      case ValueKind::REDUCE:
      case ValueKind::SCAN:
      case ValueKind::SORT:
        return reduction(value, access);
      default:
        return map(value, access);
    }
  }

  // The level and the phase follow from the arguments.
  uint16_t derived(Node node) {
    for (const uint16_t argument : node.arguments) {
      const Node& from = kernel_.nodes[argument];
      node.per_element |= from.per_element;
      node.phase = std::max(node.phase, from.phase);
    }
    if (node.kind == NodeKind::REDUCED) {
      node.per_element = false;
      ++node.phase;
    }
    return add(std::move(node));
  }

  std::vector<uint16_t> arguments_of(Value& value, const Access& access, size_t first) {
    std::vector<uint16_t> arguments;
    for (size_t at = first; at < value.operands().size(); ++at) {
      const Operand& each = value.operands()[at];
      arguments.push_back(each.is_constant() ? constant(each.constant)
                                             : operand(each, *composed(access, each.view)));
    }
    return arguments;
  }

  uint16_t map(Value& value, const Access& access) {
    return derived({.kind = NodeKind::MAP,
                    .dtype = value.dtype,
                    .arguments = arguments_of(value, access, 0),
                    .map = &value.map});
  }

  uint16_t gather(Value& value, const Access& access) {
    const Operand& base = value.operands()[0];
    const Access start = *composed(access, base.view);
    const bool search = value.kind == ValueKind::SEARCH;
    return derived({.kind = search ? NodeKind::SEARCH : NodeKind::GATHER,
                    .dtype = value.dtype,
                    .per_element = varies_inside(start),
                    .slot = input(*base.value),
                    .part = base.view.part,
                    .access = start,
                    .arguments = arguments_of(value, access, 1),
                    .indices = &value.indices,
                    .sort = value.sort});
  }

  uint16_t product(Value& value) {
    std::vector<uint16_t> factors;
    for (const Operand& each : value.operands()) {
      Access access{.outer = each.view};
      access.outer.part = Part::WHOLE;
      factors.push_back(load(*each.value, access, each.view.part));
    }
    return derived(
        {.kind = NodeKind::PRODUCT, .dtype = value.dtype, .arguments = std::move(factors)});
  }

  uint16_t reduction(Value& value, const Access& access) {
    std::vector<uint16_t> arguments;
    for (size_t at = 0; at < value.operands().size(); ++at) {
      const Operand& each = value.operands()[at];
      arguments.push_back(each.is_constant()
                              ? constant(each.constant)
                              : operand(each, *element_access(value, at, space_, access)));
    }
    Node node{.kind = NodeKind::REDUCED,
              .dtype = value.dtype,
              .per_element = value.kind != ValueKind::REDUCE,
              .arguments = std::move(arguments),
              .reduction = value.reduce.op,
              .sort = value.sort};
    if (value.kind == ValueKind::SORT) node.kind = NodeKind::SORTED;
    if (value.kind == ValueKind::SCAN) {
      node.kind = NodeKind::SCANNED;
      node.reduction = value.scan.op;
    }
    return derived(std::move(node));
  }

  const Partition& partition_;
  const uint32_t number_;
  Space space_;
  std::vector<Value*> outputs_;
  Kernel kernel_;
  std::vector<Known> known_;
};

View part_of(const View& view, size_t first, size_t last) {
  View result{};
  for (size_t axis = first; axis < last; ++axis) {
    result.shape.push_back(view.shape[axis]);
    result.strides.push_back(view.strides[axis]);
  }
  return result;
}

// Joins the axes of [first, last) in all views, and returns their sizes.
Dims collapse_axes(std::span<View* const> views, const Dims& sizes, size_t first) {
  std::vector<View> parts;
  View shape{.shape = sizes, .strides = dense_strides(sizes)};
  for (const View* view : views) {
    parts.push_back(part_of(*view, first, first + sizes.size()));
    parts.back().shape = sizes;
  }
  if (parts.empty()) parts.push_back(shape);
  std::vector<View*> pointers;
  for (View& part : parts) pointers.push_back(&part);
  collapse(pointers);
  for (size_t at = 0; at < views.size(); ++at) {
    View& view = *views[at];
    View rest = part_of(view, first + sizes.size(), view.ndim());
    View begin = part_of(view, 0, first);
    for (const View* each : {&parts[at], &rest}) {
      for (const int64_t size : each->shape) begin.shape.push_back(size);
      for (const int64_t stride : each->strides) begin.strides.push_back(stride);
    }
    view.shape = begin.shape;
    view.strides = begin.strides;
  }
  return parts[0].shape;
}

bool has_access(const Node& node) {
  return node.kind == NodeKind::LOAD || node.kind == NodeKind::POSITION || reads_anywhere(node);
}

void collapse_space(Kernel& kernel) {
  std::vector<View*> views;
  for (Node& node : kernel.nodes)
    if (has_access(node)) views.push_back(&node.access.outer);
  for (Store& store : kernel.stores) views.push_back(&store.access.outer);
  // The last axis of rows and of columns stays apart from the others, and those of matrices too.
  constexpr size_t MATRIX = 2;
  const bool product = kernel.family == KernelFamily::MATMUL;
  const size_t rows = kernel.outer.size() - (product ? MATRIX : kernel.columns);
  const std::span outer(kernel.outer.begin(), kernel.outer.end());
  const Dims first(outer.first(rows)), columns(outer.subspan(rows));
  const Dims inner = collapse_axes(views, kernel.inner, kernel.outer.size());
  const Dims last = product ? columns : collapse_axes(views, columns, rows);
  kernel.outer = collapse_axes(views, first, 0);
  for (const int64_t size : last) kernel.outer.push_back(size);
  if (!product) kernel.columns = last.size();
  kernel.inner = inner;
}

}  // namespace

Kernel kernel_of(const Partition& partition, uint32_t group) {
  Kernel kernel = Builder(partition, group).build();
  collapse_space(kernel);
  return kernel;
}

}  // namespace cucore::array
