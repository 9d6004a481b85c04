/// @file cucore/stream.hpp
/// Streams: work that a device executes in order.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_STREAM_HPP_INCLUDED
#define CUCORE_STREAM_HPP_INCLUDED

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "device.hpp"
#include "enumerations.hpp"
#include "options.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

/// Options of a stream.
struct StreamOptions {
  std::optional<bool> nonblocking{};  ///< false: synchronises with the legacy stream; default true
  std::int32_t priority = 0;          ///< of Device::stream_priorities(); 0 is the default
};

/// Options of a capture.
struct CaptureOptions {
  CaptureMode mode = CaptureMode::relaxed;  ///< which calls of other code break the capture
  cucore_graph* into = nullptr;             ///< the graph that gets the nodes; null: a new one
  std::vector<cucore_node> after{};         ///< nodes of `into` that the first work comes after
};

/// A part of a buffer whose accesses the L2 cache treats in its own way. It borrows the buffer.
struct AccessWindow : cucore_access_window {
  AccessWindow() noexcept : cucore_access_window() {}
  /// @param bytes  of the window, from `begin` on
  /// @param ratio  the part of the accesses that gets `on_hit`; the others get `on_miss`
  template <class Buffer>
  AccessWindow(const Buffer& of, std::size_t begin, std::size_t bytes, float ratio = 1,
               AccessProperty on_hit = AccessProperty::persisting,
               AccessProperty on_miss = AccessProperty::normal) noexcept
      : AccessWindow() {
    buffer = of.get();
    offset = begin;
    size = bytes;
    hit_ratio = ratio;
    hit = static_cast<cucore_access_property>(on_hit);
    miss = static_cast<cucore_access_property>(on_miss);
  }
};

/// Work that runs in order. Releasing a stream leaves its work alone.
class Stream : public Owner<Stream, cucore_stream> {
 public:
  Stream() noexcept {}

  /// Makes a stream. Fails with INVALID_ARGUMENT if the priority is out of range.
  static Returned<Stream> create(const Device& device, const StreamOptions& options = {});

  /// Wraps a CUstream that somebody else owns. It must outlive the result and is never destroyed.
  static Returned<Stream> from_native(const Device& device, void* native) {
    return make<Stream>(cucore_stream_from_native, device.get(), native);
  }

  Returned<Device> device() const { return make<Device>(cucore_stream_device, get()); }

  /// Waits until all work in the stream is complete.
  Returned<void> synchronize() const { return call(cucore_stream_synchronize, get()); }

  /// Whether all work in the stream is complete; does not wait.
  Returned<bool> query() const { return value<std::int32_t, bool>(cucore_stream_query, get()); }

  /// Later work of this stream waits for the event at its present place.
  Returned<void> wait_event(const Event& event) const;

  /// Later work of this stream waits for the present work of `other`.
  Returned<void> wait_stream(const Stream& other) const {
    return call(cucore_stream_wait_stream, get(), other.get());
  }

  /// Adds a function, which runs on a thread of the driver after the work before it. It must not
  /// call this library or CUDA, and must not throw.
  template <class Function>
  Returned<void> launch_host(Function function) const {
    auto kept = std::make_unique<Function>(std::move(function));
    const cucore_host_fn run = [](void* data) noexcept { (*static_cast<Function*>(data))(); };
    const cucore_destroy_fn destroy = [](void* data) { delete static_cast<Function*>(data); };
    return call(cucore_stream_launch_host, get(), run, static_cast<void*>(kept.release()), destroy);
  }

  /// Adds a host function that comes out of the queue. With waits the stream waits for
  /// Queue::resume().
  Returned<void> launch_host_queued(const Queue& queue, std::uint64_t token,
                                    bool waits = true) const;

  /// Writes a word of 4 or 8 bytes to a buffer, after the work before it.
  template <class Word>
  Returned<void> write_value(const Buffer& buffer, std::size_t offset, Word value) const;

  /// Later work of this stream waits until a word of 4 or 8 bytes has a value.
  template <class Word>
  Returned<void> wait_value(const Buffer& buffer, std::size_t offset, Word value,
                            Comparison comparison = Comparison::greater_equal) const;

  /// How the L2 cache treats the accesses of kernels that are launched from now on.
  Returned<void> set_access_window(const AccessWindow& window) const {
    return call(cucore_stream_set_access_window, get(), &window);
  }
  /// Ends the window.
  Returned<void> set_access_window(std::nullptr_t) const {
    return call(cucore_stream_set_access_window, get(), nullptr);
  }

  /// A lower number goes first.
  std::int32_t priority() const noexcept { return cucore_stream_priority(get()); }
  /// Whether it is not ordered with the legacy default stream.
  bool is_nonblocking() const noexcept { return cucore_stream_is_nonblocking(get()) != 0; }

  /// Whether the stream is captured into a graph now.
  bool is_capturing() const noexcept { return cucore_stream_is_capturing(get()) != 0; }

  /// Makes nodes of a graph from the work that is added from now on.
  Returned<void> begin_capture(const CaptureOptions& options = {}) const;

  /// Ends the capture and returns its graph.
  Returned<Graph> end_capture() const;

  /// The graph of the capture under way, for nodes that are added by hand.
  Returned<Graph> capture_graph() const;

  /// The nodes that the next work of a captured stream comes after.
  Returned<std::vector<cucore_node>> capture_nodes() const;

  /// Replaces them.
  Returned<void> set_capture_nodes(const std::vector<cucore_node>& nodes) const {
    return call(cucore_stream_set_capture_nodes, get(), nodes.data(), nodes.size());
  }

  /// In a capture: adds a node that waits for the event at each launch.
  Returned<void> wait_in_graph(const Event& event) const;

  /// The same number for all objects of one CUstream, and for no others.
  std::uint64_t id() const noexcept { return cucore_stream_id(get()); }

  /// The CUstream: `native<CUstream>()`.
  template <class T = void*>
  T native() const noexcept {
    return static_cast<T>(cucore_stream_native(get()));
  }
};

inline Returned<Stream> Device::default_stream(DefaultStream kind) const {
  return make<Stream>(cucore_device_default_stream, get(),
                      static_cast<cucore_default_stream>(kind));
}

inline Returned<Stream> Stream::create(const Device& device, const StreamOptions& options) {
  cucore_stream_options c = CUCORE_STREAM_OPTIONS_INIT;
  c.nonblocking = detail::toggle(options.nonblocking);
  c.priority = options.priority;
  return make<Stream>(cucore_stream_create, device.get(), &c);
}

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_STREAM_HPP_INCLUDED
