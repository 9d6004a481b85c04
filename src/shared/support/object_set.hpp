// SPDX-License-Identifier: Apache-2.0
// Objects that one owner keeps, each by one reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/ref.hpp"

namespace cucore {

class ObjectSet {
 public:
  size_t size() const { return objects_.size(); }

  bool contains(const Object& object) const noexcept {
    return !places_.empty() && *find(object) == &object;
  }

  // Keeps an object that is not in the set. Throws std::bad_alloc; the set is then unchanged.
  void add(const Object& object) {
    if (2 * (objects_.size() + 1) > places_.size()) grow();
    objects_.emplace_back(&object);
    *const_cast<const Object**>(find(object)) = &object;
  }

  // Returns the objects after the first `size`. Throws std::bad_alloc.
  std::vector<Ref<const Object>> newest(size_t size) const {
    return {objects_.begin() + static_cast<std::ptrdiff_t>(size), objects_.end()};
  }

  // Drops the newest objects, so that `size` are left.
  void shrink(size_t size) noexcept {
    while (objects_.size() > size) {
      // No object was added after it, so none has passed its place.
      *const_cast<const Object**>(find(*objects_.back())) = nullptr;
      objects_.pop_back();
    }
  }

  void clear() noexcept {
    places_ = {};
    objects_ = {};
  }

 private:
  static constexpr size_t FEWEST = 16;

  // Returns the place of the object, or the free one where it would be.
  const Object* const* find(const Object& object) const noexcept {
    constexpr uint64_t GOLDEN = 0x9e3779b97f4a7c15;
    const size_t mask = places_.size() - 1;
    size_t place = ((reinterpret_cast<uintptr_t>(&object) * GOLDEN) >> 32) & mask;
    while (places_[place] && places_[place] != &object) place = (place + 1) & mask;
    return &places_[place];
  }
  // The objects are added again in their order; see shrink().
  void grow() {
    std::vector<const Object*> more(places_.empty() ? FEWEST : 2 * places_.size());
    objects_.reserve(more.size() / 2);
    std::swap(places_, more);
    for (const Ref<const Object>& object : objects_)
      *const_cast<const Object**>(find(*object)) = object.get();
  }

  std::vector<const Object*> places_;  // a table of a power of 2; null: free
  std::vector<Ref<const Object>> objects_;
};

}  // namespace cucore
