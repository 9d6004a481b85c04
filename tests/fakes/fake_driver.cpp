// SPDX-License-Identifier: Apache-2.0
#include "fakes/fake_driver.hpp"

#include <cstdlib>
#include <cstring>

namespace fake {
namespace {

constexpr int MAX_DEVICES = 16;

void fail_if_destroyed(Objects<CUstream, Stream>& streams, Context* context) {
  streams.remove_if([context](const Stream& stream) { return stream.context == context; });
}

// FAKE_DRIVER_VERSION makes one variant serve tests of many versions.
int chosen_version() {
  const char* const given = std::getenv("FAKE_DRIVER_VERSION");
  return given ? std::atoi(given) : VARIANT.version;
}

}  // namespace

Driver::Driver() : version(chosen_version()) {
  settings.device_count = VARIANT.device_count;
  for (int device = 0; device < MAX_DEVICES; ++device)
    contexts.push_back({device, 0, false, to_handle<CUcontext>(0x1000 + device * 16)});
}

Driver& driver() {
  static auto* driver = new Driver;
  return *driver;
}

ContextStack& context_stack() {
  static thread_local ContextStack stack;
  return stack;
}

Context* context_of(CUcontext handle) {
  for (Context& context : driver().contexts)
    if (context.handle == handle) return &context;
  return nullptr;
}

CUresult usable(const Context* context) {
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  if (!context->active) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  return driver().settings.fault;
}

CUresult current(Context*& context) {
  context = context_stack().empty() ? nullptr : context_of(context_stack().back());
  return usable(context);
}

CUresult resolve(CUstream handle, Context*& context, Stream*& stream, const char* use) {
  stream = nullptr;
  if (handle == nullptr || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD)
    return current(context);
  stream = driver().streams.find_or_note(handle, use);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  context = stream->context;
  return usable(context);
}

bool is_blocked_by_capture(CUstream handle, const Context* context) {
  if (handle != nullptr && handle != CU_STREAM_LEGACY) return false;
  bool any = false;
  driver().streams.each([&](const Stream& stream) {
    const bool blocking = !(stream.flags & CU_STREAM_NON_BLOCKING);
    any |= stream.capture.active && blocking && stream.context == context;
  });
  return any;
}

CUresult resolve_work(CUstream handle, Context*& context, Stream*& stream, const char* use) {
  const CUresult result = resolve(handle, context, stream, use);
  if (result != CUDA_SUCCESS) return result;
  if (stream && stream->capture.active && stream->capture.invalidated)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!is_blocked_by_capture(handle, context)) return CUDA_SUCCESS;
  invalidate_captures([context](const Stream& other) {
    return other.context == context && !(other.flags & CU_STREAM_NON_BLOCKING);
  });
  return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}

void wait_until_let_go(Lock& lock) {
  driver().let_go.wait(lock, [] { return !driver().held; });
}

void take_place(Lock& lock, Stream* stream) {
  if (!stream || !driver().held) return;
  if (stream->queued == driver().settings.queue_size) return wait_until_let_go(lock);
  ++stream->queued;
}

CUresult allocate(Context* context, MemoryKind kind, size_t size, CUdeviceptr* out) {
  Driver& d = driver();
  if (!out || size == 0) return CUDA_ERROR_INVALID_VALUE;
  if (size > d.settings.total_memory - d.memory_used) return CUDA_ERROR_OUT_OF_MEMORY;
  Memory memory{context, kind, {}};
  try {
    memory.bytes.resize(size);
  } catch (const std::exception&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  d.memory_used += size;
  ++d.memory_created;
  const auto address = reinterpret_cast<uintptr_t>(memory.bytes.data());
  d.memory.emplace(address, std::move(memory));
  *out = address;
  return CUDA_SUCCESS;
}

CUresult free_memory(CUdeviceptr address, bool host, const char* use) {
  Driver& d = driver();
  const auto found = d.memory.find(address);
  if (found == d.memory.end() || (found->second.kind == MemoryKind::HOST) != host ||
      found->second.kind == MemoryKind::GLOBAL) {
    calls().violation(std::string(use) + " of memory that is not allocated");
    return CUDA_ERROR_INVALID_VALUE;
  }
  d.memory_used -= found->second.bytes.size();
  d.memory.erase(found);
  return CUDA_SUCCESS;
}

void free_globals(Library& library, Context* context) {
  Driver& d = driver();
  for (Global& global : library.globals)
    std::erase_if(global.addresses, [&](const auto& entry) {
      if (context && entry.first != context) return false;
      const auto found = d.memory.find(entry.second);
      if (found != d.memory.end()) {
        d.memory_used -= found->second.bytes.size();
        d.memory.erase(found);
      }
      return true;
    });
}

void destroy_contents(Context& context) {
  Driver& d = driver();
  d.libraries.each([&](Library& library) { free_globals(library, &context); });
  fail_if_destroyed(d.streams, &context);
  d.events.remove_if([&](const Event& event) { return event.context == &context; });
  d.functions.remove_if([&](const Function& function) { return function.context == &context; });
  for (auto it = d.memory.begin(); it != d.memory.end();) {
    if (it->second.context != &context) {
      ++it;
      continue;
    }
    d.memory_used -= it->second.bytes.size();
    it = d.memory.erase(it);
  }
  context.active = false;
  context.references = 0;
  d.settings.fault = CUDA_SUCCESS;
}

Memory* memory_at(CUdeviceptr address, size_t size) {
  Driver& d = driver();
  auto after = d.memory.upper_bound(address);
  if (after == d.memory.begin()) return nullptr;
  const auto found = std::prev(after);
  const uint64_t offset = address - found->first;
  const size_t whole = found->second.bytes.size();
  return offset <= whole && size <= whole - offset ? &found->second : nullptr;
}

}  // namespace fake

