// SPDX-License-Identifier: Apache-2.0
#include "array/plan/partition.hpp"

#include "array/ir/order.hpp"

namespace cucore::array {
namespace {

struct Run {
  size_t first, last;
};

Run run_of(const Value& value) {
  if (value.kind == ValueKind::SORT) return {value.shape.size() - 1, value.shape.size()};
  if (value.kind == ValueKind::SCAN) return {value.scan.axis, size_t{value.scan.axis} + 1};
  return {value.reduce.first, value.reduce.last};
}

KernelFamily family_of(const Value& value, size_t columns, int64_t length) {
  if (value.kind == ValueKind::SCAN) return KernelFamily::SCAN;
  if (value.kind == ValueKind::SORT) return KernelFamily::SORT;
  if (columns > 0) return KernelFamily::OUTER;
  return length <= ROW_LIMIT ? KernelFamily::ROWS : KernelFamily::CHUNKED;
}

// Neighbours in the space are neighbours in the memory that is written. Indices stay in the
// caller's order, by which the last one of several wins.
Dims order_of_write(const Value& value) {
  const View* const views[] = {&value.operands()[0].view};
  const size_t count = value.indices.empty() ? 1 : 0;
  return memory_order(views[0]->ndim(), std::span(views, count));
}

}  // namespace

Access written_memory(const Value& value) {
  return {.outer = reordered(value.operands()[0].view, order_of_write(value))};
}

Access written_elements(const Value& value) {
  return {.outer = reordered(dense(value.operands()[0].view.shape), order_of_write(value))};
}

Space space_of(const Value& value) {
  if (value.kind == ValueKind::UPDATE) return {.outer = written_memory(value).outer.shape};
  if (value.kind == ValueKind::MATMUL)
    return {.family = KernelFamily::MATMUL, .outer = value.shape};
  if (!has_inner_space(value)) return {.outer = value.shape};
  const Dims& shape = value.operands()[0].view.shape;
  const Run run = run_of(value);
  Space space;
  int64_t length = 1, columns = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const bool inside = axis >= run.first && axis < run.last;
    (inside ? space.inner : space.outer).push_back(shape[axis]);
    if (inside) length *= shape[axis];
    if (axis >= run.last) columns *= shape[axis];
  }
  space.columns = columns > 1 ? shape.size() - run.last : 0;
  space.family = family_of(value, space.columns, length);
  return space;
}

Access operand_access(const Value& value) {
  const View all = dense(value.operands()[0].view.shape);
  const Run run = run_of(value);
  View view{};
  const auto append = [&](size_t axis) {
    view.shape.push_back(all.shape[axis]);
    view.strides.push_back(all.strides[axis]);
  };
  for (size_t axis = 0; axis < run.first; ++axis) append(axis);
  for (size_t axis = run.last; axis < all.ndim(); ++axis) append(axis);
  for (size_t axis = run.first; axis < run.last; ++axis) append(axis);
  return {.outer = std::move(view)};
}

Access extended_to(Access access, const Space& space) {
  if (access.outer.ndim() == space.outer.size() + space.inner.size()) return access;
  return extended(std::move(access), space.inner);
}

std::optional<Space> common_space(const Space& a, const Space& b) {
  if (a == b) return a;
  const Space& rows = a.family == KernelFamily::ROWS ? a : b;
  const Space& map = a.family == KernelFamily::ROWS ? b : a;
  if (rows.family != KernelFamily::ROWS || map.family != KernelFamily::MAP) return {};
  Dims all = rows.outer;
  for (const int64_t size : rows.inner) all.push_back(size);
  if (all != map.outer) return {};
  return rows;
}

}  // namespace cucore::array
