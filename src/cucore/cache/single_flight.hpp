// SPDX-License-Identifier: Apache-2.0
// One build per key inside a process: the first thread builds, and the others wait for its result.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "cache/memory_tier.hpp"
#include "support/error.hpp"

namespace cucore::cache {

class SingleFlight {
 public:
  // The build of one key.
  class Flight {
   public:
    // Returns true after the end of the build, and false after the time limit.
    bool wait(std::chrono::milliseconds time);
    // Returns the result; null if the build failed.
    const Ref<const Object>& object() const { return object_; }
    // Returns the failure, if every other thread would fail in the same way.
    const std::optional<Error>& error() const { return error_; }

   private:
    friend class SingleFlight;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool done_ = false;
    Ref<const Object> object_;
    std::optional<Error> error_;
  };

  // Returns the build in progress, or a new one, which the caller must finish.
  std::shared_ptr<Flight> join(const container::Digest& key, bool& leads);
  void finish(const container::Digest& key, Flight& flight, Ref<const Object> object,
              std::optional<Error> error);

 private:
  std::mutex mutex_;
  DigestMap<std::shared_ptr<Flight>> flights_;
};

// Finishes a flight on every path, so that no thread waits for a build that has ended.
class FlightFinisher {
 public:
  FlightFinisher(SingleFlight& flights, const container::Digest& key, SingleFlight::Flight& flight)
      : flights_(flights), key_(key), flight_(flight) {}
  FlightFinisher(const FlightFinisher&) = delete;
  FlightFinisher& operator=(const FlightFinisher&) = delete;
  ~FlightFinisher() { flights_.finish(key_, flight_, std::move(object), std::move(error)); }

  Ref<const Object> object;
  std::optional<Error> error;

 private:
  SingleFlight& flights_;
  const container::Digest key_;
  SingleFlight::Flight& flight_;
};

}  // namespace cucore::cache
