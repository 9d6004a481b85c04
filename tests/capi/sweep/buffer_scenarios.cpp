// SPDX-License-Identifier: Apache-2.0
// Buffers of each kind, and the calls that move their bytes.
#include "world.hpp"

namespace sweep {
namespace {

using Create = cucore_status (*)(const cucore_device*, size_t, cucore_buffer**, cucore_error**);

Scenario creates(const char* function, Create create) {
  return {function, [=](Run& run, World& world) {
            makes<cucore_buffer>(run, cucore_buffer_release, [&](auto** out, auto** error) {
              return create(world.device.get(), BUFFER_SIZE, out, error);
            });
            tolerate_a_second_try(run);
          }};
}

void write(Run& run, World& world) {
  const std::vector<char> source(BUFFER_SIZE, 'w');
  run.call([&](auto** error) {
    return cucore_buffer_write(world.buffer.get(), 0, source.data(), source.size(),
                               world.stream.get(), error);
  });
  // A failure of this query means that the memory is unknown to the driver.
  if (run.failed_call() == "cuPointerGetAttribute") run.tolerate();
}

// From memory known to the driver, the call must wait for the copy.
void write_pinned(Run& run, World& world) {
  const void* source = cucore_buffer_host_pointer(world.pinned.get());
  run.call([&](auto** error) {
    return cucore_buffer_write(world.buffer.get(), 0, source, BUFFER_SIZE, world.stream.get(),
                               error);
  });
  if (run.failed_call() == "cuPointerGetAttribute") run.tolerate();
}

void read(Run& run, World& world) {
  std::vector<char> destination(BUFFER_SIZE, 'r');
  run.call([&](auto** error) {
    return cucore_buffer_read(world.buffer.get(), 0, destination.data(), destination.size(),
                              world.stream.get(), error);
  });
}

void copy_box(Run& run, World& world) {
  const cucore_box to = box_in(world.buffer.get()), from = box_in(world.second_buffer.get());
  run.call([&](auto** error) {
    return cucore_buffer_copy_box(&to, &from, 8, 2, 1, world.stream.get(), error);
  });
}

// From memory that the driver has registered, and to pageable memory.
void copy_box_from_host(Run& run, World& world) {
  const cucore_box to = box_in(world.buffer.get());
  cucore_box from = CUCORE_BOX_INIT;
  from.host = cucore_buffer_host_pointer(world.pinned.get());
  run.call([&](auto** error) {
    return cucore_buffer_copy_box(&to, &from, 8, 2, 1, world.stream.get(), error);
  });
  if (run.failed_call() == "cuPointerGetAttribute") run.tolerate();
}

void copy_box_to_host(Run& run, World& world) {
  char bytes[16] = {};
  const cucore_box from = box_in(world.buffer.get());
  cucore_box to = CUCORE_BOX_INIT;
  to.host = bytes;
  run.call([&](auto** error) {
    return cucore_buffer_copy_box(&to, &from, 8, 2, 1, world.stream.get(), error);
  });
}

Scenario fills(size_t pattern_size) {
  return {"cucore_buffer_fill", [=](Run& run, World& world) {
            const uint64_t pattern = 0x0102030405060708;
            run.call([&](auto** error) {
              return cucore_buffer_fill(world.buffer.get(), 0, BUFFER_SIZE, &pattern, pattern_size,
                                        world.stream.get(), error);
            });
          }};
}

// Releases the last reference to a buffer of some kind.
template <class Make>
Scenario releases(Make make) {
  return {"cucore_buffer_release", [=](Run& run, World& world) {
            cucore_buffer* buffer = nullptr;
            ASSERT_EQ(make(world, &buffer), CUCORE_OK);
            run.plain([&] { cucore_buffer_release(buffer); });
          }};
}

}  // namespace

std::vector<Scenario> buffer_scenarios() {
  return {
      {"cucore_buffer_create",
       [](Run& run, World& world) {
         makes<cucore_buffer>(run, cucore_buffer_release, [&](auto** out, auto** error) {
           return cucore_buffer_create(world.device.get(), BUFFER_SIZE, world.stream.get(), out,
                                       error);
         });
         tolerate_a_second_try(run);
       }},
      creates("cucore_buffer_create_pinned", cucore_buffer_create_pinned),
      creates("cucore_buffer_create_managed", cucore_buffer_create_managed),
      {"cucore_buffer_from_native",
       [](Run& run, World& world) {
         const uint64_t address = cucore_buffer_address(world.buffer.get());
         makes<cucore_buffer>(run, cucore_buffer_release, [&](auto** out, auto** error) {
           return cucore_buffer_from_native(world.device.get(), address, 16, out, error);
         });
       }},
      {"cucore_buffer_from_owner",
       [](Run& run, World& world) {
         int ends = 0;
         makes<cucore_buffer>(run, cucore_buffer_release, [&](auto** out, auto** error) {
           return cucore_buffer_from_owner(
               world.device.get(), 64, 16, [](void* count) { ++*static_cast<int*>(count); }, &ends,
               out, error);
         });
         EXPECT_EQ(ends, run.ok() ? 1 : 0);
       }},
      {"cucore_buffer_retain",
       [](Run& run, World& world) {
         retains(run, world.buffer.get(), cucore_buffer_retain, cucore_buffer_release);
       }},
      releases([](World& world, cucore_buffer** out) {
        return cucore_buffer_create(world.device.get(), 64, world.stream.get(), out, nullptr);
      }),
      releases([](World& world, cucore_buffer** out) {
        return cucore_buffer_create_pinned(world.device.get(), 64, out, nullptr);
      }),
      releases([](World& world, cucore_buffer** out) {
        return cucore_buffer_create_managed(world.device.get(), 64, out, nullptr);
      }),
      {"cucore_buffer_set_stream",
       [](Run& run, World& world) {
         const Buffer buffer = make_buffer(world.device.get(), world.stream.get());
         run.call([&](auto** error) {
           return cucore_buffer_set_stream(buffer.get(), world.second_stream.get(), error);
         });
       }},
      {"cucore_buffer_record_use",
       [](Run& run, World& world) {
         const Buffer buffer = make_buffer(world.device.get(), world.stream.get());
         run.call([&](auto** error) {
           return cucore_buffer_record_use(buffer.get(), world.second_stream.get(), error);
         });
       }},
      {"cucore_buffer_record_use",
       [](Run& run, World& world) {
         const Buffer buffer = make_buffer(world.device.get(), world.stream.get());
         cucore_stream* legacy = nullptr;
         ASSERT_EQ(cucore_device_default_stream(world.device.get(), CUCORE_DEFAULT_STREAM_LEGACY,
                                                &legacy, nullptr),
                   CUCORE_OK);
         run.call(
             [&](auto** error) { return cucore_buffer_record_use(buffer.get(), legacy, error); });
         // Without an event the release waits for all work of the context.
         if (run.ok() && run.struck()) run.tolerate();
         cucore_stream_release(legacy);
       }},
      releases([](World& world, cucore_buffer** out) {
        const cucore_status status =
            cucore_buffer_create(world.device.get(), 64, world.stream.get(), out, nullptr);
        return status ? status : cucore_buffer_record_use(*out, world.second_stream.get(), nullptr);
      }),
      {"cucore_buffer_device",
       [](Run& run, World& world) {
         makes<cucore_device>(run, cucore_device_release, [&](auto** out, auto** error) {
           return cucore_buffer_device(world.buffer.get(), out, error);
         });
       }},
      {"cucore_buffer_address",
       [](Run& run, World& world) {
         EXPECT_NE(run.plain([&] { return cucore_buffer_address(world.buffer.get()); }), 0u);
       }},
      {"cucore_buffer_native",
       [](Run& run, World& world) {
         EXPECT_NE(run.plain([&] { return cucore_buffer_native(world.buffer.get()); }), nullptr);
       }},
      {"cucore_buffer_host_pointer",
       [](Run& run, World& world) {
         EXPECT_NE(run.plain([&] { return cucore_buffer_host_pointer(world.pinned.get()); }),
                   nullptr);
       }},
      {"cucore_buffer_memory_kind",
       [](Run& run, World& world) {
         EXPECT_EQ(run.plain([&] { return cucore_buffer_memory_kind(world.buffer.get()); }),
                   CUCORE_MEMORY_KIND_DEVICE);
       }},
      {"cucore_buffer_size",
       [](Run& run, World& world) {
         EXPECT_EQ(run.plain([&] { return cucore_buffer_size(world.buffer.get()); }), BUFFER_SIZE);
       }},
      {"cucore_buffer_write", write},
      {"cucore_buffer_write", write_pinned},
      {"cucore_buffer_read", read},
      {"cucore_buffer_copy_box", copy_box},
      {"cucore_buffer_copy_box", copy_box_from_host},
      {"cucore_buffer_copy_box", copy_box_to_host},
      {"cucore_buffer_copy",
       [](Run& run, World& world) {
         run.call([&](auto** error) {
           return cucore_buffer_copy(world.buffer.get(), 0, world.second_buffer.get(), 0,
                                     BUFFER_SIZE, world.stream.get(), error);
         });
       }},
      fills(1),
      fills(2),
      fills(4),
      fills(8),
  };
}

}  // namespace sweep
