// SPDX-License-Identifier: Apache-2.0
// The class of io.cucore of each handle type, and its number in calls between the two libraries.
#pragma once

#include <jni.h>

#include "handle_types.hpp"  // generated

namespace cucore::java {

enum class HandleType : jint {
#define CUCORE_NUMBER(Class, type, name) Class,
  CUCORE_HANDLES(CUCORE_NUMBER)
#undef CUCORE_NUMBER
};

template <class Handle>
struct JavaClass;

#define CUCORE_JAVA_CLASS(Class, type, name)                             \
  template <>                                                            \
  struct JavaClass<type> {                                               \
    static constexpr jint NUMBER = static_cast<jint>(HandleType::Class); \
    static constexpr const char* PATH = "io/cucore/" #name;              \
    static constexpr const char* GET_LEASE = "(Lio/cucore/" #name ";)J"; \
  };
CUCORE_HANDLES(CUCORE_JAVA_CLASS)
#undef CUCORE_JAVA_CLASS

}  // namespace cucore::java
