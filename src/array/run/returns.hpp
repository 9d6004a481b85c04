// SPDX-License-Identifier: Apache-2.0
// Memory of other owners, which goes back to them after the work that uses it.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>

#include "array/run/native.hpp"

namespace cucore::array {

class Returns {
 public:
  Returns(NativeDevice device, NativeStream stream)
      : device_(std::move(device)), stream_(std::move(stream)) {}
  ~Returns();  // waits
  Returns(const Returns&) = delete;
  Returns& operator=(const Returns&) = delete;

  struct Item {
    NativeEvent event;  // empty: none could be made, so that the end of the context waits
    std::function<void()> back;
  };
  using Place = std::list<Item>;  // one item; made in advance, because add() cannot fail
  static Place place(std::function<void()> back);

  // Calls the function after the work that is in the stream now, in a later call of poll().
  void add(Place& place) noexcept;
  // Never waits. The caller holds no lock, because owners may call anything.
  void poll() noexcept;

 private:
  const NativeDevice device_;
  const NativeStream stream_;
  std::mutex mutex_;
  std::list<Item> items_;
  std::atomic<size_t> count_{0};  // of the items; each operation polls
};

}  // namespace cucore::array
