// SPDX-License-Identifier: Apache-2.0
// Pools, and the memory that comes from them.
#include "world.hpp"

namespace sweep {
namespace {

void query_pool(Run& run, World& world) {
  cucore_pool_info info = CUCORE_POOL_INFO_INIT;
  info.used = 7;
  run.call([&](auto** error) { return cucore_pool_query(world.pool.get(), &info, error); });
  run.output("out", info.used);
}

void allocate_address(Run& run, World& world) {
  uint64_t address = 7;
  run.call([&](auto** error) {
    return cucore_pool_allocate(world.pool.get(), 64, world.stream.get(), &address, error);
  });
  run.output("address", address);
  if (run.ok()) cucore_pool_free(world.pool.get(), address, 64, world.stream.get(), nullptr);
  tolerate_a_second_try(run);
}

void free_address(Run& run, World& world) {
  uint64_t address = 0;
  ASSERT_EQ(cucore_pool_allocate(world.pool.get(), 64, world.stream.get(), &address, nullptr),
            CUCORE_OK);
  run.call([&](auto** error) {
    return cucore_pool_free(world.pool.get(), address, 64, world.stream.get(), error);
  });
  if (!run.ok()) cucore_pool_free(world.pool.get(), address, 64, world.stream.get(), nullptr);
}

void set_pool(Run& run, World& world) {
  run.call([&](auto** error) {
    return cucore_device_set_pool(world.device.get(), world.pool.get(), error);
  });
  cucore_device_set_pool(world.device.get(), nullptr, nullptr);
}

void query_graph_memory(Run& run, World& world) {
  cucore_graph_memory_info info = CUCORE_GRAPH_MEMORY_INFO_INIT;
  info.used = 7;
  run.call(
      [&](auto** error) { return cucore_device_graph_memory(world.device.get(), &info, error); });
  run.output("out", info.used);
}

}  // namespace

std::vector<Scenario> pool_scenarios() {
  return {
      {"cucore_device_graph_memory", query_graph_memory},
      {"cucore_device_trim_graph_memory",
       [](Run& run, World& world) {
         run.call([&](auto** error) {
           return cucore_device_trim_graph_memory(world.device.get(), 1, error);
         });
       }},
      {"cucore_pool_create",
       [](Run& run, World& world) {
         makes<cucore_pool>(run, cucore_pool_release, [&](auto** out, auto** error) {
           return cucore_pool_create(world.device.get(), nullptr, out, error);
         });
       }},
      {"cucore_pool_from_native",
       [](Run& run, World& world) {
         void* native = cucore_pool_native(world.pool.get());
         makes<cucore_pool>(run, cucore_pool_release, [&](auto** out, auto** error) {
           return cucore_pool_from_native(world.device.get(), native, out, error);
         });
       }},
      {"cucore_pool_retain",
       [](Run& run, World& world) {
         retains(run, world.pool.get(), cucore_pool_retain, cucore_pool_release);
       }},
      {"cucore_pool_release",
       [](Run& run, World& world) {
         cucore_pool* pool = nullptr;
         ASSERT_EQ(cucore_pool_create(world.device.get(), nullptr, &pool, nullptr), CUCORE_OK);
         run.plain([&] { cucore_pool_release(pool); });
       }},
      {"cucore_pool_device",
       [](Run& run, World& world) {
         makes<cucore_device>(run, cucore_device_release, [&](auto** out, auto** error) {
           return cucore_pool_device(world.pool.get(), out, error);
         });
       }},
      {"cucore_pool_allocate", allocate_address},
      {"cucore_pool_free", free_address},
      {"cucore_pool_query", query_pool},
      {"cucore_pool_set_keep",
       [](Run& run, World& world) {
         run.call([&](auto** error) { return cucore_pool_set_keep(world.pool.get(), 64, error); });
       }},
      {"cucore_pool_reset_peaks",
       [](Run& run, World& world) {
         run.call([&](auto** error) { return cucore_pool_reset_peaks(world.pool.get(), error); });
       }},
      {"cucore_pool_trim",
       [](Run& run, World& world) {
         run.call([&](auto** error) { return cucore_pool_trim(world.pool.get(), 0, error); });
       }},
      {"cucore_pool_native",
       [](Run& run, World& world) {
         EXPECT_NE(run.plain([&] { return cucore_pool_native(world.pool.get()); }), nullptr);
       }},
      {"cucore_device_pool",
       [](Run& run, World& world) {
         makes<cucore_pool>(run, cucore_pool_release, [&](auto** out, auto** error) {
           return cucore_device_pool(world.device.get(), out, error);
         });
       }},
      {"cucore_device_set_pool", set_pool},
      {"cucore_buffer_from_pool",
       [](Run& run, World& world) {
         makes<cucore_buffer>(run, cucore_buffer_release, [&](auto** out, auto** error) {
           return cucore_buffer_from_pool(world.pool.get(), BUFFER_SIZE, world.stream.get(), out,
                                          error);
         });
         tolerate_a_second_try(run);
       }},
      {"cucore_buffer_pool",
       [](Run& run, World& world) {
         makes<cucore_pool>(run, cucore_pool_release, [&](auto** out, auto** error) {
           return cucore_buffer_pool(world.buffer.get(), out, error);
         });
       }},
  };
}

}  // namespace sweep
