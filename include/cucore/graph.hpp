/// @file cucore/graph.hpp
/// Graphs: work and its order, to be run many times.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_GRAPH_HPP_INCLUDED
#define CUCORE_GRAPH_HPP_INCLUDED

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bytes.hpp"
#include "event.hpp"
#include "external.hpp"
#include "kernel.hpp"
#include "queue.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

namespace detail {

inline void call_function(void* data) { (*static_cast<std::function<void()>*>(data))(); }
inline void end_function(void* data) { delete static_cast<std::function<void()>*>(data); }

// Calls a function with arguments in the form of C.
template <class Call, class... Arguments>
auto with_arguments(Call&& call, const Arguments&... arguments) {
  constexpr std::size_t count = sizeof...(Arguments);
  if constexpr (count == 0) {
    return call(nullptr, count);
  } else {
    const cucore_argument list[] = {ArgumentTraits<Arguments>::argument(arguments)...};
    return call(list, count);
  }
}

}  // namespace detail

/// A node of a graph and of what was made from it; 0 is not a node.
using Node = cucore_node;

/// The nodes that a new one comes after: `{}`, one node, or a list.
using After = std::vector<Node>;

/// Work and its order. Nodes keep the objects that they use.
class Graph : public Owner<Graph, cucore_graph> {
 public:
  Graph() noexcept {}

  /// Makes a graph without nodes, whose kernels run on the device.
  static Returned<Graph> create(const Device& device) {
    return make<Graph>(cucore_graph_create, device.get());
  }

  /// Makes a copy whose nodes have the same numbers.
  Returned<Graph> clone() const { return make<Graph>(cucore_graph_clone, get()); }

  Returned<Device> device() const { return make<Device>(cucore_graph_device, get()); }

  /// Adds a node that launches a kernel with arguments as Kernel::launch() takes them.
  template <class... Arguments>
  Returned<Node> add_kernel(const After& after, const Kernel& kernel, const LaunchConfig& config,
                            const Arguments&... arguments) const {
    return detail::with_arguments(
        [&](const cucore_argument* list, std::size_t count) {
          return add_kernel_of(after, kernel, config, list, count);
        },
        arguments...);
  }

  /// Adds a node that launches a kernel with arguments that are already in the form of C.
  Returned<Node> add_kernel_of(const After& after, const Kernel& kernel, const LaunchConfig& config,
                               const cucore_argument* arguments, std::size_t count) const {
    return value<Node>(cucore_graph_add_kernel, get(), after.data(), after.size(), kernel.get(),
                       static_cast<const cucore_launch_options*>(&config), arguments, count);
  }

  /// Adds a node that copies bytes between two buffers.
  Returned<Node> add_copy(const After& after, const Buffer& destination,
                          std::size_t destination_offset, const Buffer& source,
                          std::size_t source_offset, std::size_t size) const {
    return value<Node>(cucore_graph_add_copy, get(), after.data(), after.size(), destination.get(),
                       destination_offset, source.get(), source_offset, size);
  }

  /// Adds a node that copies a box. Memory of the program must stay valid.
  Returned<Node> add_copy_box(const After& after, const Box& destination, const Box& source,
                              const Extent& extent) const {
    return value<Node>(cucore_graph_add_copy_box, get(), after.data(), after.size(),
                       static_cast<const cucore_box*>(&destination),
                       static_cast<const cucore_box*>(&source), extent.width, extent.height,
                       extent.depth);
  }

  /// Adds a node that fills bytes of a buffer with a value of 1, 2, 4 or 8 bytes.
  template <class Pattern>
  Returned<Node> add_fill(const After& after, const Buffer& buffer, std::size_t offset,
                          std::size_t size, const Pattern& pattern) const {
    static_assert(std::is_trivially_copyable_v<Pattern>, "a pattern is plain data");
    return value<Node>(cucore_graph_add_fill, get(), after.data(), after.size(), buffer.get(),
                       offset, size, static_cast<const void*>(std::addressof(pattern)),
                       sizeof pattern);
  }

