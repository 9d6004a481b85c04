// SPDX-License-Identifier: Apache-2.0
// For builds without the headers of CUPTI.
#include "perf/cupti/activity.hpp"
#include "perf/cupti/device_counters.hpp"
#include "perf/cupti/passes.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::perf {
namespace {

[[noreturn]] void throw_no_support(const char* attempt) {
  throw Error(Status::UNSUPPORTED,
              concat("cannot ", attempt,
                     ": this build of libcucore-perf has no support of CUPTI; build it with the "
                     "headers of CUPTI"));
}

}  // namespace

int32_t preset_passes(const std::string&, std::string_view) {
  throw_no_support("count the passes of a preset");
}

std::unique_ptr<DeviceCounters> DeviceCounters::open(const cucore_device*, const CounterRequest&) {
  throw_no_support("count launches");
}

std::unique_ptr<ActivityFeed> ActivityFeed::open(Receiver) { throw_no_support("record activity"); }

}  // namespace cucore::perf
