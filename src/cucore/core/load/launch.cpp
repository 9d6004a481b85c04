// SPDX-License-Identifier: Apache-2.0
#include "core/load/launch.hpp"

#include <memory>
#include <mutex>
#include <span>

#include "core/load/launch_arguments.hpp"
#include "core/load/launch_configuration.hpp"
#include "core/load/launch_failure.hpp"
#include "core/objects/captured_work.hpp"
#include "core/objects/context_scope.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::core {
namespace {

[[gnu::cold, gnu::noinline]] void raise_shared(const Kernel& kernel, const Device& device,
                                               uint32_t bytes) {
  if (bytes > device.limits().shared_per_block_optin)
    throw Error(Status::INVALID_ARGUMENT,
                concat("cucore_launch_options.dynamic_shared is ", bytes, "; ", device.label(),
                       " allows ", device.limits().shared_per_block_optin, " bytes per block"));
  kernel.allow_dynamic_shared(device, bytes);
}

[[noreturn]] void throw_count(const Kernel& kernel, size_t count, size_t wanted) {
  throw Error(Status::INVALID_ARGUMENT, concat("kernel ", kernel.label(), " takes ",
                                               counted(wanted, "argument"), ", got ", count));
}

// Sets the pointers to the values. Returns the index of the first buffer, or the count: the
// arguments from there on are not checked yet.
size_t check_arguments(const Kernel& kernel, const KernelImage& image,
                       const cucore_argument* arguments, size_t count, void** pointers) {
  for (size_t i = 0; i < count; ++i) {
    if (!fits(image, i, arguments[i])) [[unlikely]] {
      if (is_buffer(arguments[i])) return i;
      throw_argument(kernel, image, i, arguments[i]);
    }
    pointers[i] = const_cast<void*>(arguments[i].data);
  }
  return count;
}

bool is_kept(const CaptureGate& gate, const KernelImage& image, const BufferArguments* buffers) {
  return gate.keeps(*image.image) && (!buffers || buffers->are_kept(gate));
}

[[gnu::cold, gnu::noinline]] void hold_in_capture(const KernelImage& image, const Stream& stream,
                                                  BufferArguments* buffers) {
  if (const CaptureGate* gate = stream.own_capture_gate(); gate && is_kept(*gate, image, buffers))
    return;
  {
    CapturedWork work(stream);
    if (!work.is_captured()) return;
    work.hold(*image.image);
    if (buffers) buffers->hold_in(work);
  }
  // For the next launches of the capture. The search may call observers, so no lock is held.
  image.function.find(image.native, *stream.context());
}

[[gnu::always_inline]] inline CUresult call_driver(const KernelImage& image, const Stream& stream,
                                                   const CUlaunchConfig& configuration,
                                                   void** arguments, void** extra,
                                                   BufferArguments* buffers) {
  const Context& context = *stream.context();
  const CUfunction function = image.launched_in(context);
  const auto call = [&] {
    if (stream.may_be_captured()) [[unlikely]]
      hold_in_capture(image, stream, buffers);
    return driver::cuda().cuLaunchKernelEx(&configuration, function, arguments, extra);
  };
  if (!stream.needs_current_context()) [[likely]]
    return call();
  const driver::ContextGuard guard(context.native());
  return call();
}

[[gnu::cold, gnu::noinline]] CUresult call_driver_recorded(const KernelImage& image,
                                                           const Stream& stream,
                                                           const CUlaunchConfig& configuration,
                                                           void** arguments, void** extra,
                                                           BufferArguments* buffers) {
  image.image->record_use(stream);
  const CUresult result = call_driver(image, stream, configuration, arguments, extra, buffers);
  image.image->record_output(stream);
  return result;
}

// Accesses to the contexts of buffers of other devices.
class BufferAccesses {
 public:
  explicit BufferAccesses(BufferArguments* buffers) {
    if (!buffers || !buffers->are_of_other_devices()) [[likely]]
      return;
    buffers_ = buffers;
    buffers->begin_accesses();
  }
  ~BufferAccesses() {
    if (buffers_) [[unlikely]]
      buffers_->end_accesses();
  }
  BufferAccesses(const BufferAccesses&) = delete;
  BufferAccesses& operator=(const BufferAccesses&) = delete;

