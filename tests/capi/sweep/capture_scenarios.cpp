// SPDX-License-Identifier: Apache-2.0
// Captures of streams. Each run has a stream of its own, whose release ends what a failure left.
#include <set>
#include <string>

#include "world.hpp"

namespace sweep {
namespace {

// Of the run alone: a buffer of the world would remember each stream.
Buffer new_buffer(World& world) { return make_buffer(world.device.get(), world.stream.get()); }

Buffer new_words(World& world) {
  return cucore::make<Buffer>(cucore_buffer_create_pinned, world.device.get(), size_t{16});
}

void fill(const Buffer& buffer, const cucore_stream* stream) {
  ASSERT_EQ(cucore_buffer_fill(buffer.get(), 0, 16, "x", 1, stream, nullptr), CUCORE_OK);
}

// A capture with two nodes, one of a fork that is joined.
Stream captured(World& world, const Stream& fork) {
  Stream stream = make_stream(world.device.get());
  const Buffer buffer = new_buffer(world);
  EXPECT_EQ(cucore_stream_begin_capture(stream.get(), nullptr, nullptr), CUCORE_OK);
  fill(buffer, stream.get());
  EXPECT_EQ(cucore_stream_wait_stream(fork.get(), stream.get(), nullptr), CUCORE_OK);
  fill(buffer, fork.get());
  EXPECT_EQ(cucore_stream_wait_stream(stream.get(), fork.get(), nullptr), CUCORE_OK);
  return stream;
}

// The capture keeps its fork.
Stream captured(World& world) { return captured(world, make_stream(world.device.get())); }

cucore_node first_node(const cucore_stream* stream) {
  cucore_node node = 0;
  size_t count = 0;
  EXPECT_EQ(cucore_stream_capture_nodes(stream, &node, 1, &count, nullptr), CUCORE_OK);
  return node;
}

// Work in a capture, which goes on in each case.
template <class Call>
void adds_node(Run& run, World& world, Call&& call) {
  const Stream stream = captured(world);
  run.call([&](auto** error) { return call(stream.get(), error); });
  EXPECT_EQ(cucore_stream_is_capturing(stream.get()), 1);
  Graph graph;
  EXPECT_EQ(cucore_stream_end_capture(stream.get(), graph.out(), nullptr), CUCORE_OK);
  EXPECT_EQ(cucore_graph_node_count(graph.get()), run.ok() ? 3u : 2u);
}

void begin_capture(Run& run, World& world) {
  const Graph graph = make_graph(world.device.get());
  cucore_node node = 0;
  ASSERT_EQ(cucore_graph_add_empty(graph.get(), nullptr, 0, &node, nullptr), CUCORE_OK);
  const Stream stream = make_stream(world.device.get());
  cucore_capture_options options = CUCORE_CAPTURE_OPTIONS_INIT;
  options.into = graph.get();
  options.after = &node;
  options.after_count = 1;
  run.call(
      [&](auto** error) { return cucore_stream_begin_capture(stream.get(), &options, error); });
  EXPECT_EQ(cucore_stream_is_capturing(stream.get()), run.ok() ? 1 : 0);
}

void read_nodes(Run& run, World& world) {
  const Stream stream = captured(world);
  cucore_node nodes[4] = {};
  size_t count = 7;
  run.call([&](auto** error) {
    return cucore_stream_capture_nodes(stream.get(), nodes, 4, &count, error);
  });
  run.output("count", count);
}

void set_nodes(Run& run, World& world) {
  const Buffer buffer = new_buffer(world);
  const Stream stream = make_stream(world.device.get());
  ASSERT_EQ(cucore_stream_begin_capture(stream.get(), nullptr, nullptr), CUCORE_OK);
  fill(buffer, stream.get());
  const cucore_node node = first_node(stream.get());
  run.call(
      [&](auto** error) { return cucore_stream_set_capture_nodes(stream.get(), &node, 1, error); });
}

}  // namespace

std::vector<Scenario> capture_scenarios() {
  return {
      {"cucore_stream_begin_capture", begin_capture},
      {"cucore_stream_end_capture",
       [](Run& run, World& world) {
         // Failures to release a stream are not those of the call.
         const Stream fork = make_stream(world.device.get()), stream = captured(world, fork);
         makes<cucore_graph>(run, cucore_graph_release, [&](auto** out, auto** error) {
           return cucore_stream_end_capture(stream.get(), out, error);
         });
         // Without an answer about a fork, that one is queried further on.
         if (run.ok() && run.failed_call() == "cuStreamIsCapturing") run.tolerate();
       }},
      {"cucore_stream_capture_graph",
       [](Run& run, World& world) {
         const Stream stream = captured(world);
         makes<cucore_graph>(run, cucore_graph_release, [&](auto** out, auto** error) {
           return cucore_stream_capture_graph(stream.get(), out, error);
         });
       }},
      {"cucore_stream_capture_nodes", read_nodes},
      {"cucore_stream_set_capture_nodes", set_nodes},
      {"cucore_event_record_in_graph",
       [](Run& run, World& world) {
         adds_node(run, world, [&](auto* stream, auto** error) {
           return cucore_event_record_in_graph(world.end.get(), stream, error);
         });
       }},
      {"cucore_stream_wait_in_graph",
       [](Run& run, World& world) {
         adds_node(run, world, [&](auto* stream, auto** error) {
           return cucore_stream_wait_in_graph(stream, world.end.get(), error);
         });
       }},
      {"cucore_buffer_write",
       [](Run& run, World& world) {
         const Buffer buffer = new_buffer(world);
         adds_node(run, world, [&](auto* stream, auto** error) {
           return cucore_buffer_write(buffer.get(), 0, "0123", 4, stream, error);
         });
         tolerate_a_second_try(run);
       }},
      {"cucore_kernel_launch",
       [](Run& run, World& world) {
         const Code code = make_ptx();
         const Kernel kernel = find_saxpy(code.get());
         const Buffer buffer = new_buffer(world);
         const int n = 0;
         const float a = 0;
         const cucore_argument arguments[] = {CUCORE_ARGUMENT(n),
                                              CUCORE_ARGUMENT(a),
                                              {buffer.get(), CUCORE_ARGUMENT_OBJECT},
                                              {buffer.get(), CUCORE_ARGUMENT_OBJECT}};
         cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
         options.grid[0] = options.block[0] = 1;
         adds_node(run, world, [&](auto* stream, auto** error) {
           return cucore_kernel_launch(kernel.get(), stream, &options, arguments, 4, error);
         });
         // Without its function, which later launches would pass, the driver gets the kernel.
         const std::set<std::string> search = {"cuCtxGetCurrent", "cuCtxPushCurrent",
                                               "cuKernelGetFunction", "cuFuncGetName"};
         if (run.ok() && search.contains(std::string(run.failed_call()))) run.tolerate();
       }},
      {"cucore_buffer_fill",
       [](Run& run, World& world) {
         const Buffer buffer = new_buffer(world);
         adds_node(run, world, [&](auto* stream, auto** error) {
           return cucore_buffer_fill(buffer.get(), 0, 16, "x", 1, stream, error);
         });
       }},
      {"cucore_buffer_copy",
       [](Run& run, World& world) {
         const Buffer from = new_buffer(world), to = new_buffer(world);
         adds_node(run, world, [&](auto* stream, auto** error) {
           return cucore_buffer_copy(to.get(), 0, from.get(), 0, 16, stream, error);
         });
       }},
      {"cucore_buffer_record_use",
       [](Run& run, World& world) {
         const Buffer buffer = new_buffer(world);
         const Stream stream = captured(world);
         run.call([&](auto** error) {
           return cucore_buffer_record_use(buffer.get(), stream.get(), error);
         });
         EXPECT_EQ(cucore_stream_is_capturing(stream.get()), 1);
       }},
      {"cucore_stream_launch_host",
       [](Run& run, World& world) {
         // The data ends once: with the graph, or with the call that fails.
         int ended = 0;
         adds_node(run, world, [&](auto* stream, auto** error) {
           return cucore_stream_launch_host(
               stream, [](void*) {}, &ended, [](void* data) { ++*static_cast<int*>(data); }, error);
         });
         EXPECT_EQ(ended, 1);
       }},
      {"cucore_stream_write_value",
       [](Run& run, World& world) {
         const Buffer words = new_words(world);
         adds_node(run, world, [&](auto* stream, auto** error) {
           return cucore_stream_write_value(stream, words.get(), 0, 1, 4, error);
         });
       }},
      {"cucore_stream_wait_value",
       [](Run& run, World& world) {
         const Buffer words = new_words(world);
         adds_node(run, world, [&](auto* stream, auto** error) {
           return cucore_stream_wait_value(stream, words.get(), 0, 1, 8, CUCORE_COMPARISON_EQUAL,
                                           error);
         });
       }},
      {"cucore_buffer_copy_box",
       [](Run& run, World& world) {
         const Buffer buffer = new_buffer(world);
         const cucore_box to = box_in(buffer.get());
         cucore_box from = CUCORE_BOX_INIT;
         char bytes[] = "0123";
         from.host = bytes;
         adds_node(run, world, [&](auto* stream, auto** error) {
           return cucore_buffer_copy_box(&to, &from, 4, 1, 1, stream, error);
         });
         tolerate_a_second_try(run);
       }},
      {"cucore_buffer_create",
       [](Run& run, World& world) {
         const Stream stream = captured(world);
         makes<cucore_buffer>(run, cucore_buffer_release, [&](auto** out, auto** error) {
           return cucore_buffer_create(world.device.get(), 16, stream.get(), out, error);
         });
       }},
      {"cucore_stream_release",
       [](Run& run, World& world) {
         cucore_stream* const stream = captured(world).release();
         run.plain([&] { cucore_stream_release(stream); });
       }},
  };
}

}  // namespace sweep
