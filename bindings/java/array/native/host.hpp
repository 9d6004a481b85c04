// SPDX-License-Identifier: Apache-2.0
// Elements in memory of Java: a primitive array, or a direct buffer.
#pragma once

#include <jni.h>

#include <memory>
#include <vector>

#include "failure.hpp"

namespace cucore::java::arrays {

// Elements that C reads. They stay where they are: in the direct buffer, or in a copy.
class HostSource {
 public:
  HostSource(JNIEnv* env, jobject source, jlong offset, jlong size);
  const void* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  std::unique_ptr<char[]> copy_;
  const char* data_;
  size_t size_;
};

// Memory that C fills. finish() copies it to an array of Java.
class HostTarget {
 public:
  HostTarget(JNIEnv* env, jobject target, jlong offset, jlong size);
  void* data() const { return data_; }
  size_t size() const { return size_; }
  void finish();

 private:
  JNIEnv* env_;
  jobject target_;
  size_t offset_;
  size_t size_;
  std::unique_ptr<char[]> staging_;
  char* data_;
};

// The result of a call that returns its size first. The size may grow between two calls.
template <class Function, class... Arguments>
std::vector<char> sized(Function* function, Arguments... arguments) {
  std::vector<char> bytes;
  size_t size = 0;
  do {
    bytes.resize(size);
    cucore_error* error = nullptr;
    const cucore_status status =
        function(arguments..., bytes.empty() ? nullptr : bytes.data(), bytes.size(), &size, &error);
    if (status != CUCORE_OK && status != CUCORE_ERROR_BUFFER_TOO_SMALL)
      throw bind::Failure(status, error);
    cucore_error_release(error);
  } while (bytes.size() < size);
  bytes.resize(size);
  return bytes;
}

}  // namespace cucore::java::arrays
