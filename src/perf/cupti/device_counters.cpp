// SPDX-License-Identifier: Apache-2.0
#include "perf/cupti/device_counters.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "perf/cupti/device_context.hpp"
#include "perf/cupti/launch_counters.hpp"
#include "perf/cupti/presets.hpp"
#include "support/concat.hpp"

namespace cucore::perf {
namespace {

constexpr const char* COUNTS = "count launches";

class RangeCounters final : public DeviceCounters {
 public:
  RangeCounters(const cucore_device* device, const CounterRequest& request)
      : context_(device),
        name_(chip_name(cucore_device_ordinal(device), COUNTS)),
        names_(request.metrics) {
    const CurrentContext current(context_.get());
    chip_.emplace(name_, COUNTS);
    metrics_ = choose(device, request);
    counters_.emplace(context_.get(), *chip_, metrics_, COUNTS);
  }
  ~RangeCounters() override {
    try {
      const CurrentContext current(context_.get());
      counters_.reset();
    } catch (const Error&) {
      // The driver is gone, and the counters with it.
    }
  }

  const std::vector<const char*>& metrics() const override { return metrics_; }
  const std::vector<std::string>& unknown() const override { return unknown_; }

  void begin() override {
    const CurrentContext current(context_.get());
    if (!counters_) open();
    counters_->begin();
  }
  std::vector<std::vector<double>> end() override {
    const CurrentContext current(context_.get());
    return counters_->end();
  }
  std::vector<double> count_range(const std::function<void()>& work) override {
    const CurrentContext current(context_.get());
    const Reopened after(*this);
    open();
    return counters_->count_range(work);
  }

 private:
  // The profiler of a range is closed. The next launch opens one for launches.
  class Reopened {
   public:
    explicit Reopened(RangeCounters& counters) : counters_(counters) {}
    ~Reopened() { counters_.counters_.reset(); }
    Reopened(const Reopened&) = delete;
    Reopened& operator=(const Reopened&) = delete;

   private:
    RangeCounters& counters_;
  };

  // A chip makes one plan.
  void open() {
    counters_.reset();
    chip_.emplace(name_, COUNTS);
    counters_.emplace(context_.get(), *chip_, metrics_, COUNTS);
  }

  std::vector<const char*> choose(const cucore_device* device, const CounterRequest& request) {
    std::vector<const char*> metrics;
    const auto add = [&](const char* name) {
      const auto same = [&](const char* other) { return std::strcmp(name, other) == 0; };
      if (std::none_of(metrics.begin(), metrics.end(), same)) metrics.push_back(name);
    };
    if (!request.preset.empty())
      for (const char* const name : metrics_of(preset_of(request.preset), *chip_)) add(name);
    for (const std::string& name : names_) {
      if (chip_->has(name.c_str()))
        add(name.c_str());
      else
        unknown_.push_back(name);
    }
    if (metrics.empty())
      throw Error(Status::NOT_FOUND, concat("the chip of ", cucore_device_name(device),
                                            " has none of the metrics that were requested"));
    if (chip_->has(TIME_METRIC)) add(TIME_METRIC);
    return metrics;
  }

  const DeviceContext context_;
  const std::string name_;  // of the chip
  std::optional<Chip> chip_;
  const std::vector<std::string> names_;  // live as long as the counters, which point to them
  std::vector<std::string> unknown_;
  std::vector<const char*> metrics_;
  std::optional<LaunchCounters> counters_;
};

}  // namespace

std::unique_ptr<DeviceCounters> DeviceCounters::open(const cucore_device* device,
                                                     const CounterRequest& request) {
  require_no_profiler_around(COUNTS);
  return std::make_unique<RangeCounters>(device, request);
}

}  // namespace cucore::perf
