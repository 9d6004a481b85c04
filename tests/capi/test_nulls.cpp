// SPDX-License-Identifier: Apache-2.0
// Every pointer argument of every function, one row each: NULL, and for handles a released one and
// live ones of every other type. The rows are held against the export map, so that none is
// forgotten.
#include <algorithm>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "completion_testing.hpp"

namespace {

using namespace capi_test;

// Room for a call's outputs, full of rubbish before it; after a failure all that was handed out
// must be zero.
class Outputs {
 public:
  template <class T>
  T* room() {
    slots_.emplace_back(sizeof(T), static_cast<unsigned char>(0xa5));
    return reinterpret_cast<T*>(slots_.back().data());
  }
  int32_t* i32() { return room<int32_t>(); }
  size_t* size() { return room<size_t>(); }
  float* f32() { return room<float>(); }
  uint64_t* u64() { return room<uint64_t>(); }
  template <class T>
  T** handle() {
    return room<T*>();
  }
  bool are_cleared() const {
    return std::ranges::all_of(slots_, [](const auto& slot) {
      return std::ranges::all_of(slot, [](unsigned char byte) { return byte == 0; });
    });
  }

 private:
  std::deque<std::vector<unsigned char>> slots_;
};

struct World {
  Device device;
  Stream stream;
  Event event;
  Buffer buffer;
  Program program;
  Code code;
  Kernel kernel;
  Owned<cucore_linker, cucore_linker_release> linker;
  Owned<cucore_cache, cucore_cache_release> cache;
  uint8_t cache_key[32] = {};
  cucore_cache_statistics_info statistics = CUCORE_CACHE_STATISTICS_INFO_INIT;
  cucore_cache_remote remote = CUCORE_CACHE_REMOTE_INIT;
  cucore_batch_item item = {};
  Queue queue;
  Future future;
  cucore_completion completion = {};
  cucore_queue_info queue_info = CUCORE_QUEUE_INFO_INIT;
  cucore_launch_options launch = grid(1, 1);
  char bytes[16] = {};
  cucore_symbol_info symbol = CUCORE_SYMBOL_INFO_INIT;
  cucore_library_info library = CUCORE_LIBRARY_INFO_INIT;
  cucore_diagnostic_info diagnostic = CUCORE_DIAGNOSTIC_INFO_INIT;
  cucore_resource_info resources = CUCORE_RESOURCE_INFO_INIT;
  const cucore_objectcode* images[2] = {};

  const cucore_objectcode* const* two() {
    images[0] = images[1] = code;
    return images;
  }

  const cucore_batch_item* one_item() {
    item.program = program;
    item.target = CUCORE_CODE_TYPE_PTX;
    return &item;
  }

