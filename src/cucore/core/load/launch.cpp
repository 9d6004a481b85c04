// SPDX-License-Identifier: Apache-2.0
#include "core/load/launch.hpp"

#include <array>
#include <memory>

#include "core/load/launch_arguments.hpp"
#include "core/load/launch_failure.hpp"
#include "core/objects/captured_work.hpp"
#include "core/objects/context_scope.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::core {
namespace {

struct Dimensions {
  uint32_t x, y, z;
};

constexpr const char* AXES = "xyz";
// A kernel may use this much dynamic shared memory without a change of its attributes.
constexpr uint32_t ALWAYS_ALLOWED_SHARED = 48 * 1024;

[[noreturn]] void throw_dimension(const char* field, const uint32_t (&given)[3],
                                  const std::array<uint32_t, 3>& limits, const Device& device) {
  if (given[0] == 0)
    throw Error(Status::INVALID_ARGUMENT,
                concat("cucore_launch_options.", field, "[0] is 0; set how many ",
                       *field == 'g' ? "blocks" : "threads per block", " to launch"));
  size_t axis = 0;
  while (given[axis] <= limits[axis]) ++axis;
  throw Error(Status::INVALID_ARGUMENT,
              concat("cucore_launch_options.", field, "[", axis, "] is ", given[axis], "; ",
                     device.label(), " allows ", limits[axis], " in ", AXES[axis],
                     *field == 'g' ? "; launch larger blocks, or several grids"
                                   : "; launch smaller blocks in a larger grid"));
}

// y and z that are 0 mean 1; x must be set.
[[gnu::always_inline]] inline Dimensions checked(const uint32_t (&given)[3], const char* field,
                                                 const std::array<uint32_t, 3>& limits,
                                                 const Device& device) {
  const Dimensions out{given[0], given[1] + (given[1] < 1), given[2] + (given[2] < 1)};
  if (out.x - 1 >= limits[0] || out.y > limits[1] || out.z > limits[2]) [[unlikely]]
    throw_dimension(field, given, limits, device);
  return out;
}

[[noreturn]] void throw_threads(const Dimensions& block, uint64_t threads, const Device& device) {
  throw Error(Status::INVALID_ARGUMENT,
              concat("a block of ", block.x, " x ", block.y, " x ", block.z, " has ", threads,
                     " threads; ", device.label(), " allows ", device.limits().threads_per_block,
                     "; launch smaller blocks in a larger grid"));
}

// A launch in the form that the driver requires.
class Configuration {
 public:
  [[gnu::always_inline]] Configuration(const Device& device, CUstream stream,
                                       const cucore_launch_options& options) {
    const DeviceLimits& limits = device.limits();
    const Dimensions grid = checked(options.grid, "grid", limits.grid, device);
    const Dimensions block = checked(options.block, "block", limits.block, device);
    if (const uint64_t threads = uint64_t{block.x} * block.y * block.z;
        threads > limits.threads_per_block) [[unlikely]]
      throw_threads(block, threads, device);
    config_.gridDimX = grid.x, config_.gridDimY = grid.y, config_.gridDimZ = grid.z;
    config_.blockDimX = block.x, config_.blockDimY = block.y, config_.blockDimZ = block.z;
    config_.sharedMemBytes = options.dynamic_shared;
    config_.hStream = stream;
    config_.attrs = attributes_;
    config_.numAttrs = 0;
    if (has_attributes(options)) [[unlikely]]
      add_attributes(device, options);
  }
  Configuration(const Configuration&) = delete;
  Configuration& operator=(const Configuration&) = delete;

  const CUlaunchConfig& get() const { return config_; }

 private:
  static bool has_attributes(const cucore_launch_options& options) {
    return (options.cluster[0] | options.cluster[1] | options.cluster[2] |
            static_cast<uint32_t>(options.cooperative | options.programmatic_serialization |
                                  options.priority)) != 0;
  }

  void add_attributes(const Device& device, const cucore_launch_options& options) {
    if (options.cluster[0] | options.cluster[1] | options.cluster[2]) add_cluster(device, options);
    if (options.cooperative) add_cooperative(device, options.cooperative);
    if (options.programmatic_serialization) add_serialization(options.programmatic_serialization);
    if (options.priority) add_priority(device, options.priority);
  }

  CUlaunchAttributeValue& add(CUlaunchAttributeID id) {
    CUlaunchAttribute& attribute = attributes_[config_.numAttrs++];
    attribute.id = id;
    return attribute.value;
  }

  static void check_flag(const char* field, int32_t value) {
    if (value != 1)
      throw Error(Status::INVALID_ARGUMENT,
                  concat("cucore_launch_options.", field, " is ", value, ", neither 0 nor 1"));
  }

  void add_cluster(const Device& device, const cucore_launch_options& options) {
    constexpr uint16_t FIRST_WITH_CLUSTERS = 90;
    if (!device.limits().clusters)
      throw Error(
          Status::UNSUPPORTED,
          concat("cucore_launch_options.cluster is set; ", device.label(), " (", device.arch(),
                 ") has no clusters",
                 device.capability() < FIRST_WITH_CLUSTERS ? ", which came with sm_90" : ""));
    const uint32_t grid[3] = {config_.gridDimX, config_.gridDimY, config_.gridDimZ};
    uint32_t cluster[3];
    for (size_t axis = 0; axis < 3; ++axis) {
      cluster[axis] = options.cluster[axis] ? options.cluster[axis] : 1;
      if (grid[axis] % cluster[axis] != 0)
        throw Error(
            Status::INVALID_ARGUMENT,
            concat("cucore_launch_options.grid[", axis, "] is ", counted(grid[axis], "block"),
                   ", not a multiple of cluster[", axis, "], ", cluster[axis]));
    }
    auto& value = add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim;
    value.x = cluster[0], value.y = cluster[1], value.z = cluster[2];
  }

