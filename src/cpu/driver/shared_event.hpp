// SPDX-License-Identifier: Apache-2.0
// The state of an interprocess event: two counters in memory that its processes map. A record takes
// the next number; the event is complete if that number, or a later one, is.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "cpu/exec/shared_memory.hpp"

namespace cucore::cpu {

class SharedEvent {
 public:
  static std::shared_ptr<SharedEvent> create(int device);  // nullptr: memory is exhausted
  static std::shared_ptr<SharedEvent> open(std::shared_ptr<SharedMemory> memory);
  ~SharedEvent();
  SharedEvent(const SharedEvent&) = delete;
  SharedEvent& operator=(const SharedEvent&) = delete;

  const SharedMemory& memory() const { return *memory_; }
  uint64_t begin_record();
  void complete(uint64_t number);
  uint64_t last() const;  // number of the last record in any process
  // Also true if the process that recorded last has ended, because its work has ended too.
  bool done(uint64_t number) const;
  // Returns early if `given_up` returns true.
  void wait(uint64_t number, const std::function<bool()>& given_up) const;

 private:
  struct Page {
    std::atomic<uint64_t> recorded{0};
    std::atomic<uint64_t> completed{0};
    std::atomic<int32_t> process{0};  // of the last record
  };
  SharedEvent(std::shared_ptr<SharedMemory> memory, Page* page);
  bool complete_until(uint64_t number) const;
  const std::shared_ptr<SharedMemory> memory_;
  Page* const page_;
};

}  // namespace cucore::cpu
