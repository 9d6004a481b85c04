// SPDX-License-Identifier: Apache-2.0
// Functions of the caller that this thread is running, so that what they must not call refuses.
#pragma once

namespace cucore::cache {

class Inside {
 public:
  // Until it is destroyed, this thread runs a function on behalf of `owner`.
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
