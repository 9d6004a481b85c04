// SPDX-License-Identifier: Apache-2.0
#include "perf/measure/machine.hpp"

#include <array>
#include <charconv>
#include <ctime>
#include <thread>

#include "support/concat.hpp"
#include "support/environment.hpp"

namespace cucore::perf {
namespace {

constexpr const char* DESCRIBES = "the measurement describes the device";

std::string uuid_text(const cucore_device* device) {
  std::array<uint8_t, 16> bytes{};
  client::call(DESCRIBES, cucore_device_uuid, device, bytes.data());
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += "0123456789abcdef"[bytes[i] >> 4];
    text += "0123456789abcdef"[bytes[i] & 15];
  }
  return text;
}

std::string driver_text() {
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  client::call(DESCRIBES, cucore_library_query, CUCORE_LIBRARY_DRIVER, &info);
  return concat(info.version_major, ".", info.version_minor);
}

std::string library_text() {
  const uint32_t version = cucore_version();
  return concat(version / 10000, ".", version / 100 % 100, ".", version % 100);
}

std::string date_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

double attribute_mhz(const cucore_device* device, cucore_device_attribute_name name) {
  int32_t khz = 0;
  client::call(DESCRIBES, cucore_device_attribute, device, name, &khz);
  return khz * 1e-3;
}

// The threads that run the kernels of an emulated device.
uint32_t emulating_threads() {
  const std::string chosen = environment("CUCORE_CPU_THREADS");
  uint32_t threads = 0;
  std::from_chars(chosen.data(), chosen.data() + chosen.size(), threads);
  return threads != 0 ? threads : std::thread::hardware_concurrency();
}

}  // namespace

MeasuredMachine machine_of(const cucore_device* device) {
  return {cucore_device_name(device),
          cucore_device_arch(device),
          uuid_text(device),
          driver_text(),
          library_text(),
          date_text(),
          attribute_mhz(device, CUCORE_DEVICE_ATTRIBUTE_CLOCK_RATE)};
}

RoofMachine roof_machine_of(const cucore_device* device) {
  RoofMachine machine;
  static_cast<MeasuredMachine&>(machine) = machine_of(device);
  machine.memory_clock_mhz = attribute_mhz(device, CUCORE_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  machine.is_emulated = cucore_device_is_emulated(device) != 0;
  if (machine.is_emulated) machine.threads = emulating_threads();
  return machine;
}

}  // namespace cucore::perf
