// SPDX-License-Identifier: Apache-2.0
// The choice of the driver, and the message if none can be used.
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "driver/cuda.hpp"
#include "driver/library_info.hpp"
#include "fakes/fake_client.hpp"
#include "own_process.hpp"
#include "support/log.hpp"

namespace cucore::driver::test {
namespace {

struct Message {
  LogLevel level;
  std::string text;
};

// Collects the library's messages about its choices.
class Listener {
 public:
  Listener() { log_set_receiver(&receive, LogLevel::INFO, this, nullptr); }
  ~Listener() { log_set_receiver(nullptr, LogLevel::ERROR, nullptr, nullptr); }
  std::vector<Message> messages;

 private:
  static void receive(LogLevel level, const char* text, void* self) {
    static_cast<Listener*>(self)->messages.push_back({level, text});
  }
};

// A folder for LD_LIBRARY_PATH whose libcuda.so.1 is a fake, and a CPU device elsewhere.
struct Machine {
  explicit Machine(const std::string& nvidia, bool cpu_device) {
    folder.add(nvidia, "nvidia/libcuda.so.1");
    environment["LD_LIBRARY_PATH"] = folder.path() + "/nvidia";
    if (cpu_device)
      environment["CUCORE_CPU"] = folder.add("fake_driver_cpu", "cpu/libcucore-cpu.so");
  }
  Machine& with(const std::string& choice) {
    environment["CUCORE_DRIVER"] = choice;
    return *this;
  }
  Folder folder;
  Environment environment;
};

constexpr const char* NOT_A_DRIVER = "fake_nvrtc";

TEST(DriverChoice, APathInTheEnvironmentIsTaken) {
  const std::string path = fake::path("fake_driver");
  if (!own_process({{"CUCORE_DRIVER", path}})) return;
  EXPECT_EQ(cuda().path, path);
  EXPECT_EQ(cuda().version, 13000);
  EXPECT_FALSE(cuda().is_cpu);
  EXPECT_EQ(&cuda(), cuda_if_available());
  EXPECT_EQ(device_count(), 2);
}

TEST(DriverChoice, AFailureIsNotRemembered) {
  if (!own_process({{"CUCORE_DRIVER", "/no/such/driver.so"}})) return;
  const Thrown failure = thrown([] { cuda(); });
  EXPECT_EQ(failure.status, MISSING);
  EXPECT_TRUE(has(failure.message, "/no/such/driver.so (no such file)")) << failure.message;
  EXPECT_EQ(cuda_if_available(), nullptr);
  EXPECT_EQ(device_count(), 0);
  setenv("CUCORE_DRIVER", fake::path("fake_driver").c_str(), 1);
  EXPECT_EQ(device_count(), 2);
}

TEST(DriverChoice, ANameThatIsNoneIsRefused) {
  if (!own_process({{"CUCORE_DRIVER", "gpu"}})) return;
  const Thrown failure = thrown([] { cuda(); });
  EXPECT_EQ(failure.status, static_cast<int>(Status::INVALID_ARGUMENT));
  EXPECT_TRUE(has(failure.message, "CUCORE_DRIVER='gpu'")) << failure.message;
  for (const char* name : {"", "NVIDIA", "nvidia ", "libcuda.so.1", "cpu2"})
    EXPECT_EQ(thrown([&] { select_driver(name); }).status,
              static_cast<int>(Status::INVALID_ARGUMENT))
        << name;
}

TEST(DriverChoice, SelectBeatsTheEnvironmentUntilFirstUse) {
  if (!own_process({{"CUCORE_DRIVER", "/no/such/driver.so"}})) return;
  select_driver("nvidia");
  select_driver(fake::path("fake_driver_12_0"));
  EXPECT_EQ(cuda().version, 12000);
  const Thrown failure = thrown([] { select_driver("auto"); });
  EXPECT_EQ(failure.status, static_cast<int>(Status::INVALID_STATE));
  EXPECT_TRUE(has(failure.message, "fake_driver_12_0.so")) << failure.message;
}

TEST(DriverChoice, ARelativePathIsThatOfTheFolderInWhichItWasChosen) {
  Folder folder;
  folder.add("fake_driver_12_0", "own/driver.so");
  folder.add("fake_driver", "elsewhere/own/driver.so");
  if (!own_process({{"DRIVERS", folder.path()}})) return;
  ASSERT_EQ(chdir(getenv("DRIVERS")), 0);
  select_driver("own/driver.so");
  ASSERT_EQ(chdir("elsewhere"), 0);
  EXPECT_EQ(cuda().version, 12000);
  ASSERT_EQ(chdir(".."), 0);
  select_driver("own/driver.so");
}

bool can_select(const std::string& choice) {
  const Thrown failure = thrown([&] { select_driver(choice); });
  if (failure.status == 0) return true;
  EXPECT_EQ(failure.status, static_cast<int>(Status::INVALID_STATE)) << choice;
  EXPECT_TRUE(has(failure.message, cuda().path)) << failure.message;
  return false;
}

TEST(DriverChoice, TheDriverInUseMayBeChosenAgain) {
  Machine machine("fake_driver", true);
  if (!own_process(machine.with("cpu").environment)) return;
  const std::string path = cuda().path;
  EXPECT_TRUE(can_select("cpu"));
  EXPECT_TRUE(can_select(path));
  EXPECT_TRUE(can_select(path.substr(0, path.rfind('/')) + "/../cpu/libcucore-cpu.so"));
  EXPECT_FALSE(can_select("nvidia"));
  EXPECT_FALSE(can_select("auto")) << "auto takes the NVIDIA driver here";
  EXPECT_FALSE(can_select(fake::path("fake_driver")));
  EXPECT_FALSE(can_select("/no/such/driver.so"));
  EXPECT_EQ(cuda().path, path);
}

TEST(DriverChoice, NvidiaInUseMayBeChosenAgain) {
  const Machine machine("fake_driver", true);
  if (!own_process(machine.environment)) return;
  EXPECT_FALSE(cuda().is_cpu);
  for (const std::string choice : {"auto", "nvidia", cuda().path.c_str()})
    EXPECT_TRUE(can_select(choice)) << choice;
  EXPECT_FALSE(can_select("cpu"));
}

TEST(DriverChoice, NvidiaByNameIsWhatAutoTakes) {
  Machine machine("fake_driver", true);
  if (!own_process(machine.with("nvidia").environment)) return;
  cuda();
  EXPECT_TRUE(can_select("auto"));
}

TEST(DriverChoice, WhatAutoTookMayBeChosenByName) {
  Machine machine("fake_driver_no_device", true);
  if (!own_process(machine.environment)) return;
  EXPECT_TRUE(cuda().is_cpu);
  EXPECT_TRUE(can_select("auto"));
  EXPECT_TRUE(can_select("cpu"));
  EXPECT_FALSE(can_select("nvidia"));
}

TEST(DriverChoice, NvidiaIsLibcuda) {
  Machine machine("fake_driver", true);
  if (!own_process(machine.with("nvidia").environment)) return;
  EXPECT_TRUE(cuda().path.ends_with("/nvidia/libcuda.so.1")) << cuda().path;
}

TEST(DriverChoice, AutoTakesNvidiaWhereItHasADevice) {
  const Machine machine("fake_driver", true);
  if (!own_process(machine.environment)) return;
  Listener listener;
  EXPECT_FALSE(cuda().is_cpu);
  EXPECT_TRUE(listener.messages.empty());
}

TEST(DriverChoice, AutoTakesTheCpuDeviceWhereNvidiaHasNone) {
  Machine machine("fake_driver_no_device", true);
  if (!own_process(machine.with("auto").environment)) return;
  Listener listener;
  EXPECT_TRUE(cuda().is_cpu);
  cuda();
  device_count();
  ASSERT_EQ(listener.messages.size(), 1u);  // reported once
  EXPECT_EQ(listener.messages[0].level, LogLevel::INFO);
  EXPECT_TRUE(has(listener.messages[0].text, "libcucore-cpu.so")) << listener.messages[0].text;
  EXPECT_TRUE(has(listener.messages[0].text, "CUDA_ERROR_NO_DEVICE")) << listener.messages[0].text;
}

TEST(DriverChoice, AutoWarnsOfADriverThatCannotBeUsed) {
  const Machine machine("fake_driver_11_8", true);
  if (!own_process(machine.environment)) return;
  Listener listener;
  EXPECT_TRUE(cuda().is_cpu);
  ASSERT_EQ(listener.messages.size(), 1u);
  EXPECT_EQ(listener.messages[0].level, LogLevel::WARNING);
  EXPECT_TRUE(has(listener.messages[0].text, "driver 11.8 found, 12.0 needed"));
}

TEST(DriverChoice, AutoWithNothingListsEveryPlace) {
  const Machine machine(NOT_A_DRIVER, false);
  if (!own_process(machine.environment)) return;
  const Thrown failure = thrown([] { cuda(); });
  EXPECT_EQ(failure.status, MISSING);
  for (const char* part : {"libcuda.so.1", "is not a CUDA driver", "/usr/lib/wsl/lib/libcuda.so.1",
                           "/usr/local/nvidia/lib64/libcuda.so.1", "libcucore-cpu.so",
                           "no such file", "CUCORE_DRIVER", "CUCORE_CPU"})
    EXPECT_TRUE(has(failure.message, part)) << part << " in " << failure.message;
  EXPECT_EQ(device_count(), 0);
  const LibraryInfo info = query(Library::DRIVER);
  EXPECT_FALSE(info.available);
  EXPECT_STREQ(info.path, "");
  EXPECT_EQ(info.reason, failure.message);
  EXPECT_EQ(query(Library::DRIVER).reason, info.reason) << "asking again keeps no second text";
}

TEST(DriverChoice, TheCpuDeviceIsNeverTakenForNvidia) {
  Machine machine(NOT_A_DRIVER, true);
  if (!own_process(machine.with("nvidia").environment)) return;
  EXPECT_EQ(thrown([] { cuda(); }).status, MISSING);
  EXPECT_EQ(device_count(), 0);
}

TEST(DriverChoice, TheCpuDeviceIsFoundByItsVariable) {
  Machine machine("fake_driver", true);
  if (!own_process(machine.with("cpu").environment)) return;
  EXPECT_TRUE(cuda().is_cpu);
  EXPECT_TRUE(cuda().path.ends_with("/cpu/libcucore-cpu.so")) << cuda().path;
  const LibraryInfo info = query(Library::DRIVER);
  EXPECT_TRUE(info.available);
  EXPECT_EQ(info.path, cuda().path);
  EXPECT_EQ(info.version_major, 13);
  EXPECT_EQ(info.version_minor, 0);
  EXPECT_STREQ(info.reason, "");
}

TEST(DriverChoice, TheVariableOfTheCpuDeviceMayNameItsFolder) {
  Machine machine("fake_driver", true);
  machine.environment["CUCORE_CPU"] = machine.folder.path() + "/cpu";
  if (!own_process(machine.with("cpu").environment)) return;
  EXPECT_TRUE(cuda().is_cpu);
}

TEST(DriverChoice, ACpuDeviceThatWasNamedIsTheOnlyOne) {
  Machine machine("fake_driver", true);
  machine.environment["CUCORE_CPU"] = "/no/such/device.so";
  if (!own_process(machine.with("cpu").environment)) return;
  const Thrown failure = thrown([] { cuda(); });
  EXPECT_EQ(failure.status, MISSING);
  EXPECT_TRUE(has(failure.message, "$CUCORE_CPU=/no/such/device.so")) << failure.message;
  EXPECT_FALSE(has(failure.message, "libcucore-cpu.so")) << failure.message;
}

TEST(DriverChoice, AnOldDriverIsRefusedWithBothVersions) {
  if (!own_process({{"CUCORE_DRIVER", fake::path("fake_driver_11_8")}})) return;
  for (const auto& failure : {thrown([] { cuda(); }), thrown([] { device_count(); })}) {
    EXPECT_EQ(failure.status, static_cast<int>(Status::DRIVER_TOO_OLD));
    EXPECT_TRUE(has(failure.message, "driver 11.8 found, 12.0 needed")) << failure.message;
    EXPECT_TRUE(has(failure.message, "update")) << failure.message;
  }
  const fake::Client fake(fake::path("fake_driver_11_8"));
  EXPECT_EQ(fake.call_count("cuInit"), 0u) << "an old driver is left alone";
}

TEST(DriverChoice, ADriverWithoutADevice) {
  if (!own_process({{"CUCORE_DRIVER", fake::path("fake_driver_no_device")}})) return;
  EXPECT_EQ(device_count(), 0);
  const Thrown failure = thrown([] { cuda(); });
  EXPECT_EQ(failure.status, static_cast<int>(Status::NO_DEVICE));
  EXPECT_TRUE(has(failure.message, "CUDA_ERROR_NO_DEVICE")) << failure.message;
}

TEST(DriverChoice, TheStubForLinkingIsNoDriver) {
  const std::string path = fake::path("fake_driver");
  if (!own_process({{"CUCORE_DRIVER", path}})) return;
  const fake::Client fake(path);
  fake.set_version(-CUDA_ERROR_STUB_LIBRARY);
  Thrown failure = thrown([] { cuda(); });
  EXPECT_EQ(failure.status, MISSING);
  EXPECT_TRUE(has(failure.message, "stub")) << failure.message;
  fake.set_version(13000);
  fake.fail_call("cuInit", 1, CUDA_ERROR_STUB_LIBRARY);
  failure = thrown([] { cuda(); });
  EXPECT_EQ(failure.status, MISSING);
  EXPECT_TRUE(has(failure.message, "stub")) << failure.message;
  EXPECT_EQ(device_count(), 2);
}

TEST(DriverChoice, AnInitialisationThatFailsIsToldAndTriedAgain) {
  const std::string path = fake::path("fake_driver");
  if (!own_process({{"CUCORE_DRIVER", path}})) return;
  const fake::Client fake(path);
  fake.fail_call("cuInit", 1, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
  const Thrown failure = thrown([] { device_count(); });
  EXPECT_EQ(failure.status, static_cast<int>(Status::CUDA));
  EXPECT_TRUE(has(failure.message, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH")) << failure.message;
  EXPECT_TRUE(has(failure.message, path)) << failure.message;
  EXPECT_EQ(device_count(), 2);
}

TEST(EntryPoints, ARequiredOneThatIsMissingIsNamed) {
  if (!own_process({{"CUCORE_DRIVER", fake::path("fake_driver_lacks_required")}})) return;
  const Thrown failure = thrown([] { cuda(); });
  EXPECT_EQ(failure.status, MISSING);
  EXPECT_TRUE(has(failure.message, "lacks cuLibraryLoadData")) << failure.message;
}

TEST(EntryPoints, AnOptionalOneThatIsMissingIsToldWhenNeeded) {
  if (!own_process({{"CUCORE_DRIVER", fake::path("fake_driver_lacks_optional")}})) return;
  EXPECT_EQ(cuda().cuKernelGetParamInfo, nullptr);
  EXPECT_NE(cuda().cuKernelGetName, nullptr);
  EXPECT_EQ(require(cuda().cuKernelGetName, "cuKernelGetName", 12030), cuda().cuKernelGetName);
}

TEST(EntryPoints, TheOldestDriverHasNothingNewer) {
  if (!own_process({{"CUCORE_DRIVER", fake::path("fake_driver_12_0")}})) return;
  const CudaTable& table = cuda();
#define ENTRY(name, since, need) \
  EXPECT_EQ(table.name != nullptr, since <= 12000 || std::string(#need) == "ANY_VERSION") << #name;
#include "driver/cuda_entry_points.inc"
#undef ENTRY
  const Thrown failure =
      thrown([&] { require(table.cuKernelGetParamInfo, "cuKernelGetParamInfo", 12040); });
  EXPECT_EQ(failure.status, static_cast<int>(Status::UNSUPPORTED));
  for (const char* part : {"cuKernelGetParamInfo", "12.4", "12.0"})
    EXPECT_TRUE(has(failure.message, part)) << failure.message;
}

TEST(EntryPoints, ADriverOfTodayHasThemAll) {
  if (!own_process(
          {{"CUCORE_DRIVER", fake::path("fake_driver")}, {"FAKE_DRIVER_VERSION", "13010"}}))
    return;
#define ENTRY(name, since, need) EXPECT_NE(cuda().name, nullptr) << #name;
#include "driver/cuda_entry_points.inc"
#undef ENTRY
}

TEST(EntryPoints, TheTablesAreSortedAndNameNothingTwice) {
  const std::vector<std::vector<std::string>> tables{{
#define ENTRY(name, since, need) #name,
#include "driver/cuda_entry_points.inc"
                                                     },
                                                     {
#include "driver/nvrtc_entry_points.inc"
                                                     },
                                                     {
#include "driver/nvjitlink_entry_points.inc"
#undef ENTRY
                                                     }};
  for (const auto& names : tables)
    for (size_t i = 1; i < names.size(); ++i) EXPECT_LT(names[i - 1], names[i]);
}

}  // namespace
}  // namespace cucore::driver::test