 private:
  BufferArguments* buffers_ = nullptr;
};

// The failure of a call is explained after the accesses, because that may call Device::context().
[[gnu::always_inline]] inline CUresult call_in_context(const KernelImage& image,
                                                       const Stream& stream,
                                                       const CUlaunchConfig& configuration,
                                                       void** arguments, void** extra,
                                                       BufferArguments* buffers) {
  const BufferAccesses accesses(buffers);
  const ContextAccess access(*stream.context(), "stream");
  if (image.image->knows(stream)) [[likely]]
    return call_driver(image, stream, configuration, arguments, extra, buffers);
  return call_driver_recorded(image, stream, configuration, arguments, extra, buffers);
}

[[gnu::always_inline]] inline void start_inline(const Kernel& kernel, const KernelImage& image,
                                                const Stream& stream,
                                                const CUlaunchConfig& configuration,
                                                void** arguments, void** extra,
                                                BufferArguments* buffers) {
  const Device& device = stream.device();
  if (configuration.sharedMemBytes > ALWAYS_ALLOWED_SHARED) [[unlikely]]
    raise_shared(kernel, device, configuration.sharedMemBytes);
  const CUresult result = call_in_context(image, stream, configuration, arguments, extra, buffers);
  if (result != CUDA_SUCCESS) [[unlikely]]
    throw_launch_failure(kernel, device, configuration, result);
}

[[gnu::cold, gnu::noinline]] void run_with_attributes(
    const Kernel& kernel, const KernelImage& image, const Stream& stream,
    const cucore_launch_options& options, const LaunchHandles& handles,
    LaunchConfiguration& configuration, void** arguments, void** extra, BufferArguments* buffers) {
  LaunchAttributes attributes(stream.device(), options, handles);
  attributes.require_stream(stream);
  configuration.set(attributes);
  start_inline(kernel, image, stream, configuration.get(), arguments, extra, buffers);
  attributes.note_launch(stream);
}

[[gnu::always_inline]] inline void run(const Kernel& kernel, const KernelImage& image,
                                       const Stream& stream, const cucore_launch_options& options,
                                       const LaunchHandles& handles, void** arguments, void** extra,
                                       bool has_attributes, BufferArguments* buffers = nullptr) {
  LaunchConfiguration configuration(stream.device(), stream.native(), options);
  if (has_attributes) [[unlikely]]
    return run_with_attributes(kernel, image, stream, options, handles, configuration, arguments,
                               extra, buffers);
  start_inline(kernel, image, stream, configuration.get(), arguments, extra, buffers);
}

}  // namespace

std::string describe(const image::Parameter& parameter) {
  using image::ParameterClass;
  std::string size = concat(parameter.size, parameter.size == 1 ? " byte" : " bytes");
  if (parameter.parameter_class == ParameterClass::UNKNOWN) return size;
  return concat(size, " (", image::parameter_class_name(parameter.parameter_class), ")");
}

void throw_argument(const Kernel& kernel, const KernelImage& image, size_t index,
                    const cucore_argument& given) {
  std::string wanted;
  if (image.parameters)
    wanted = concat(", the kernel's parameter has ", describe((*image.parameters)[index]),
                    "; pass a value of that type");
  throw Error(Status::INVALID_ARGUMENT,
              concat("argument ", index, " of kernel ", kernel.label(), " has ",
                     given.data ? counted(given.size, "byte") : "no data (NULL)", wanted));
}

void allow_shared(const Kernel& kernel, const Device& device, uint32_t bytes) {
  if (bytes > ALWAYS_ALLOWED_SHARED) raise_shared(kernel, device, bytes);
}

void start(const Kernel& kernel, const KernelImage& image, const Stream& stream,
           const CUlaunchConfig& configuration, void** arguments, BufferArguments* buffers) {
  start_inline(kernel, image, stream, configuration, arguments, nullptr, buffers);
}

void require_count(const Kernel& kernel, const KernelImage& image, size_t count) {
  if (image.parameters && image.parameters->size() != count) [[unlikely]]
    throw_count(kernel, count, image.parameters->size());
}

namespace {

// The arguments before the first buffer have been checked.
[[gnu::noinline]] void launch_with_buffers(const Kernel& kernel, const KernelImage& image,
                                           const Stream& stream,
                                           const cucore_launch_options& options,
                                           std::span<const cucore_argument> arguments, size_t first,
                                           const LaunchHandles& handles, void** pointers) {
  BufferArguments buffers(kernel, stream, handles.buffers);
  buffers.resolve(image, arguments.data(), first, arguments.size(), pointers);
  run(kernel, image, stream, options, handles, pointers, nullptr,
      LaunchAttributes::are_set(options), &buffers);
}

// Finds what a launch uses in a capture that keeps it all. The caller has the lock of the gate.
struct KeptObjects {
  using Lock = BiasedLock;
  using Access = ContextAccess;

