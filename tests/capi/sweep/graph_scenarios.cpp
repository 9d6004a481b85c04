// SPDX-License-Identifier: Apache-2.0
// Graphs and executables.
#include <unistd.h>

#include "world.hpp"

namespace sweep {
namespace {

// A graph of one run, in which a failure may leave nothing.
Graph new_graph(World& world) { return make_graph(world.device.get()); }

cucore_node empty_node(const Graph& graph) {
  cucore_node node = 0;
  cucore_graph_add_empty(graph.get(), nullptr, 0, &node, nullptr);
  return node;
}

// An addition of a node. After a failure the graph has no new node.
template <class Call>
void adds(Run& run, World& world, Call&& call) {
  const Graph graph = new_graph(world);
  const cucore_node before = empty_node(graph);
  cucore_node out = 7;
  run.call([&](auto** error) { return call(graph.get(), &before, size_t{1}, &out, error); });
  run.output("out", out);
  EXPECT_EQ(cucore_graph_node_count(graph.get()), run.ok() ? 2u : 1u);
}

template <class Change>
void changes(Run& run, World& world, Change&& change) {
  const Graph graph = new_graph(world);
  const cucore_node from = empty_node(graph), to = empty_node(graph);
  run.call([&](auto** error) { return change(graph.get(), from, to, error); });
}

void nothing(void*) {}
void count_end(void* ends) { ++*static_cast<int*>(ends); }

void add_kernel(Run& run, World& world) {
  const int32_t n = 4;
  const float a = 2;
  const cucore_argument arguments[] = {CUCORE_ARGUMENT(n),
                                       CUCORE_ARGUMENT(a),
                                       {world.buffer.get(), CUCORE_ARGUMENT_OBJECT},
                                       {world.buffer.get(), CUCORE_ARGUMENT_OBJECT}};
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
  options.grid[0] = options.block[0] = options.cluster[0] = 1;
  adds(run, world, [&](auto* graph, auto* after, size_t count, auto* out, auto** error) {
    return cucore_graph_add_kernel(graph, after, count, world.kernel.get(), &options, arguments, 4,
                                   out, error);
  });
}

// Without attributes, as most nodes are.
struct PlainLaunch {
  explicit PlainLaunch(World& world)
      : list{CUCORE_ARGUMENT(n),
             CUCORE_ARGUMENT(a),
             {world.buffer.get(), CUCORE_ARGUMENT_OBJECT},
             {world.second_buffer.get(), CUCORE_ARGUMENT_OBJECT}} {
    options.grid[0] = options.block[0] = 1;
  }
  int32_t n = 4;
  float a = 2;
  cucore_argument list[4];
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
};

void add_plain_kernel(Run& run, World& world) {
  const PlainLaunch launch(world);
  adds(run, world, [&](auto* graph, auto* after, size_t count, auto* out, auto** error) {
    return cucore_graph_add_kernel(graph, after, count, world.kernel.get(), &launch.options,
                                   launch.list, 4, out, error);
  });
  // Without an answer, the driver gets the kernel instead of its function.
  if (run.ok() && run.failed_call() == "cuCtxGetCurrent") run.tolerate();
}

// The graph has its nodes in a short form before.
void read_plain_kernels(Run& run, World& world) {
  const PlainLaunch launch(world);
  const Graph graph = new_graph(world);
  cucore_node nodes[3] = {};
  for (int i = 0; i < 3; ++i)
    cucore_graph_add_kernel(graph.get(), nodes, i != 0, world.kernel.get(), &launch.options,
                            launch.list, 4, &nodes[i], nullptr);
  cucore_node found[3] = {};
  size_t count = 7;
  run.call([&](auto** error) {
    return cucore_graph_dependents(graph.get(), nodes[0], found, 3, &count, error);
  });
  run.output("count", count);
  EXPECT_EQ(cucore_graph_node_count(graph.get()), 3u);
  EXPECT_EQ(cucore_graph_dependents(graph.get(), nodes[0], found, 3, &count, nullptr), CUCORE_OK);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(found[0], nodes[1]);
  EXPECT_EQ(found[1], nodes[2]);
}

void add_fill(Run& run, World& world) {
  const uint64_t pattern = 0x100000002;  // two columns
  adds(run, world, [&](auto* graph, auto* after, size_t count, auto* out, auto** error) {
    return cucore_graph_add_fill(graph, after, count, world.buffer.get(), 0, 16, &pattern, 8, out,
                                 error);
  });
}

// A graph whose launches leave memory allocated, and its buffer.
struct Allocating {
  explicit Allocating(World& world) : graph(new_graph(world)) {
    const cucore_device* const peer = world.other.get();
    EXPECT_EQ(cucore_graph_add_buffer(graph.get(), nullptr, 0, 64, &peer, 1, buffer.out(), &node,
                                      nullptr),
              CUCORE_OK);
  }
  Graph graph;
  Buffer buffer;
  cucore_node node = 0;
};

void add_buffer(Run& run, World& world) {
  const cucore_device* const peer = world.other.get();
  cucore_buffer* buffer = Run::garbage<cucore_buffer>();
  adds(run, world, [&](auto* graph, auto* after, size_t count, auto* out, auto** error) {
    return cucore_graph_add_buffer(graph, after, count, 64, &peer, 1, &buffer, out, error);
  });
  run.output("buffer", buffer);
  cucore_buffer_release(buffer);
}

void add_free(Run& run, World& world) {
  Allocating of(world);
  cucore_node out = 7;
  run.call([&](auto** error) {
    return cucore_graph_add_free(of.graph.get(), &of.node, 1, of.buffer.get(), &out, error);
  });
  run.output("out", out);
  EXPECT_EQ(cucore_graph_node_count(of.graph.get()), run.ok() ? 2u : 1u);
}

// The launch leaves memory allocated, which ends with the buffer.
void launch_with_memory(Run& run, World& world) {
  Allocating of(world);
  const Executable executable = make_executable(of.graph.get());
  run.call([&](auto** error) {
    return cucore_executable_launch(executable.get(), world.stream.get(), error);
  });
}

void remove_with_memory(Run& run, World& world) {
  Allocating of(world);
  run.expect(CUCORE_ERROR_UNSUPPORTED);
  run.call([&](auto** error) { return cucore_graph_remove_node(of.graph.get(), of.node, error); });
  EXPECT_EQ(cucore_graph_node_count(of.graph.get()), 1u);
}

void release_memory(Run& run, World& world) {
  Allocating of(world);
  const Executable executable = make_executable(of.graph.get());
  EXPECT_EQ(cucore_executable_launch(executable.get(), world.stream.get(), nullptr), CUCORE_OK);
  EXPECT_EQ(cucore_buffer_record_use(of.buffer.get(), world.second_stream.get(), nullptr),
            CUCORE_OK);
  cucore_buffer* const buffer = of.buffer.release();
  run.plain([&] { cucore_buffer_release(buffer); });
}

// The end of the data runs once in each case.
void add_host(Run& run, World& world) {
  int ends = 0;
  adds(run, world, [&](auto* graph, auto* after, size_t count, auto* out, auto** error) {
    return cucore_graph_add_host(graph, after, count, nothing, &ends, count_end, out, error);
  });
  for (int i = 0; i < 20000 && *static_cast<volatile int*>(&ends) == 0; ++i) usleep(100);
  EXPECT_EQ(ends, 1);
}

void hold(Run& run, World& world) {
  int ends = 0;
  {
    const Graph graph = new_graph(world);
    run.call([&](auto** error) { return cucore_graph_hold(graph.get(), &ends, count_end, error); });
  }
  for (int i = 0; i < 20000 && *static_cast<volatile int*>(&ends) == 0; ++i) usleep(100);
  EXPECT_EQ(ends, 1);
}

void query_node(Run& run, World& world) {
  cucore_node node = 0;
  ASSERT_EQ(cucore_graph_node_at(world.graph.get(), 0, &node, nullptr), CUCORE_OK);
  cucore_node_info info = CUCORE_NODE_INFO_INIT;
  info.size = 7;
  run.call(
      [&](auto** error) { return cucore_graph_node_query(world.graph.get(), node, &info, error); });
  run.output("out", info.size);
}

void read_neighbours(Run& run, World& world, decltype(&cucore_graph_dependents) read) {
  cucore_node node = 0, found[2] = {};
  ASSERT_EQ(cucore_graph_node_at(world.graph.get(), 1, &node, nullptr), CUCORE_OK);
  size_t count = 7;
  run.call([&](auto** error) { return read(world.graph.get(), node, found, 2, &count, error); });
  run.output("count", count);
}

void write_dot(Run& run, World& world) {
  char text[4096];
  size_t size = 7;
  run.call([&](auto** error) {
    return cucore_graph_dot(world.graph.get(), 1, text, sizeof text, &size, error);
  });
  run.output("size", size);
}

void remove_node(Run& run, World& world) {
  const Graph graph = make_full_graph(world.device.get(), world.kernel.get(),
                                      world.second_buffer.get(), world.end.get());
  cucore_node node = 0;
  ASSERT_EQ(cucore_graph_node_at(graph.get(), 1, &node, nullptr), CUCORE_OK);
  run.call([&](auto** error) { return cucore_graph_remove_node(graph.get(), node, error); });
  EXPECT_EQ(cucore_graph_node_count(graph.get()), run.ok() ? 2u : 3u);
}

// Nodes of other code: the handle was taken, so each call reads the driver's nodes.
void count_nodes(Run& run, World& world) {
  const Graph graph = make_full_graph(world.device.get(), world.kernel.get(),
                                      world.second_buffer.get(), world.end.get());
  ASSERT_NE(cucore_graph_native(graph.get()), nullptr);
  const size_t count = run.plain([&] { return cucore_graph_node_count(graph.get()); });
  EXPECT_TRUE(count == 3 || (count == 0 && run.struck()));
}

// A graph with a node of each kind that can be set, and its executable.
struct Changeable {
  explicit Changeable(World& world) : graph(new_graph(world)), child(new_graph(world)) {
    const cucore_argument arguments[] = {CUCORE_ARGUMENT(n),
                                         CUCORE_ARGUMENT(a),
                                         {world.buffer.get(), CUCORE_ARGUMENT_OBJECT},
                                         {world.buffer.get(), CUCORE_ARGUMENT_OBJECT}};
    options.grid[0] = options.block[0] = 1;
    empty_node(child);
    cucore_graph* const in = graph.get();
    cucore_graph_add_kernel(in, nullptr, 0, world.kernel.get(), &options, arguments, 4, &kernel,
                            nullptr);
    cucore_graph_add_copy(in, nullptr, 0, world.buffer.get(), 0, world.second_buffer.get(), 0, 64,
                          &copy, nullptr);
    cucore_graph_add_fill(in, nullptr, 0, world.buffer.get(), 0, 16, &wide, 8, &fill, nullptr);
    cucore_graph_add_host(in, nullptr, 0, nothing, nullptr, nullptr, &host, nullptr);
    cucore_graph_add_record(in, nullptr, 0, world.end.get(), &record, nullptr);
    cucore_graph_add_child(in, nullptr, 0, child.get(), &inner, nullptr);
    executable = make_executable(in);
  }

