// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.Collection;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Texts of objects: a closed object has a text as well, and the call never fails. */
final class Said {
  private static final int LONGEST = 60;

  private Said() {}

  static String of(String type, BooleanSupplier isClosed, Supplier<String> facts) {
    if (!isClosed.getAsBoolean()) {
      try {
        return type + " " + facts.get();
      } catch (CucoreException e) {
        // closed meanwhile, or its device is broken
      }
    }
    return type + (isClosed.getAsBoolean() ? " (closed)" : "");
  }

  /** Describes a native handle and its device. */
  static String handle(long handle, CudaDevice device) {
    try (CudaDevice of = device) {
      return "0x" + Long.toHexString(handle) + " of device " + of.getOrdinal();
    }
  }

  /** "1 byte", "2 bytes". */
  static String counted(long count, String noun) {
    return count + " " + noun + (count == 1 ? "" : "s");
  }

  static String fields(Map<String, ?> fields) {
    StringBuilder text = new StringBuilder();
    fields.forEach((name, value) -> {
      if (value != null) {
        text.append(text.length() == 0 ? "" : ", ").append(name).append('=').append(shortly(value));
      }
    });
    return text.length() == 0 ? "defaults" : text.toString();
  }

  private static String shortly(Object value) {
    if (value instanceof byte[]) {
      return counted(((byte[]) value).length, "byte");
    }
    if (value instanceof Collection) {
      StringBuilder all = new StringBuilder();
      ((Collection<?>) value).forEach(each -> all.append(all.length() == 0 ? "" : ", ").append(shortly(each)));
      return "[" + all + "]";
    }
    String text = String.valueOf(value);
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
  }
}
