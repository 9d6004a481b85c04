// SPDX-License-Identifier: Apache-2.0
#include "cache/inside.hpp"

#include <utility>

namespace cucore::cache {
namespace {

thread_local const Inside* innermost_call = nullptr;

}  // namespace

Inside::Inside(const void* owner) : owner_(owner), outer_(std::exchange(innermost_call, this)) {}

Inside::~Inside() { innermost_call = outer_; }

bool Inside::of(const void* owner) {
  for (const Inside* at = innermost_call; at; at = at->outer_)
    if (at->owner_ == owner) return true;
  return false;
}

}  // namespace cucore::cache