  std::map<std::string, void*> handles() const {
    return {{"device", device.get()}, {"stream", stream.get()},   {"event", event.get()},
            {"buffer", buffer.get()}, {"program", program.get()}, {"objectcode", code.get()},
            {"kernel", kernel.get()}, {"linker", linker.get()},   {"queue", queue.get()},
            {"future", future.get()}, {"cache", cache.get()}};
  }
};

using Call = std::function<cucore_status(World&, Outputs&, void*, cucore_error**)>;

struct Row {
  std::string function, argument;
  std::string type;  // of a handle; "" for other pointers
  Call call;
};

// H(type, argument, function, arguments...): `argument` stands for the handle under test.
#define H(type, argument, function, ...)                                                      \
  Row {                                                                                       \
#function, #argument, #type,                                                                \
      []([[maybe_unused]] World& w, [[maybe_unused]] Outputs& o, void* x, cucore_error** e) {     \
        auto* argument = static_cast<cucore_##type*>(x);                                          \
        return function(__VA_ARGS__, e);                                                          \
      } \
  }
// P(argument, function, arguments...): another pointer, which is written nullptr in its place.
#define P(argument, function, ...)                                          \
  Row {                                                                     \
#function, #argument, "",                                               \
        []([[maybe_unused]] World & w, [[maybe_unused]] Outputs & o, void*, \
           cucore_error** e) { return function(__VA_ARGS__, e); }           \
  }

constexpr auto ATTRIBUTE = CUCORE_DEVICE_ATTRIBUTE_WARP_SIZE;
constexpr auto REGISTERS = CUCORE_KERNEL_ATTRIBUTE_NUM_REGS;
constexpr auto LEGACY = CUCORE_DEFAULT_STREAM_LEGACY;
constexpr auto CUDA_CPP = CUCORE_SOURCE_TYPE_CUDA_CPP;

cucore_status builds_nothing(cucore_objectcode**, cucore_error**, void*) {
  return CUCORE_ERROR_COMPILATION;
}
int32_t goes_on(const cucore_cache_entry_info*, void*) { return 1; }
constexpr auto PTX_CODE = CUCORE_CODE_TYPE_PTX;

std::vector<Row> rows() {
  return {
      P(out, cucore_library_query, CUCORE_LIBRARY_NVRTC, nullptr),
      // linker
      P(out, cucore_linker_create, nullptr, nullptr),
      H(linker, linker, cucore_linker_add, linker, w.code),
      H(objectcode, code, cucore_linker_add, w.linker, code),
      H(linker, linker, cucore_linker_link, linker, CUCORE_CODE_TYPE_CUBIN,
        o.room<cucore_objectcode*>()),
      P(out, cucore_linker_link, w.linker, CUCORE_CODE_TYPE_CUBIN, nullptr),
      // diagnostics, images
      P(failure, cucore_error_diagnostic_at, nullptr, 0, &w.diagnostic),
      P(out, cucore_error_diagnostic_at, nullptr, 0, nullptr),
      H(objectcode, code, cucore_objectcode_diagnostic_at, code, 0, &w.diagnostic),
      P(out, cucore_objectcode_diagnostic_at, w.code, 0, nullptr),
      H(objectcode, code, cucore_objectcode_symbol_resources, code, 0, &w.resources),
      P(out, cucore_objectcode_symbol_resources, w.code, 0, nullptr),
      H(objectcode, code, cucore_objectcode_image_at, code, 0, o.room<cucore_objectcode*>()),
      P(out, cucore_objectcode_image_at, w.code, 0, nullptr),
      P(images, cucore_objectcode_bundle, nullptr, 2, o.room<cucore_objectcode*>()),
      P(out, cucore_objectcode_bundle, w.two(), 2, nullptr),
      P(path, cucore_library_set_path, CUCORE_LIBRARY_NVJITLINK, nullptr),
      P(name, cucore_library_symbol, CUCORE_LIBRARY_NVRTC, nullptr, o.room<void*>()),
      P(out, cucore_library_symbol, CUCORE_LIBRARY_NVRTC, "nvrtcVersion", nullptr),
      P(name_or_path, cucore_driver_select, nullptr),
      // cache
      P(out, cucore_cache_open, nullptr, nullptr),
      H(cache, cache, cucore_cache_compile, cache, w.program, PTX_CODE, nullptr, 0,
        o.handle<cucore_objectcode>(), o.room<cucore_cache_outcome>()),
      H(program, program, cucore_cache_compile, w.cache, program, PTX_CODE, nullptr, 0,
        o.handle<cucore_objectcode>(), o.room<cucore_cache_outcome>()),
      P(name_expressions, cucore_cache_compile, w.cache, w.program, PTX_CODE, nullptr, 1,
        o.handle<cucore_objectcode>(), nullptr),
      P(out, cucore_cache_compile, w.cache, w.program, PTX_CODE, nullptr, 0, nullptr,
        o.room<cucore_cache_outcome>()),
      H(cache, cache, cucore_cache_link, cache, w.linker, CUCORE_CODE_TYPE_CUBIN,
        o.handle<cucore_objectcode>(), o.room<cucore_cache_outcome>()),
      H(linker, linker, cucore_cache_link, w.cache, linker, CUCORE_CODE_TYPE_CUBIN,
        o.handle<cucore_objectcode>(), o.room<cucore_cache_outcome>()),
      P(out, cucore_cache_link, w.cache, w.linker, CUCORE_CODE_TYPE_CUBIN, nullptr,
        o.room<cucore_cache_outcome>()),
      H(cache, cache, cucore_cache_find, cache, w.program, PTX_CODE, nullptr, 0,
        o.handle<cucore_objectcode>(), nullptr),
      H(program, program, cucore_cache_find, w.cache, program, PTX_CODE, nullptr, 0,
        o.handle<cucore_objectcode>(), nullptr),
      P(name_expressions, cucore_cache_find, w.cache, w.program, PTX_CODE, nullptr, 1,
        o.handle<cucore_objectcode>(), nullptr),
      P(out, cucore_cache_find, w.cache, w.program, PTX_CODE, nullptr, 0, nullptr, nullptr),
      H(cache, cache, cucore_cache_get, cache, w.cache_key, o.handle<cucore_objectcode>()),
      P(key, cucore_cache_get, w.cache, nullptr, o.handle<cucore_objectcode>()),
      P(out, cucore_cache_get, w.cache, w.cache_key, nullptr),
      H(cache, cache, cucore_cache_put, cache, w.cache_key, w.code),
      P(key, cucore_cache_put, w.cache, nullptr, w.code),
      H(objectcode, code, cucore_cache_put, w.cache, w.cache_key, code),
      H(cache, cache, cucore_cache_get_or_build, cache, w.cache_key, builds_nothing, nullptr,
        o.handle<cucore_objectcode>(), o.room<cucore_cache_outcome>()),
      P(key, cucore_cache_get_or_build, w.cache, nullptr, builds_nothing, nullptr,
        o.handle<cucore_objectcode>(), o.room<cucore_cache_outcome>()),
      P(build, cucore_cache_get_or_build, w.cache, w.cache_key, nullptr, nullptr,
        o.handle<cucore_objectcode>(), o.room<cucore_cache_outcome>()),
      P(out, cucore_cache_get_or_build, w.cache, w.cache_key, builds_nothing, nullptr, nullptr,
        o.room<cucore_cache_outcome>()),
      H(cache, cache, cucore_cache_statistics, cache, &w.statistics),
      P(out, cucore_cache_statistics, w.cache, nullptr),
      H(cache, cache, cucore_cache_statistics_of_all, cache, &w.statistics),
      P(out, cucore_cache_statistics_of_all, w.cache, nullptr),
      H(cache, cache, cucore_cache_trim, cache, 0, nullptr, nullptr),
      H(cache, cache, cucore_cache_verify, cache, nullptr, nullptr, o.u64()),
      H(cache, cache, cucore_cache_query, cache, goes_on, nullptr),
      P(report, cucore_cache_query, w.cache, nullptr, nullptr),
      H(cache, cache, cucore_cache_explain_miss, cache, w.program, PTX_CODE, nullptr, 0, nullptr, 0,
        o.size()),
      H(program, program, cucore_cache_explain_miss, w.cache, program, PTX_CODE, nullptr, 0,
        nullptr, 0, o.size()),
      P(name_expressions, cucore_cache_explain_miss, w.cache, w.program, PTX_CODE, nullptr, 1,
        nullptr, 0, o.size()),
      P(buffer, cucore_cache_explain_miss, w.cache, w.program, PTX_CODE, nullptr, 0, nullptr, 16,
        o.size()),
      P(size, cucore_cache_explain_miss, w.cache, w.program, PTX_CODE, nullptr, 0, nullptr, 0,
        nullptr),
      H(cache, cache, cucore_cache_add_remote, cache, &w.remote),
      P(remote, cucore_cache_add_remote, w.cache, nullptr),
      H(cache, cache, cucore_cache_add_remote_url, cache, "file:///tmp", nullptr),
      P(url, cucore_cache_add_remote_url, w.cache, nullptr, nullptr),
      // batch
      P(items, cucore_program_compile_batch, nullptr, 1, nullptr, o.handle<cucore_objectcode>(),
        o.handle<cucore_error>()),
      P(out, cucore_program_compile_batch, w.one_item(), 1, nullptr, nullptr,
        o.handle<cucore_error>()),
      // device
      P(out, cucore_device_count, nullptr),
      P(out, cucore_device_open, 0, nullptr),
      H(device, device, cucore_device_compute_capability, device, o.i32(), o.i32()),
      P(major, cucore_device_compute_capability, w.device, nullptr, o.i32()),
      P(minor, cucore_device_compute_capability, w.device, o.i32(), nullptr),
      H(device, device, cucore_device_attribute, device, ATTRIBUTE, o.i32()),
      P(out, cucore_device_attribute, w.device, ATTRIBUTE, nullptr),
      H(device, device, cucore_device_uuid, device, *o.room<uint8_t[16]>()),
      P(out, cucore_device_uuid, w.device, nullptr),
      H(device, device, cucore_device_memory, device, o.size(), o.size()),
      P(free_bytes, cucore_device_memory, w.device, nullptr, o.size()),
      P(total_bytes, cucore_device_memory, w.device, o.size(), nullptr),
      H(device, device, cucore_device_can_access_peer, device, w.device, o.i32()),
      H(device, peer, cucore_device_can_access_peer, w.device, peer, o.i32()),
      P(out, cucore_device_can_access_peer, w.device, w.device, nullptr),
      H(device, device, cucore_device_stream_priorities, device, o.i32(), o.i32()),
      P(least, cucore_device_stream_priorities, w.device, nullptr, o.i32()),
      P(greatest, cucore_device_stream_priorities, w.device, o.i32(), nullptr),
      H(device, device, cucore_device_synchronize, device),
      H(device, device, cucore_device_default_stream, device, LEGACY, o.handle<cucore_stream>()),
      P(out, cucore_device_default_stream, w.device, LEGACY, nullptr),
      H(device, device, cucore_device_reset, device),
      // stream
      H(device, device, cucore_stream_create, device, nullptr, o.handle<cucore_stream>()),
      P(out, cucore_stream_create, w.device, nullptr, nullptr),
      H(device, device, cucore_stream_from_native, device, nullptr, o.handle<cucore_stream>()),
      P(out, cucore_stream_from_native, w.device, nullptr, nullptr),
      H(stream, stream, cucore_stream_device, stream, o.handle<cucore_device>()),
      P(out, cucore_stream_device, w.stream, nullptr),
      H(stream, stream, cucore_stream_synchronize, stream),
      H(stream, stream, cucore_stream_query, stream, o.i32()),
      P(done, cucore_stream_query, w.stream, nullptr),
      H(stream, stream, cucore_stream_wait_event, stream, w.event),
      H(event, event, cucore_stream_wait_event, w.stream, event),
      H(stream, stream, cucore_stream_wait_stream, stream, w.stream),
      H(stream, other, cucore_stream_wait_stream, w.stream, other),
      // event
      H(device, device, cucore_event_create, device, nullptr, o.handle<cucore_event>()),
      P(out, cucore_event_create, w.device, nullptr, nullptr),
      H(event, event, cucore_event_device, event, o.handle<cucore_device>()),
      P(out, cucore_event_device, w.event, nullptr),
      H(event, event, cucore_event_record, event, w.stream),
      H(stream, stream, cucore_event_record, w.event, stream),
      H(event, event, cucore_event_synchronize, event),
      H(event, event, cucore_event_query, event, o.i32()),
      P(done, cucore_event_query, w.event, nullptr),
      H(event, start, cucore_event_elapsed, start, w.event, o.f32()),
      H(event, end, cucore_event_elapsed, w.event, end, o.f32()),
      P(milliseconds, cucore_event_elapsed, w.event, w.event, nullptr),
      // queue
      P(out, cucore_queue_create, nullptr, nullptr),
      H(queue, queue, cucore_queue_wait, queue, 0, &w.completion, 1, o.size()),
      P(out, cucore_queue_wait, w.queue, 0, nullptr, 1, o.size()),
      P(count, cucore_queue_wait, w.queue, 0, &w.completion, 1, nullptr),
      H(queue, queue, cucore_queue_close, queue),
      H(queue, queue, cucore_queue_query, queue, &w.queue_info),
      P(out, cucore_queue_query, w.queue, nullptr),
      // future
      H(stream, stream, cucore_future_from_stream, stream, w.queue, 1, o.handle<cucore_future>()),
      H(queue, queue, cucore_future_from_stream, w.stream, queue, 1, o.handle<cucore_future>()),
      P(out, cucore_future_from_stream, w.stream, w.queue, 1, nullptr),
      H(future, future, cucore_future_query, future, o.i32()),
      P(done, cucore_future_query, w.future, nullptr),
      H(future, future, cucore_future_wait, future, 0),
      H(future, future, cucore_future_error, future),
      H(future, future, cucore_future_detach, future, o.i32()),
      P(detached, cucore_future_detach, w.future, nullptr),
      // buffer
      H(device, device, cucore_buffer_create, device, 4, w.stream, o.handle<cucore_buffer>()),
      H(stream, stream, cucore_buffer_create, w.device, 4, stream, o.handle<cucore_buffer>()),
      P(out, cucore_buffer_create, w.device, 4, w.stream, nullptr),
      H(device, device, cucore_buffer_create_pinned, device, 4, o.handle<cucore_buffer>()),
      P(out, cucore_buffer_create_pinned, w.device, 4, nullptr),
      H(device, device, cucore_buffer_create_managed, device, 4, o.handle<cucore_buffer>()),
      P(out, cucore_buffer_create_managed, w.device, 4, nullptr),
      H(device, device, cucore_buffer_from_native, device, 64, 4, o.handle<cucore_buffer>()),
      P(out, cucore_buffer_from_native, w.device, 64, 4, nullptr),
      H(buffer, buffer, cucore_buffer_set_stream, buffer, w.stream),
      H(stream, stream, cucore_buffer_set_stream, w.buffer, stream),
      H(buffer, buffer, cucore_buffer_record_use, buffer, w.stream),
      H(stream, stream, cucore_buffer_record_use, w.buffer, stream),
      H(buffer, buffer, cucore_buffer_device, buffer, o.handle<cucore_device>()),
      P(out, cucore_buffer_device, w.buffer, nullptr),
      H(buffer, buffer, cucore_buffer_write, buffer, 0, w.bytes, 4, w.stream),
      P(source, cucore_buffer_write, w.buffer, 0, nullptr, 4, w.stream),
      H(stream, stream, cucore_buffer_write, w.buffer, 0, w.bytes, 4, stream),
      H(buffer, buffer, cucore_buffer_read, buffer, 0, w.bytes, 4, w.stream),
      P(destination, cucore_buffer_read, w.buffer, 0, nullptr, 4, w.stream),
      H(stream, stream, cucore_buffer_read, w.buffer, 0, w.bytes, 4, stream),
      H(buffer, destination, cucore_buffer_copy, destination, 0, w.buffer, 8, 4, w.stream),
      H(buffer, source, cucore_buffer_copy, w.buffer, 0, source, 8, 4, w.stream),
      H(stream, stream, cucore_buffer_copy, w.buffer, 0, w.buffer, 8, 4, stream),
      H(buffer, buffer, cucore_buffer_fill, buffer, 0, 4, w.bytes, 1, w.stream),
      P(pattern, cucore_buffer_fill, w.buffer, 0, 4, nullptr, 1, w.stream),
      H(stream, stream, cucore_buffer_fill, w.buffer, 0, 4, w.bytes, 1, stream),
      // program
      P(source, cucore_program_create, CUDA_CPP, nullptr, 4, nullptr, o.handle<cucore_program>()),
      P(out, cucore_program_create, CUDA_CPP, "", 0, nullptr, nullptr),
      H(program, program, cucore_program_compile, program, PTX_CODE, nullptr, 0,
        o.handle<cucore_objectcode>()),
      P(name_expressions, cucore_program_compile, w.program, PTX_CODE, nullptr, 1,
        o.handle<cucore_objectcode>()),
      P(out, cucore_program_compile, w.program, PTX_CODE, nullptr, 0, nullptr),
      // object code
      P(data, cucore_objectcode_create, PTX_CODE, nullptr, 4, nullptr,
        o.handle<cucore_objectcode>()),
      P(out, cucore_objectcode_create, PTX_CODE, PTX, PTX_SIZE, nullptr, nullptr),
      P(path, cucore_objectcode_from_file, PTX_CODE, nullptr, nullptr,
        o.handle<cucore_objectcode>()),
      P(out, cucore_objectcode_from_file, PTX_CODE, "a", nullptr, nullptr),
      H(objectcode, code, cucore_objectcode_symbol_at, code, 0, &w.symbol),
      P(out, cucore_objectcode_symbol_at, w.code, 0, nullptr),
      H(objectcode, code, cucore_objectcode_symbol_parameter_at, code, 0, 0, o.size(), o.size()),
      P(offset, cucore_objectcode_symbol_parameter_at, w.code, 0, 0, nullptr, o.size()),
      P(size, cucore_objectcode_symbol_parameter_at, w.code, 0, 0, o.size(), nullptr),
      H(objectcode, code, cucore_objectcode_symbol_parameters, code, 0, nullptr, 0, o.size()),
      P(out, cucore_objectcode_symbol_parameters, w.code, 0, nullptr, 1, o.size()),
      P(count, cucore_objectcode_symbol_parameters, w.code, 0, nullptr, 0, nullptr),
      H(objectcode, code, cucore_objectcode_serialize, code, nullptr, nullptr, 0, o.size()),
      P(buffer, cucore_objectcode_serialize, w.code, nullptr, nullptr, 16, o.size()),
      P(size, cucore_objectcode_serialize, w.code, nullptr, nullptr, 0, nullptr),
      P(data, cucore_objectcode_deserialize, nullptr, 4, nullptr, o.handle<cucore_objectcode>()),
      P(out, cucore_objectcode_deserialize, w.bytes, 4, nullptr, nullptr),
      H(objectcode, code, cucore_objectcode_load, code, w.device),
      H(device, device, cucore_objectcode_load, w.code, device),
      H(objectcode, code, cucore_objectcode_find_kernel, code, "empty", o.handle<cucore_kernel>()),
      P(name, cucore_objectcode_find_kernel, w.code, nullptr, o.handle<cucore_kernel>()),
      P(out, cucore_objectcode_find_kernel, w.code, "empty", nullptr),
      H(objectcode, code, cucore_objectcode_find_global, code, "counter", w.device, o.u64(),
        o.size()),
      P(name, cucore_objectcode_find_global, w.code, nullptr, w.device, o.u64(), o.size()),
      H(device, device, cucore_objectcode_find_global, w.code, "counter", device, o.u64(),
        o.size()),
      P(address, cucore_objectcode_find_global, w.code, "counter", w.device, nullptr, o.size()),
      P(size, cucore_objectcode_find_global, w.code, "counter", w.device, o.u64(), nullptr),
      // kernel
      H(kernel, kernel, cucore_kernel_attribute, kernel, REGISTERS, w.device, o.i32()),
      H(device, device, cucore_kernel_attribute, w.kernel, REGISTERS, device, o.i32()),
      P(out, cucore_kernel_attribute, w.kernel, REGISTERS, w.device, nullptr),
      H(kernel, kernel, cucore_kernel_set_attribute, kernel, REGISTERS, w.device, 1),
      H(device, device, cucore_kernel_set_attribute, w.kernel, REGISTERS, device, 1),
      H(kernel, kernel, cucore_kernel_parameter_at, kernel, 0, w.device, o.size(), o.size()),
      P(offset, cucore_kernel_parameter_at, w.kernel, 0, w.device, nullptr, o.size()),
      P(size, cucore_kernel_parameter_at, w.kernel, 0, w.device, o.size(), nullptr),
      H(kernel, kernel, cucore_kernel_parameters, kernel, w.device, nullptr, 0, o.size()),
      P(out, cucore_kernel_parameters, w.kernel, w.device, nullptr, 1, o.size()),
      P(count, cucore_kernel_parameters, w.kernel, w.device, nullptr, 0, nullptr),
      H(kernel, kernel, cucore_kernel_occupancy, kernel, w.device, 32, 0, o.i32()),
      H(device, device, cucore_kernel_occupancy, w.kernel, device, 32, 0, o.i32()),
      P(blocks_per_multiprocessor, cucore_kernel_occupancy, w.kernel, w.device, 32, 0, nullptr),
      H(kernel, kernel, cucore_kernel_max_potential_block_size, kernel, w.device, 0, 0, o.i32(),
        o.i32()),
      H(device, device, cucore_kernel_max_potential_block_size, w.kernel, device, 0, 0, o.i32(),
        o.i32()),
      P(min_grid_size, cucore_kernel_max_potential_block_size, w.kernel, w.device, 0, 0, nullptr,
        o.i32()),
      P(block_size, cucore_kernel_max_potential_block_size, w.kernel, w.device, 0, 0, o.i32(),
        nullptr),
      H(kernel, kernel, cucore_kernel_available_dynamic_shared, kernel, w.device, 1, 32, o.size()),
      H(device, device, cucore_kernel_available_dynamic_shared, w.kernel, device, 1, 32, o.size()),
      P(dynamic_shared, cucore_kernel_available_dynamic_shared, w.kernel, w.device, 1, 32, nullptr),
      H(kernel, kernel, cucore_kernel_max_active_clusters, kernel, w.device, &w.launch, o.i32()),
      H(device, device, cucore_kernel_max_active_clusters, w.kernel, device, &w.launch, o.i32()),
      P(options, cucore_kernel_max_active_clusters, w.kernel, w.device, nullptr, o.i32()),
      P(clusters, cucore_kernel_max_active_clusters, w.kernel, w.device, &w.launch, nullptr),
      // launch
      H(kernel, kernel, cucore_kernel_launch, kernel, w.stream, &w.launch, nullptr, 0),
      H(stream, stream, cucore_kernel_launch, w.kernel, stream, &w.launch, nullptr, 0),
      P(options, cucore_kernel_launch, w.kernel, w.stream, nullptr, nullptr, 0),
      P(arguments, cucore_kernel_launch, w.kernel, w.stream, &w.launch, nullptr, 1),
      H(kernel, kernel, cucore_kernel_launch_packed, kernel, w.stream, &w.launch, nullptr, 0),
      H(stream, stream, cucore_kernel_launch_packed, w.kernel, stream, &w.launch, nullptr, 0),
      P(options, cucore_kernel_launch_packed, w.kernel, w.stream, nullptr, nullptr, 0),
      P(arguments, cucore_kernel_launch_packed, w.kernel, w.stream, &w.launch, nullptr, 1),
  };
}

// Functions that cannot fail: what they answer to NULL and to dead handles.
struct Neutral {
  std::string function, type;
  std::function<bool(void*)> is_neutral;
};

bool empty(const char* text) { return text && !*text; }

#define N(type, function, check)                                                  \
  Neutral {                                                                       \
#function, #type, [](void* x) {                                                 \
      auto value = function(static_cast<cucore_##type*>(x));                        \
      return check;                                                                 \
    } \
  }
// Nothing but that it returns: retain gives its argument back.
#define RETAIN(type)                                                                            \
  Neutral{"cucore_" #type "_retain", #type,                                                     \
          [](void* x) { return cucore_##type##_retain(static_cast<cucore_##type*>(x)) == x; }}, \
      Neutral {                                                                                 \
    "cucore_" #type "_release", #type, [](void* x) {                                            \
      cucore_##type##_release(static_cast<cucore_##type*>(x));                                  \
      return true;                                                                              \
    }                                                                                           \
  }

std::vector<Neutral> neutrals() {
  return {
      RETAIN(error),
      RETAIN(device),
      RETAIN(stream),
      RETAIN(event),
      RETAIN(buffer),
      RETAIN(program),
      RETAIN(objectcode),
      RETAIN(kernel),
      N(error, cucore_error_status, value == CUCORE_OK),
      N(error, cucore_error_message, empty(value)),
      N(error, cucore_error_origin, empty(value)),
      N(error, cucore_error_native_code, value == 0),
      N(error, cucore_error_native_name, empty(value)),
      N(error, cucore_error_log, empty(value)),
      N(device, cucore_device_ordinal, value == 0),
      N(device, cucore_device_name, empty(value)),
      N(device, cucore_device_arch, empty(value)),
      N(device, cucore_device_pci_bus_id, empty(value)),
      N(device, cucore_device_is_emulated, value == 0),
      N(stream, cucore_stream_native, value == nullptr),
      RETAIN(queue),
      N(queue, cucore_queue_descriptor, value == -1),
      RETAIN(future),
      N(future, cucore_future_token, value == 0),
      N(event, cucore_event_has_timing, value == 0),
      N(event, cucore_event_native, value == nullptr),
      N(buffer, cucore_buffer_address, value == 0),
      N(buffer, cucore_buffer_host_pointer, value == nullptr),
      N(buffer, cucore_buffer_size, value == 0),
      N(buffer, cucore_buffer_native, value == nullptr),
      N(program, cucore_program_backend, value == 0),
      N(objectcode, cucore_objectcode_type, static_cast<int>(value) == 0),
      N(objectcode, cucore_objectcode_name, empty(value)),
      N(objectcode, cucore_objectcode_arch, empty(value)),
      N(objectcode, cucore_objectcode_log, empty(value)),
      N(objectcode, cucore_objectcode_symbol_count, value == 0),
      N(objectcode, cucore_objectcode_is_loaded, value == 0),
      N(objectcode, cucore_objectcode_native, value == nullptr),
      Neutral{"cucore_objectcode_data", "objectcode",
              [](void* x) {
                size_t size = 7;
                auto* code = static_cast<cucore_objectcode*>(x);
                return !cucore_objectcode_data(code, &size) && size == 0 &&
                       !cucore_objectcode_data(code, nullptr);
              }},
      RETAIN(linker),
      RETAIN(cache),
      N(cache, cucore_cache_directory, empty(value)),
      N(linker, cucore_linker_backend, value == 0),
      N(linker, cucore_linker_log, empty(value)),
      N(error, cucore_error_diagnostic_count, value == 0),
      N(objectcode, cucore_objectcode_diagnostic_count, value == 0),
      N(objectcode, cucore_objectcode_metadata_count, value == 0),
      N(objectcode, cucore_objectcode_signature, value == 0),
      N(objectcode, cucore_objectcode_signature_key, empty(value)),
      N(objectcode, cucore_objectcode_image_count, value == 0),
      Neutral{"cucore_objectcode_metadata_key", "objectcode",
              [](void* x) {
                return empty(cucore_objectcode_metadata_key(static_cast<cucore_objectcode*>(x), 0));
              }},
      Neutral{"cucore_objectcode_metadata_value", "objectcode",
              [](void* x) {
                return empty(
                    cucore_objectcode_metadata_value(static_cast<cucore_objectcode*>(x), 0));
              }},
      N(kernel, cucore_kernel_name, empty(value)),
      N(kernel, cucore_kernel_label, empty(value)),
      N(kernel, cucore_kernel_native, value == nullptr),
      N(kernel, cucore_kernel_parameter_count, value == 0),
  };
}

class Nulls : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    world_.device = open_device();
    world_.stream = make_stream(device_);
    world_.event = make_event(device_);
    world_.buffer = make_buffer(device_, 16, world_.stream);
    world_.program = make_program("");
    world_.code = make_ptx_code();
    world_.kernel = find_kernel(world_.code, "empty");
    MUST(cucore_linker_create, nullptr, world_.linker.out());
    world_.queue = make_queue();
    world_.future = make_future(world_.stream, world_.queue, 1);
    MUST(cucore_cache_open, &memory_alone(), world_.cache.out());
  }
  static const cucore_cache_options& memory_alone() {
    static cucore_cache_options options = CUCORE_CACHE_OPTIONS_INIT;
    options.directory = "";
    return options;
  }
  void TearDown() override {
    world_ = World();
    OnDevice::TearDown();
  }

