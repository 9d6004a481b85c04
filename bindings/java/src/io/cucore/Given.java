package io.cucore;

/** Checks what methods are given: all refuse it alike, by an exception that names the argument. */
final class Given {
  private Given() {}

  static <T> T notNull(T value, String name) {
    if (value == null) {
      throw CucoreException.invalid(name + " is null");
    }
    return value;
  }

  /** Neither the array nor what is in it. */
  static <T> T[] noneNull(T[] values, String name) {
    notNull(values, name);
    for (int i = 0; i < values.length; ++i) {
      if (values[i] == null) {
        throw CucoreException.invalid(name + "[" + i + "] is null");
      }
    }
    return values;
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
