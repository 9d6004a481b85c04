// SPDX-License-Identifier: Apache-2.0
// Elements in memory of Java: a primitive array, or a direct buffer.
#pragma once

#include <jni.h>

#include <memory>
#include <string>
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

// Throws INVALID_ARGUMENT if an array of Java has no room for so many elements.
inline size_t java_size(size_t size) {
  constexpr size_t MOST = 2147483647 - 8;  // the most that virtual machines allocate
  if (size <= MOST) return size;
  throw bind::Failure(CUCORE_ERROR_INVALID_ARGUMENT, "the result has " + std::to_string(size) +
                                                         " elements; an array of Java has " +
                                                         "at most " + std::to_string(MOST));
}

// The result of a call that returns its size first. The size may grow between two calls.
template <class Function, class... Arguments>
std::vector<char> sized(Function* function, Arguments... arguments) {
  std::vector<char> bytes;
  size_t size = 0;
  do {
    bytes.resize(java_size(size));
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
