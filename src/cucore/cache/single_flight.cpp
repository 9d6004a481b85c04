// SPDX-License-Identifier: Apache-2.0
#include "cache/single_flight.hpp"

namespace cucore::cache {

bool SingleFlight::Flight::wait(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, time, [&] { return done_; });
}

std::shared_ptr<SingleFlight::Flight> SingleFlight::join(const container::Digest& key,
                                                         bool& leads) {
  std::lock_guard lock(mutex_);
  auto& flight = flights_[key];
  leads = !flight;
  if (leads) flight = std::make_shared<Flight>();
  return flight;
}

void SingleFlight::finish(const container::Digest& key, Flight& flight, Ref<const Object> object,
                          std::optional<Error> error) {
  {
    std::lock_guard lock(mutex_);
    flights_.erase(key);
  }
  std::lock_guard lock(flight.mutex_);
  flight.object_ = std::move(object);
  flight.error_ = std::move(error);
  flight.done_ = true;
  flight.changed_.notify_all();
}

}  // namespace cucore::cache