  void expect_failure(const Row& row, void* x, cucore_status expected, const std::string& parts) {
    SCOPED_TRACE(row.function + "(" + row.argument + ")");
    Outputs outputs;
    cucore_error* error = garbage();
    const cucore_status status = row.call(world_, outputs, x, &error);
    EXPECT_TRUE(failed(status, error, expected, parts));
    EXPECT_TRUE(outputs.are_cleared());
    if (error != garbage()) cucore_error_release(error);
    Outputs others;
    EXPECT_EQ(row.call(world_, others, x, nullptr), expected) << "without an error";
    EXPECT_TRUE(others.are_cleared());
  }

  World world_;
};

TEST_F(Nulls, EveryPointerArgument) {
  for (const Row& row : rows())
    expect_failure(row, nullptr, CUCORE_ERROR_INVALID_ARGUMENT, row.argument + "|NULL");
}

TEST_F(Nulls, EveryHandleThatWasReleased) {
  World other;
  other.stream = make_stream(device_);
  other.event = make_event(device_);
  other.buffer = make_buffer(device_, 16, stream_);
  other.program = make_program("");
  other.code = make_ptx_code();
  other.kernel = find_kernel(other.code, "empty");
  MUST(cucore_cache_open, &memory_alone(), other.cache.out());
  other.queue = make_queue();
  other.future = make_future(other.stream, other.queue, 1);
  int32_t devices = 0;
  ASSERT_EQ(cucore_device_count(&devices, nullptr), CUCORE_OK);
  if (devices > 1) other.device = open_device(1);
  const auto released = other.handles();
  other = World();
  for (const Row& row : rows())
    if (void* dead = row.type.empty() ? nullptr : released.at(row.type))
      expect_failure(row, dead, CUCORE_ERROR_INVALID_HANDLE,
                     row.argument + "|it is a released cucore_" + row.type);
  for (const Neutral& neutral : neutrals())
    if (neutral.type != "error" && released.at(neutral.type)) {
      EXPECT_TRUE(neutral.is_neutral(released.at(neutral.type))) << neutral.function;
    }
}

