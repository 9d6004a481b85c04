/// @file cucore/launch.hpp
/// The configuration and the arguments of a launch.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_LAUNCH_HPP_INCLUDED
#define CUCORE_LAUNCH_HPP_INCLUDED

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "buffer.hpp"
#include "event.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

/// Blocks of a grid, threads of a block, or blocks of a cluster, in up to three dimensions.
struct Dim3 {
  constexpr Dim3() noexcept = default;
  template <class X, class Y = int, class Z = int, class = std::enable_if_t<std::is_integral_v<X>>>
  constexpr Dim3(X width, Y height = 1, Z depth = 1) noexcept
      : x(static_cast<std::uint32_t>(width)),
        y(static_cast<std::uint32_t>(height)),
        z(static_cast<std::uint32_t>(depth)) {}

  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t z = 0;
};

/// How to launch a kernel: the fields are those of cucore_launch_options. It borrows the objects in
/// them.
struct LaunchConfig : cucore_launch_options {
  LaunchConfig() noexcept : cucore_launch_options(CUCORE_LAUNCH_OPTIONS_INIT) {}
  /// @param dynamic_shared_bytes  shared memory per block, in addition to that of the kernel
  LaunchConfig(Dim3 blocks, Dim3 threads, std::uint32_t dynamic_shared_bytes = 0) noexcept
      : LaunchConfig() {
    set(grid, blocks);
    set(block, threads);
    dynamic_shared = dynamic_shared_bytes;
  }

  /// Blocks per cluster.
  LaunchConfig& with_cluster(Dim3 blocks) noexcept {
    set(cluster, blocks);
    return *this;
  }

  /// All blocks run at once and may synchronise.
  LaunchConfig& with_cooperative(bool on = true) noexcept {
    cooperative = on;
    return *this;
  }

  /// Blocks per cluster where they fit, a multiple of the cluster.
  LaunchConfig& with_preferred_cluster(Dim3 blocks) noexcept {
    set(preferred_cluster, blocks);
    return *this;
  }

  /// The placement of the blocks of a cluster.
  LaunchConfig& with_cluster_scheduling(ClusterScheduling policy) noexcept {
    cluster_scheduling = static_cast<cucore_cluster_scheduling>(policy);
    return *this;
  }

  /// An event that the launch records when all blocks have triggered it.
  LaunchConfig& with_programmatic_event(const Event& event, bool at_start = false) noexcept {
    programmatic_event = event.get();
    programmatic_at_start = at_start;
    return *this;
  }

  /// An event that the launch records when all blocks have begun.
  LaunchConfig& with_completion_event(const Event& event) noexcept {
    completion_event = event.get();
    return *this;
  }

  /// Attributes of the driver that have no field. The list must live until the launch has returned.
  LaunchConfig& with_attributes(Span<const cucore_launch_attribute> list) noexcept {
    attributes = list.data();
    attribute_count = list.size();
    return *this;
  }

  /// Hints for observers: bytes that the kernel reads and writes, and its operations.
  LaunchConfig& with_hints(std::uint64_t read, std::uint64_t written,
                           std::uint64_t operation_count = 0) noexcept {
    bytes_read = read;
    bytes_written = written;
    operations = operation_count;
    return *this;
  }

  /// The window must live until the launch has returned.
  LaunchConfig& with_access_window(const AccessWindow& window) noexcept {
    access_window = &window;
    return *this;
  }

 private:
  static void set(std::uint32_t (&field)[3], Dim3 size) noexcept {
    field[0] = size.x;
    field[1] = size.y;
    field[2] = size.z;
  }
};

/// How a launch passes a type: its class, and where the value is. Specialise it for a type of your
/// own that stands for a pointer.
template <class T, class = void>
struct ArgumentTraits {
  static_assert(!std::is_array_v<T>, "pass a buffer or an Address, not an array of the host");
  static_assert(!std::is_function_v<std::remove_pointer_t<T>>, "functions are not arguments");
  static_assert(std::is_trivially_copyable_v<T>, "an argument is plain data that can be copied");

  static constexpr ParameterClass parameter_class =
      std::is_pointer_v<T>                                           ? ParameterClass::pointer
      : std::is_floating_point_v<T>                                  ? ParameterClass::float_
      : (std::is_integral_v<T> || std::is_enum_v<T>)&&sizeof(T) <= 8 ? ParameterClass::integer
                                                                     : ParameterClass::aggregate;
  static cucore_argument argument(const T& value) noexcept {
    return {std::addressof(value), sizeof(T)};
  }
};

/// An address for a pointer parameter.
template <>
struct ArgumentTraits<Address> {
  static constexpr ParameterClass parameter_class = ParameterClass::pointer;
  static cucore_argument argument(const Address& value) noexcept { return {&value, sizeof value}; }
};

/// A buffer for a pointer parameter: the launch holds it and records the use.
template <>
struct ArgumentTraits<Buffer> {
  static constexpr ParameterClass parameter_class = ParameterClass::pointer;
  static cucore_argument argument(const Buffer& buffer) noexcept {
    return {buffer.get(), CUCORE_ARGUMENT_OBJECT};
  }
};

/// A null pointer for a pointer parameter.
template <>
struct ArgumentTraits<std::nullptr_t> {
  static constexpr ParameterClass parameter_class = ParameterClass::pointer;
  static cucore_argument argument(std::nullptr_t) noexcept {
    static constexpr std::uint64_t NULL_ADDRESS = 0;
    return {&NULL_ADDRESS, sizeof NULL_ADDRESS};
  }
};

/// The argument for a pointer parameter of a TypedKernel: a buffer, an Address, a pointer into
/// device memory, or nullptr. It borrows the buffer.
template <class T>
class Pointer {
 public:
  Pointer(const Buffer& buffer) noexcept : buffer_(buffer.get()), is_buffer_(true) {}
  Pointer(Address address) noexcept : address_(address.value()) {}
  Pointer(T* pointer) noexcept : address_(reinterpret_cast<std::uintptr_t>(pointer)) {}
  Pointer(std::nullptr_t) noexcept {}

  cucore_argument argument() const noexcept {
    if (is_buffer_) return {buffer_, CUCORE_ARGUMENT_OBJECT};
    return {&address_, sizeof address_};
  }

 private:
  std::uint64_t address_ = 0;
  cucore_buffer* buffer_ = nullptr;
  bool is_buffer_ = false;
};

template <class T>
struct ArgumentTraits<Pointer<T>> {
  static constexpr ParameterClass parameter_class = ParameterClass::pointer;
  static cucore_argument argument(const Pointer<T>& value) noexcept { return value.argument(); }
};

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_LAUNCH_HPP_INCLUDED
