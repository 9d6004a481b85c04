#include "core/launch.hpp"

#include <array>
#include <vector>

#include "core/captured_launch.hpp"
#include "core/launch_failure.hpp"
#include "support/text.hpp"

namespace cucore::core {
namespace {

using Dimensions = std::array<uint32_t, 3>;

constexpr const char* AXES = "xyz";
// The driver lets a kernel use so much dynamic shared memory without being asked.
constexpr uint32_t ALWAYS_ALLOWED_SHARED = 48 * 1024;

[[noreturn]] void throw_dimension(const char* field, int axis, uint32_t value, uint32_t limit,
                                  const Device& device) {
  throw Error(Status::INVALID_ARGUMENT,
              value == 0 ? text("cucore_launch_options.", field, "[0] is 0; set how many ",
                                *field == 'g' ? "blocks" : "threads a block", " to launch")
                         : text("cucore_launch_options.", field, "[", axis, "] is ", value, "; ",
                                device.label(), " allows ", limit, " in ", AXES[axis]));
}

// y and z that are 0 mean 1; x must be set.
Dimensions checked(const uint32_t (&given)[3], const char* field, const Dimensions& limits,
                   const Device& device) {
  const Dimensions out{given[0], given[1] | (given[1] == 0), given[2] | (given[2] == 0)};
  if (out[0] - 1 >= limits[0]) [[unlikely]]
    throw_dimension(field, 0, out[0], limits[0], device);
  for (int axis = 1; axis < 3; ++axis)
    if (out[static_cast<size_t>(axis)] > limits[static_cast<size_t>(axis)]) [[unlikely]]
      throw_dimension(field, axis, out[static_cast<size_t>(axis)],
                      limits[static_cast<size_t>(axis)], device);
  return out;
}

void check_threads(const Dimensions& block, const Device& device) {
  const uint64_t threads = uint64_t{block[0]} * block[1] * block[2];
  if (threads > device.limits().threads_per_block) [[unlikely]]
    throw Error(Status::INVALID_ARGUMENT,
                text("a block of ", block[0], " x ", block[1], " x ", block[2], " has ", threads,
                     " threads; ", device.label(), " allows ", device.limits().threads_per_block));
}

// A launch as the driver wants it.
class Configuration {
 public:
  Configuration(const Device& device, CUstream stream, const cucore_launch_options& options) {
    const DeviceLimits& limits = device.limits();
    const Dimensions grid = checked(options.grid, "grid", limits.grid, device);
    const Dimensions block = checked(options.block, "block", limits.block, device);
    check_threads(block, device);
    config_.gridDimX = grid[0], config_.gridDimY = grid[1], config_.gridDimZ = grid[2];
    config_.blockDimX = block[0], config_.blockDimY = block[1], config_.blockDimZ = block[2];
    config_.sharedMemBytes = options.dynamic_shared;
    config_.hStream = stream;
    config_.attrs = attributes_;
    if (options.cluster[0] | options.cluster[1] | options.cluster[2])
      add_cluster(device, grid, options);
    if (options.cooperative) add_cooperative(device, options.cooperative);
    if (options.programmatic_serialization) add_serialization(options.programmatic_serialization);
    if (options.priority) add(CU_LAUNCH_ATTRIBUTE_PRIORITY).priority = options.priority;
  }
  Configuration(const Configuration&) = delete;
  Configuration& operator=(const Configuration&) = delete;

  const CUlaunchConfig& get() const { return config_; }

 private:
  CUlaunchAttributeValue& add(CUlaunchAttributeID id) {
    CUlaunchAttribute& attribute = attributes_[config_.numAttrs++];
    attribute.id = id;
    return attribute.value;
  }

  static void check_flag(const char* field, int32_t value) {
    if (value != 1)
      throw Error(Status::INVALID_ARGUMENT,
                  text("cucore_launch_options.", field, " is ", value, ", neither 0 nor 1"));
  }