namespace {

uint64_t count_memory(bool host) {
  uint64_t count = 0;
  for (const auto& [address, memory] : fake::driver().memory)
    if (memory.kind != fake::MemoryKind::GLOBAL)
      count += (memory.kind == fake::MemoryKind::HOST) == host;
  return count;
}

uint64_t count_contexts(bool references) {
  uint64_t count = 0;
  for (const fake::Context& context : fake::driver().contexts)
    count += references ? context.references : context.active;
  return count;
}

template <class Count>
uint64_t counted(const char* kind, Count count) {
  fake::Driver& d = fake::driver();
  uint64_t sum = 0;
  const auto add = [&](auto& objects) {
    if (!kind || std::strcmp(kind, objects.kind()) == 0) sum += count(objects);
  };
  add(d.streams), add(d.events), add(d.libraries), add(d.links), add(d.graphs);
  add(d.graph_nodes), add(d.graph_execs), add(d.user_objects), add(d.pools), add(d.semaphores);
  if (kind) add(d.kernels);
  return sum;
}

bool is(const char* kind, const char* name) { return !kind || std::strcmp(kind, name) == 0; }

}  // namespace

extern "C" {

void fake_reset(void) {
  fake::calls().reset();
  const auto lock = fake::locked();
  fake::Driver& d = fake::driver();
  d.settings = {};
  d.settings.device_count = fake::VARIANT.device_count;
  d.version = fake::chosen_version();
  d.held = false;
  d.checks_running = false;
  d.let_go_up_to = d.records;
  d.launches.clear();
  d.launch_count = 0;
  d.let_go.notify_all();
}

uint64_t fake_live_objects(const char* kind) {
  const auto lock = fake::locked();
  uint64_t sum = counted(kind, [](auto& objects) { return objects.alive(); });
  if (is(kind, "pool"))
    fake::driver().pools.each([&](const fake::Pool& pool) { sum -= pool.is_default; });
  if (is(kind, "memory")) sum += count_memory(false);
  if (is(kind, "host_memory")) sum += count_memory(true);
  if (is(kind, "context")) sum += count_contexts(false);
  if (is(kind, "context_reference")) sum += count_contexts(true);
  return sum;
}

uint64_t fake_created_objects(const char* kind) {
  const auto lock = fake::locked();
  uint64_t sum = counted(kind, [](auto& objects) { return objects.created(); });
  if (is(kind, "memory")) sum += fake::driver().memory_created;
  return sum;
}

void fake_set_version(int32_t version) {
  const auto lock = fake::locked();
  fake::driver().version = version;
}

void fake_set_device_count(int32_t count) {
  const auto lock = fake::locked();
  fake::driver().settings.device_count = count;
}

void fake_set_peer_access(int32_t has_access) {
  const auto lock = fake::locked();
  fake::driver().settings.has_peer_access = has_access != 0;
}

void fake_set_attribute(int32_t device, int32_t attribute, int32_t value) {
  const auto lock = fake::locked();
  fake::driver().settings.device_attributes[{device, attribute}] = value;
}

void fake_set_memory(uint64_t total_bytes) {
  const auto lock = fake::locked();
  fake::driver().settings.total_memory = total_bytes;
}

void fake_set_fault(int32_t result) {
  const auto lock = fake::locked();
  fake::driver().settings.fault = static_cast<CUresult>(result);
}

void fake_set_fault_text(const char* text) {
  const auto lock = fake::locked();
  fake::driver().settings.fault_text = text;
}

void fake_hold_streams(int32_t hold) {
  const auto lock = fake::locked();
  fake::Driver& d = fake::driver();
  d.held = hold != 0;
  if (!d.held) d.let_go_up_to = d.records;
  d.streams.each([](fake::Stream& stream) { stream.queued = 0; });
  d.let_go.notify_all();
}

void fake_set_queue_size(uint64_t places) {
  const auto lock = fake::locked();
  fake::driver().settings.queue_size = places;
}

void fake_script_elapsed(const float* milliseconds, size_t count) {
  const auto lock = fake::locked();
  fake::driver().settings.elapsed.assign(milliseconds, milliseconds + count);
}

void fake_define_kernel(const char* name, size_t parameter_count, const size_t* sizes) {
  const auto lock = fake::locked();
  fake::driver().settings.kernels.push_back(
      fake::laid_out(name, std::vector<size_t>(sizes, sizes + parameter_count)));
}

void fake_define_global(const char* name, size_t size) {
  const auto lock = fake::locked();
  fake::driver().settings.globals.push_back({name, size, false});
}

void fake_set_kernel_attribute(const char* kernel, int32_t attribute, int32_t value) {
  const auto lock = fake::locked();
  fake::driver().settings.kernel_attributes[{kernel, attribute}] = value;
}

uint64_t fake_launch_count(void) {
  const auto lock = fake::locked();
  return fake::driver().launch_count;
}

int32_t fake_launch_at(uint64_t index, fake_launch* out) {
  const auto lock = fake::locked();
  if (index >= fake::driver().launches.size()) return 0;
  *out = fake::driver().launches[index];
  return 1;
}

void fake_set_launch_hook(void (*hook)(const fake_launch*, void*), void* user_data) {
  const auto lock = fake::locked();
  fake::driver().settings.launch_hook = hook;
  fake::driver().settings.launch_data = user_data;
}
}
