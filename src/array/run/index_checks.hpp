// SPDX-License-Identifier: Apache-2.0
// Kernels read elements at indices that were computed on the device. Each such access has a check,
// which the kernel fails if an index is out of range. The memory that is computed by the access
// keeps the check, and so does memory that later kernels compute from it.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "array/codegen/code.hpp"
#include "array/run/native.hpp"

namespace cucore::array {

struct IndexCheck {
  struct Place {
    int64_t axis;
    std::shared_ptr<const std::string> name;  // of the array of indices
  };
  uint64_t number;  // of the launch
  size_t report;    // of the launch
  std::vector<Place> places = {};
  bool is_settled = false;
  std::exception_ptr failure = {};  // of a check that is settled
};
using IndexCheckRef = std::shared_ptr<IndexCheck>;

// A set of checks, in the order of their launches.
class CheckSet {
 public:
  void add(const IndexCheckRef& check);
  // Adds those that have failed or may fail.
  void add(const CheckSet& other);
  bool empty() const noexcept { return checks_.empty(); }
  // Of the first launch that has failed; empty if none has.
  std::exception_ptr failure() const;
  // The latest launch with a check; 0 without checks.
  uint64_t latest() const noexcept { return checks_.empty() ? 0 : checks_.back()->number; }

 private:
  std::vector<IndexCheckRef> checks_;
};

// The checks of a context that are not settled.
class IndexChecks {
 public:
  static constexpr size_t CAPACITY = 1024;  // launches
  // That wait for a report. Readers of the elements get the failures beyond it.
  static constexpr size_t MOST_FAILURES = 1024;

  struct Launch {
    uint64_t address = 0;  // of the reports
    std::vector<IndexCheckRef> checks = {};
  };
  // The checks of a launch. Expects !is_full().
  Launch add(const Kernel& kernel, const NativeDevice& device);
  bool is_full() const noexcept { return open_.size() == CAPACITY; }
  // The kernel of the latest launch is in the stream.
  void add_end(const NativeStream& stream) noexcept;
  // Whether the launch is not settled.
  bool is_open(uint64_t number) const noexcept {
    return !open_.empty() && number >= open_.front().number;
  }
  // Happens after the launch; empty if that is settled, or if the driver refused the event.
  NativeEvent end_of(uint64_t number) const;

  uint64_t latest() const noexcept { return number_; }
  // The launches up to this number have ended.
  void settle(uint64_t number);
  // Throws the first failure that no call has reported yet.
  void throw_new_failure();
  void set_reported(const std::exception_ptr& failure);

 private:
  struct Open {
    uint64_t number;
    size_t block;  // of INDEX_REPORTS reports
    std::vector<IndexCheckRef> checks;
    bool has_end = false;
  };
  void allocate(const NativeDevice& device);
  IndexReport* reports(size_t block) const;

  NativeBuffer buffer_;            // host memory that kernels write to
  std::vector<NativeEvent> ends_;  // by block
  std::vector<size_t> free_;
  std::vector<Open> open_;
  std::deque<std::exception_ptr> new_failures_;
  uint64_t number_ = 0;
};

}  // namespace cucore::array
