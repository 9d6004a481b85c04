// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** Checks arguments of methods: all refuse in the same way, with an exception that names the argument. */
final class Given {
  private Given() {}

  static <T> T notNull(T value, String name) {
    if (value == null) {
      throw CucoreException.invalid(name + " is null" + (name.equals("stream") ? "; create one by new CudaStream(device)" : ""));
    }
    return value;
  }

  /** Requires that neither the array nor its elements are null. */
  static <T> T[] noneNull(T[] values, String name) {
    notNull(values, name);
    for (int i = 0; i < values.length; ++i) {
      if (values[i] == null) {
        throw CucoreException.invalid(name + "[" + i + "] is null");
      }
    }
    return values;
  }

  /** Encodes a text as UTF-8, which cannot represent half of a surrogate pair. */
  static byte[] utf8(String text, String name) {
    notNull(text, name);
    for (int i = 0; i < text.length(); ++i) {
      if (!Character.isSurrogate(text.charAt(i))) {
        continue;
      }
      if (i + 1 == text.length() || !Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1))) {
        throw CucoreException.invalid(name + " has a lone surrogate at index " + i + "; expected well-formed UTF-16");
      }
      ++i;
    }
    return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }

  static long notNegative(long value, String name) {
    if (value < 0) {
      throw CucoreException.invalid(name + " is " + value + ", below 0");
    }
    return value;
  }

  static int notNegative(int value, String name) {
    notNegative((long) value, name);
    return value;
  }
}
