// SPDX-License-Identifier: Apache-2.0
// A Java byte[] during a call, also of one that fails, because SWIG's own clean-up is then left
// out.
#pragma once

#include <jni.h>

#include <cstddef>

namespace cucore::java {

class Elements {
 public:
  Elements() = default;
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;
  ~Elements() {
    if (bytes_) env_->ReleaseByteArrayElements(array_, bytes_, mode_);
  }

  // mode: JNI_ABORT for an array that is only read, 0 for one that is filled. Returns false with an
  // exception pending.
  bool take(JNIEnv* env, jbyteArray array, jint mode) {
    if (!array) return true;
    env_ = env;
    array_ = array;
    mode_ = mode;
    size_ = static_cast<size_t>(env->GetArrayLength(array));
    bytes_ = env->GetByteArrayElements(array, nullptr);
    return bytes_ != nullptr;
  }
  void* data() const { return bytes_; }
  size_t size() const { return size_; }

 private:
  JNIEnv* env_ = nullptr;
  jbyteArray array_ = nullptr;
  jbyte* bytes_ = nullptr;
  size_t size_ = 0;
  jint mode_ = 0;
};

}  // namespace cucore::java
