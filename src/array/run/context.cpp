// SPDX-License-Identifier: Apache-2.0
#include "array/run/context.hpp"

#include <algorithm>

#include "array/plan/traffic.hpp"
#include "array/run/machine.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

Target target_of(const NativeDevice& device, Math math) {
  int32_t major = 0, minor = 0;
  call("open a context of arrays", cucore_device_compute_capability, device.get(), &major, &minor);
  return {.architecture = major * 10 + minor,
          .emulated = cucore_device_is_emulated(device.get()) != 0,
          .math = math};
}

// The driver's default pool loses its memory at each wait. If that is the device's pool, the
// context has one of its own, which keeps as much as small arrays need.
NativePool pool_of(const NativeDevice& device) {
  constexpr int64_t KEPT = int64_t{256} << 20;
  cucore_pool* of_device = nullptr;
  if (cucore_device_pool(device.get(), &of_device, nullptr) != CUCORE_OK) return {};
  auto pool = NativePool::adopt(of_device);
  cucore_pool_info info = CUCORE_POOL_INFO_INIT;
  call("open a context of arrays", cucore_pool_query, pool.get(), &info);
  if (info.keep != -1) return pool;
  cucore_pool_options options = CUCORE_POOL_OPTIONS_INIT;
  options.keep = KEPT;
  options.name = "arrays";
  return created<NativePool>("open a context of arrays", cucore_pool_create, device.get(),
                             &options);
}

Settings completed(Settings settings) {
  if (!settings.stream)
    settings.stream = created<NativeStream>("open a context of arrays", cucore_stream_create,
                                            settings.device.get(), nullptr);
  if (!settings.pool) settings.pool = pool_of(settings.device);
  if (settings.max_retained_bytes == 0) {
    constexpr size_t LEAST = size_t{64} << 20;
    size_t free = 0, total = 0;
    call("open a context of arrays", cucore_device_memory, settings.device.get(), &free, &total);
    settings.max_retained_bytes = std::max(total / 4, LEAST);
  }
  return settings;
}

bool is_out_of_memory(const Error& error) { return error.status() == Status::OUT_OF_DEVICE_MEMORY; }

// Memory that is not allocated yet will be aligned as every allocation.
constexpr uint64_t ALIGNED = 256;

// Another thread may write the array during the call. A cell of its own then keeps the value.
Array with_own_cell(const Array& array) {
  return {.cell = make<Cell>(array.cell->value()), .view = array.view};
}

}  // namespace

Context::Context(Settings settings)
    : settings_(completed(std::move(settings))),
      memory_(std::make_shared<MemoryCounts>()),
      returns_(std::make_shared<Returns>(settings_.device, settings_.stream)),
      kernels_(settings_.device, settings_.cache, target_of(settings_.device, settings_.math)) {}

Context::~Context() { drop_released(); }

// ---- references of other threads

void Context::release(Ref<Cell> cell) noexcept {
  Cell* const given = cell.detach();
  if (given->releases.fetch_add(1, std::memory_order_acq_rel) != 0) return;  // is in the list
  given->next_released = released_.load(std::memory_order_relaxed);
  while (!released_.compare_exchange_weak(given->next_released, given, std::memory_order_release,
                                          std::memory_order_relaxed)) {
  }
}

void Context::drop_released() noexcept {
  Cell* cell = released_.exchange(nullptr, std::memory_order_acquire);
  while (cell) {
    // Once the count is 0, the cell may enter the list again.
    Cell* const given = std::exchange(cell, cell->next_released);
    uint32_t references = given->releases.exchange(0, std::memory_order_acq_rel);
    while (references-- > 0) given->drop_reference();
  }
}

// ---- evaluation

