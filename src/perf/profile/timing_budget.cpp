// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/timing_budget.hpp"

#include <algorithm>
#include <cmath>

namespace cucore::perf {
namespace {

constexpr double NEWEST = 1.0 / 8;       // the share of a timed call in the mean of their costs
constexpr double MOST_HOST_COST = 5e-5;  // seconds; a call that takes longer was interrupted
constexpr double MOST_SAVED = 32;        // timed calls that idle time pays for in advance

}  // namespace

double TimingBudget::wall() const { return std::max(now_ - begin_, longest_); }

void TimingBudget::end_window(double now) {
  credit_ = std::min(credit_ + fraction_ * wall() - spent_, MOST_SAVED * cost());
  concurrency_ = std::max(1.0, work_ / wall());
  spent_ = work_ = longest_ = 0;
  streams_.clear();
  begin_ = now;
}

void TimingBudget::add_work(const void* stream, double seconds, double now) {
  now_ = std::max(now, now_);
  if (now_ - begin_ >= WINDOW) end_window(now_);
  work_ += seconds;
  longest_ = std::max(longest_, streams_[stream] += seconds);
}

void TimingBudget::add_timing(double seconds) {
  const double host = std::clamp(seconds, 0.0, MOST_HOST_COST);
  host_cost_ += NEWEST * (host - host_cost_);
  spent_ += host + DEVICE_COST;
}

double TimingBudget::probability(double mean) const {
  if (std::isnan(mean)) return 0;
  const double wall_now = wall();
  const double now = wall_now > 0 ? work_ / wall_now : 1;
  return std::clamp(fraction_ * mean / (cost() * std::max(concurrency_, now)), 0.0, 1.0);
}

bool TimingBudget::pays() const { return credit_ + fraction_ * wall() >= spent_ + cost(); }

Spacing draw_spacing(double mean, uint64_t sequence) {
  constexpr uint64_t OTHER_NUMBERS = 0x5bf03635aca5a0a1u;  // than those of the choice of calls
  const double bounded = std::max(mean, 1.0);
  const double drawn = 1 + std::floor(draw(sequence ^ OTHER_NUMBERS) * (2 * bounded - 1));
  return {bounded, static_cast<uint32_t>(drawn)};
}

}  // namespace cucore::perf
