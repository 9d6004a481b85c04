/// @file cucore/kernel.hpp
/// Kernels: attributes, parameters, occupancy, launches.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_KERNEL_HPP_INCLUDED
#define CUCORE_KERNEL_HPP_INCLUDED

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch.hpp"
#include "objectcode.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

namespace detail {

inline const char* class_name(ParameterClass parameter_class) noexcept {
  switch (parameter_class) {
    case ParameterClass::integer:
      return "an integer";
    case ParameterClass::float_:
      return "a floating-point number";
    case ParameterClass::pointer:
      return "a pointer (Buffer, Address or pointer into device memory)";
    case ParameterClass::aggregate:
      return "a struct";
    default:
      return "of an unknown class";
  }
}

// The class of one parameter as one of four bits; no bit for a class that is unknown.
constexpr std::uint64_t class_bit(ParameterClass parameter_class) noexcept {
  const auto number = static_cast<std::int32_t>(parameter_class);
  return number >= 1 && number <= 4 ? std::uint64_t{1} << (number - 1) : 0;
}

constexpr std::size_t CLASSES_PER_WORD = 15;
constexpr std::size_t CLASS_WORDS = 2;
// In the bits above the classes: the word has been read.
constexpr std::uint64_t CLASSES_READ = std::uint64_t{1} << 60;

// The classes of the parameters from `first` on, four bits each.
template <class Classes>
constexpr std::uint64_t class_word(const Classes& classes, std::size_t count,
                                   std::size_t first) noexcept {
  std::uint64_t word = 0;
  for (std::size_t i = first; i < count && i < first + CLASSES_PER_WORD; ++i)
    word |= class_bit(classes[i]) << (4 * (i - first));
  return word;
}

// The classes of a kernel's first 30 parameters, read once. A word is complete in itself, so that
// threads need no order between the two.
class KernelClasses {
 public:
  KernelClasses() noexcept = default;
  KernelClasses(const KernelClasses& other) noexcept { *this = other; }
  KernelClasses& operator=(const KernelClasses& other) noexcept {
    for (std::size_t i = 0; i < CLASS_WORDS; ++i)
      words_[i].store(other.words_[i].load(std::memory_order_relaxed), std::memory_order_relaxed);
    return *this;
  }

  // Whether the classes have been read and none differs.
  bool accept(std::size_t word, std::uint64_t given) const noexcept {
    return (words_[word].load(std::memory_order_relaxed) & ~given) == CLASSES_READ;
  }
  void set(std::size_t word, std::uint64_t classes) noexcept {
    words_[word].store(classes | CLASSES_READ, std::memory_order_relaxed);
  }
  void clear() noexcept {
    for (auto& word : words_) word.store(0, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> words_[CLASS_WORDS] = {};
};

}  // namespace detail

/// A block size that fills a device best, and the smallest grid that does.
struct BlockSize {
  std::int32_t min_grid_size = 0;  ///< blocks
  std::int32_t block_size = 0;     ///< threads per block
};

template <class Signature>
class TypedKernel;
class PreparedLaunch;

/// A function that a grid of threads runs.
class Kernel : public Owner<Kernel, cucore_kernel> {
 public:
  Kernel() noexcept {}

  /// Wraps a CUkernel that somebody else loaded. It must outlive the result and is never unloaded.
  static Returned<Kernel> from_native(const Device& device, void* native) {
    return make<Kernel>(cucore_kernel_from_native, device.get(), native);
  }

  class Launcher;

  /// The name in the code.
  std::string_view name() const noexcept { return cucore_kernel_name(get()); }
  /// The name that messages use: the one under which it was found first, "axpy<float>".
  std::string_view label() const noexcept { return cucore_kernel_label(get()); }

  /// The CUkernel: `native<CUkernel>()`.
  template <class T = void*>
  T native() const noexcept {
    return static_cast<T>(cucore_kernel_native(get()));
  }

  /// The object code with the image that the device runs.
  Returned<ObjectCode> objectcode(const Device& device) const {
    return make<ObjectCode>(cucore_kernel_objectcode, get(), device.get());
  }

  Returned<std::int32_t> attribute(KernelAttribute name, const Device& device) const {
    return value<std::int32_t>(cucore_kernel_attribute, get(),
                               static_cast<cucore_kernel_attribute_name>(name), device.get());
  }

  /// Sets an attribute for all later launches on the device in this process.
  Returned<void> set_attribute(KernelAttribute name, const Device& device,
                               std::int32_t new_value) const {
    return call(cucore_kernel_set_attribute, get(), static_cast<cucore_kernel_attribute_name>(name),
                device.get(), new_value);
  }