namespace {

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

// ---- memory

NativeBuffer Context::new_buffer(const char* attempt, uint64_t size) const {
  const cucore_stream* const stream = settings_.stream.get();
  if (settings_.pool)
    return created<NativeBuffer>(attempt, cucore_buffer_from_pool, settings_.pool.get(), size,
                                 stream);
  return created<NativeBuffer>(attempt, cucore_buffer_create, settings_.device.get(), size, stream);
}

bool MemoryCounts::reserve(uint64_t bytes, uint64_t most) noexcept {
  uint64_t before = reserved;
  do {
    if (before > most || bytes > most - before) return false;
  } while (!reserved.compare_exchange_weak(before, before + bytes));
  return true;
}

CountedBytes::~CountedBytes() {
  if (!counts_) return;
  if (is_live_) counts_->live -= bytes_;
  counts_->reserved -= bytes_;
}

void CountedBytes::set_live() noexcept {
  is_live_ = true;
  const uint64_t live = counts_->live += bytes_;
  uint64_t peak = counts_->peak;
  while (peak < live && !counts_->peak.compare_exchange_weak(peak, live)) {
  }
}

CountedBytes Context::counted(uint64_t bytes, uint64_t most) const {
  if (!memory_->reserve(bytes, most))
    throw Error(
        Status::OUT_OF_DEVICE_MEMORY,
        concat("allocate ", bytes, " bytes for an array: the context holds ", memory_->live.load(),
               " of at most ", most, " bytes; release arrays, or raise max_bytes"));
  return CountedBytes(memory_, bytes);
}

Ref<Storage> Context::allocate(int64_t bytes) {
  const auto size = static_cast<uint64_t>(std::max<int64_t>(bytes, 1));
  CountedBytes counted_bytes =
      counted(size, settings_.max_bytes != 0 ? settings_.max_bytes : UINT64_MAX);
  return make<DeviceStorage>(new_buffer("allocate memory of an array", size), 0, false,
                             std::move(counted_bytes));
}

Ref<Storage> Context::allocate_after_releases(int64_t bytes) {
  { const Lock drops_what_was_released(*this); }
  try {
    return allocate(bytes);
  } catch (const Error& error) {
    if (!is_out_of_memory(error)) throw;
  }
  call("wait for memory", cucore_stream_synchronize, settings_.stream.get());
  { const Lock drops_what_was_released(*this); }
  return allocate(bytes);
}

uint64_t Context::counters(int64_t count) {
  constexpr int64_t LEAST = 4096;
  if (count > counter_capacity_) {
    const int64_t capacity = std::max(count, LEAST);
    NativeBuffer buffer =
        new_buffer("allocate counters", static_cast<size_t>(capacity) * sizeof(uint32_t));
    const uint32_t zero = 0;
    call("clear counters", cucore_buffer_fill, buffer.get(), 0,
         static_cast<size_t>(capacity) * sizeof zero, &zero, sizeof zero, settings_.stream.get());
    counters_ = std::move(buffer);
    counter_capacity_ = capacity;
  }
  return cucore_buffer_address(counters_.get());
}

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

// ---- memory that others see

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

uint64_t Context::reserved_bytes() const noexcept {
  cucore_pool_info info = CUCORE_POOL_INFO_INIT;
  (void)cucore_pool_query(settings_.pool.get(), &info, nullptr);
  return info.reserved;
}

void Context::trim(uint64_t keep_bytes) {
  {
    const Evaluation one(evaluation_);
    {
      const Lock lock(*this);
      plans_.clear();
      counters_ = {};
      counter_capacity_ = 0;
    }
    // Memory that was released in the order of the stream is free after it.
    cucore_stream* const stream = settings_.stream.get();
    if (!cucore_stream_is_capturing(stream))
      call("wait for memory", cucore_stream_synchronize, stream);
  }
  returns_->poll();  // without a lock, because owners may evaluate
  if (settings_.pool)
    call("give memory back", cucore_pool_trim, settings_.pool.get(),
         static_cast<size_t>(keep_bytes));
}

Statistics Context::statistics() {
  const Lock lock(*this);
  return statistics_;
}

uint64_t Context::planned() {
  const Lock lock(*this);
  return plans_.planned();
}

size_t Context::plans_cached() {
  const Lock lock(*this);
  return plans_.size();
}

uint64_t Context::retained_bytes() {
  const Lock lock(*this);
  return static_cast<uint64_t>(graph_.retained_bytes());
}

size_t Context::pending() {
  const Lock lock(*this);
  return graph_.pending();
}

}  // namespace cucore::array