  /// Adds a node that calls a function at each launch, on a thread of the driver. The function must
  /// not throw, and must not call CUDA or this library, except for releases.
  Returned<Node> add_host(const After& after, std::function<void()> function) const {
    auto* const kept = new std::function<void()>(std::move(function));
    return value<Node>(cucore_graph_add_host, get(), after.data(), after.size(),
                       &detail::call_function, static_cast<void*>(kept), &detail::end_function);
  }

  /// Adds a node that puts a completion into a queue at each launch. With `waits`, work after it
  /// starts when Queue::resume() is called.
  Returned<Node> add_host_queued(const After& after, const Queue& queue, std::uint64_t token,
                                 bool waits = false) const {
    return value<Node>(cucore_graph_add_host_queued, get(), after.data(), after.size(), queue.get(),
                       token, static_cast<std::int32_t>(waits));
  }

  /// Adds a node that writes a word of 4 or 8 bytes.
  template <class Word>
  Returned<Node> add_value(const After& after, const Buffer& buffer, std::size_t offset,
                           Word word) const {
    return add_word(after, buffer, offset, word, 0);
  }

  /// Adds a node that waits until a word of 4 or 8 bytes has a value.
  template <class Word>
  Returned<Node> add_value(const After& after, const Buffer& buffer, std::size_t offset, Word word,
                           Comparison comparison) const {
    return add_word(after, buffer, offset, word, static_cast<std::int32_t>(comparison));
  }

  /// Adds a node that signals a semaphore of another library. The number is that of a timeline.
  Returned<Node> add_semaphore_signal(const After& after, const External& semaphore,
                                      std::uint64_t number = 0) const {
    return value<Node>(cucore_graph_add_semaphore, get(), after.data(), after.size(),
                       semaphore.get(), number, std::int32_t{1});
  }

  /// Adds a node that waits for a semaphore of another library, a timeline until it has the number.
  Returned<Node> add_semaphore_wait(const After& after, const External& semaphore,
                                    std::uint64_t number = 0) const {
    return value<Node>(cucore_graph_add_semaphore, get(), after.data(), after.size(),
                       semaphore.get(), number, std::int32_t{0});
  }

  /// Adds a node that records an event.
  Returned<Node> add_record(const After& after, const Event& event) const {
    return value<Node>(cucore_graph_add_record, get(), after.data(), after.size(), event.get());
  }

  /// Adds a node that waits for an event.
  Returned<Node> add_wait(const After& after, const Event& event) const {
    return value<Node>(cucore_graph_add_wait, get(), after.data(), after.size(), event.get());
  }

  /// Adds a node that does nothing, to join and to fork.
  Returned<Node> add_empty(const After& after) const {
    return value<Node>(cucore_graph_add_empty, get(), after.data(), after.size());
  }

  /// Adds a node that runs a copy of the present state of another graph.
  Returned<Node> add_child(const After& after, const Graph& child) const {
    return value<Node>(cucore_graph_add_child, get(), after.data(), after.size(), child.get());
  }

