// SPDX-License-Identifier: Apache-2.0
// The need of one call for device memory, which other threads leave to it.
#pragma once

#include <jni.h>

namespace cucore::java::arrays {

// An exception of Java is pending.
struct Pending {};

class Need {
 public:
  // Waits for other threads that collect, because this call could take what they release.
  explicit Need(JNIEnv* env);
  ~Need();
  Need(const Need&) = delete;
  Need& operator=(const Need&) = delete;

  // Releases arrays that the program has forgotten, after the device memory was exhausted. Returns
  // whether to try again.
  bool collect();

 private:
  JNIEnv* env_;
  jobject patience_ = nullptr;
  bool is_urgent_ = false;
};

}  // namespace cucore::java::arrays
