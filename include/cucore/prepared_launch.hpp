/// @file cucore/prepared_launch.hpp
/// Launches that are checked once and repeated.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_PREPARED_LAUNCH_HPP_INCLUDED
#define CUCORE_PREPARED_LAUNCH_HPP_INCLUDED

#include <cstddef>

#include "kernel.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

/// A launch whose configuration and arguments are checked and copied once, and which then repeats.
/// It keeps its kernel, its stream and its buffers.
class PreparedLaunch : public Owner<PreparedLaunch, cucore_prepared_launch> {
 public:
  PreparedLaunch() noexcept {}

  /// Prepares a launch of arguments that are already in the form of C: see Kernel::prepare().
  static Returned<PreparedLaunch> create(const Kernel& kernel, const Stream& stream,
                                         const LaunchConfig& config,
                                         const cucore_argument* arguments, std::size_t count) {
    return make<PreparedLaunch>(cucore_prepared_launch_create, kernel.get(), stream.get(),
                                static_cast<const cucore_launch_options*>(&config), arguments,
                                count);
  }

  /// Replaces one argument for all later launches. Fails with INVALID_ARGUMENT if its size differs
  /// from the parameter's; its class is not compared.
  template <class Argument>
  Returned<void> update(std::size_t index, const Argument& argument) const {
    const cucore_argument value = ArgumentTraits<Argument>::argument(argument);
    return call(cucore_prepared_launch_update, get(), index, &value);
  }

  /// Launches the kernel with the present arguments.
  Returned<void> run() const { return call(cucore_prepared_launch_run, get()); }
};

template <class... Arguments>
Returned<PreparedLaunch> Kernel::prepare(const Stream& stream, const LaunchConfig& config,
                                         const Arguments&... arguments) const {
  constexpr std::size_t count = sizeof...(Arguments);
  if constexpr (count == 0) {
    return PreparedLaunch::create(*this, stream, config, nullptr, 0);
  } else {
    static constexpr ParameterClass GIVEN[] = {ArgumentTraits<Arguments>::parameter_class...};
    Error error = mismatch(read_classes(), GIVEN, count);
    if (error) return detail::failed<PreparedLaunch>(std::move(error));
    const cucore_argument list[] = {ArgumentTraits<Arguments>::argument(arguments)...};
    return PreparedLaunch::create(*this, stream, config, list, count);
  }
}

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_PREPARED_LAUNCH_HPP_INCLUDED