  int32_t n = 4;
  float a = 2;
  uint64_t wide = 0x100000002;
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
  Graph graph, child;
  Executable executable;
  cucore_node kernel = 0, copy = 0, fill = 0, host = 0, record = 0, inner = 0;
};

template <class Change>
void sets(Run& run, World& world, Change&& change) {
  Changeable of(world);
  ASSERT_EQ(cucore_graph_node_count(of.graph.get()), 6u);
  run.call([&](auto** error) { return change(of, error); });
}

void add_conditional(Run& run, World& world) {
  const Graph graph = new_graph(world);
  uint64_t condition = 0;
  ASSERT_EQ(cucore_graph_add_condition(graph.get(), 1, 1, &condition, nullptr), CUCORE_OK);
  cucore_graph* bodies[2] = {};
  cucore_node node = 7;
  run.call([&](auto** error) {
    return cucore_graph_add_conditional(graph.get(), nullptr, 0, condition, CUCORE_CONDITIONAL_IF,
                                        2, bodies, &node, error);
  });
  run.output("out", node);
  EXPECT_EQ(cucore_graph_node_count(graph.get()), run.ok() ? 1u : 0u);
  for (cucore_graph* body : bodies) {
    EXPECT_EQ(body != nullptr, run.ok());
    cucore_graph_release(body);
  }
}

// The end of the data runs once in each case.
template <class Change>
void sets_host(Run& run, World& world, Change&& change) {
  int ends = 0;
  {
    Changeable of(world);
    run.call([&](auto** error) { return change(of, &ends, error); });
  }
  for (int i = 0; i < 20000 && *static_cast<volatile int*>(&ends) == 0; ++i) usleep(100);
  EXPECT_EQ(ends, 1);
}

}  // namespace

std::vector<Scenario> graph_change_scenarios() {
  return {
      {"cucore_graph_add_condition",
       [](Run& run, World& world) {
         const Graph graph = new_graph(world);
         uint64_t condition = 7;
         run.call([&](auto** error) {
           return cucore_graph_add_condition(graph.get(), 1, 1, &condition, error);
         });
         run.output("condition", condition);
       }},
      {"cucore_graph_add_conditional", add_conditional},
      {"cucore_graph_child",
       [](Run& run, World& world) {
         Changeable of(world);
         makes<cucore_graph>(run, cucore_graph_release, [&](auto** out, auto** error) {
           return cucore_graph_child(of.graph.get(), of.inner, 0, out, error);
         });
       }},
      {"cucore_graph_set_kernel",
       [](Run& run, World& world) {
         sets(run, world, [](Changeable& of, auto** error) {
           of.options.cooperative = 1;
           return cucore_graph_set_kernel(of.graph.get(), of.kernel, nullptr, &of.options, nullptr,
                                          0, error);
         });
       }},
      {"cucore_graph_set_copy",
       [](Run& run, World& world) {
         sets(run, world, [&](Changeable& of, auto** error) {
           return cucore_graph_set_copy(of.graph.get(), of.copy, world.buffer.get(), 0,
                                        world.second_buffer.get(), 0, 32, error);
         });
       }},
      {"cucore_graph_set_copy_box",
       [](Run& run, World& world) {
         sets(run, world, [&](Changeable& of, auto** error) {
           const cucore_box to = box_in(world.buffer.get()),
                            from = box_in(world.second_buffer.get());
           return cucore_graph_set_copy_box(of.graph.get(), of.copy, &to, &from, 8, 2, 1, error);
         });
       }},
      {"cucore_graph_set_fill",
       [](Run& run, World& world) {
         sets(run, world, [&](Changeable& of, auto** error) {
           return cucore_graph_set_fill(of.graph.get(), of.fill, world.buffer.get(), 0, 32,
                                        &of.wide, 8, error);
         });
       }},
      {"cucore_graph_set_host",
       [](Run& run, World& world) {
         sets_host(run, world, [](Changeable& of, int* ends, auto** error) {
           return cucore_graph_set_host(of.graph.get(), of.host, nothing, ends, count_end, error);
         });
       }},
      {"cucore_graph_set_event",
       [](Run& run, World& world) {
         sets(run, world, [&](Changeable& of, auto** error) {
           return cucore_graph_set_event(of.graph.get(), of.record, world.end.get(), error);
         });
       }},
      {"cucore_graph_set_child",
       [](Run& run, World& world) {
         sets(run, world, [](Changeable& of, auto** error) {
           return cucore_graph_set_child(of.graph.get(), of.inner, of.child.get(), error);
         });
       }},
      {"cucore_executable_update",
       [](Run& run, World& world) {
         sets(run, world, [](Changeable& of, auto** error) {
           cucore_node culprit = 7;
           return cucore_executable_update(of.executable.get(), of.graph.get(), &culprit, error);
         });
       }},
      {"cucore_executable_set_kernel",
       [](Run& run, World& world) {
         sets(run, world, [](Changeable& of, auto** error) {
           of.options.grid[0] = 2;
           return cucore_executable_set_kernel(of.executable.get(), of.kernel, nullptr, &of.options,
                                               nullptr, 0, error);
         });
       }},
      {"cucore_executable_set_copy",
       [](Run& run, World& world) {
         sets(run, world, [&](Changeable& of, auto** error) {
           return cucore_executable_set_copy(of.executable.get(), of.copy, world.buffer.get(), 0,
                                             world.second_buffer.get(), 0, 32, error);
         });
       }},
      {"cucore_executable_set_copy_box",
       [](Run& run, World& world) {
         sets(run, world, [&](Changeable& of, auto** error) {
           const cucore_box to = box_in(world.buffer.get()),
                            from = box_in(world.second_buffer.get());
           return cucore_executable_set_copy_box(of.executable.get(), of.copy, &to, &from, 8, 1, 1,
                                                 error);
         });
       }},
      {"cucore_executable_set_fill",
       [](Run& run, World& world) {
         sets(run, world, [&](Changeable& of, auto** error) {
           return cucore_executable_set_fill(of.executable.get(), of.fill, world.buffer.get(), 0,
                                             16, &of.wide, 8, error);
         });
       }},
      {"cucore_executable_set_host",
       [](Run& run, World& world) {
         sets_host(run, world, [](Changeable& of, int* ends, auto** error) {
           return cucore_executable_set_host(of.executable.get(), of.host, nothing, ends, count_end,
                                             error);
         });
       }},
      {"cucore_executable_set_event",
       [](Run& run, World& world) {
         sets(run, world, [&](Changeable& of, auto** error) {
           return cucore_executable_set_event(of.executable.get(), of.record, world.end.get(),
                                              error);
         });
       }},
      {"cucore_executable_set_child",
       [](Run& run, World& world) {
         sets(run, world, [](Changeable& of, auto** error) {
           return cucore_executable_set_child(of.executable.get(), of.inner, of.child.get(), error);
         });
       }},
      {"cucore_executable_set_enabled",
       [](Run& run, World& world) {
         sets(run, world, [](Changeable& of, auto** error) {
           return cucore_executable_set_enabled(of.executable.get(), of.kernel, 0, error);
         });
       }},
      {"cucore_executable_is_enabled",
       [](Run& run, World& world) {
         Changeable of(world);
         int32_t enabled = 7;
         run.call([&](auto** error) {
           return cucore_executable_is_enabled(of.executable.get(), of.kernel, &enabled, error);
         });
         run.output("out", enabled);
       }},
  };
}

std::vector<Scenario> graph_scenarios() {
  return {
      {"cucore_graph_create",
       [](Run& run, World& world) {
         makes<cucore_graph>(run, cucore_graph_release, [&](auto** out, auto** error) {
           return cucore_graph_create(world.device.get(), out, error);
         });
       }},
      {"cucore_graph_clone",
       [](Run& run, World& world) {
         makes<cucore_graph>(run, cucore_graph_release, [&](auto** out, auto** error) {
           return cucore_graph_clone(world.graph.get(), out, error);
         });
       }},
      {"cucore_graph_retain",
       [](Run& run, World& world) {
         retains(run, world.graph.get(), cucore_graph_retain, cucore_graph_release);
       }},
      {"cucore_graph_release",
       [](Run& run, World& world) {
         cucore_graph* graph = make_full_graph(world.device.get(), world.kernel.get(),
                                               world.second_buffer.get(), world.end.get())
                                   .release();
         run.plain([&] { cucore_graph_release(graph); });
       }},
      {"cucore_graph_device",
       [](Run& run, World& world) {
         makes<cucore_device>(run, cucore_device_release, [&](auto** out, auto** error) {
           return cucore_graph_device(world.graph.get(), out, error);
         });
       }},
      {"cucore_graph_add_kernel", add_kernel},
      {"cucore_graph_add_kernel", add_plain_kernel},
      {"cucore_graph_dependents", read_plain_kernels},
      {"cucore_graph_add_copy_box",
       [](Run& run, World& world) {
         const cucore_box to = box_in(world.buffer.get()), from = box_in(world.second_buffer.get());
         adds(run, world, [&](auto* graph, auto* after, size_t count, auto* out, auto** error) {
           return cucore_graph_add_copy_box(graph, after, count, &to, &from, 8, 2, 1, out, error);
         });
       }},
      {"cucore_graph_add_copy",
       [](Run& run, World& world) {
         adds(run, world, [&](auto* graph, auto* after, size_t count, auto* out, auto** error) {
           return cucore_graph_add_copy(graph, after, count, world.buffer.get(), 0,
                                        world.second_buffer.get(), 0, 64, out, error);
         });
       }},
      {"cucore_graph_add_fill", add_fill},
      {"cucore_graph_add_buffer", add_buffer},
      {"cucore_graph_add_free", add_free},
      {"cucore_executable_launch", launch_with_memory},
      {"cucore_graph_remove_node", remove_with_memory},
      {"cucore_buffer_release", release_memory},
      {"cucore_graph_add_host", add_host},
      {"cucore_graph_add_host_queued",
       [](Run& run, World& world) {
         adds(run, world, [&](auto* graph, auto* after, size_t count, auto* out, auto** error) {
           return cucore_graph_add_host_queued(graph, after, count, world.queue.get(), 7, 1, out,
                                               error);
         });
       }},
      {"cucore_graph_add_value",
       [](Run& run, World& world) {
         adds(run, world, [&](auto* graph, auto* after, size_t count, auto* out, auto** error) {
           return cucore_graph_add_value(graph, after, count, world.buffer.get(), 8, 5, 8,
                                         CUCORE_COMPARISON_EQUAL, out, error);
         });
       }},
      {"cucore_graph_add_record",
       [](Run& run, World& world) {
         adds(run, world, [&](auto* graph, auto* after, size_t count, auto* out, auto** error) {
           return cucore_graph_add_record(graph, after, count, world.end.get(), out, error);
         });
       }},
      {"cucore_graph_add_wait",
       [](Run& run, World& world) {
         adds(run, world, [&](auto* graph, auto* after, size_t count, auto* out, auto** error) {
           return cucore_graph_add_wait(graph, after, count, world.end.get(), out, error);
         });
       }},
      {"cucore_graph_add_empty",
       [](Run& run, World& world) {
         adds(run, world, [&](auto* graph, auto* after, size_t count, auto* out, auto** error) {
           return cucore_graph_add_empty(graph, after, count, out, error);
         });
       }},
      {"cucore_graph_add_child",
       [](Run& run, World& world) {
         adds(run, world, [&](auto* graph, auto* after, size_t count, auto* out, auto** error) {
           return cucore_graph_add_child(graph, after, count, world.graph.get(), out, error);
         });
       }},
      {"cucore_graph_add_edge",
       [](Run& run, World& world) {
         changes(run, world, [](auto* graph, auto from, auto to, auto** error) {
           return cucore_graph_add_edge(graph, from, to, 0, error);
         });
       }},
      {"cucore_graph_remove_edge",
       [](Run& run, World& world) {
         changes(run, world, [](auto* graph, auto from, auto to, auto** error) {
           cucore_graph_add_edge(graph, from, to, 0, nullptr);
           return cucore_graph_remove_edge(graph, from, to, error);
         });
       }},
      {"cucore_graph_remove_node", remove_node},
      {"cucore_graph_set_label",
       [](Run& run, World& world) {
         changes(run, world, [](auto* graph, auto from, auto, auto** error) {
           return cucore_graph_set_label(graph, from, "a label that is not short", error);
         });
       }},
      {"cucore_graph_hold", hold},
      {"cucore_graph_node_count", count_nodes},
      {"cucore_graph_node_at",
       [](Run& run, World& world) {
         cucore_node out = 7;
         run.call(
             [&](auto** error) { return cucore_graph_node_at(world.graph.get(), 0, &out, error); });
         run.output("out", out);
       }},
      {"cucore_graph_node_query", query_node},
      {"cucore_graph_node_event",
       [](Run& run, World& world) {
         cucore_node node = 0;
         ASSERT_EQ(cucore_graph_node_at(world.graph.get(), 2, &node, nullptr), CUCORE_OK);
         makes<cucore_event>(run, cucore_event_release, [&](auto** out, auto** error) {
           return cucore_graph_node_event(world.graph.get(), node, out, error);
         });
       }},
      {"cucore_graph_dependencies",
       [](Run& run, World& world) { read_neighbours(run, world, cucore_graph_dependencies); }},
      {"cucore_graph_dependents",
       [](Run& run, World& world) { read_neighbours(run, world, cucore_graph_dependents); }},
      {"cucore_graph_dot", write_dot},
      {"cucore_graph_native",
       [](Run& run, World& world) {
         const Graph graph = new_graph(world);
         EXPECT_NE(run.plain([&] { return cucore_graph_native(graph.get()); }), nullptr);
       }},
      {"cucore_executable_create",
       [](Run& run, World& world) {
         makes<cucore_executable>(run, cucore_executable_release, [&](auto** out, auto** error) {
           return cucore_executable_create(world.graph.get(), nullptr, out, error);
         });
         tolerate_a_second_try(run);
       }},
      {"cucore_executable_retain",
       [](Run& run, World& world) {
         retains(run, world.executable.get(), cucore_executable_retain, cucore_executable_release);
       }},
      {"cucore_executable_release",
       [](Run& run, World& world) {
         cucore_executable* executable = make_executable(world.graph.get()).release();
         run.plain([&] { cucore_executable_release(executable); });
       }},
      {"cucore_executable_device",
       [](Run& run, World& world) {
         makes<cucore_device>(run, cucore_device_release, [&](auto** out, auto** error) {
           return cucore_executable_device(world.executable.get(), out, error);
         });
       }},
      {"cucore_executable_launch",
       [](Run& run, World& world) {
         run.call([&](auto** error) {
           return cucore_executable_launch(world.executable.get(), world.stream.get(), error);
         });
       }},
      {"cucore_executable_upload",
       [](Run& run, World& world) {
         run.call([&](auto** error) {
           return cucore_executable_upload(world.executable.get(), world.stream.get(), error);
         });
       }},
      {"cucore_executable_native",
       [](Run& run, World& world) {
         EXPECT_NE(run.plain([&] { return cucore_executable_native(world.executable.get()); }),
                   nullptr);
       }},
  };
}

}  // namespace sweep
