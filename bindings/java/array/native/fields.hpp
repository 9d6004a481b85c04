// SPDX-License-Identifier: Apache-2.0
// The fields of Java's objects that native code reads.
#pragma once

#include <jni.h>

namespace cucore::java::arrays {

// Of classes of this jar. Their class loader owns this library, so the fields live as long.
struct Fields {
  jfieldID operand_lease, kind, integer, real, imag;
  jfieldID item_kind, item_given, item_start, item_stop, item_step, item_array;
  jfieldID handle_lease;
};

extern Fields fields;

}  // namespace cucore::java::arrays
