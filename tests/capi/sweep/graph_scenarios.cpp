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

void add_fill(Run& run, World& world) {
  const uint64_t pattern = 0x100000002;  // two columns
  adds(run, world, [&](auto* graph, auto* after, size_t count, auto* out, auto** error) {
    return cucore_graph_add_fill(graph, after, count, world.buffer.get(), 0, 16, &pattern, 8, out,
                                 error);
  });
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

}  // namespace

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
      {"cucore_graph_add_copy",
       [](Run& run, World& world) {
         adds(run, world, [&](auto* graph, auto* after, size_t count, auto* out, auto** error) {
           return cucore_graph_add_copy(graph, after, count, world.buffer.get(), 0,
                                        world.second_buffer.get(), 0, 64, out, error);
         });
       }},
      {"cucore_graph_add_fill", add_fill},
      {"cucore_graph_add_host", add_host},
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
