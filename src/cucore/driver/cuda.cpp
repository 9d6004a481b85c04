// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda.hpp"

#include <mutex>

#include "driver/driver_opening.hpp"
#include "driver/library_search.hpp"
#include "driver/process_state.hpp"
#include "driver/profile_start.hpp"
#include "support/descriptors.hpp"
#include "support/environment.hpp"
#include "support/loaded_file.hpp"
#include "support/log.hpp"

namespace cucore::driver {
namespace detail {
constinit std::atomic<const CudaTable*> published{nullptr};
}
namespace {

struct State {
  ForkSafeMutex mutex;
  std::string selected;   // by select_driver(); "": not selected
  std::string opened_as;  // the choice that opened the driver in use
};

State& state() {
  static auto* state = new State;
  return *state;
}

Error fork_error() {
  return Error(Status::INVALID_STATE,
               "cannot use the CUDA driver in a process forked after its first use: start a new "
               "process (fork and exec, or Python's multiprocessing with 'spawn') instead");
}

struct OpeningMark {
  OpeningMark() { begin_opening(); }
  ~OpeningMark() { end_opening(); }
};

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

Error not_a_choice(const std::string& what) {
  return Error(Status::INVALID_ARGUMENT, "cannot choose the driver: " + what +
                                             " is neither nvidia, cpu, auto nor a path with a /");
}

Opened open_selected(State& state) {
  state.opened_as = state.selected;
  if (state.opened_as.empty()) state.opened_as = environment("CUCORE_DRIVER");
  if (state.opened_as.empty()) state.opened_as = "auto";
  if (is_driver_choice(state.opened_as)) return open_driver(state.opened_as);
  return {nullptr, not_a_choice("CUCORE_DRIVER=" + quoted(state.opened_as))};
}

const CudaTable* publish(std::unique_ptr<CudaTable> table) {
  const CudaTable* published = table.release();  // lives until the process ends
  watch_exit();
  detail::published.store(published, std::memory_order_release);
  return published;
}

struct InUse {
  const CudaTable* table = nullptr;
  std::optional<Error> error;
};

InUse open_or_find() {
  State& shared = state();
  std::lock_guard lock(shared.mutex);
  if (const CudaTable* table = detail::published.load(std::memory_order_acquire))
    return {table, {}};
  const OpeningMark mark;
  Opened opened = open_selected(shared);
  if (opened.error) return {nullptr, std::move(opened.error)};
  if (log_enabled(LogLevel::DEBUG)) log(LogLevel::DEBUG, "opened the driver " + opened.table->path);
  return {publish(std::move(opened.table)), {}};
}

// Returns the table in use, opened on demand, or the reason that none is.
InUse table_in_use() {
  if (forked()) return {nullptr, fork_error()};
  InUse in_use = open_or_find();
  if (in_use.table) start_profile();
  return in_use;
}

}  // namespace

const CudaTable& detail::open_cuda() {
  InUse in_use = table_in_use();
  if (in_use.error) throw std::move(*in_use.error);
  return *in_use.table;
}

const CudaTable* cuda_if_available() noexcept {
  if (const CudaTable* table = detail::published.load(std::memory_order_acquire)) return table;
  try {
    return table_in_use().table;
  } catch (...) {
    return nullptr;  // out of memory: this call has no driver
  }
}

int device_count() {
  const InUse in_use = table_in_use();
  if (in_use.table) {
    int count = 0;
    check(in_use.table->cuDeviceGetCount(&count), "count the devices");
    return count;
  }
  const Status status = in_use.error->status();
  if (status != Status::LIBRARY_MISSING && status != Status::NO_DEVICE) throw *in_use.error;
  require_descriptors("count the devices");  // without descriptors, a driver also finds no devices
  return 0;
}

void select_driver(std::string_view name_or_path) {
  if (!is_driver_choice(name_or_path)) throw not_a_choice(quoted(name_or_path));
  if (forked()) throw fork_error();
  State& shared = state();
  std::lock_guard lock(shared.mutex);
  const CudaTable* table = detail::published.load(std::memory_order_acquire);
  if (!table) {
    shared.selected = absolute_path(std::string(name_or_path));
  } else if (!is_same_choice(absolute_path(std::string(name_or_path)), *table, shared.opened_as)) {
    throw Error(Status::INVALID_STATE,
                "cannot choose the driver " + quoted(name_or_path) + ": " + table->path +
                    " is in use already; choose it before the first call that needs a driver");
  }
}

}  // namespace cucore::driver
