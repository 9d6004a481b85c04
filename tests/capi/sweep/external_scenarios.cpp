// SPDX-License-Identifier: Apache-2.0
// Semaphores of other libraries.
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "world.hpp"

namespace sweep {
namespace {

// After a failure the descriptor is still the program's.
void import_semaphore(Run& run, World& world, int32_t timeline) {
  const int descriptor = eventfd(0, EFD_CLOEXEC);
  makes<cucore_external>(run, cucore_external_release, [&](auto** out, auto** error) {
    return cucore_external_semaphore_from_descriptor(world.device.get(), descriptor, timeline, out,
                                                     error);
  });
  if (run.ok()) return;
  EXPECT_GE(fcntl(descriptor, F_GETFD), 0);
  close(descriptor);
}

// A graph with a node that signals, and its executable.
struct Signalling {
  explicit Signalling(World& world) : graph(make_graph(world.device.get())) {
    EXPECT_EQ(cucore_graph_add_semaphore(graph.get(), nullptr, 0, world.semaphore.get(), 1, 1,
                                         &node, nullptr),
              CUCORE_OK);
    executable = make_executable(graph.get());
  }
  Graph graph;
  Executable executable;
  cucore_node node = 0;
};

void add_node(Run& run, World& world, int32_t signal) {
  const Graph graph = make_graph(world.device.get());
  cucore_node out = 7;
  run.call([&](auto** error) {
    return cucore_graph_add_semaphore(graph.get(), nullptr, 0, world.semaphore.get(), 1, signal,
                                      &out, error);
  });
  run.output("out", out);
  EXPECT_EQ(cucore_graph_node_count(graph.get()), run.ok() ? 1u : 0u);
}

}  // namespace

std::vector<Scenario> external_scenarios() {
  return {
      {"cucore_external_semaphore_from_descriptor",
       [](Run& run, World& world) { import_semaphore(run, world, 0); }},
      {"cucore_external_semaphore_from_descriptor",
       [](Run& run, World& world) { import_semaphore(run, world, 1); }},
      {"cucore_external_retain",
       [](Run& run, World& world) {
         retains(run, world.semaphore.get(), cucore_external_retain, cucore_external_release);
       }},
      {"cucore_external_release",
       [](Run& run, World& world) {
         External semaphore = make_semaphore(world.device.get());
         EXPECT_EQ(cucore_external_signal(semaphore.get(), 1, world.stream.get(), nullptr),
                   CUCORE_OK);
         cucore_external* const handle = semaphore.release();
         run.plain([&] { cucore_external_release(handle); });
       }},
      {"cucore_external_device",
       [](Run& run, World& world) {
         makes<cucore_device>(run, cucore_device_release, [&](auto** out, auto** error) {
           return cucore_external_device(world.semaphore.get(), out, error);
         });
       }},
      {"cucore_external_is_timeline",
       [](Run& run, World& world) {
         EXPECT_EQ(run.plain([&] { return cucore_external_is_timeline(world.semaphore.get()); }),
                   0);
       }},
      {"cucore_external_native",
       [](Run& run, World& world) {
         EXPECT_NE(run.plain([&] { return cucore_external_native(world.semaphore.get()); }),
                   nullptr);
       }},
      {"cucore_external_signal",
       [](Run& run, World& world) {
         run.call([&](auto** error) {
           return cucore_external_signal(world.semaphore.get(), 1, world.stream.get(), error);
         });
       }},
      {"cucore_external_wait",
       [](Run& run, World& world) {
         run.call([&](auto** error) {
           return cucore_external_wait(world.semaphore.get(), 1, world.stream.get(), error);
         });
       }},
      {"cucore_graph_add_semaphore", [](Run& run, World& world) { add_node(run, world, 1); }},
      {"cucore_graph_add_semaphore", [](Run& run, World& world) { add_node(run, world, 0); }},
      {"cucore_graph_set_semaphore",
       [](Run& run, World& world) {
         const Signalling of(world);
         run.call([&](auto** error) {
           return cucore_graph_set_semaphore(of.graph.get(), of.node, world.semaphore.get(), 2,
                                             error);
         });
       }},
      {"cucore_executable_set_semaphore",
       [](Run& run, World& world) {
         const Signalling of(world);
         run.call([&](auto** error) {
           return cucore_executable_set_semaphore(of.executable.get(), of.node,
                                                  world.semaphore.get(), 2, error);
         });
       }},
      {"cucore_graph_node_semaphore",
       [](Run& run, World& world) {
         const Signalling of(world);
         makes<cucore_external>(run, cucore_external_release, [&](auto** out, auto** error) {
           return cucore_graph_node_semaphore(of.graph.get(), of.node, out, error);
         });
       }},
  };
}

}  // namespace sweep
