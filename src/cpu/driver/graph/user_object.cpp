// SPDX-License-Identifier: Apache-2.0
// References to user objects, and the thread that ends the objects.
#include "cpu/driver/graph/user_object.hpp"

#include "cpu/driver/queue.hpp"
#include "cpu/driver/stream.hpp"

namespace cucore::cpu {
namespace {

Queue& destroyer() {
  static const auto& queue = *new std::shared_ptr<Queue>(std::make_shared<Queue>());
  return *queue;
}

}  // namespace

void UserObject::retain(uint64_t count) { count_ += count; }

void UserObject::release(uint64_t count) {
  uint64_t now = count_.load();
  do require(now >= count);
  while (!count_.compare_exchange_weak(now, now - count));
  if (now != count) return;
  Registry::instance().remove(ObjectKind::USER_OBJECT, handle_bits());
  Queue::Work work = [data = data_, destroy = destroy_] { run_callback([=] { destroy(data); }); };
  bool claimed = false;
  destroyer().push(work, {}, false, claimed);
}

UserObjectList::UserObjectList(const UserObjectList& other) : counts_(other.counts_) {
  for (const auto& [object, count] : counts_) object->retain(count);
}

UserObjectList& UserObjectList::operator=(UserObjectList other) noexcept {
  counts_.swap(other.counts_);
  return *this;
}

UserObjectList::~UserObjectList() {
  for (const auto& [object, count] : counts_) object->release(count);
}

void UserObjectList::add(const std::shared_ptr<UserObject>& object, uint64_t count) {
  counts_[object] += count;
}

void UserObjectList::remove(const std::shared_ptr<UserObject>& object, uint64_t count) {
  auto found = counts_.find(object);
  require(found != counts_.end() && found->second >= count);
  found->second -= count;
  if (found->second == 0) counts_.erase(found);
  object->release(count);
}

}  // namespace cucore::cpu