  void add_cooperative(const Device& device, int32_t flag) {
    check_flag("cooperative", flag);
    if (!device.limits().cooperative)
      throw Error(Status::UNSUPPORTED, device.label() + " has no cooperative launches");
    add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
  }

  void add_serialization(int32_t flag) {
    check_flag("programmatic_serialization", flag);
    add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
        .programmaticStreamSerializationAllowed = 1;
  }

  void add_priority(const Device& device, int32_t priority) {
    device.require_priority(priority, "cucore_launch_options.priority");
    add(CU_LAUNCH_ATTRIBUTE_PRIORITY).priority = priority;
  }

  CUlaunchConfig config_;  // the constructor sets every field
  CUlaunchAttribute attributes_[4];
};

void allow_shared(const Kernel& kernel, const Device& device, uint32_t bytes) {
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

// Sets the pointers to the values. Returns false if the arguments contain buffers, which are then
// not checked yet.
bool check_arguments(const Kernel& kernel, const KernelImage& image,
                     const cucore_argument* arguments, size_t count, void** pointers) {
  for (size_t i = 0; i < count; ++i) {
    if (!fits(image, i, arguments[i])) [[unlikely]] {
      if (is_buffer(arguments[i])) return false;
      throw_argument(kernel, image, i, arguments[i]);
    }
    pointers[i] = const_cast<void*>(arguments[i].data);
  }
  return true;
}

// The addresses of the values, from which the driver reads them.
class ArgumentPointers {
 public:
  explicit ArgumentPointers(size_t count) {
    if (count > FEW) [[unlikely]] {
      many_ = std::make_unique<void*[]>(count);
      data_ = many_.get();
    }
  }
  void** data() { return data_; }

 private:
  static constexpr size_t FEW = 32;
  void* few_[FEW];
  std::unique_ptr<void*[]> many_;
  void** data_ = few_;
};

[[gnu::always_inline]] inline CUresult call_driver(const KernelImage& image, const Stream& stream,
                                                   const CUlaunchConfig& configuration,
                                                   void** arguments, void** extra) {
  const auto function = reinterpret_cast<CUfunction>(image.native);
  const auto call = [&] {
    hold_if_captured(stream, *image.image);
    return driver::cuda().cuLaunchKernelEx(&configuration, function, arguments, extra);
  };
  if (!stream.needs_current_context()) [[likely]]
    return call();
  const driver::ContextGuard guard(stream.context()->native());
  return call();
}

[[gnu::cold, gnu::noinline]] CUresult call_driver_recorded(const KernelImage& image,
                                                           const Stream& stream,
                                                           const CUlaunchConfig& configuration,
                                                           void** arguments, void** extra) {
  image.image->record_use(stream);
  const CUresult result = call_driver(image, stream, configuration, arguments, extra);
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
    return call_driver(image, stream, configuration, arguments, extra);
  return call_driver_recorded(image, stream, configuration, arguments, extra);
}

void run(const Kernel& kernel, const KernelImage& image, const Stream& stream,
         const cucore_launch_options& options, void** arguments, void** extra,
         BufferArguments* buffers = nullptr) {
  const Device& device = stream.device();
  const Configuration configuration(device, stream.native(), options);
  if (options.dynamic_shared > ALWAYS_ALLOWED_SHARED) [[unlikely]]
    allow_shared(kernel, device, options.dynamic_shared);
  const CUresult result =
      call_in_context(image, stream, configuration.get(), arguments, extra, buffers);
  if (result != CUDA_SUCCESS) [[unlikely]]
    throw_launch_failure(kernel, device, configuration.get(), result);
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

void launch(const Kernel& kernel, const Stream& stream, const cucore_launch_options& options,
            const cucore_argument* arguments, size_t count, const BufferHandles& handles) {
  const KernelImage& image = kernel.on(stream.device());
  if (image.parameters && image.parameters->size() != count) [[unlikely]]
    throw_count(kernel, count, image.parameters->size());
  ArgumentPointers pointers(count);
  if (!check_arguments(kernel, image, arguments, count, pointers.data())) [[unlikely]] {
    BufferArguments buffers(kernel, stream, handles);
    buffers.resolve(image, arguments, count, pointers.data());
    return run(kernel, image, stream, options, pointers.data(), nullptr, &buffers);
  }
  run(kernel, image, stream, options, pointers.data(), nullptr);
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
                   const void* arguments, size_t size) {
  const KernelImage& image = kernel.on(stream.device());
  if (image.parameters && !is_block_size(size, image.parameter_bytes))
    throw Error(Status::INVALID_ARGUMENT,
                concat("the parameters of kernel ", kernel.label(), " take ",
                       counted(image.parameter_bytes, "byte"), ", got ", size));
  if (image.parameters) size = image.parameter_bytes;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<void*>(arguments),
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  run(kernel, image, stream, options, nullptr, size ? extra : nullptr);
}

int max_active_clusters(const Kernel& kernel, const Device& device,
                        const cucore_launch_options& options) {
  const Configuration configuration(device, CU_STREAM_LEGACY, options);
  if (options.dynamic_shared > ALWAYS_ALLOWED_SHARED)
    allow_shared(kernel, device, options.dynamic_shared);
  const CUkernel native = kernel.on(device).native;
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
