// SPDX-License-Identifier: Apache-2.0
#include "cache/inside.hpp"

#include <utility>

namespace cucore::cache {
namespace {

thread_local const Inside* innermost = nullptr;

}  // namespace

Inside::Inside(const void* owner) : owner_(owner), outer_(std::exchange(innermost, this)) {}

Inside::~Inside() { innermost = outer_; }

bool Inside::of(const void* owner) {
  for (const Inside* at = innermost; at; at = at->outer_)
    if (at->owner_ == owner) return true;
  return false;
}

}  // namespace cucore::cache
