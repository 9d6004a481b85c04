// SPDX-License-Identifier: Apache-2.0
// Memory that a context shares with others, and copies from other contexts.
#include "array/run/context.hpp"
#include "array/run/machine.hpp"

namespace cucore::array {

Array Context::shared(Dtype dtype, int64_t count, View view, NativeBuffer buffer, uint64_t offset,
                      std::shared_ptr<void> owner) {
  constexpr bool PINNED = true;
  Ref<Storage> storage =
      make<DeviceStorage>(std::move(buffer), offset, PINNED, counted(0), std::move(owner));
  const bool read_only = view.read_only;
  const Lock lock(*this);
  Array array = stored(graph_, dtype, count, std::move(view), std::move(storage));
  array.cell->read_only = read_only;
  return array;
}

// A cell whose value another cell has too gets one of its own. Others may see the memory already:
// it stays, also while a thread that reads it has a cell for the value.
void Context::unshare(const Array& array) {
  const Lock lock(*this);
  if (array.cell->pinned) return;
  Value& value = array.cell->current();
  if (value.cells() < 2) return;
  Array whole{.cell = array.cell, .view = dense(value.shape)};
  array.cell->set(copied_in_order(whole).cell->value());
}

Context::Shared Context::pinned(const Array& array) {
  while (true) {
    unshare(array);
    evaluate(std::span(&array.cell, 1), Reason::EXPORT);
    evaluate_readers(array.cell, Reason::EXPORT);
    const Lock lock(*this);
    if (array.cell->current().is_pending()) continue;  // another thread has written it
    return pinned(array, lock);
  }
}

Context::Shared Context::pinned(const Array& array, const Lock& lock) {
  Value& value = array.cell->current();
  if (target().emulated && !value.storage()->pinned()) value.move_to(on_host(value));
  array.cell->pinned = true;
  value.storage()->pin();
  auto [buffer, offset] = memory_of(array, lock);
  return {std::move(buffer), offset, static_cast<const DeviceStorage&>(*value.storage()).owner()};
}

// The host cannot read device memory of the CPU device, as that of a GPU. It can read pinned
// memory.
Ref<Storage> Context::on_host(const Value& value) {
  require_no_capture("share an array");
  const auto size = static_cast<size_t>(value.bytes());
  auto buffer = created<NativeBuffer>("share an array", cucore_buffer_create_pinned,
                                      settings_.device.get(), size);
  const auto& present = static_cast<const DeviceStorage&>(*value.storage());
  if (size > 0)
    call("share an array", cucore_buffer_copy, buffer.get(), size_t{0}, present.buffer(),
         present.offset(), size, settings_.stream.get());
  // Pinned memory has no stream of its own, in whose order it would be freed.
  std::shared_ptr<void> use(nullptr, [buffer, stream = settings_.stream](void*) {
    cucore_error* error = nullptr;
    if (cucore_buffer_record_use(buffer.get(), stream.get(), &error) != CUCORE_OK)
      cucore_error_release(error);
  });
  auto storage = make<DeviceStorage>(std::move(buffer), 0, true, counted(size), std::move(use));
  storage->checks.add(present.checks);
  return storage;
}

void Context::before_write(const Ref<Cell>& cell) {
  {
    const Lock lock(*this);
    if (!cell->pinned) return;
  }
  evaluate_readers(cell, Reason::WRITE);
}

void Context::evaluate_readers(const Ref<Cell>& cell, Reason reason) {
  HeldCells readers{*this};
  {
    const Lock lock(*this);
    for (Value* user : cell->current().users()) readers.cells.push_back(make<Cell>(ValueRef(user)));
  }
  evaluate(readers.cells, reason);
}

Array Context::from_context(Context& source, const Array& array) {
  require_no_capture("copy an array");
  source.require_no_capture("copy an array");
  const HeldArray held{source, source.consecutive(array)};
  source.wait_for_indices(held.array);
  const auto [buffer, offset] = source.memory_of(held.array);
  const int64_t count = count_of(array.view.shape);
  const auto bytes = static_cast<size_t>(count) * size_of(array.dtype());
  Ref<Storage> storage = allocate_after_releases(static_cast<int64_t>(bytes));
  const NativeStream& stream = settings_.stream;
  call("order a copy", cucore_stream_wait_stream, stream.get(), source.settings_.stream.get());
  if (bytes > 0)
    call("copy an array", cucore_buffer_copy, static_cast<DeviceStorage&>(*storage).buffer(),
         size_t{0}, buffer.get(), offset, bytes, stream.get());
  // The source may write or free its memory after the copy.
  call("order a copy", cucore_stream_wait_stream, source.settings_.stream.get(), stream.get());
  const Lock lock(*this);
  return stored(graph_, array.dtype(), count, dense(array.view.shape), std::move(storage));
}

}  // namespace cucore::array
