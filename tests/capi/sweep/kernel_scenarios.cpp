// SPDX-License-Identifier: Apache-2.0
// Kernels and launches.
#include <cstring>

#include "world.hpp"

namespace sweep {
namespace {

cucore_launch_options small_launch() {
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
  options.grid[0] = 4;
  options.block[0] = 128;
  return options;
}

// Enough shared memory that the library raises the kernel's attribute first.
cucore_launch_options big_launch() {
  cucore_launch_options options = small_launch();
  options.dynamic_shared = 100 * 1024;
  return options;
}

struct Arguments {
  int32_t n = 4;
  float a = 2;
  uint64_t x = 0, y = 0;
  cucore_argument list[4] = {CUCORE_ARGUMENT(n), CUCORE_ARGUMENT(a), CUCORE_ARGUMENT(x),
                             CUCORE_ARGUMENT(y)};
};

void launch(Run& run, World& world) {
  const Arguments arguments;
  const cucore_launch_options options = small_launch();
  run.call([&](auto** error) {
    return cucore_kernel_launch(world.kernel.get(), world.stream.get(), &options, arguments.list, 4,
                                error);
  });
}

// Without memory the launch stays observed.
void tally_a_launch(Run& run, World& world) {
  cucore_launch_tally tally = CUCORE_LAUNCH_TALLY_INIT;
  tally.left = 1;
  cucore_observer_options options = CUCORE_OBSERVER_OPTIONS_INIT;
  options.kinds = CUCORE_OPERATION_LAUNCH;
  options.begin = [](const cucore_operation* operation, void**, void* data) {
    (void)cucore_operation_tally(operation, static_cast<cucore_launch_tally*>(data));
  };
  options.user_data = &tally;
  const Observer observer = cucore::make<Observer>(cucore_observer_create, &options);
  const Arguments arguments;
  const cucore_launch_options how = small_launch();
  run.call([&](auto** error) {
    return cucore_kernel_launch(world.kernel.get(), world.stream.get(), &how, arguments.list, 4,
                                error);
  });
  run.tolerate();
}

// Uses a fresh kernel, because the attribute is raised once.
void launch_with_more_shared_memory(Run& run, World& world) {
  const Code code = make_ptx();
  const Kernel kernel = find_saxpy(code.get());
  const Arguments arguments;
  const cucore_launch_options options = big_launch();
  run.call([&](auto** error) {
    return cucore_kernel_launch(kernel.get(), world.stream.get(), &options, arguments.list, 4,
                                error);
  });
}

void launch_on_a_default_stream(Run& run, World& world) {
  cucore_stream* stream = nullptr;
  cucore_device_default_stream(world.device.get(), CUCORE_DEFAULT_STREAM_LEGACY, &stream, nullptr);
  const Stream owner = Stream::adopt(stream);
  const Arguments arguments;
  const cucore_launch_options options = small_launch();
  run.call([&](auto** error) {
    return cucore_kernel_launch(world.kernel.get(), stream, &options, arguments.list, 4, error);
  });
}

void launch_packed(Run& run, World& world) {
  const Arguments arguments;
  unsigned char packed[24] = {};
  std::memcpy(packed, &arguments.n, 4);
  std::memcpy(packed + 4, &arguments.a, 4);
  const cucore_launch_options options = small_launch();
  run.call([&](auto** error) {
    return cucore_kernel_launch_packed(world.kernel.get(), world.stream.get(), &options, packed,
                                       sizeof packed, error);
  });
}

void set_attribute(Run& run, World& world) {
  run.call([&](auto** error) {
    return cucore_kernel_set_attribute(world.kernel.get(),
                                       CUCORE_KERNEL_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                       world.device.get(), 65536, error);
  });
}

void objectcode(Run& run, World& world) {
  makes<cucore_objectcode>(run, cucore_objectcode_release, [&](auto** out, auto** error) {
    return cucore_kernel_objectcode(world.kernel.get(), world.device.get(), out, error);
  });
}

void attribute(Run& run, World& world) {
  int32_t out = 77;
  run.call([&](auto** error) {
    return cucore_kernel_attribute(world.kernel.get(), CUCORE_KERNEL_ATTRIBUTE_NUM_REGS,
                                   world.device.get(), &out, error);
  });
  run.output("out", out);
  if (run.ok()) {
    EXPECT_EQ(out, 16);
  }
}

void parameter_at(Run& run, World& world) {
  size_t offset = 77, size = 77;
  run.call([&](auto** error) {
    return cucore_kernel_parameter_at(world.kernel.get(), 3, world.device.get(), &offset, &size,
                                      error);
  });
  run.output("offset", offset);
  run.output("size", size);
  if (run.ok()) {
    EXPECT_EQ(offset, 16u);
  }
}

void parameters(Run& run, World& world) {
  cucore_parameter_info infos[4] = {CUCORE_PARAMETER_INFO_INIT};
  infos[3].size = 77;
  size_t count = 77;
  run.call([&](auto** error) {
    return cucore_kernel_parameters(world.kernel.get(), world.device.get(), infos, 4, &count,
                                    error);
  });
  run.output("count", count);
  run.output("size", infos[3].size);
  if (run.ok()) {
    EXPECT_EQ(infos[3].offset, 16u);
  }
}

void occupancy(Run& run, World& world) {
  int32_t blocks = 77;
  run.call([&](auto** error) {
    return cucore_kernel_occupancy(world.kernel.get(), world.device.get(), 128, 0, &blocks, error);
  });
  run.output("blocks", blocks);
}

void max_potential_block_size(Run& run, World& world) {
  int32_t grid = 77, block = 77;
  run.call([&](auto** error) {
    return cucore_kernel_max_potential_block_size(world.kernel.get(), world.device.get(), 0, 0,
                                                  &grid, &block, error);
  });
  run.output("min_grid_size", grid);
  run.output("block_size", block);
}

void available_dynamic_shared(Run& run, World& world) {
  size_t bytes = 77;
  run.call([&](auto** error) {
    return cucore_kernel_available_dynamic_shared(world.kernel.get(), world.device.get(), 2, 128,
                                                  &bytes, error);
  });
  run.output("dynamic_shared", bytes);
}

void max_active_clusters(Run& run, World& world) {
  cucore_launch_options options = small_launch();
  options.cluster[0] = 2;
  int32_t clusters = 77;
  run.call([&](auto** error) {
    return cucore_kernel_max_active_clusters(world.kernel.get(), world.device.get(), &options,
                                             &clusters, error);
  });
  run.output("clusters", clusters);
  if (run.ok()) {
    EXPECT_EQ(clusters, 66);
  }
}

struct Attributes {
  explicit Attributes(World& world) : programmatic(make_event_without_timing(world)) {
    window.buffer = world.buffer.get();
    window.size = 64;
    window.hit_ratio = 1;
    options.priority = -1;
    options.programmatic_event = programmatic.get();
    options.access_window = &window;
    options.attributes = &other;
    options.attribute_count = 1;
  }
  static Event make_event_without_timing(World& world) {
    cucore_event* event = nullptr;
    cucore_event_create(world.device.get(), nullptr, &event, nullptr);
    return Event::adopt(event);
  }
  Event programmatic;
  cucore_access_window window{};
  cucore_launch_attribute other{};  // CU_LAUNCH_ATTRIBUTE_IGNORE
  cucore_launch_options options = small_launch();
};

// With objects in its options, and a list.
void launch_with_attributes(Run& run, World& world) {
  const Attributes attributes(world);
  const Arguments arguments;
  run.call([&](auto** error) {
    return cucore_kernel_launch(world.kernel.get(), world.stream.get(), &attributes.options,
                                arguments.list, 4, error);
  });
}

void prepare_with_attributes(Run& run, World& world) {
  const Attributes attributes(world);
  const Arguments arguments;
  makes<cucore_prepared_launch>(run, cucore_prepared_launch_release, [&](auto** out, auto** error) {
    return cucore_prepared_launch_create(world.kernel.get(), world.stream.get(),
                                         &attributes.options, arguments.list, 4, out, error);
  });
}

// With more shared memory than a kernel has at first, and a buffer.
void prepare(Run& run, World& world) {
  const Code code = make_ptx();
  const Kernel kernel = find_saxpy(code.get());
  Arguments arguments;
  arguments.list[2] = {world.buffer.get(), CUCORE_ARGUMENT_OBJECT};
  const cucore_launch_options options = big_launch();
  makes<cucore_prepared_launch>(run, cucore_prepared_launch_release, [&](auto** out, auto** error) {
    return cucore_prepared_launch_create(kernel.get(), world.stream.get(), &options, arguments.list,
                                         4, out, error);
  });
}

void run_prepared(Run& run, World& world) {
  run.call([&](auto** error) { return cucore_prepared_launch_run(world.prepared.get(), error); });
}

// On a stream that is not the buffer's.
void run_prepared_on_another_stream(Run& run, World& world) {
  const PreparedLaunch prepared =
      prepare_saxpy(world.kernel.get(), world.second_stream.get(), world.buffer.get());
  run.call([&](auto** error) { return cucore_prepared_launch_run(prepared.get(), error); });
}

void update_prepared(Run& run, World& world) {
  const cucore_argument argument = {world.second_buffer.get(), CUCORE_ARGUMENT_OBJECT};
  run.call([&](auto** error) {
    return cucore_prepared_launch_update(world.prepared.get(), 3, &argument, error);
  });
}

void release_prepared(Run& run, World& world) {
  Code code = make_ptx();
  Buffer buffer = make_buffer(world.device.get(), world.stream.get());
  PreparedLaunch prepared =
      prepare_saxpy(find_saxpy(code.get()).get(), world.stream.get(), buffer.get());
  code.reset();
  buffer.reset();  // only the prepared launch keeps both now
  run.plain([&] { cucore_prepared_launch_release(prepared.release()); });
}

}  // namespace

std::vector<Scenario> kernel_scenarios() {
  return {
      {"cucore_prepared_launch_retain",
       [](Run& run, World& world) {
         retains(run, world.prepared.get(), cucore_prepared_launch_retain,
                 cucore_prepared_launch_release);
       }},
      {"cucore_prepared_launch_release", release_prepared},
      {"cucore_prepared_launch_create", prepare},
      {"cucore_prepared_launch_create", prepare_with_attributes},
      {"cucore_prepared_launch_run", run_prepared},
      {"cucore_prepared_launch_run", run_prepared_on_another_stream},
      {"cucore_prepared_launch_update", update_prepared},
      {"cucore_kernel_retain",
       [](Run& run, World& world) {
         retains(run, world.kernel.get(), cucore_kernel_retain, cucore_kernel_release);
       }},
      {"cucore_kernel_release",
       [](Run& run, World&) {
         Code code = make_ptx();
         Kernel kernel = find_saxpy(code.get());
         code.reset();  // only the kernel keeps it loaded now
         run.plain([&] { cucore_kernel_release(kernel.release()); });
       }},
      {"cucore_kernel_name",
       [](Run& run, World& world) {
         EXPECT_STREQ(run.plain([&] { return cucore_kernel_name(world.kernel.get()); }), "saxpy");
       }},
      {"cucore_kernel_label",
       [](Run& run, World& world) {
         EXPECT_STREQ(run.plain([&] { return cucore_kernel_label(world.kernel.get()); }), "saxpy");
       }},
      {"cucore_kernel_from_native",
       [](Run& run, World& world) {
         void* native = cucore_kernel_native(world.kernel.get());
         makes<cucore_kernel>(run, cucore_kernel_release, [&](auto** out, auto** error) {
           return cucore_kernel_from_native(world.device.get(), native, out, error);
         });
       }},
      {"cucore_kernel_native",
       [](Run& run, World& world) {
         EXPECT_NE(run.plain([&] { return cucore_kernel_native(world.kernel.get()); }), nullptr);
       }},
      {"cucore_kernel_parameter_count",
       [](Run& run, World& world) {
         EXPECT_EQ(run.plain([&] { return cucore_kernel_parameter_count(world.kernel.get()); }),
                   4u);
       }},
      {"cucore_kernel_objectcode", objectcode},
      {"cucore_kernel_attribute", attribute},
      {"cucore_kernel_set_attribute", set_attribute},
      {"cucore_kernel_parameter_at", parameter_at},
      {"cucore_kernel_parameters", parameters},
      {"cucore_kernel_occupancy", occupancy},
      {"cucore_kernel_max_potential_block_size", max_potential_block_size},
      {"cucore_kernel_available_dynamic_shared", available_dynamic_shared},
      {"cucore_kernel_max_active_clusters", max_active_clusters},
      {"cucore_kernel_launch", launch},
      {"cucore_operation_tally", tally_a_launch},
      {"cucore_kernel_launch", launch_with_more_shared_memory},
      {"cucore_kernel_launch", launch_on_a_default_stream},
      {"cucore_kernel_launch", launch_with_attributes},
      {"cucore_kernel_launch_packed", launch_packed},
  };
}

}  // namespace sweep
