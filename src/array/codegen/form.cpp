// SPDX-License-Identifier: Apache-2.0
#include "array/codegen/form.hpp"

#include <algorithm>
#include <cstdlib>

#include "array/codegen/matmul.hpp"
#include "array/codegen/radix.hpp"
#include "array/codegen/reductions.hpp"
#include "array/codegen/sort.hpp"
#include "array/codegen/statements.hpp"
#include "array/codegen/tiled.hpp"

namespace cucore::array {
namespace {

constexpr int64_t VECTOR_BYTES = 16;
constexpr uint16_t FUNCTION_WEIGHT = 20;  // of functions that take many instructions

int64_t last_size(const Dims& sizes) { return sizes.empty() ? 1 : sizes[sizes.size() - 1]; }

// The part of a complex number is loaded as a real number.
int64_t loaded_size(const Node& node) { return static_cast<int64_t>(size_of(node.dtype)); }

struct Widths {
  int64_t widest = 1, narrowest = 16;
  bool functions = false;
};

Widths widths_of(const Kernel& kernel) {
  Widths widths;
  const auto add = [&](int64_t size) {
    widths.widest = std::max(widths.widest, size);
    widths.narrowest = std::min(widths.narrowest, size);
  };
  for (const Node& node : kernel.nodes) {
    if (node.kind == NodeKind::LOAD) add(loaded_size(node));
    widths.functions |=
        node.kind == NodeKind::MAP && node.map->op && node.map->op->weight >= FUNCTION_WEIGHT;
  }
  for (const Store& store : kernel.stores)
    add(static_cast<int64_t>(size_of(kernel.nodes[store.node].dtype)));
  return widths;
}

}  // namespace

// The largest position that an index of the kernel reaches, or the number of its indices.
bool needs_wide(const Kernel& kernel) {
  constexpr int64_t MOST = (int64_t{1} << 31) - (int64_t{1} << 20);
  const auto exceeds = [](const View& view) {
    const auto range = range_of(view);
    return range && (range->last * 2 >= MOST || range->first < 0);  // parts take twice the stride
  };
  if (kernel.rows() * kernel.row_size() >= MOST) return true;
  for (const Node& node : kernel.nodes) {
    if (node.kind != NodeKind::LOAD && node.kind != NodeKind::POSITION && !reads_anywhere(node))
      continue;
    if (exceeds(node.access.outer) || (node.access.inner && exceeds(*node.access.inner)))
      return true;
  }
  return std::any_of(kernel.stores.begin(), kernel.stores.end(),
                     [&](const Store& store) { return exceeds(store.access.outer); });
}

namespace {

// The axis of vectors: the last one, or the columns of a reduction of slower axes.
size_t vector_axis(const Kernel& kernel) {
  const size_t outer = kernel.outer.size(), all = outer + kernel.inner.size();
  if (kernel.family == KernelFamily::OUTER && kernel.columns == 1) return outer - 1;
  return all == 0 ? 0 : all - 1;
}

int64_t size_of_axis(const Kernel& kernel, size_t axis) {
  const size_t outer = kernel.outer.size();
  if (axis < outer) return kernel.outer[axis];
  return axis - outer < kernel.inner.size() ? kernel.inner[axis - outer] : 1;
}

// Whether the threads of all blocks have elements: then nothing is compared.
bool is_exact(const Kernel& kernel) {
  if (kernel.family == KernelFamily::CHUNKED) return kernel.row_size() % ROW_LIMIT == 0;
  if (kernel.family != KernelFamily::ROWS) return false;
  const RowTree tree = row_tree(kernel.row_size());
  return tree.threads * tree.vectors * 4 == kernel.row_size() &&
         kernel.rows() % block_rows(tree) == 0;
}

// Whether threads can load vectors along the axis: neighbours in memory are neighbours in the
// space.
bool has_vectors(const Kernel& kernel, const Form& form) {
  if (form.vector == 1) return false;
  if (kernel.family == KernelFamily::MAP) return true;
  return form.whole && kernel.inner.size() == 1;
}

bool is_aligned(uint64_t address, const Access& access, Part part, const Form& form, int64_t size) {
  const int64_t bytes = std::min(form.vector * size, VECTOR_BYTES);
  if (address % uint64_t(bytes) != 0) return false;
  for (size_t axis = 0; axis < access.outer.ndim(); ++axis)
    if (axis != form.along && access.outer.shape[axis] > 1 &&
        stride_of(access.outer, axis, part) % form.vector != 0)
      return false;
  return true;
}

AccessForm access_form(const Kernel& kernel, const Form& form, const Access& access, Part part,
                       uint64_t address, Dtype dtype) {
  AccessForm result;
  const size_t axes = access.outer.ndim();
  for (size_t axis = 0; axis < axes; ++axis)
    if (axis != form.along && access.outer.strides[axis] != 0) result.moves |= uint32_t{1} << axis;
  if (access.inner) result.inner = static_cast<uint8_t>(access.inner->ndim());
  const int64_t stride = axes == 0 ? 0 : stride_of(access.outer, form.along, part);
  const auto size = static_cast<int64_t>(size_of(dtype));
  if (stride == 0)
    result.along = Along::STILL;
  else if (stride != 1 || access.inner)
    result.along = Along::STRIDED;
  else
    result.along = has_vectors(kernel, form) && is_aligned(address, access, part, form, size)
                       ? Along::VECTOR
                       : Along::ELEMENTS;
  return result;
}

bool has_memory(const Node& node) { return node.kind == NodeKind::LOAD || reads_anywhere(node); }

template <class T>
void put(std::string& text, T value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put(std::string& text, const AccessForm& form) {
  put(text, form.along);
  put(text, form.moves);
  put(text, form.inner);
}

void put_map(std::string& text, const MapDetail& map) {
  put(text, map.op ? map.op->number : 0);
  put(text, map.expression);
  put(text, map.output);
  for (const Dtype dtype : map.types.operands) put(text, dtype);
  for (const Dtype dtype : map.types.results) put(text, dtype);
}

// The texts of reports have them.
void put_axes(std::string& text, const std::vector<IndexDetail>& indices) {
  for (const IndexDetail& index : indices) put(text, index.axis);
}

constexpr int64_t ROW_VECTOR = 4;  // for every type: the tree of a row does not depend on it

int64_t map_vector(const Kernel& kernel, const Widths& widths) {
  int64_t vector = 1;
  while (vector < VECTOR_BYTES / widths.widest && vector < last_size(kernel.outer)) vector *= 2;
  return vector;
}

// Whether each index of the space finds another element.
bool moves_everywhere(const Access& access) {
  if (access.inner) return true;
  for (size_t axis = 0; axis < access.outer.ndim(); ++axis)
    if (access.outer.shape[axis] != 1 && access.outer.strides[axis] == 0) return false;
  return true;
}

// Vectors of a thread. Functions need several to hide their latency. A kernel whose loads are all
// broadcast moves few bytes per vector: blocks of one vector per thread would end too soon.
uint8_t unroll_of(const Kernel& kernel, const Target& target, const Widths& widths) {
  constexpr uint8_t FEW = 2, MANY = 4;
  if (target.emulated) return 1;
  const bool reads = std::any_of(kernel.nodes.begin(), kernel.nodes.end(), [](const Node& node) {
    return reads_anywhere(node) || (node.kind == NodeKind::LOAD && moves_everywhere(node.access));
  });
  if (kernel.family == KernelFamily::MAP && !reads && !widths.functions) return MANY;
  return widths.functions || widths.widest != widths.narrowest ? FEW : 1;
}

}  // namespace

int64_t stride_of(const View& view, size_t axis, Part part) {
  return part == Part::WHOLE ? view.strides[axis] : 2 * view.strides[axis];
}

uint64_t address_of(uint64_t memory, const Access& access, Part part, Dtype dtype) {
  const int64_t offset = access.inner ? access.inner->offset : access.outer.offset;
  const int64_t elements = part == Part::WHOLE ? offset : 2 * offset + (part == Part::IMAG);
  return memory + uint64_t(elements * static_cast<int64_t>(size_of(dtype)));
}

Form form_of(const Kernel& kernel, const Target& target, const Addresses& addresses) {
  if (kernel.family == KernelFamily::MATMUL)
    return {.axes = static_cast<uint8_t>(kernel.outer.size()),
            .nodes = std::vector<AccessForm>(kernel.nodes.size()),
            .stores = std::vector<AccessForm>(kernel.stores.size())};
  const Widths widths = widths_of(kernel);
  Form form;
  form.vector = static_cast<uint8_t>(kernel.family == KernelFamily::MAP ? map_vector(kernel, widths)
                                                                        : ROW_VECTOR);
  form.unroll = unroll_of(kernel, target, widths);
  form.wide = needs_wide(kernel);
  form.axes = static_cast<uint8_t>(kernel.outer.size());
  form.along = static_cast<uint8_t>(vector_axis(kernel));
  form.whole =
      kernel.family != KernelFamily::MAP && size_of_axis(kernel, form.along) % form.vector == 0;
  form.exact = is_exact(kernel);
  for (const Node& node : kernel.nodes) {
    uint64_t address = 0;
    if (has_memory(node))
      address =
          address_of(addresses.inputs[node.slot], node.access, node.part, read_dtype(kernel, node));
    const bool has_access = has_memory(node) || node.kind == NodeKind::POSITION;
    form.nodes.push_back(
        has_access ? access_form(kernel, form, node.access, node.part, address, node.dtype)
                   : AccessForm{});
  }
  for (const Store& store : kernel.stores) {
    const Dtype dtype = kernel.nodes[store.node].dtype;
    const uint64_t address =
        address_of(addresses.outputs[store.slot], store.access, store.part, dtype);
    AccessForm access = access_form(kernel, form, store.access, store.part, address, dtype);
    if (!store.arguments.empty() && access.along == Along::VECTOR) access.along = Along::ELEMENTS;
    form.stores.push_back(access);
  }
  choose_tile(kernel, form);
  return form;
}

std::string encoded(const Form& form, const Kernel& kernel, const Target& target) {
  constexpr uint8_t VERSION = 2;
  std::string text;
  put(text, VERSION);
  put(text, kernel.family);
  put(text, target.math);
  put(text, target.emulated);
  put(text, form.vector);
  put(text, form.unroll);
  put(text, form.wide);
  put(text, form.axes);
  put(text, form.along);
  put(text, form.side);
  put(text, form.tile_axis);
  put(text, form.whole);
  put(text, form.exact);
  put(text, static_cast<uint8_t>(kernel.inner.size()));
  put(text, static_cast<uint8_t>(kernel.columns));
  if (kernel.family == KernelFamily::ROWS) {
    const RowTree tree = row_tree(kernel.row_size());
    put(text, tree.threads);
    put(text, tree.vectors);
  }
  if (kernel.family == KernelFamily::SORT) {
    put(text, sort_threads(kernel));
    put(text, sorts_by_digits(kernel));
  }
  if (kernel.family == KernelFamily::MATMUL) put(text, matmul_tile(kernel));
  for (size_t at = 0; at < kernel.nodes.size(); ++at) {
    const Node& node = kernel.nodes[at];
    put(text, node.kind);
    put(text, node.dtype);
    put(text, node.per_element);
    put(text, node.phase);
    put(text, node.part);
    put(text, node.reduction);
    put(text, node.sort);
    if (node.kind == NodeKind::SEARCH) put(text, read_dtype(kernel, node));
    if (node.kind == NodeKind::CONSTANT) put(text, node.slot);
    put(text, form.nodes[at]);
    put(text, static_cast<uint8_t>(node.arguments.size()));
    for (const uint16_t argument : node.arguments) put(text, argument);
    if (node.kind == NodeKind::MAP) put_map(text, *node.map);
    if (node.kind == NodeKind::GATHER) put_axes(text, *node.indices);
  }
  put(text, uint16_t{0xffff});
  for (size_t at = 0; at < kernel.stores.size(); ++at) {
    put(text, kernel.stores[at].node);
    put(text, kernel.stores[at].part);
    put(text, form.stores[at]);
    put(text, kernel.stores[at].ordered);
    put(text, kernel.stores[at].skips);
    put(text, static_cast<uint8_t>(kernel.stores[at].arguments.size()));
    for (const uint16_t argument : kernel.stores[at].arguments) put(text, argument);
    if (!kernel.stores[at].arguments.empty()) put_axes(text, *kernel.stores[at].indices);
  }
  for (const Constant& constant : kernel.constants) put(text, constant.dtype);
  return text;
}

}  // namespace cucore::array
