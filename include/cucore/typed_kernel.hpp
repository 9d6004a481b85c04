/// @file cucore/typed_kernel.hpp
/// Kernels whose parameters the compiler checks.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_TYPED_KERNEL_HPP_INCLUDED
#define CUCORE_TYPED_KERNEL_HPP_INCLUDED

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "kernel.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

namespace detail {

// The type in which a parameter of a kernel is passed.
template <class T>
struct PassedAs {
  using type = std::remove_cv_t<T>;
};
template <class T>
struct PassedAs<T*> {
  using type = Pointer<T>;
};
template <class T>
struct PassedAs<T&> {
  using type = Pointer<T>;
};
template <class T>
constexpr std::size_t PASSED_SIZE = std::is_reference_v<T> ? sizeof(void*) : sizeof(T);

}  // namespace detail

/// A kernel whose parameters the compiler checks: arguments are converted as in a call of a
/// function. A pointer parameter accepts a buffer, an Address, or a pointer into device memory.
template <class... Parameters>
class TypedKernel<void(Parameters...)> {
 public:
  class Launcher;

  TypedKernel() noexcept = default;

  const Kernel& kernel() const noexcept { return kernel_; }

  /// Launches on a stream. Nothing is compared but what cucore_kernel_launch() compares.
  Returned<void> launch(const Stream& stream, const LaunchConfig& config,
                        typename detail::PassedAs<Parameters>::type... arguments) const {
    if constexpr (sizeof...(Parameters) == 0) {
      return kernel_.launch_unchecked(stream, config, nullptr, 0);
    } else {
      const cucore_argument list[] = {
          ArgumentTraits<typename detail::PassedAs<Parameters>::type>::argument(arguments)...};
      return kernel_.launch_unchecked(stream, config, list, sizeof...(Parameters));
    }
  }

  /// The same in two steps: `kernel(config, stream)(arguments...)`. The first result borrows the
  /// kernel and the stream.
  Launcher operator()(const LaunchConfig& config, const Stream& stream) const noexcept {
    return Launcher(*this, config, stream);
  }

 private:
  friend class Kernel;
  explicit TypedKernel(const Kernel& kernel) noexcept : kernel_(kernel) {}

  Kernel kernel_;

  static Error check(const Kernel& kernel) {
    constexpr std::size_t count = sizeof...(Parameters);
    constexpr ParameterClass classes[count + 1] = {
        ArgumentTraits<typename detail::PassedAs<Parameters>::type>::parameter_class...};
    constexpr ParameterPlace sizes[count + 1] = {{0, detail::PASSED_SIZE<Parameters>}...};
    return kernel.compare(sizes, classes, count);
  }
};

template <class... Parameters>
class TypedKernel<void(Parameters...)>::Launcher {
 public:
  Returned<void> operator()(typename detail::PassedAs<Parameters>::type... arguments) const {
    return kernel_.launch(stream_, config_, std::move(arguments)...);
  }

 private:
  friend class TypedKernel;
  Launcher(const TypedKernel& kernel, const LaunchConfig& config, const Stream& stream) noexcept
      : kernel_(kernel), stream_(stream), config_(config) {}

  const TypedKernel& kernel_;
  const Stream& stream_;
  const LaunchConfig config_;
};

inline Error Kernel::compare(const ParameterPlace* sizes, const ParameterClass* given,
                             std::size_t count) const {
  const std::optional<std::size_t> wanted = parameter_count();
  const std::string kernel = " of kernel " + std::string(label());
  if (wanted && *wanted != count)
    return Error(Status::invalid_argument, "the signature" + kernel + " has " +
                                               std::to_string(count) + " parameters; expected " +
                                               std::to_string(*wanted) +
                                               "; pass the types that its source declares");
  for (std::size_t i = 0; wanted && i < count; ++i) {
    std::size_t offset = 0, size = 0;
    const cucore_status status =
        cucore_kernel_parameter_at(get(), i, nullptr, &offset, &size, nullptr);
    if (status == CUCORE_OK && size != sizes[i].size)
      return Error(Status::invalid_argument, "parameter " + std::to_string(i) + kernel + " has " +
                                                 std::to_string(sizes[i].size) +
                                                 " bytes; expected " + std::to_string(size) +
                                                 "; pass the type that its source declares");
  }
  return mismatch(read_classes(), given, count);
}

template <class Signature>
Returned<TypedKernel<Signature>> Kernel::as() const {
  using Typed = TypedKernel<Signature>;
  Error error =
      get() ? Typed::check(*this) : Error(Status::invalid_argument, "kernel must not be NULL");
  if (error) return detail::failed<Typed>(std::move(error));
  return Typed(*this);
}

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_TYPED_KERNEL_HPP_INCLUDED