  /// Adds a node that allocates memory, which `peers` may use too. `out` receives the buffer.
  Returned<Node> add_buffer(const After& after, std::size_t size, Buffer& out,
                            const std::vector<Device>& peers = {}) const {
    std::vector<const cucore_device*> others;
    for (const Device& peer : peers) others.push_back(peer.get());
    cucore_buffer* buffer = nullptr;
    Node node = 0;
    cucore_error* error = nullptr;
    const cucore_status status =
        cucore_graph_add_buffer(get(), after.data(), after.size(), size, others.data(),
                                others.size(), &buffer, &node, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<Node>(status, error);
    out = Buffer::adopt(buffer);
    return node;
  }

  /// Adds a node that frees memory of a graph.
  Returned<Node> add_free(const After& after, const Buffer& buffer) const {
    return value<Node>(cucore_graph_add_free, get(), after.data(), after.size(), buffer.get());
  }

  /// Adds a condition, a number that kernels set with cudaGraphSetConditional().
  Returned<std::uint64_t> add_condition(std::uint32_t first, bool reset_at_launch = true) const {
    return value<std::uint64_t>(cucore_graph_add_condition, get(), first,
                                static_cast<std::int32_t>(reset_at_launch));
  }

  /// Adds a node that runs one of `count` graphs, or none, as a condition decides. child() returns
  /// the graphs.
  Returned<Node> add_conditional(const After& after, std::uint64_t condition, Conditional kind,
                                 std::size_t count = 1) const {
    std::vector<cucore_graph*> bodies(count);
    Node out = 0;
    cucore_error* error = nullptr;
    const cucore_status status = cucore_graph_add_conditional(
        get(), after.data(), after.size(), condition, static_cast<cucore_conditional>(kind), count,
        bodies.data(), &out, &error);
    for (cucore_graph* body : bodies) cucore_graph_release(body);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<Node>(status, error);
    return out;
  }

  /// A graph of a child node or of a conditional node, which can be changed.
  Returned<Graph> child(Node node, std::size_t index = 0) const {
    return make<Graph>(cucore_graph_child, get(), node, index);
  }

  /// Lets a node come after another. A programmatic edge lets the second kernel begin before the
  /// first has ended.
  Returned<void> add_edge(Node from, Node to, bool programmatic = false) const {
    return call(cucore_graph_add_edge, get(), from, to, static_cast<std::int32_t>(programmatic));
  }

  Returned<void> remove_edge(Node from, Node to) const {
    return call(cucore_graph_remove_edge, get(), from, to);
  }

  /// Removes a node with its edges.
  Returned<void> remove_node(Node node) const {
    return call(cucore_graph_remove_node, get(), node);
  }

  /// Changes the launch of a kernel node to one of another kernel, or with other arguments.
  template <class... Arguments>
  Returned<void> set_kernel(Node node, const Kernel& kernel, const LaunchConfig& config,
                            const Arguments&... arguments) const {
    return detail::with_arguments(
        [&](const cucore_argument* list, std::size_t count) {
          return call(cucore_graph_set_kernel, get(), node, kernel.get(),
                      static_cast<const cucore_launch_options*>(&config), list, count);
        },
        arguments...);
  }

  /// Changes the buffers and the size of a copy.
  Returned<void> set_copy(Node node, const Buffer& destination, std::size_t destination_offset,
                          const Buffer& source, std::size_t source_offset, std::size_t size) const {
    return call(cucore_graph_set_copy, get(), node, destination.get(), destination_offset,
                source.get(), source_offset, size);
  }

  /// Gives a copy the boxes and the extent of another.
  Returned<void> set_copy_box(Node node, const Box& destination, const Box& source,
                              const Extent& extent) const {
    return call(cucore_graph_set_copy_box, get(), node,
                static_cast<const cucore_box*>(&destination),
                static_cast<const cucore_box*>(&source), extent.width, extent.height, extent.depth);
  }

  /// Changes the range and the pattern of a fill.
  template <class Pattern>
  Returned<void> set_fill(Node node, const Buffer& buffer, std::size_t offset, std::size_t size,
                          const Pattern& pattern) const {
    static_assert(std::is_trivially_copyable_v<Pattern>, "a pattern is plain data");
    return call(cucore_graph_set_fill, get(), node, buffer.get(), offset, size,
                static_cast<const void*>(std::addressof(pattern)), sizeof pattern);
  }

  /// Changes the function of a node, as add_host() takes it.
  Returned<void> set_host(Node node, std::function<void()> function) const {
    auto* const kept = new std::function<void()>(std::move(function));
    return call(cucore_graph_set_host, get(), node, &detail::call_function,
                static_cast<void*>(kept), &detail::end_function);
  }

  /// Changes the event of a node that records it or waits for it.
  Returned<void> set_event(Node node, const Event& event) const {
    return call(cucore_graph_set_event, get(), node, event.get());
  }

  /// Changes the semaphore and the value of a node.
  Returned<void> set_semaphore(Node node, const External& semaphore,
                               std::uint64_t value = 0) const {
    return call(cucore_graph_set_semaphore, get(), node, semaphore.get(), value);
  }

  /// Replaces the graph of a child node with a copy of another.
  Returned<void> set_child(Node node, const Graph& child) const {
    return call(cucore_graph_set_child, get(), node, child.get());
  }

  /// Sets the label of a node, which messages contain; "" is none.
  Returned<void> set_label(Node node, const std::string& label) const {
    return call(cucore_graph_set_label, get(), node, label.c_str());
  }

  /// Keeps data as long as the graph, what is made from it and what runs of that. `destroy` runs on
  /// any thread.
  Returned<void> hold(void* data, void (*destroy)(void*)) const {
    return call(cucore_graph_hold, get(), data, destroy);
  }

  std::size_t node_count() const noexcept { return cucore_graph_node_count(get()); }

  /// The node at a place in the order of adding.
  Returned<Node> node_at(std::size_t index) const {
    return value<Node>(cucore_graph_node_at, get(), index);
  }

  /// The work of a node. The texts live as long as the graph.
  Returned<cucore_node_info> node_query(Node node) const {
    cucore_node_info out = CUCORE_NODE_INFO_INIT;
    cucore_error* error = nullptr;
    const cucore_status status = cucore_graph_node_query(get(), node, &out, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<cucore_node_info>(status, error);
    return out;
  }

  /// The event of a node that records it or waits for it.
  Returned<Event> node_event(Node node) const {
    return make<Event>(cucore_graph_node_event, get(), node);
  }

  /// The semaphore of a node that signals it or waits for it.
  Returned<External> node_semaphore(Node node) const {
    return make<External>(cucore_graph_node_semaphore, get(), node);
  }

  /// The nodes that a node comes directly after.
  Returned<std::vector<Node>> dependencies(Node node) const {
    return list<Node>(
        [&](Node* out, std::size_t capacity, std::size_t* count, cucore_error** error) {
          return cucore_graph_dependencies(get(), node, out, capacity, count, error);
        });
  }

  /// The nodes that come directly after a node.
  Returned<std::vector<Node>> dependents(Node node) const {
    return list<Node>(
        [&](Node* out, std::size_t capacity, std::size_t* count, cucore_error** error) {
          return cucore_graph_dependents(get(), node, out, capacity, count, error);
        });
  }

  /// The graph in the dot language. Details are 0 or the bits of CUgraphDebugDot_flags.
  Returned<std::string> dot(std::uint32_t details = 0) const {
    return list<char, std::string>(
        [&](char* out, std::size_t capacity, std::size_t* size, cucore_error** error) {
          return cucore_graph_dot(get(), details, out, capacity, size, error);
        });
  }

  /// The CUgraph: `native<CUgraph>()`.
  template <class T = void*>
  T native() const noexcept {
    return static_cast<T>(cucore_graph_native(get()));
  }

 private:
  friend class Stream;
  template <class Word>
  Returned<Node> add_word(const After& after, const Buffer& buffer, std::size_t offset, Word word,
                          std::int32_t comparison) const {
    static_assert(std::is_unsigned_v<Word> && (sizeof(Word) == 4 || sizeof(Word) == 8));
    return value<Node>(cucore_graph_add_value, get(), after.data(), after.size(), buffer.get(),
                       offset, std::uint64_t{word}, sizeof word, comparison);
  }
  // The result of a call that writes into an array. Another thread may make the graph larger
  // between the query of the size and the call.
  template <class Element, class Container = std::vector<Element>, class Write>
  static Returned<Container> list(Write&& write) {
    Container out;
    for (;;) {
      std::size_t size = 0;
      cucore_error* error = nullptr;
      cucore_status status = write(nullptr, 0, &size, &error);
      if (status == CUCORE_OK && size != 0) {
        out.resize(size);
        status = write(out.data(), out.size(), &size, &error);
      }
      if (status == CUCORE_ERROR_BUFFER_TOO_SMALL) {
        cucore_error_release(error);
        continue;
      }
      if (CUCORE_HPP_FAILED(status)) return detail::failed<Container>(status, error);
      out.resize(size);
      return out;
    }
  }
};

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_GRAPH_HPP_INCLUDED
