/// @file cucore/types.hpp
/// The names, keys and times that several topics use.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_TYPES_HPP_INCLUDED
#define CUCORE_TYPES_HPP_INCLUDED

#include <array>
#include <chrono>
#include <cstdint>

#include "base.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

class Stream;
class Queue;
class Event;
class Graph;
class Pool;
class Buffer;
class ObjectCode;

/// 32 bytes that name an entry of a cache: a digest of all that the entry depends on.
using CacheKey = std::array<std::uint8_t, 32>;
/// 16 bytes that name a device on every machine and in every process.
using Uuid = std::array<std::uint8_t, 16>;
/// A time between two events.
using Milliseconds = std::chrono::duration<float, std::milli>;
/// A timeout without an end.
inline constexpr std::chrono::nanoseconds NO_TIMEOUT{-1};

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_TYPES_HPP_INCLUDED
