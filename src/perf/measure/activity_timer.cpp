// SPDX-License-Identifier: Apache-2.0
#include "perf/measure/activity_timer.hpp"

#include <algorithm>

#include "support/error.hpp"

namespace cucore::perf {
namespace {

const DeviceOwner& require_records(const DeviceOwner& device) {
  if (cucore_device_is_emulated(device.get()) != 0)
    throw Error(Status::UNSUPPORTED,
                "cucore_measurement_options.clock is ACTIVITY, and CUPTI does not record the CPU "
                "device; use EVENTS");
  return device;
}

}  // namespace

ActivityTimer::ActivityTimer(const DeviceOwner& device)
    : device_(require_records(device)),
      ordinal_(static_cast<uint32_t>(cucore_device_ordinal(device.get()))),
      feed_(ActivityFeed::open([this](const Activity& activity) { receive(activity); })) {
  feed_->enable();
}

void ActivityTimer::receive(const Activity& activity) {
  if (activity.device != ordinal_) return;
  const std::lock_guard lock(mutex_);
  first_ = has_work_ ? std::min(first_, activity.start) : activity.start;
  last_ = has_work_ ? std::max(last_, activity.end) : activity.end;
  has_work_ = true;
}

void ActivityTimer::take_records() {
  feed_->wait(device_.get());
  feed_->flush();
}

void ActivityTimer::begin() {
  take_records();
  const std::lock_guard lock(mutex_);
  has_work_ = false;
}

double ActivityTimer::end() {
  take_records();
  const std::lock_guard lock(mutex_);
  if (!has_work_)
    throw Error(Status::UNSUPPORTED,
                "cucore_measurement_options.clock is ACTIVITY, and CUPTI recorded no kernel, copy "
                "or fill of a sample; use EVENTS or HOST");
  return static_cast<double>(last_ - first_) * 1e-9;
}

}  // namespace cucore::perf
