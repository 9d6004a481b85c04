/// @file cucore/observer.hpp
/// Observers: functions that are called before and after operations.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_OBSERVER_HPP_INCLUDED
#define CUCORE_OBSERVER_HPP_INCLUDED

#include <cstdint>
#include <memory>
#include <utility>

#include "error.hpp"
#include "options.hpp"
#include "types.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

/// One operation, valid during a call of an observer. The fields are those of C.
using Operation = cucore_operation;

/// Launches that are counted in place of an observation. The fields are those of C.
using LaunchTally = cucore_launch_tally;

/// Lets the next launches like this one be counted in the tally. Call it in `begin` of a launch;
/// the tally must live as long as the observer. Returns whether they are counted.
inline bool set_tally(const Operation& operation, LaunchTally& tally) noexcept {
  return cucore_operation_tally(&operation, &tally) != 0;
}

/// The bits of kinds of operations: `observed(OperationKind::copy, OperationKind::fill)`.
template <class... Kinds>
constexpr std::uint32_t observed(Kinds... kinds) noexcept {
  return (std::uint32_t{0} | ... | static_cast<std::uint32_t>(kinds));
}

/// Functions that are called around the operations of the process, until the last reference is
/// released.
class Observer : public Owner<Observer, cucore_observer> {
 public:
  Observer() noexcept {}

  /// Calls `begin(operation, state)` before each operation of the kinds, and `end(operation,
  /// state)` after it, on the thread of the operation. `state` is a `void*&`, which end receives
  /// from begin. The functions must not throw; an exception is dropped.
  /// @param kinds  of observed(); 0: all
  template <class Begin, class End>
  static Returned<Observer> create(std::uint32_t kinds, Begin begin, End end) {
    struct Functions {
      Begin begin;
      End end;
    };
    auto kept = std::make_unique<Functions>(Functions{std::move(begin), std::move(end)});
    cucore_observer_options c = CUCORE_OBSERVER_OPTIONS_INIT;
    c.kinds = kinds;
    c.begin = [](const cucore_operation* operation, void** state, void* data) {
      detail::Captured().run([&] { static_cast<Functions*>(data)->begin(*operation, *state); });
    };
    c.end = [](const cucore_operation* operation, void** state, void* data) {
      detail::Captured().run([&] { static_cast<Functions*>(data)->end(*operation, *state); });
    };
    c.user_data = kept.get();
    c.destroy = [](void* data) { delete static_cast<Functions*>(data); };
    auto observer = make<Observer>(cucore_observer_create, &c);
    if (observer) static_cast<void>(kept.release());
    return observer;
  }
};

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_OBSERVER_HPP_INCLUDED
