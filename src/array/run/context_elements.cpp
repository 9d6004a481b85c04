// SPDX-License-Identifier: Apache-2.0
// Elements that enter and leave arrays, and checks of the indices that they were computed with.
#include "array/run/context.hpp"
#include "array/run/machine.hpp"

namespace cucore::array {
namespace {

// Another thread may write the array during the call. A cell of its own then keeps the value.
Array with_own_cell(const Array& array) {
  return {.cell = make<Cell>(array.cell->value()), .view = array.view};
}

}  // namespace

// ---- indices that are out of range

// Many launches without a wait share the memory of their reports: it is made free by a wait.
IndexChecks::Launch Context::new_checks(const Kernel& kernel) {
  if (checks_.is_full()) {
    call("wait for indices", cucore_stream_synchronize, settings_.stream.get());
    checks_.settle(checks_.latest());
  }
  return checks_.add(kernel, settings_.device);
}

uint64_t Context::latest_launch() {
  const Lock lock(*this);
  return checks_.latest();
}

void Context::check_indices(const Array& array, uint64_t launches) {
  const Lock lock(*this);
  checks_.settle(launches);
  const auto& storage = static_cast<const DeviceStorage&>(*array.cell->current().storage());
  const std::exception_ptr failure = storage.checks.failure();
  if (!failure) return;
  checks_.set_reported(failure);
  std::rethrow_exception(failure);
}

// Later work of the stream is not waited for, if the launch has an end.
void Context::wait_for_indices(const Array& array) {
  uint64_t launches = 0;
  bool is_open = false;
  NativeEvent end;
  {
    const Lock lock(*this);
    const auto& storage = static_cast<const DeviceStorage&>(*array.cell->current().storage());
    launches = storage.checks.latest();
    if (launches == 0) return;
    is_open = checks_.is_open(launches);
    end = checks_.end_of(launches);
  }
  if (end)
    call("wait for indices", cucore_event_synchronize, end.get());
  else if (is_open)
    call("wait for indices", cucore_stream_synchronize, settings_.stream.get());
  check_indices(array, launches);
}

// ---- elements in and out

Array Context::from_host(Dtype dtype, const Dims& shape, std::span<const std::byte> source) {
  require_no_capture("write an array");
  Ref<Storage> storage = allocate_after_releases(static_cast<int64_t>(source.size()));
  if (!source.empty())
    call("write an array", cucore_buffer_write, static_cast<DeviceStorage&>(*storage).buffer(), 0,
         source.data(), source.size(), settings_.stream.get());
  const Lock lock(*this);
  return stored(graph_, dtype, count_of(shape), dense(shape), std::move(storage));
}

std::pair<NativeBuffer, uint64_t> Context::memory_of(const Array& array) {
  return memory_of(array, Lock(*this));
}

std::pair<NativeBuffer, uint64_t> Context::memory_of(const Array& array, const Lock&) {
  const Value& value = array.cell->current();
  const auto& storage = static_cast<const DeviceStorage&>(*value.storage());
  return {NativeBuffer::share(storage.buffer()),
          storage.offset() + uint64_t(array.view.offset) * size_of(value.dtype)};
}

Array Context::consecutive(const Array& array) {
  HeldArray result{*this};
  {
    const Lock lock(*this);
    const bool direct = array.view.part == Part::WHOLE && is_contiguous(array.view);
    result.array = direct ? with_own_cell(array) : copied_in_order(array);
  }
  evaluate(std::span(&result.array.cell, 1), Reason::READ);
  return std::move(result.array);
}

void Context::read(const Array& array, std::span<std::byte> destination) {
  if (destination.empty()) return check(array);
  const HeldArray held{*this, consecutive(array)};
  const auto [buffer, offset] = memory_of(held.array);
  const uint64_t launches = latest_launch();
  call("read an array", cucore_buffer_read, buffer.get(), offset, destination.data(),
       destination.size(), settings_.stream.get());
  check_indices(held.array, launches);
  returns_->poll();
}

void Context::check(const Array& array) {
  HeldArray held{*this};
  {
    const Lock lock(*this);
    held.array = with_own_cell(array);
  }
  evaluate(std::span(&held.array.cell, 1), Reason::READ);
  wait_for_indices(held.array);
}

void Context::read_into(const Array& array, cucore_buffer* destination, uint64_t offset) {
  const HeldArray held{*this, consecutive(array)};
  const auto [buffer, first] = memory_of(held.array);
  const size_t size = static_cast<size_t>(count_of(array.view.shape)) * size_of(array.dtype());
  if (size > 0)
    call("read an array", cucore_buffer_copy, destination, offset, buffer.get(), first, size,
         settings_.stream.get());
}

}  // namespace cucore::array