  void add_cluster(const Device& device, const Dimensions& grid,
                   const cucore_launch_options& options) {
    if (!device.limits().clusters)
      throw Error(Status::UNSUPPORTED,
                  text("cucore_launch_options.cluster is set; ", device.label(), " (",
                       device.arch(), ") has no clusters, which came with sm_90"));
    Dimensions cluster;
    for (size_t axis = 0; axis < 3; ++axis) {
      cluster[axis] = options.cluster[axis] ? options.cluster[axis] : 1;
      if (grid[axis] % cluster[axis] != 0)
        throw Error(Status::INVALID_ARGUMENT,
                    text("cucore_launch_options.grid[", axis, "] is ", grid[axis],
                         " blocks, not a multiple of cluster[", axis, "], ", cluster[axis]));
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

  CUlaunchConfig config_{};
  CUlaunchAttribute attributes_[4];
};

void allow_shared(const Kernel& kernel, const Device& device, uint32_t bytes) {
  if (bytes > device.limits().shared_per_block_optin)
    throw Error(Status::INVALID_ARGUMENT,
                text("cucore_launch_options.dynamic_shared is ", bytes, "; ", device.label(),
                     " allows ", device.limits().shared_per_block_optin, " bytes a block"));
  kernel.allow_dynamic_shared(device, bytes);
}

[[noreturn]] void throw_count(const Kernel& kernel, size_t count, size_t wanted) {
  throw Error(Status::INVALID_ARGUMENT,
              text("kernel ", kernel.name(), " takes ", wanted,
                   wanted == 1 ? " argument" : " arguments", ", got ", count));
}

[[noreturn]] void throw_argument(const Kernel& kernel, size_t index, const cucore_argument& given,
                                 size_t wanted) {
  throw Error(Status::INVALID_ARGUMENT,
              given.data
                  ? text("argument ", index, " of kernel ", kernel.name(), " has ", given.size,
                         " bytes, the kernel's parameter has ", wanted)
                  : text("argument ", index, " of kernel ", kernel.name(), " has no data (NULL)"));
}

// Where the kernel's own parameters are not known, whatever the caller says is believed.
void check_arguments(const Kernel& kernel, const KernelImage& image,
                     const cucore_argument* arguments, size_t count) {
  const auto& parameters = image.parameters;
  if (parameters && parameters->size() != count) [[unlikely]]
    throw_count(kernel, count, parameters->size());
  for (size_t i = 0; i < count; ++i) {
    const size_t wanted = parameters ? (*parameters)[i].size : arguments[i].size;
    if (!arguments[i].data || arguments[i].size != wanted) [[unlikely]]
      throw_argument(kernel, i, arguments[i], wanted);
  }
}

void run(const Kernel& kernel, const KernelImage& image, const Stream& stream,
         const cucore_launch_options& options, void** arguments, void** extra) {
  const Device& device = stream.device();
  stream.require_usable();
  const Configuration configuration(device, stream.native(), options);
  if (options.dynamic_shared > ALWAYS_ALLOWED_SHARED) [[unlikely]]
    allow_shared(kernel, device, options.dynamic_shared);
  image.image->note(stream);
  const auto function = reinterpret_cast<CUfunction>(image.native);
  const auto call = [&] {
    if (stream.may_be_captured()) hold_if_captured(stream, *image.image);
    return driver::cuda().cuLaunchKernelEx(&configuration.get(), function, arguments, extra);
  };
  CUresult result;
  if (stream.needs_current_context()) {
    const driver::ContextGuard guard(stream.context()->native());
    result = call();
  } else {
    result = call();
  }
  if (result != CUDA_SUCCESS) [[unlikely]]
    throw_launch_failure(kernel, device, configuration.get(), result);
}

}  // namespace

void launch(const Kernel& kernel, const Stream& stream, const cucore_launch_options& options,
            const cucore_argument* arguments, size_t count) {
  const KernelImage& image = kernel.on(stream.device());
  check_arguments(kernel, image, arguments, count);
  constexpr size_t FEW = 32;
  void* few[FEW];
  std::vector<void*> many;
  void** pointers = few;
  if (count > FEW) [[unlikely]] {
    many.resize(count);
    pointers = many.data();
  }
  for (size_t i = 0; i < count; ++i) pointers[i] = const_cast<void*>(arguments[i].data);
  run(kernel, image, stream, options, pointers, nullptr);
}

void launch_packed(const Kernel& kernel, const Stream& stream, const cucore_launch_options& options,
                   const void* arguments, size_t size) {
  // A struct in C ends with padding that the parameter block does not have.
  constexpr size_t PADDING = 16;
  const KernelImage& image = kernel.on(stream.device());
  if (image.parameters && (size < image.parameter_bytes || size - image.parameter_bytes >= PADDING))
    throw Error(Status::INVALID_ARGUMENT, text("the parameters of kernel ", kernel.name(), " take ",
                                               image.parameter_bytes, " bytes, got ", size));
  if (image.parameters) size = image.parameter_bytes;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<void*>(arguments),
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  run(kernel, image, stream, options, nullptr, size ? extra : nullptr);
}

int max_active_clusters(const Kernel& kernel, const Device& device,
                        const cucore_launch_options& options) {
  const Ref<Context> context = device.context();
  const driver::ContextGuard guard(context->native());
  const Configuration configuration(device, CU_STREAM_LEGACY, options);
  if (options.dynamic_shared > ALWAYS_ALLOWED_SHARED)
    allow_shared(kernel, device, options.dynamic_shared);
  CUfunction function = nullptr;
  driver::check(driver::cuda().cuKernelGetFunction(&function, kernel.on(device).native),
                [&] { return text("load kernel ", kernel.name(), " on ", device.label()); });
  int clusters = 0;
  driver::check(
      driver::cuda().cuOccupancyMaxActiveClusters(&clusters, function, &configuration.get()),
      [&] { return text("tell how many clusters of kernel ", kernel.name(), " fit"); });
  return clusters;
}

}  // namespace cucore::core
