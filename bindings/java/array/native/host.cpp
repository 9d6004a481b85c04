// SPDX-License-Identifier: Apache-2.0
#include "host.hpp"

#include <cstring>
#include <new>

namespace cucore::java::arrays {
namespace {

// Runs body(memory) with the elements of an array of Java; nothing waits meanwhile.
template <class Body>
void with_held(JNIEnv* env, jobject array, jint mode, Body body) {
  const auto elements = static_cast<jarray>(array);
  void* const data = env->GetPrimitiveArrayCritical(elements, nullptr);
  if (!data) throw std::bad_alloc();
  body(static_cast<char*>(data));
  env->ReleasePrimitiveArrayCritical(elements, data, mode);
}

std::unique_ptr<char[]> room_for(size_t size) {
  return std::unique_ptr<char[]>(new char[size + 1]);  // never null, also for no bytes
}

}  // namespace

HostSource::HostSource(JNIEnv* env, jobject source, jlong offset, jlong size)
    : size_(static_cast<size_t>(size)) {
  if (void* const direct = env->GetDirectBufferAddress(source)) {
    data_ = static_cast<char*>(direct) + offset;
    return;
  }
  copy_ = room_for(size_);
  data_ = copy_.get();
  if (size_ != 0)
    with_held(env, source, JNI_ABORT,
              [&](const char* from) { std::memcpy(copy_.get(), from + offset, size_); });
}

HostTarget::HostTarget(JNIEnv* env, jobject target, jlong offset, jlong size)
    : env_(env),
      target_(target),
      offset_(static_cast<size_t>(offset)),
      size_(static_cast<size_t>(size)) {
  if (void* const direct = env->GetDirectBufferAddress(target)) {
    data_ = static_cast<char*>(direct) + offset_;
    return;
  }
  staging_ = room_for(size_);
  data_ = staging_.get();
}

void HostTarget::finish() {
  if (staging_ && size_ != 0)
    with_held(env_, target_, 0, [&](char* to) { std::memcpy(to + offset_, data_, size_); });
}

}  // namespace cucore::java::arrays