  /// The number of parameters; unset if neither the code nor the driver records it.
  std::optional<std::size_t> parameter_count() const noexcept {
    const std::size_t count = cucore_kernel_parameter_count(get());
    return count == SIZE_MAX ? std::nullopt : std::optional<std::size_t>(count);
  }

  /// The place of one parameter. An empty device stands for the first image.
  Returned<ParameterPlace> parameter_at(std::size_t index, const Device& device = {}) const {
    ParameterPlace out;
    cucore_error* error = nullptr;
    const cucore_status status =
        cucore_kernel_parameter_at(get(), index, device.get(), &out.offset, &out.size, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<ParameterPlace>(status, error);
    return out;
  }

  /// All parameters, in order. An empty device stands for the first image. Fails with UNSUPPORTED
  /// if neither the code nor the driver records them.
  Returned<std::vector<Parameter>> parameters(const Device& device = {}) const {
    return detail::parameters([&](cucore_parameter_info* out, std::size_t capacity,
                                  std::size_t* count, cucore_error** error) {
      return cucore_kernel_parameters(get(), device.get(), out, capacity, count, error);
    });
  }

  /// The number of blocks that fit on one multiprocessor at a time.
  Returned<std::int32_t> occupancy(const Device& device, std::int32_t block_size,
                                   std::size_t dynamic_shared = 0) const {
    return value<std::int32_t>(cucore_kernel_occupancy, get(), device.get(), block_size,
                               dynamic_shared);
  }

  /// The block size that fills the device best; `block_size_limit` 0 is the device's limit.
  Returned<BlockSize> max_potential_block_size(const Device& device, std::size_t dynamic_shared = 0,
                                               std::int32_t block_size_limit = 0) const {
    BlockSize out;
    cucore_error* error = nullptr;
    const cucore_status status = cucore_kernel_max_potential_block_size(
        get(), device.get(), dynamic_shared, block_size_limit, &out.min_grid_size, &out.block_size,
        &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<BlockSize>(status, error);
    return out;
  }

  /// The dynamic shared memory, in bytes per block, with which so many blocks run on a
  /// multiprocessor.
  Returned<std::size_t> available_dynamic_shared(const Device& device,
                                                 std::int32_t blocks_per_multiprocessor,
                                                 std::int32_t block_size) const {
    return value<std::size_t>(cucore_kernel_available_dynamic_shared, get(), device.get(),
                              blocks_per_multiprocessor, block_size);
  }

  /// The number of clusters of such a launch that fit on the device at a time.
  Returned<std::int32_t> max_active_clusters(const Device& device,
                                             const LaunchConfig& config) const {
    return value<std::int32_t>(cucore_kernel_max_active_clusters, get(), device.get(),
                               static_cast<const cucore_launch_options*>(&config));
  }

  /// Launches on a stream; the arguments are copied before this returns. Arguments are numbers,
  /// enumerators, plain structs, buffers, `Address`, pointers into device memory and nullptr.
  ///
  /// Fails with INVALID_ARGUMENT if the number, a size or the class of an argument differs from the
  /// kernel's parameters. The first launch through an owner reads the classes, later ones compare a
  /// word. A copy of the owner has the classes that it had; of the arguments after the thirtieth,
  /// only the sizes are compared.
  template <class... Arguments>
  Returned<void> launch(const Stream& stream, const LaunchConfig& config,
                        const Arguments&... arguments) const {
    constexpr std::size_t count = sizeof...(Arguments);
    if constexpr (count == 0) {
      return launch_unchecked(stream, config, nullptr, 0);
    } else {
      static constexpr ParameterClass GIVEN[] = {ArgumentTraits<Arguments>::parameter_class...};
      constexpr std::uint64_t low = detail::class_word(GIVEN, count, 0);
      constexpr std::uint64_t high = detail::class_word(GIVEN, count, detail::CLASSES_PER_WORD);
      const cucore_argument list[] = {ArgumentTraits<Arguments>::argument(arguments)...};
      bool accepted = classes_.accept(0, low);
      if constexpr (count > detail::CLASSES_PER_WORD)
        accepted = accepted && classes_.accept(1, high);
      if (accepted) return launch_unchecked(stream, config, list, count);
      return check_and_launch(stream, config, list, GIVEN, count);
    }
  }

  /// The same in two steps: `kernel(config, stream)(arguments...)`. The first result borrows the
  /// kernel and the stream.
  Launcher operator()(const LaunchConfig& config, const Stream& stream) const noexcept;

  /// Launches with the arguments already laid out as the parameter block, as a struct with the
  /// parameters as its members is. Addresses in it are not recorded: Buffer::record_use().
  Returned<void> launch_packed(const Stream& stream, const LaunchConfig& config,
                               Bytes arguments) const {
    return call(cucore_kernel_launch_packed, get(), stream.get(),
                static_cast<const cucore_launch_options*>(&config), arguments.data(),
                arguments.size());
  }

  /// Checks and copies the configuration and the arguments once, as launch() does. The result
  /// launches again and again: `prepared.run()`. Include prepared_launch.hpp.
  template <class... Arguments>
  Returned<PreparedLaunch> prepare(const Stream& stream, const LaunchConfig& config,
                                   const Arguments&... arguments) const;

  /// The kernel with the parameters that its source declares, checked here once:
  /// `kernel.as<void(float, const float*, float*, int)>()`. Fails with INVALID_ARGUMENT if they
  /// differ in number, size or class.
  template <class Signature>
  Returned<TypedKernel<Signature>> as() const;

  /// Releases the reference and takes over another one.
  void reset(cucore_kernel* handle = nullptr) noexcept {
    Owner::reset(handle);
    classes_.clear();
  }
  void swap(Kernel& other) noexcept { std::swap(*this, other); }

 private:
  template <class Signature>
  friend class TypedKernel;

  Returned<void> launch_unchecked(const Stream& stream, const LaunchConfig& config,
                                  const cucore_argument* arguments, std::size_t count) const {
    cucore_error* error = nullptr;
    const cucore_status status =
        cucore_kernel_launch(get(), stream.get(), &config, arguments, count, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<void>(status, error);
    return Returned<void>();
  }

  CUCORE_HPP_COLD Returned<void> check_and_launch(const Stream& stream, const LaunchConfig& config,
                                                  const cucore_argument* arguments,
                                                  const ParameterClass* given,
                                                  std::size_t count) const {
    Error error = mismatch(read_classes(), given, count);
    if (error) return detail::failed<void>(std::move(error));
    return launch_unchecked(stream, config, arguments, count);
  }
  std::vector<ParameterClass> read_classes() const;
  Error mismatch(std::size_t index, ParameterClass given, ParameterClass wanted) const;
  Error mismatch(const std::vector<ParameterClass>& wanted, const ParameterClass* given,
                 std::size_t count) const;
  Error compare(const ParameterPlace* sizes, const ParameterClass* given, std::size_t count) const;

  mutable detail::KernelClasses classes_;
};

/// A kernel with a configuration and a stream, to be called with the arguments.
class Kernel::Launcher {
 public:
  template <class... Arguments>
  Returned<void> operator()(const Arguments&... arguments) const {
    return kernel_.launch(stream_, config_, arguments...);
  }

 private:
  friend class Kernel;
  Launcher(const Kernel& kernel, const LaunchConfig& config, const Stream& stream) noexcept
      : kernel_(kernel), stream_(stream), config_(config) {}

  const Kernel& kernel_;
  const Stream& stream_;
  const LaunchConfig config_;
};

inline Kernel::Launcher Kernel::operator()(const LaunchConfig& config,
                                           const Stream& stream) const noexcept {
  return {*this, config, stream};
}

inline Returned<Kernel> ObjectCode::find_kernel(const Name& name) const {
  return make<Kernel>(cucore_objectcode_find_kernel, get(), name.c_str());
}

inline std::vector<ParameterClass> Kernel::read_classes() const {
  std::vector<ParameterClass> classes;
  std::size_t count = 0;
  cucore_kernel_parameters(get(), nullptr, nullptr, 0, &count, nullptr);
  std::vector<cucore_parameter_info> infos(count, CUCORE_PARAMETER_INFO_INIT);
  const cucore_status status =
      cucore_kernel_parameters(get(), nullptr, infos.data(), infos.size(), &count, nullptr);
  if (status != CUCORE_OK && status != CUCORE_ERROR_UNSUPPORTED) return classes;
  if (status == CUCORE_OK)
    for (const auto& info : infos)
      classes.push_back(static_cast<ParameterClass>(info.parameter_class));
  for (std::size_t i = 0; i < detail::CLASS_WORDS; ++i)
    classes_.set(i, detail::class_word(classes, classes.size(), i * detail::CLASSES_PER_WORD));
  return classes;
}

inline Error Kernel::mismatch(std::size_t index, ParameterClass given,
                              ParameterClass wanted) const {
  return Error(Status::invalid_argument,
               "argument " + std::to_string(index) + " of kernel " + std::string(label()) + " is " +
                   detail::class_name(given) + "; expected " + detail::class_name(wanted) +
                   "; convert it to the type of the parameter");
}

inline Error Kernel::mismatch(const std::vector<ParameterClass>& wanted,
                              const ParameterClass* given, std::size_t count) const {
  if (wanted.size() != count) return Error();  // the launch reports it
  for (std::size_t i = 0; i < count; ++i)
    if (detail::class_bit(wanted[i]) & ~detail::class_bit(given[i]))
      return mismatch(i, given[i], wanted[i]);
  return Error();
}

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_KERNEL_HPP_INCLUDED
