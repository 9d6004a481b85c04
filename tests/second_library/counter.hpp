// SPDX-License-Identifier: Apache-2.0
// The object behind a second_counter, and its handles.
#pragma once

#include <atomic>

#include "second.h"
#include "support/handles.hpp"

struct second_counter : cucore::HandleHead {};

namespace second {

class Counter final : public cucore::Object {
 public:
  Counter(int32_t first, int32_t end, bool wraps)
      : first_(first), end_(end), wraps_(wraps), value_(first) {}

  int32_t value() const noexcept { return value_.load(); }
  int32_t step();

 private:
  ~Counter() override = default;

  const int32_t first_, end_;
  const bool wraps_;
  std::atomic<int32_t> value_;
};

}  // namespace second

namespace cucore {

template <>
struct HandleTraits<second_counter> {
  using Object = second::Counter;
  static constexpr HandleType TYPE = handle_type(HandleLibrary::TEST, 1);
  static constexpr const char* NAME = "second_counter";
  static HandlePool pool;
};
template <>
struct HandleTraits<second::Counter> {
  using Handle = second_counter;
};

}  // namespace cucore
