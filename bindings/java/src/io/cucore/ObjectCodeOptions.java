// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.Map;

/** Options for the bytes of object code made elsewhere. */
public final class ObjectCodeOptions {
  //: builder
  final String name; // The name that messages show -> the name
  final String arch; // The architecture, if the bytes do not record it -> "sm_90"
  private final Map<String, String> expressions; // (expression, loweredName): A name for look-ups of a kernel, and its name in the code -> the name for look-ups, "saxpy&lt;float&gt;" -> the name in the code

  String[] expressions() {
    return expressions.keySet().toArray(new String[0]);
  }

  String[] loweredNames() {
    return expressions.values().toArray(new String[0]);
  }
}
