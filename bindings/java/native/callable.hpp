// SPDX-License-Identifier: Apache-2.0
// A java.util.concurrent.Callable that builds object code inside a call of the library.
#pragma once

#include <jni.h>

#include "builder.hpp"

namespace cucore::java {

class Callable final : public bind::Builder {
 public:
  // Returns false with an exception pending for null.
  bool open(JNIEnv* env, jobject callable);

  cucore_objectcode* build() override;
  void rethrow() override;

 private:
  cucore_objectcode* call();
  cucore_objectcode* share(jobject code);

  JNIEnv* env_ = nullptr;
  jobject callable_ = nullptr;
  jthrowable thrown_ = nullptr;
};

}  // namespace cucore::java
