// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <map>
#include <mutex>

#include "array/capi/guard.hpp"
#include "support/concat.hpp"
#include "support/environment.hpp"
#include "support/options.hpp"

using namespace cucore;
using namespace cucore::array;

namespace {

constexpr size_t FIRST_OPTIONS =
    offsetof(cucore_array_context_options, max_depth) + sizeof(uint32_t);
constexpr size_t FIRST_INFO = offsetof(cucore_array_context_info, bytes_written) + sizeof(uint64_t);
constexpr uint32_t MAX_PENDING = 2048, MAX_DEPTH = 64;

template <class T>
T require_number(int32_t value, int32_t last, const char* field) {
  if (value < 0 || value > last)
    throw Error(Status::INVALID_ARGUMENT, concat(field, " is ", value, "; expected 0 to ", last));
  return static_cast<T>(value);
}

Defaults defaults_of(cucore_array_dtype dtype) {
  if (dtype == CUCORE_ARRAY_DTYPE_DEFAULT) return {};
  if (dtype != CUCORE_ARRAY_DTYPE_FLOAT32 && dtype != CUCORE_ARRAY_DTYPE_FLOAT64)
    throw Error(Status::INVALID_ARGUMENT,
                "cucore_array_context_options.default_float is neither float32 nor float64");
  return {.real = static_cast<Dtype>(dtype)};
}

// The cache of the user. A folder that cannot be used is not a failure: kernels are compiled again.
NativeCache user_cache() {
  if (environment("CUCORE_CACHE") == "off") return {};
  cucore_cache* cache = nullptr;
  cucore_error* error = nullptr;
  if (cucore_cache_open(nullptr, &cache, &error) != CUCORE_OK) {
    cucore_log_write(CUCORE_LOG_WARNING, cucore_error_message(error));
    cucore_error_release(error);
  }
  return NativeCache::adopt(cache);
}

NativeStream stream_of(const cucore_stream* stream, const cucore_device* device) {
  if (!stream) return {};
  auto owner = created<NativeDevice>("read the device of a stream", cucore_stream_device, stream);
  if (cucore_device_ordinal(owner.get()) != cucore_device_ordinal(device))
    throw Error(Status::INVALID_ARGUMENT,
                concat("the stream is of device ", cucore_device_ordinal(owner.get()),
                       ", and the context of device ", cucore_device_ordinal(device)));
  return NativeStream::share(stream);
}

Settings settings_of(const cucore_device* device, const cucore_array_context_options& options) {
  require_zero(options.reserved, "cucore_array_context_options.reserved");
  Settings settings;
  settings.device = NativeDevice::share(device);
  settings.stream = stream_of(options.stream, device);
  settings.cache = options.cache ? NativeCache::share(options.cache) : user_cache();
  settings.policy =
      require_number<Policy>(options.policy, 1, "cucore_array_context_options.policy");
  settings.math = require_number<Math>(options.math, 2, "cucore_array_context_options.math");
  settings.defaults = defaults_of(options.default_float);
  settings.max_bytes = options.max_bytes;
  settings.max_retained_bytes = options.max_retained_bytes;
  settings.max_pending = options.max_pending ? options.max_pending : MAX_PENDING;
  settings.max_depth = options.max_depth ? options.max_depth : MAX_DEPTH;
  return settings;
}

// The shared contexts, one per device. They live until the process ends.
Ref<Context> shared_context(const NativeDevice& device) {
  static std::mutex mutex;
  static auto& contexts = *new std::map<int32_t, Ref<Context>>();
  const std::scoped_lock lock(mutex);
  Ref<Context>& context = contexts[cucore_device_ordinal(device.get())];
  if (!context) {
    Settings settings;
    settings.device = device;
    settings.cache = user_cache();
    context = make<Context>(std::move(settings));
  }
  return context;
}

cucore_array_context_info info_of(Context& context) {
  constexpr uint64_t NANOSECONDS = 1000000;
  const Statistics statistics = context.statistics();
  const KernelCounts kernels = context.kernel_counts();
  cucore_array_context_info info{};
  const auto by = [&](Reason reason) { return statistics.by[size_t(reason)]; };
  info.pending = context.pending();
  info.live_bytes = context.live_bytes();
  info.peak_bytes = context.peak_bytes();
  info.evaluations = statistics.evaluations;
  info.by_read = by(Reason::READ);
  info.by_call = by(Reason::CALL);
  info.by_depth = by(Reason::DEPTH);
  info.by_count = by(Reason::COUNT);
  info.by_export = by(Reason::EXPORT);
  info.by_write = by(Reason::WRITE);
  info.kernels_launched = statistics.kernels_launched;
  info.kernels_compiled = kernels.compiled;
  info.kernels_from_memory = kernels.from_memory;
  info.kernels_from_disk = kernels.from_disk;
  info.compile_ms = kernels.compile_ns / NANOSECONDS;
  info.recomputed = statistics.recomputed;
  info.copies_for_readers = statistics.copies_for_readers;
  info.bytes_read = statistics.bytes_read;
  info.bytes_written = statistics.bytes_written;
  info.arrays = context.arrays();
  info.retained_bytes = context.retained_bytes();
  info.by_retained = by(Reason::RETAINED);
  info.temporary_bytes = statistics.temporary_bytes;
  info.plans_cached = context.plans_cached();
  info.reserved_bytes = context.reserved_bytes();
  return info;
}

}  // namespace

extern "C" {

cucore_status cucore_array_context_create(const cucore_device* device,
                                          const cucore_array_context_options* options,
                                          cucore_array_context** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    require(device, "device");
    const auto all = read_options(options, FIRST_OPTIONS, "cucore_array_context_options");
    *out = wrap(make<Context>(settings_of(device, all)));
  });
}

cucore_status cucore_array_context_default(const cucore_device* device, cucore_array_context** out,
                                           cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    const NativeDevice owner = device
                                   ? NativeDevice::share(device)
                                   : created<NativeDevice>("open device 0", cucore_device_open, 0);
    *out = wrap(shared_context(owner));
  });
}

cucore_array_context* cucore_array_context_retain(const cucore_array_context* context) {
  return retain(context);
}
void cucore_array_context_release(cucore_array_context* context) { release(context); }

cucore_status cucore_array_context_device(const cucore_array_context* context, cucore_device** out,
                                          cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    *out = cucore_device_retain(use(context, "context").settings().device.get());
  });
}

cucore_status cucore_array_context_stream(const cucore_array_context* context, cucore_stream** out,
                                          cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    *out = cucore_stream_retain(use(context, "context").settings().stream.get());
  });
}

cucore_status cucore_array_context_evaluate(cucore_array_context* context, cucore_error** error) {
  return guard(error, [&] { use(context, "context").evaluate_all(Reason::CALL); });
}

cucore_status cucore_array_context_synchronize(cucore_array_context* context,
                                               cucore_error** error) {
  return guard(error, [&] {
    Context& self = use(context, "context");
    self.evaluate_all(Reason::CALL);
    self.synchronize();
  });
}

cucore_status cucore_array_context_trim(cucore_array_context* context, size_t keep_bytes,
                                        cucore_error** error) {
  return guard(error, [&] { use(context, "context").trim(keep_bytes); });
}

cucore_status cucore_array_context_query(cucore_array_context* context,
                                         cucore_array_context_info* out, cucore_error** error) {
  return guard(error, [&] {
    Context& self = use(context, "context");
    write_info(out, info_of(self), FIRST_INFO, "cucore_array_context_info");
  });
}

}  // extern "C"
