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

  /// Gives the work of a graph of equal shape to later launches. `culprit` receives the node that
  /// the driver refuses, or 0.
  Returned<void> update(const Graph& graph, Node* culprit = nullptr) const {
    return call(cucore_executable_update, get(), graph.get(), culprit);
  }

  /// Changes the launch of a kernel node for later launches of this executable.
  template <class... Arguments>
  Returned<void> set_kernel(Node node, const Kernel& kernel, const LaunchConfig& config,
                            const Arguments&... arguments) const {
    return detail::with_arguments(
        [&](const cucore_argument* list, std::size_t count) {
          return call(cucore_executable_set_kernel, get(), node, kernel.get(),
                      static_cast<const cucore_launch_options*>(&config), list, count);
        },
        arguments...);
  }

  /// Changes the buffers and the size of a copy for later launches of this executable.
  Returned<void> set_copy(Node node, const Buffer& destination, std::size_t destination_offset,
                          const Buffer& source, std::size_t source_offset, std::size_t size) const {
    return call(cucore_executable_set_copy, get(), node, destination.get(), destination_offset,
                source.get(), source_offset, size);
  }

  /// Gives a copy the boxes and the extent of another for later launches of this executable.
  /// Drivers accept only copies of one row.
  Returned<void> set_copy_box(Node node, const Box& destination, const Box& source,
                              const Extent& extent) const {
    return call(cucore_executable_set_copy_box, get(), node,
                static_cast<const cucore_box*>(&destination),
                static_cast<const cucore_box*>(&source), extent.width, extent.height, extent.depth);
  }

  /// Changes the range and the pattern of a fill for later launches of this executable.
  template <class Pattern>
  Returned<void> set_fill(Node node, const Buffer& buffer, std::size_t offset, std::size_t size,
                          const Pattern& pattern) const {
    static_assert(std::is_trivially_copyable_v<Pattern>, "a pattern is plain data");
    return call(cucore_executable_set_fill, get(), node, buffer.get(), offset, size,
                static_cast<const void*>(std::addressof(pattern)), sizeof pattern);
  }

  /// Changes the function of a node for later launches of this executable.
  Returned<void> set_host(Node node, std::function<void()> function) const {
    auto* const kept = new std::function<void()>(std::move(function));
    return call(cucore_executable_set_host, get(), node, &detail::call_function,
                static_cast<void*>(kept), &detail::end_function);
  }

  /// Changes the event of a node for later launches of this executable.
  Returned<void> set_event(Node node, const Event& event) const {
    return call(cucore_executable_set_event, get(), node, event.get());
  }

  /// Changes the semaphore and the value of a node for later launches of this executable.
  Returned<void> set_semaphore(Node node, const External& semaphore,
                               std::uint64_t value = 0) const {
    return call(cucore_executable_set_semaphore, get(), node, semaphore.get(), value);
  }

  /// Gives the work of a graph of equal shape to a child node.
  Returned<void> set_child(Node node, const Graph& child) const {
    return call(cucore_executable_set_child, get(), node, child.get());
  }

  /// Leaves a kernel, a copy or a fill out of later launches, or takes it in again.
  Returned<void> set_enabled(Node node, bool enabled) const {
    return call(cucore_executable_set_enabled, get(), node, static_cast<std::int32_t>(enabled));
  }

  /// Whether launches do the work of a node.
  Returned<bool> is_enabled(Node node) const {
    std::int32_t out = 0;
    cucore_error* error = nullptr;
    const cucore_status status = cucore_executable_is_enabled(get(), node, &out, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<bool>(status, error);
    return out != 0;
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
