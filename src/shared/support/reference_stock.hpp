// SPDX-License-Identifier: Apache-2.0
// References to a few objects that one owner adds and drops many times. The stock adds and drops
// several at a time, because each change of a count is an atomic operation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "support/ref.hpp"

namespace cucore {

// One thread at a time may use a stock.
class ReferenceStock {
 public:
  ReferenceStock() = default;
  ~ReferenceStock() { clear(); }
  ReferenceStock(const ReferenceStock&) = delete;
  ReferenceStock& operator=(const ReferenceStock&) = delete;

  // Returns a new reference if the stock keeps the object alive, else null. Only the address is
  // compared, so the object may have ended.
  template <class T>
  Ref<const T> take_known(const T* object) noexcept {
    Entry* const entry = find(object);
    if (!entry) return nullptr;
    if (--entry->spare == 0) [[unlikely]]
      object->add_references(entry->spare = STEP);
    return Ref<const T>::adopt(object);
  }

  // Returns a new reference. The stock keeps the object until it needs the room for another one.
  template <class T>
  Ref<const T> take(const T& object) noexcept {
    if (Ref<const T> known = take_known(&object)) [[likely]]
      return known;
    add(object);
    return Ref<const T>::adopt(&object);
  }

  // Takes over a reference.
  void put(const Object* object) noexcept {
    if (Entry* const entry = find(object)) [[likely]]
      ++entry->spare;
    else
      object->drop_reference();
  }

  // Gives all references to an empty stock.
  void move_to(ReferenceStock& empty) noexcept {
    empty.places_ = std::exchange(places_, decltype(places_)());
  }

  // Keeps no object from now on.
  void clear() noexcept {
    for (Places& places : places_)
      for (Entry& entry : places)
        if (const Object* const object = std::exchange(entry.object, nullptr))
          object->drop_references(entry.spare);
  }

 private:
  struct Entry {
    const Object* object = nullptr;
    uint32_t spare = 0;  // references of the stock; at least 1 of an object
  };
  // Each object has two places. The bits of its address that differ most decide which.
  using Places = std::array<Entry, 2>;
  static constexpr unsigned BITS = 4;
  static constexpr uint32_t STEP = 64;

  Places& places_of(const Object* object) noexcept {
    constexpr uint64_t GOLDEN = 0x9e3779b97f4a7c15;
    return places_[(reinterpret_cast<uintptr_t>(object) * GOLDEN) >> (64 - BITS)];
  }
  Entry* find(const Object* object) noexcept {
    auto& [newer, older] = places_of(object);
    if (newer.object == object) return &newer;
    return older.object == object ? &older : nullptr;
  }
  // Adds a reference of the stock and one of the caller.
  [[gnu::noinline]] void add(const Object& object) noexcept {
    object.add_references(2);
    auto& [newer, older] = places_of(&object);
    const Entry before = std::exchange(older, std::exchange(newer, Entry{&object, 1}));
    if (before.object) before.object->drop_references(before.spare);
  }

  std::array<Places, 1 << BITS> places_;
};

}  // namespace cucore
