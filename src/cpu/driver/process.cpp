// SPDX-License-Identifier: Apache-2.0
// cuInit, and the effects of a fork and of the end of the process.
#include "cpu/driver/process.hpp"

#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "cpu/checks/reports.hpp"
#include "cpu/driver/check_session.hpp"
#include "cpu/driver/control.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/failure.hpp"

namespace cucore::cpu {
namespace {

std::atomic<Life> g_life{Life::UNINITIALISED};
std::atomic<Process*> g_process{nullptr};

// A child has none of the parent's threads, which streams and executor rely on, and may have
// inherited locked mutexes. Only this flag is written here.
void on_fork_in_child() { g_life.store(Life::FORKED_CHILD, std::memory_order_relaxed); }

// Streams may have work at the end of the process, so no state is destroyed. A copy of the process
// that a fork has made leaves the reports to the other one.
void at_end(int status, void*) {
  const bool is_copy = life() == Life::FORKED_CHILD;
  g_life.store(Life::EXITING, std::memory_order_release);
  const DriverSettings& settings = g_process.load()->settings;
  if (is_copy || !settings.checks || is_session_running()) return;
  settings.check_output.write();
  // glibc then runs the remaining handlers, and flushes the files, with the new status.
  if (status == 0 && settings.check_output.exit_code != 0 && Reports::instance().size() != 0)
    std::exit(settings.check_output.exit_code);
}

void report_seed(const Schedule& schedule) {
  if (schedule.chosen)
    std::fprintf(stderr, "CUCORE_CPU_SCHEDULE=%s repeats this order\n",
                 random_text(schedule).c_str());
}

}  // namespace

Life life() noexcept { return g_life.load(std::memory_order_acquire); }

Process::Process(DriverSettings s) : settings(std::move(s)) {
  configure(settings.executor);
  enable_checks(settings.checks);
  stop_at_reports(settings.stop_at_reports);
  set_schedule(settings.schedule);
  report_seed(settings.schedule);
  Reports::instance().suppress(settings.suppressions);
  const Profile* profile = find_profile(settings.profile);
  require(profile != nullptr, CUDA_ERROR_INVALID_DEVICE);
  for (int i = 0; i < settings.devices; ++i)
    devices_.push_back(std::make_unique<Device>(i, *profile, settings.memory));
}

CUresult Process::init() {
  static std::mutex& mutex = *new std::mutex;
  Life now = life();
  if (now == Life::FORKED_CHILD) return CUDA_ERROR_NOT_INITIALIZED;
  if (now == Life::EXITING) return CUDA_ERROR_DEINITIALIZED;
  std::lock_guard lock(mutex);
  if (life() == Life::READY) return CUDA_SUCCESS;
  DriverSettings settings = settings_from_environment();
  note_load_log(settings.wrong);
  if (!settings.wrong.empty()) return CUDA_ERROR_INVALID_VALUE;
  if (settings.devices == 0) {
    note_load_log("CUCORE_CPU_DEVICES is 0");
    return CUDA_ERROR_NO_DEVICE;
  }
  if (!find_profile(settings.profile)) {
    note_load_log("CUCORE_CPU_PROFILE is '" + settings.profile +
                  "', not sm_75, sm_80, sm_89, sm_90 or sm_100");
    return CUDA_ERROR_INVALID_DEVICE;
  }
  g_process.store(new Process(std::move(settings)));  // never destroyed
  pthread_atfork(nullptr, nullptr, on_fork_in_child);
  ::on_exit(at_end, nullptr);
  g_life.store(Life::READY, std::memory_order_release);
  return CUDA_SUCCESS;
}

void Process::limit_memory(std::optional<uint64_t> limit) const {
  for (const auto& device : devices_) device->set_memory_limit(limit.value_or(device->memory()));
}

Process& Process::get() { return *g_process.load(std::memory_order_acquire); }

Device& Process::device(CUdevice ordinal) const {
  require(ordinal >= 0 && static_cast<size_t>(ordinal) < devices_.size(),
          CUDA_ERROR_INVALID_DEVICE);
  return *devices_[static_cast<size_t>(ordinal)];
}

}  // namespace cucore::cpu
