// SPDX-License-Identifier: Apache-2.0
// Queues and futures.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>

#include "world.hpp"

namespace sweep {
namespace {

// Takes all completions until none is pending. Returns the status of the last one.
cucore_status drain(World& world) {
  cucore_completion out[8];
  cucore_status last = CUCORE_OK;
  for (int i = 0; i < 20000; ++i) {
    size_t count = 0;
    cucore_queue_wait(world.queue.get(), 0, out, 8, &count, nullptr);
    if (count) last = static_cast<cucore_status>(out[count - 1].status);
    cucore_queue_info info = CUCORE_QUEUE_INFO_INIT;
    cucore_queue_query(world.queue.get(), &info, nullptr);
    if (info.pending == 0 && info.waiting == 0) return last;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  throw std::runtime_error("a future stays pending");
}

// A kernel's fault that the call meets arrives with the completion.
void settle_future(Run& run, World& world) {
  if (drain(world) == CUCORE_ERROR_KERNEL_FAULT && run.ok()) run.tolerate();
}

void from_stream(Run& run, World& world) {
  makes<cucore_future>(run, cucore_future_release, [&](auto** out, auto** error) {
    return cucore_future_from_stream(world.stream.get(), world.queue.get(), 1, out, error);
  });
  settle_future(run, world);
}

// The second time an event already exists.
void from_default_stream(Run& run, World& world) {
  cucore_stream* legacy = nullptr;
  cucore_device_default_stream(world.device.get(), CUCORE_DEFAULT_STREAM_LEGACY, &legacy, nullptr);
  const Stream owner = Stream::adopt(legacy);
  makes<cucore_future>(run, cucore_future_release, [&](auto** out, auto** error) {
    return cucore_future_from_stream(legacy, world.queue.get(), 1, out, error);
  });
  settle_future(run, world);
}

void wait_for_queue(Run& run, World& world) {
  const Future future = make_future(world.stream.get(), world.queue.get());
  cucore_future_wait(future.get(), -1, nullptr);
  cucore_completion out{};
  size_t count = 77;
  run.call([&](auto** error) {
    return cucore_queue_wait(world.queue.get(), -1, &out, 1, &count, error);
  });
  run.output("count", count);
  if (run.ok()) {
    EXPECT_EQ(out.token, 1u);
  }
  drain(world);
}

void query_future(Run& run, World& world) {
  int32_t done = 77;
  run.call([&](auto** error) { return cucore_future_query(world.future.get(), &done, error); });
  run.output("done", done);
  if (run.ok()) {
    EXPECT_EQ(done, 1);
  }
}

// The data of a host function, which is deleted by destroy.
struct HostData {
  std::atomic<int>* ended;
  static void run(void*) {}
  static void end(void* self) {
    ++*static_cast<HostData*>(self)->ended;
    delete static_cast<HostData*>(self);
  }
};

void wait_for(const std::function<bool()>& condition) {
  for (int i = 0; i < 100000 && !condition(); ++i)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
}

// Waits until the functions before have ended.
void pass(World& world) {
  std::atomic<int> ended{0};
  auto* data = new HostData{&ended};
  cucore_stream_launch_host(world.stream.get(), HostData::run, data, HostData::end, nullptr);
  wait_for([&] { return ended == 1; });
}

void launch_host(Run& run, World& world) {
  std::atomic<int> ended{0};
  auto data = std::make_unique<HostData>(HostData{&ended});
  run.call([&](auto** error) {
    return cucore_stream_launch_host(world.stream.get(), HostData::run, data.get(), HostData::end,
                                     error);
  });
  (void)data.release();  // the call has ended it, or the library does
  wait_for([&] { return ended == 1; });
  EXPECT_EQ(ended, 1);
}

void launch_host_queued(Run& run, World& world) {
  run.call([&](auto** error) {
    return cucore_stream_launch_host_queued(world.stream.get(), world.queue.get(), 5, 0, error);
  });
  if (!run.ok()) return;
  cucore_completion out{};
  size_t count = 0;
  cucore_queue_wait(world.queue.get(), 10'000'000'000, &out, 1, &count, nullptr);
  EXPECT_EQ(out.token, 5u);
  pass(world);
}

void resume(Run& run, World& world) {
  cucore_stream_launch_host_queued(world.stream.get(), world.queue.get(), 5, 1, nullptr);
  cucore_completion out{};
  size_t count = 0;
  cucore_queue_wait(world.queue.get(), 10'000'000'000, &out, 1, &count, nullptr);
  run.call([&](auto** error) { return cucore_queue_resume(world.queue.get(), out.ticket, error); });
  if (!run.ok()) cucore_queue_resume(world.queue.get(), out.ticket, nullptr);
  pass(world);
}

void detach(Run& run, World& world) {
  int32_t detached = 77;
  run.call(
      [&](auto** error) { return cucore_future_detach(world.future.get(), &detached, error); });
  run.output("detached", detached);
}

}  // namespace

std::vector<Scenario> completion_scenarios() {
  return {
      {"cucore_queue_create",
       [](Run& run, World&) {
         makes<cucore_queue>(run, cucore_queue_release, [&](auto** out, auto** error) {
           return cucore_queue_create(nullptr, out, error);
         });
       }},
      {"cucore_queue_retain",
       [](Run& run, World& world) {
         retains(run, world.queue.get(), cucore_queue_retain, cucore_queue_release);
       }},
      {"cucore_queue_release",
       [](Run& run, World&) {
         Queue queue = make_queue();
         run.plain([&] { cucore_queue_release(queue.release()); });
       }},
      {"cucore_queue_descriptor",
       [](Run& run, World& world) {
         EXPECT_GE(run.plain([&] { return cucore_queue_descriptor(world.queue.get()); }), 0);
       }},
      {"cucore_queue_wait", wait_for_queue},
      {"cucore_queue_resume", resume},
      {"cucore_stream_launch_host", launch_host},
      {"cucore_stream_launch_host_queued", launch_host_queued},
      {"cucore_queue_close",
       [](Run& run, World&) {
         const Queue queue = make_queue();
         run.call([&](auto** error) { return cucore_queue_close(queue.get(), error); });
       }},
      {"cucore_queue_query",
       [](Run& run, World& world) {
         cucore_queue_info info = CUCORE_QUEUE_INFO_INIT;
         run.call(
             [&](auto** error) { return cucore_queue_query(world.queue.get(), &info, error); });
       }},
      {"cucore_future_from_stream", from_stream},
      {"cucore_future_from_stream", from_default_stream},
      {"cucore_future_retain",
       [](Run& run, World& world) {
         retains(run, world.future.get(), cucore_future_retain, cucore_future_release);
       }},
      {"cucore_future_release",
       [](Run& run, World& world) {
         Future future = make_future(world.stream.get(), world.queue.get());
         run.plain([&] { cucore_future_release(future.release()); });
         drain(world);
       }},
      {"cucore_future_token",
       [](Run& run, World& world) {
         EXPECT_EQ(run.plain([&] { return cucore_future_token(world.future.get()); }), 1u);
       }},
      {"cucore_future_query", query_future},
      {"cucore_future_wait",
       [](Run& run, World& world) {
         run.call([&](auto** error) { return cucore_future_wait(world.future.get(), -1, error); });
       }},
      {"cucore_future_error",
       [](Run& run, World& world) {
         run.call([&](auto** error) { return cucore_future_error(world.future.get(), error); });
       }},
      {"cucore_future_detach", detach},
  };
}

}  // namespace sweep
