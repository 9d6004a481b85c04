// SPDX-License-Identifier: Apache-2.0
#include "perf/measure/stream_gate.hpp"

#include <cstring>
#include <system_error>

#include "support/signals_blocked.hpp"

namespace cucore::perf {
namespace {

constexpr const char* HOLDS_STREAM = "the measurement holds the stream";
constexpr unsigned AT_LEAST = 0;  // CU_STREAM_WAIT_VALUE_GEQ

// Finds a function of the driver. Returns null if the driver lacks it.
template <class Function>
Function* find_function(const char* name) {
  void* address = nullptr;
  cucore_error* error = nullptr;
  const cucore_status status = cucore_library_symbol(CUCORE_LIBRARY_DRIVER, name, &address, &error);
  if (status != CUCORE_OK && status != CUCORE_ERROR_NOT_FOUND)
    throw client::CallFailed(status, HOLDS_STREAM, error);
  cucore_error_release(error);
  return reinterpret_cast<Function*>(address);
}

}  // namespace

// These are the functions of cuda.h, whose types libraries on cucore.h do not have.
struct StreamGate::Driver {
  int (*wait_value)(void* stream, unsigned long long address, uint32_t value, unsigned flags) =
      find_function<int(void*, unsigned long long, uint32_t, unsigned)>("cuStreamWaitValue32_v2");
  int (*context_of)(void* stream,
                    void** context) = find_function<int(void*, void**)>("cuStreamGetCtx");
  int (*push)(void* context) = find_function<int(void*)>("cuCtxPushCurrent_v2");
  int (*pop)(void** context) = find_function<int(void**)>("cuCtxPopCurrent_v2");

  bool is_complete() const { return wait_value && context_of && push && pop; }

  // Returns whether the stream accepted the wait. Devices can refuse such waits.
  bool add_wait(void* stream, uint64_t address) const {
    void* context = nullptr;
    if (context_of(stream, &context) != 0 || push(context) != 0) return false;
    const int result = wait_value(stream, address, 1, AT_LEAST);
    pop(&context);
    return result == 0;
  }
};

std::unique_ptr<StreamGate> StreamGate::create(const DeviceOwner& device, const StreamOwner& stream,
                                               std::chrono::milliseconds longest) {
  std::unique_ptr<StreamGate> gate(new StreamGate(stream, longest));
  gate->driver_ = std::make_unique<Driver>();
  if (!gate->driver_->is_complete()) return nullptr;
  gate->word_ = client::created<BufferOwner>(HOLDS_STREAM, cucore_buffer_create_pinned,
                                             device.get(), sizeof(uint32_t));
  gate->set_word(1);
  if (!gate->driver_->add_wait(cucore_stream_native(stream.get()),
                               cucore_buffer_address(gate->word_.get())))
    return nullptr;
  const SignalsBlocked blocked;
  try {
    gate->watchdog_ = std::thread([self = gate.get()] { self->watch(); });
  } catch (const std::system_error&) {
    return nullptr;  // without a watchdog, a work that synchronises never ends
  }
  return gate;
}

StreamGate::StreamGate(const StreamOwner& stream, std::chrono::milliseconds longest)
    : stream_(stream), longest_(longest) {}

StreamGate::~StreamGate() {
  open();
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (watchdog_.joinable()) watchdog_.join();
  // The word must outlive the waits in the stream.
  cucore_stream_synchronize(stream_.get(), nullptr);
}

void StreamGate::set_word(uint32_t value) noexcept {
  if (!word_) return;
  auto* const word = static_cast<uint32_t*>(cucore_buffer_host_pointer(word_.get()));
  std::atomic_ref(*word).store(value, std::memory_order_release);
}

void StreamGate::close() {
  set_word(0);
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    has_timed_out_ = false;
    deadline_ = std::chrono::steady_clock::now() + longest_;
  }
  changed_.notify_all();
  if (!driver_->add_wait(cucore_stream_native(stream_.get()), cucore_buffer_address(word_.get()))) {
    open();
    throw Error(Status::CUDA, "the driver refused a wait for a value, which it accepted before");
  }
}

bool StreamGate::open() noexcept {
  const std::lock_guard lock(mutex_);
  is_closed_ = false;
  set_word(1);
  return !has_timed_out_;
}

void StreamGate::watch() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    if (!is_closed_) {
      changed_.wait(lock);
    } else if (changed_.wait_until(lock, deadline_) == std::cv_status::timeout && is_closed_ &&
               std::chrono::steady_clock::now() >= deadline_) {
      is_closed_ = false;
      has_timed_out_ = true;
      set_word(1);
    }
  }
}

}  // namespace cucore::perf
