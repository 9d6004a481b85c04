// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.Map;

/** What goes with the bytes of object code made elsewhere. */
public final class ObjectCodeOptions {
  //: builder
  final String name; // The name that messages show -> the name
  final String arch; // The architecture, where the bytes do not say it themselves -> "sm_90"
  private final Map<String, String> expressions; // (expression, loweredName): A name under which a kernel is to be found, and the name that it has in the code -> as it is asked for, "saxpy&lt;float&gt;" -> as it is in the code

  String[] expressions() {
    return expressions.keySet().toArray(new String[0]);
  }

  String[] loweredNames() {
    return expressions.values().toArray(new String[0]);
  }
}