TEST_F(Nulls, EveryHandleOfAnotherType) {
  for (const Row& row : rows())
    for (const auto& [type, handle] : world_.handles())
      if (!row.type.empty() && type != row.type)
        expect_failure(
            row, handle, CUCORE_ERROR_INVALID_HANDLE,
            row.argument + "|not a live cucore_" + row.type + ": it is a cucore_" + type);
  for (const Neutral& neutral : neutrals())
    for (const auto& [type, handle] : world_.handles())
      if (type != neutral.type) {
        EXPECT_TRUE(neutral.is_neutral(handle)) << neutral.function << " of a " << type;
      }
  // Releasing through the wrong function took nothing away.
  EXPECT_EQ(cucore_stream_synchronize(world_.stream, nullptr), CUCORE_OK);
  EXPECT_STREQ(cucore_kernel_name(world_.kernel), "empty");
}

TEST(NullsAlone, NeutralValues) {
  for (const Neutral& neutral : neutrals())
    EXPECT_TRUE(neutral.is_neutral(nullptr)) << neutral.function;
}

TEST(NullsAlone, CoverTheWholeExportMap) {
  std::ifstream map(CUCORE_MAP);
  const std::string text{std::istreambuf_iterator<char>(map), {}};
  if (text.empty()) GTEST_SKIP() << "no export map here";
  // NULL is a choice in the last four, which test_log.cpp and test_error_create.cpp make.
  std::set<std::string> covered{"cucore_version",          "cucore_version_string",
                                "cucore_status_name",      "cucore_log_enabled",
                                "cucore_log_set_callback", "cucore_log_write",
                                "cucore_error_create"};
  for (const Row& row : rows()) covered.insert(row.function);
  for (const Neutral& neutral : neutrals()) covered.insert(neutral.function);
  const std::regex name("cucore_\\w+(?=;)");
  size_t exports = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at, ++exports)
    EXPECT_TRUE(covered.count(at->str())) << at->str() << " has no row";
  EXPECT_EQ(exports, covered.size());
}

}  // namespace
