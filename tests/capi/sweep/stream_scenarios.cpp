// SPDX-License-Identifier: Apache-2.0
// Streams and events.
#include "world.hpp"

namespace sweep {
namespace {

template <class T>
Scenario device_of(
    const char* function, T get,
    cucore_status (*ask)(const std::remove_pointer_t<decltype(get(std::declval<World&>()))>*,
                         cucore_device**, cucore_error**)) {
  return {function, [=](Run& run, World& world) {
            makes<cucore_device>(run, cucore_device_release, [&](auto** out, auto** error) {
              return ask(get(world), out, error);
            });
          }};
}

void create_stream(Run& run, World& world) {
  cucore_stream_options options = CUCORE_STREAM_OPTIONS_INIT;
  options.priority = -1;
  makes<cucore_stream>(run, cucore_stream_release, [&](auto** out, auto** error) {
    return cucore_stream_create(world.device.get(), &options, out, error);
  });
}

void query_stream(Run& run, World& world) {
  int32_t done = 77;
  run.call([&](auto** error) { return cucore_stream_query(world.stream.get(), &done, error); });
  run.output("done", done);
  if (run.ok()) {
    EXPECT_EQ(done, 1);
  }
}

void query_event(Run& run, World& world) {
  int32_t done = 77;
  run.call([&](auto** error) { return cucore_event_query(world.start.get(), &done, error); });
  run.output("done", done);
  if (run.ok()) {
    EXPECT_EQ(done, 1);
  }
}

void elapsed(Run& run, World& world) {
  float milliseconds = 77;
  run.call([&](auto** error) {
    return cucore_event_elapsed(world.start.get(), world.end.get(), &milliseconds, error);
  });
  run.output("milliseconds", milliseconds);
}

}  // namespace

std::vector<Scenario> stream_scenarios() {
  return {
      {"cucore_stream_create", create_stream},
      {"cucore_stream_from_native",
       [](Run& run, World& world) {
         void* native = cucore_stream_native(world.stream.get());
         makes<cucore_stream>(run, cucore_stream_release, [&](auto** out, auto** error) {
           return cucore_stream_from_native(world.device.get(), native, out, error);
         });
       }},
      {"cucore_stream_retain",
       [](Run& run, World& world) {
         retains(run, world.stream.get(), cucore_stream_retain, cucore_stream_release);
       }},
      {"cucore_stream_release",
       [](Run& run, World& world) {
         Stream stream = make_stream(world.device.get());
         run.plain([&] { cucore_stream_release(stream.release()); });
       }},
      device_of(
          "cucore_stream_device", [](World& world) { return world.stream.get(); },
          cucore_stream_device),
      {"cucore_stream_synchronize",
       [](Run& run, World& world) {
         run.call(
             [&](auto** error) { return cucore_stream_synchronize(world.stream.get(), error); });
       }},
      {"cucore_stream_query", query_stream},
      {"cucore_stream_wait_event",
       [](Run& run, World& world) {
         run.call([&](auto** error) {
           return cucore_stream_wait_event(world.stream.get(), world.start.get(), error);
         });
       }},
      {"cucore_stream_wait_stream",
       [](Run& run, World& world) {
         run.call([&](auto** error) {
           return cucore_stream_wait_stream(world.stream.get(), world.second_stream.get(), error);
         });
         // The event between them is released once the streams are ordered, which cannot fail.
         if (run.ok() && run.failed_call().starts_with("cuCtx")) run.tolerate();
       }},
      // The program may capture a stream whose handle it has; a failure counts as no capture.
      {"cucore_stream_is_capturing",
       [](Run& run, World& world) {
         static_cast<void>(cucore_stream_native(world.stream.get()));
         EXPECT_EQ(run.plain([&] { return cucore_stream_is_capturing(world.stream.get()); }), 0);
       }},
      {"cucore_stream_native",
       [](Run& run, World& world) {
         EXPECT_NE(run.plain([&] { return cucore_stream_native(world.stream.get()); }), nullptr);
       }},
  };
}

std::vector<Scenario> event_scenarios() {
  return {
      {"cucore_event_create",
       [](Run& run, World& world) {
         makes<cucore_event>(run, cucore_event_release, [&](auto** out, auto** error) {
           return cucore_event_create(world.device.get(), nullptr, out, error);
         });
       }},
      // The library keeps no events of this form, so each is one of the driver's.
      {"cucore_event_create",
       [](Run& run, World& world) {
         cucore_event_options options = CUCORE_EVENT_OPTIONS_INIT;
         options.interprocess = 1;
         makes<cucore_event>(run, cucore_event_release, [&](auto** out, auto** error) {
           return cucore_event_create(world.device.get(), &options, out, error);
         });
       }},
      {"cucore_event_retain",
       [](Run& run, World& world) {
         retains(run, world.start.get(), cucore_event_retain, cucore_event_release);
       }},
      {"cucore_event_release",
       [](Run& run, World& world) {
         Event event = make_event(world.device.get());
         run.plain([&] { cucore_event_release(event.release()); });
       }},
      device_of(
          "cucore_event_device", [](World& world) { return world.start.get(); },
          cucore_event_device),
      {"cucore_event_has_timing",
       [](Run& run, World& world) {
         EXPECT_EQ(run.plain([&] { return cucore_event_has_timing(world.start.get()); }), 1);
       }},
      {"cucore_event_is_blocking_sync",
       [](Run& run, World& world) {
         EXPECT_EQ(run.plain([&] { return cucore_event_is_blocking_sync(world.start.get()); }), 0);
       }},
      {"cucore_stream_id",
       [](Run& run, World& world) {
         EXPECT_NE(run.plain([&] { return cucore_stream_id(world.stream.get()); }), 0u);
       }},
      {"cucore_stream_set_access_window",
       [](Run& run, World& world) {
         cucore_access_window window{};
         window.buffer = world.buffer.get();
         window.size = 64;
         run.call([&](auto** error) {
           return cucore_stream_set_access_window(world.stream.get(), &window, error);
         });
       }},
      {"cucore_stream_write_value",
       [](Run& run, World& world) {
         run.call([&](auto** error) {
           return cucore_stream_write_value(world.stream.get(), world.buffer.get(), 8, 1, 8, error);
         });
       }},
      {"cucore_stream_wait_value",
       [](Run& run, World& world) {
         run.call([&](auto** error) {
           return cucore_stream_wait_value(world.second_stream.get(), world.buffer.get(), 4, 0, 4,
                                           CUCORE_COMPARISON_EQUAL, error);
         });
       }},
      {"cucore_stream_priority",
       [](Run& run, World& world) {
         EXPECT_EQ(run.plain([&] { return cucore_stream_priority(world.stream.get()); }), 0);
       }},
      {"cucore_stream_is_nonblocking",
       [](Run& run, World& world) {
         EXPECT_EQ(run.plain([&] { return cucore_stream_is_nonblocking(world.stream.get()); }), 1);
       }},
      {"cucore_event_record",
       [](Run& run, World& world) {
         const Event event = make_event(world.device.get());
         run.call([&](auto** error) {
           return cucore_event_record(event.get(), world.stream.get(), error);
         });
       }},
      {"cucore_event_synchronize",
       [](Run& run, World& world) {
         run.call([&](auto** error) { return cucore_event_synchronize(world.start.get(), error); });
       }},
      {"cucore_event_query", query_event},
      {"cucore_event_elapsed", elapsed},
      {"cucore_event_native",
       [](Run& run, World& world) {
         EXPECT_NE(run.plain([&] { return cucore_event_native(world.start.get()); }), nullptr);
       }},
  };
}

}  // namespace sweep
