// SPDX-License-Identifier: Apache-2.0
#include "array/run/returns.hpp"

namespace cucore::array {
namespace {

bool is_done(const NativeEvent& event) {
  if (!event) return false;
  int32_t done = 0;
  cucore_error* error = nullptr;
  if (cucore_event_query(event.get(), &done, &error) == CUCORE_OK) return done != 0;
  cucore_error_release(error);
  return true;  // the device failed: no work uses the memory
}

NativeEvent recorded(const NativeDevice& device, const NativeStream& stream) noexcept {
  try {
    auto event =
        created<NativeEvent>("give memory back", cucore_event_create, device.get(), nullptr);
    call("give memory back", cucore_event_record, event.get(), stream.get());
    return event;
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

Returns::~Returns() {
  if (items_.empty()) return;
  cucore_error* error = nullptr;
  if (cucore_stream_synchronize(stream_.get(), &error) != CUCORE_OK) cucore_error_release(error);
  for (const Item& item : items_) item.back();
}

Returns::Place Returns::place(std::function<void()> back) {
  Place place;
  place.push_back({.event = {}, .back = std::move(back)});
  return place;
}

void Returns::add(Place& place) noexcept {
  place.front().event = recorded(device_, stream_);
  const std::scoped_lock lock(mutex_);
  items_.splice(items_.end(), place);
  ++count_;
}

void Returns::poll() noexcept {
  if (count_.load(std::memory_order_relaxed) == 0) return;
  std::list<Item> ready;
  {
    const std::scoped_lock lock(mutex_);
    for (auto item = items_.begin(); item != items_.end();) {
      const auto next = std::next(item);
      if (is_done(item->event)) {
        ready.splice(ready.end(), items_, item);
        --count_;
      }
      item = next;
    }
  }
  for (const Item& item : ready) item.back();
}

}  // namespace cucore::array
