/// @file cucore/executable.hpp
/// Executables: graphs made ready to launch.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_EXECUTABLE_HPP_INCLUDED
#define CUCORE_EXECUTABLE_HPP_INCLUDED

#include "graph.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

/// A graph made ready to launch.
class Executable : public Owner<Executable, cucore_executable> {
 public:
  Executable() noexcept {}

  /// Makes a graph ready to launch. The fields of the options are those of C.
  static Returned<Executable> create(const Graph& graph, const cucore_executable_options& options =
                                                             CUCORE_EXECUTABLE_OPTIONS_INIT) {
    return make<Executable>(cucore_executable_create, graph.get(), &options);
  }

  Returned<Device> device() const { return make<Device>(cucore_executable_device, get()); }

  /// Launches the whole graph in a stream.
  Returned<void> launch(const Stream& stream) const {
    return call(cucore_executable_launch, get(), stream.get());
  }

  /// Sends the executable to the device in a stream.
  Returned<void> upload(const Stream& stream) const {
    return call(cucore_executable_upload, get(), stream.get());
  }

  /// The CUgraphExec: `native<CUgraphExec>()`.
  template <class T = void*>
  T native() const noexcept {
    return static_cast<T>(cucore_executable_native(get()));
  }
};

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_EXECUTABLE_HPP_INCLUDED