  static const driver::CudaTable* driver() { return &driver::cuda(); }
  static const KernelImage* image(const Kernel& kernel, const Context& context) {
    return &kernel.on(context.device());
  }
  static CUfunction launched(const KernelImage& image, const Context& context) noexcept {
    return image.launched_if_found(context);
  }
  // Whether the capture keeps the image for certain. Marks it.
  static bool keeps(const CaptureGate& gate, const KernelImage& image) noexcept {
    if (!gate.session || !gate.keeps(*image.image)) return false;
    image.mark.set(gate.owner);
    return true;
  }
  // Returns the buffer if the capture keeps it for certain, and marks its handle; else null.
  static const Buffer* find(const CaptureGate& gate, const void* handle,
                            const BufferHandles& handles) noexcept {
    const HandleReference<const Buffer> reference(handle, handles);
    if (!reference.object() || !gate.keeps(*reference.object())) return nullptr;
    BufferHandles::mark(handle, gate.owner);
    return reference.object();
  }
};

// The same without a call, so that values stay in registers: for objects that are marked, and for
// the owner of the lock.
struct MarkedObjects {
  using Lock = OwnerLock;
  using Access = QuickContextAccess;

  static const driver::CudaTable* driver() noexcept { return driver::cuda_if_open(); }
  static const KernelImage* image(const Kernel& kernel, const Context& context) noexcept {
    return kernel.found_in(context);
  }
  static CUfunction launched(const KernelImage& image, const Context& /*context*/) noexcept {
    return image.launched();
  }
  static bool keeps(const CaptureGate& gate, const KernelImage& image) noexcept {
    return image.mark.is_of(gate.owner);
  }
  static const Buffer* find(const CaptureGate& gate, const void* handle,
                            const BufferHandles& /*handles*/) noexcept {
    return BufferHandles::peek_kept(handle, gate.owner);
  }
};

// Sets the pointers to the values of as many arguments as sizes. Returns false if an argument is an
// error, or a buffer that only all checks can decide about.
template <class Objects>
[[gnu::always_inline]] inline bool set_kept(void** pointers, const ParameterSizes& sizes,
                                            const Context& context, const CaptureGate& gate,
                                            const cucore_argument* given, size_t count,
                                            const BufferHandles& handles) noexcept {
  for (size_t i = 0; i < count; ++i) {
    const cucore_argument& argument = given[i];
    const void* place = argument.data;
    if (argument.size != sizes.sizes[i] || !place) [[unlikely]] {
      if (!is_buffer(argument) || !sizes.takes_address(i)) [[unlikely]]
        return false;
      const Buffer* const buffer = Objects::find(gate, place, handles);
      if (!buffer || buffer->context().get() != &context) [[unlikely]]
        return false;
      place = buffer->address_place();
    }
    pointers[i] = const_cast<void*>(place);
  }
  return true;
}

// For a launch that may not have been captured. A use has no end on a stream of the library. The
// buffers are found again, which is safe because the caller holds its handles during the call.
[[gnu::cold, gnu::noinline]] void record_uses(const KernelImage& image, const Stream& stream,
                                              const cucore_argument* arguments, size_t count,
                                              const BufferHandles& handles) {
  image.image->record_use(stream);
  for (const cucore_argument& argument : std::span(arguments, count)) {
    if (!is_buffer(argument)) continue;
    const HandleReference<const Buffer> reference(argument.data, handles);
    if (reference.object()) const BufferUse use(*reference.object(), stream);
  }
}

[[noreturn, gnu::cold, gnu::noinline]] void throw_kept_failure(const Kernel& kernel,
                                                               const Stream& stream,
                                                               const cucore_launch_options& options,
                                                               CUresult result) {
  const LaunchConfiguration configuration(stream.device(), stream.native(), options);
  throw_launch_failure(kernel, stream.device(), configuration.get(), result);
}

// Launches in a capture that keeps all that the launch uses, as it does for most of its launches.
// No use is recorded, because the graph keeps the objects until its own launches have ended. But
// other code that has the native stream by then may have ended the capture before the launch.
// Returns false, without a call of the driver, for other launches and for errors.
template <class Objects>
[[gnu::always_inline]] inline bool try_launch_kept(const Kernel& kernel, const Stream& stream,
                                                   const cucore_launch_options& options,
                                                   const cucore_argument* arguments, size_t count,
                                                   const BufferHandles& handles) {
  const Context& context = *stream.context();
  const KernelImage* const image = Objects::image(kernel, context);
  CaptureGate* const gate = stream.plain_capture_gate();
  if (!image || !gate || !image->sizes.are_for(count) || image->can_print ||
      options.dynamic_shared > ALWAYS_ALLOWED_SHARED || LaunchAttributes::are_set(options))
      [[unlikely]]
    return false;
  CUlaunchConfig& config = gate->next_launch.native();
  CUresult result;
  {
    const typename Objects::Lock lock(gate->mutex);
    if (!lock.is_locked()) [[unlikely]]
      return false;
    const typename Objects::Access access(context, std::nothrow);
    const driver::CudaTable* const cu = Objects::driver();
    void* pointers[ParameterSizes::MOST];
    if (!access.is_alive() || !cu || !Objects::keeps(*gate, *image) ||
        !gate->next_launch.set(stream.device().limits(), options) ||
        !set_kept<Objects>(pointers, image->sizes, context, *gate, arguments, count, handles))
        [[unlikely]]
      return false;
    config.sharedMemBytes = options.dynamic_shared;
    config.hStream = stream.native();
    result = cu->cuLaunchKernelEx(&config, Objects::launched(*image, context), pointers, nullptr);
    if (stream.is_shared()) [[unlikely]]
      record_uses(*image, stream, arguments, count, handles);
  }
  if (result != CUDA_SUCCESS) [[unlikely]]
    throw_kept_failure(kernel, stream, options, result);
  return true;
}

[[gnu::cold, gnu::noinline]] void launch_uncommon(const Kernel& kernel, const Stream& stream,
                                                  const cucore_launch_options& options,
                                                  const cucore_argument* arguments, size_t count,
                                                  const LaunchHandles& handles) {
  if (!try_launch_kept<KeptObjects>(kernel, stream, options, arguments, count, handles.buffers))
    launch_uncaptured(kernel, stream, options, arguments, count, handles);
}

}  // namespace

