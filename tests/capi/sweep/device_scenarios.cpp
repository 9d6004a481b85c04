// SPDX-License-Identifier: Apache-2.0
// Devices.
#include "world.hpp"

namespace sweep {
namespace {

template <class Text>
Scenario text_of_device(const char* function, Text text) {
  return {function, [=](Run& run, World& world) {
            EXPECT_STRNE(run.plain([&] { return text(world.device.get()); }), "");
          }};
}

void uuid(Run& run, World& world) {
  uint8_t out[16];
  std::fill_n(out, 16, uint8_t{0x5a});
  run.call([&](auto** error) { return cucore_device_uuid(world.device.get(), out, error); });
  for (const uint8_t byte : out) run.output("out", byte);
}

void memory(Run& run, World& world) {
  size_t free_bytes = 7, total = 7;
  run.call([&](auto** error) {
    return cucore_device_memory(world.device.get(), &free_bytes, &total, error);
  });
  run.output("free_bytes", free_bytes);
  run.output("total_bytes", total);
}

void compute_capability(Run& run, World& world) {
  int32_t major = 7, minor = 7;
  run.call([&](auto** error) {
    return cucore_device_compute_capability(world.device.get(), &major, &minor, error);
  });
  run.output("major", major);
  run.output("minor", minor);
}

void priorities(Run& run, World& world) {
  int32_t least = 7, greatest = 7;
  run.call([&](auto** error) {
    return cucore_device_stream_priorities(world.device.get(), &least, &greatest, error);
  });
  run.output("least", least);
  run.output("greatest", greatest);
  if (run.ok()) {
    EXPECT_EQ(greatest, -5);
  }
}

}  // namespace

std::vector<Scenario> device_scenarios() {
  return {
      {"cucore_device_retain",
       [](Run& run, World& world) {
         retains(run, world.device.get(), cucore_device_retain, cucore_device_release);
       }},
      {"cucore_device_release",
       [](Run& run, World&) {
         Device device = open_device(0);
         run.plain([&] { cucore_device_release(device.release()); });
       }},
      {"cucore_device_ordinal",
       [](Run& run, World& world) {
         EXPECT_EQ(run.plain([&] { return cucore_device_ordinal(world.other.get()); }), 1);
       }},
      {"cucore_device_is_emulated",
       [](Run& run, World& world) {
         EXPECT_EQ(run.plain([&] { return cucore_device_is_emulated(world.device.get()); }), 0);
       }},
      text_of_device("cucore_device_name", cucore_device_name),
      text_of_device("cucore_device_arch", cucore_device_arch),
      text_of_device("cucore_device_pci_bus_id", cucore_device_pci_bus_id),
      {"cucore_device_native_context",
       [](Run& run, World& world) {
         EXPECT_NE(run.plain([&] { return cucore_device_native_context(world.device.get()); }),
                   nullptr);
       }},
      {"cucore_device_compute_capability", compute_capability},
      {"cucore_device_attribute",
       [](Run& run, World& world) {
         int32_t out = 77;
         run.call([&](auto** error) {
           return cucore_device_attribute(world.device.get(), CUCORE_DEVICE_ATTRIBUTE_WARP_SIZE,
                                          &out, error);
         });
         run.output("out", out);
         if (run.ok()) {
           EXPECT_EQ(out, 32);
         }
       }},
      {"cucore_device_uuid", uuid},
      {"cucore_device_memory", memory},
      {"cucore_device_can_access_peer",
       [](Run& run, World& world) {
         int32_t out = 77;
         run.call([&](auto** error) {
           return cucore_device_can_access_peer(world.device.get(), world.other.get(), &out, error);
         });
         run.output("out", out);
       }},
      {"cucore_device_stream_priorities", priorities},
      {"cucore_device_synchronize",
       [](Run& run, World& world) {
         run.call(
             [&](auto** error) { return cucore_device_synchronize(world.device.get(), error); });
       }},
      {"cucore_device_default_stream",
       [](Run& run, World& world) {
         makes<cucore_stream>(run, cucore_stream_release, [&](auto** out, auto** error) {
           return cucore_device_default_stream(world.device.get(), CUCORE_DEFAULT_STREAM_PER_THREAD,
                                               out, error);
         });
       }},
      {"cucore_device_reset",
       [](Run& run, World& world) {
         run.call([&](auto** error) { return cucore_device_reset(world.spare.get(), error); });
       },
       [](World& world) { cucore_device_reset(world.spare.get(), nullptr); }},
  };
}

}  // namespace sweep
