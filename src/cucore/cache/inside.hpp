// SPDX-License-Identifier: Apache-2.0
// Marks functions of the caller that this thread runs, so that functions which they must not call
// can refuse.
#pragma once

namespace cucore::cache {

class Inside {
 public:
  // Until its destruction, this thread runs a function on behalf of `owner`.
  explicit Inside(const void* owner);
  ~Inside();
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  static bool of(const void* owner);

 private:
  const void* const owner_;
  const Inside* const outer_;
};

}  // namespace cucore::cache