void launch_capturable(const Kernel& kernel, const Stream& stream,
                       const cucore_launch_options& options, const cucore_argument* arguments,
                       size_t count, const LaunchHandles& handles) {
  if (!try_launch_kept<MarkedObjects>(kernel, stream, options, arguments, count, handles.buffers))
      [[unlikely]]
    launch_uncommon(kernel, stream, options, arguments, count, handles);
}

void launch_uncaptured(const Kernel& kernel, const Stream& stream,
                       const cucore_launch_options& options, const cucore_argument* arguments,
                       size_t count, const LaunchHandles& handles) {
  const KernelImage& image = kernel.on(stream.device());
  require_count(kernel, image, count);
  ArgumentPointers pointers(count);
  const size_t first = check_arguments(kernel, image, arguments, count, pointers.data());
  if (first != count) [[unlikely]]
    return launch_with_buffers(kernel, image, stream, options, {arguments, count}, first, handles,
                               pointers.data());
  run(kernel, image, stream, options, handles, pointers.data(), nullptr,
      LaunchAttributes::are_set(options));
}

namespace {

// A struct in C ends with padding up to its alignment, which the parameter block does not have.
bool is_block_size(size_t size, size_t parameter_bytes) {
  if (size == parameter_bytes) [[likely]]
    return true;
  for (const size_t alignment : {2, 4, 8, 16})
    if (size == (parameter_bytes + alignment - 1) / alignment * alignment) return true;
  return false;
}

}  // namespace

void launch_packed(const Kernel& kernel, const Stream& stream, const cucore_launch_options& options,
                   const void* arguments, size_t size, const LaunchHandles& handles) {
  const KernelImage& image = kernel.on(stream.device());
  if (image.parameters && !is_block_size(size, image.parameter_bytes))
    throw Error(Status::INVALID_ARGUMENT,
                concat("the parameters of kernel ", kernel.label(), " take ",
                       counted(image.parameter_bytes, "byte"), ", got ", size));
  if (image.parameters) size = image.parameter_bytes;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<void*>(arguments),
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  run(kernel, image, stream, options, handles, nullptr, size ? extra : nullptr,
      LaunchAttributes::are_set(options));
}

int max_active_clusters(const Kernel& kernel, const Device& device,
                        const cucore_launch_options& options, const LaunchHandles& handles) {
  LaunchAttributes attributes(device, options, handles);
  LaunchConfiguration configuration(device, CU_STREAM_LEGACY, options);
  configuration.set(attributes);
  const CUkernel native = kernel.on(device).native;  // before the lock of the next line
  allow_shared(kernel, device, options.dynamic_shared);
  const PrimaryScope primary(device);
  CUfunction function = nullptr;
  driver::check(driver::cuda().cuKernelGetFunction(&function, native),
                [&] { return concat("load kernel ", kernel.label(), " on ", device.label()); });
  int clusters = 0;
  driver::check(
      driver::cuda().cuOccupancyMaxActiveClusters(&clusters, function, &configuration.get()),
      [&] { return concat("count the clusters of kernel ", kernel.label(), " that fit"); });
  return clusters;
}

}  // namespace cucore::core
