// One builder a key inside a process: the first asks for it, the others wait for what comes of it.
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

class Flights {
 public:
  class Flight {
   public:
    // True once the builder is through; false after the time is up.
    bool wait(std::chrono::milliseconds time);
    // What it built; null where it failed.
    const Ref<const Object>& object() const { return object_; }
    // How it failed, where anyone else would fail so too.
    const std::optional<Error>& error() const { return error_; }

   private:
    friend class Flights;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool done_ = false;
    Ref<const Object> object_;
    std::optional<Error> error_;
  };

  // One that is in the air, or a new one, which the caller must land.
  std::shared_ptr<Flight> join(const container::Digest& key, bool& leads);
  void land(const container::Digest& key, Flight& flight, Ref<const Object> object,
            std::optional<Error> error);

 private:
  std::mutex mutex_;
  std::unordered_map<container::Digest, std::shared_ptr<Flight>, DigestHash> flights_;
};

}  // namespace cucore::cache
