// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** Converts numbers to a parameter's type, if it represents them exactly, and refuses the rest. */
final class Conversion {
  private static final String POINTER_ADVICE =
      "pass a CudaBuffer, null, or Arg.address(long) for the address of memory that no CudaBuffer has";

  private static final String STRUCT_ADVICE = "pass its bytes as a ByteBuffer or by Arg.of(byte[])";

  private Conversion() {}

  /** Returns the size of a number by its own type, 0 if no parameter takes the type. */
  static int sizeOf(Object value) {
    if (value instanceof Integer || value instanceof Float) {
      return Integer.BYTES;
    } else if (value instanceof Long || value instanceof Double) {
      return Long.BYTES;
    } else if (value instanceof Short || value instanceof Character) {
      return Short.BYTES;
    }
    return value instanceof Byte || value instanceof Boolean ? 1 : 0;
  }

  /** Returns the code of the parameter that takes a number unchanged. */
  static int codeOf(Object value, int size) {
    return Signature.code(isFloating(value) ? ParameterClass.FLOAT : ParameterClass.INTEGER, size);
  }

  /** Returns the bits of a number, unchanged. */
  static long bits(Object value) {
    if (value instanceof Float) {
      return Float.floatToRawIntBits((Float) value);
    }
    return value instanceof Double ? Double.doubleToRawLongBits((Double) value) : whole(value);
  }

  /** Returns the bits of a number, for a parameter of a known class. */
  static long bits(Kernel kernel, int index, int code, Object value) {
    switch (Signature.classOf(code)) {
      case INTEGER:
        return integer(kernel, index, code, value);
      case FLOAT:
        return floating(kernel, index, code, value);
      case AGGREGATE:
        return half(kernel, index, code, value);
      default:
        throw refuse(kernel, index, code, value, POINTER_ADVICE);
    }
  }

  private static boolean isFloating(Object value) {
    return value instanceof Float || value instanceof Double;
  }

  /** Returns the value of an integral type: the code of a char, 0 or 1 for a boolean. */
  private static long whole(Object value) {
    if (value instanceof Character) {
      return (Character) value;
    }
    if (value instanceof Boolean) {
      return (Boolean) value ? 1 : 0;
    }
    return ((Number) value).longValue();
  }

  private static long integer(Kernel kernel, int index, int code, Object value) {
    long whole;
    if (isFloating(value)) {
      double number = ((Number) value).doubleValue();
      whole = (long) number;
      // 2^63 becomes the largest long, which as a double is 2^63 again.
      if (whole != number || whole == Long.MAX_VALUE) {
        boolean isWide = Signature.sizeOf(code) == Long.BYTES;
        boolean hasWhole = Math.abs(number) < Long.MAX_VALUE && isInRange(code, whole);
        throw refuse(kernel, index, code, value, isWide || hasWhole
            ? "convert it explicitly, as by (" + (isWide ? "long" : "int") + ")" : rangeAdvice(code));
      }
    } else {
      whole = whole(value);
    }
    if (!isInRange(code, whole)) {
      throw refuse(kernel, index, code, value, rangeAdvice(code));
    }
    return whole;
  }

  /** PTX does not record signs, so a parameter of 4 bytes takes -2^31 to 2^32 - 1. */
  private static boolean isInRange(int code, long whole) {
    int bits = Signature.sizeOf(code) * 8;
    return bits >= Long.SIZE || whole >= -1L << bits - 1 && whole < 1L << bits;
  }

  private static String rangeAdvice(int code) {
    int bits = Signature.sizeOf(code) * 8;
    return "pass a value from " + (-1L << bits - 1) + " to " + ((1L << bits) - 1);
  }

  private static long floating(Kernel kernel, int index, int code, Object value) {
    int size = Signature.sizeOf(code);
    if (value instanceof Boolean || size != Float.BYTES && size != Double.BYTES) {
      throw refuse(kernel, index, code, value, value instanceof Boolean
          ? "pass a number" : "pass its bytes by Arg.of(byte[])");
    }
    double number;
    if (isFloating(value)) {
      number = ((Number) value).doubleValue();
    } else {
      long whole = whole(value);
      number = whole;
      if ((long) number != whole || whole == Long.MAX_VALUE) {
        throw refuse(kernel, index, code, value, "round it explicitly, as by (" + (size == Float.BYTES ? "float" : "double") + ")");
      }
    }
    if (size == Double.BYTES) {
      return Double.doubleToRawLongBits(number);
    }
    if ((float) number != number && number == number) {
      throw refuse(kernel, index, code, value, Float.isInfinite((float) number)
          ? "pass a value of at most " + Float.MAX_VALUE : "round it explicitly, as by (float)");
    }
    return Float.floatToRawIntBits((float) number);
  }

  /** Java has no type for a half: its bits are passed as a short. */
  private static long half(Kernel kernel, int index, int code, Object value) {
    if (value instanceof Short && Signature.sizeOf(code) == Short.BYTES) {
      return (Short) value;
    }
    throw refuse(kernel, index, code, value, STRUCT_ADVICE);
  }

  /** Checks that a parameter takes a pointer. */
  static void checkPointer(Kernel kernel, int index, int code, String given) {
    ParameterClass of = Signature.classOf(code);
    if (of != ParameterClass.POINTER && of != ParameterClass.UNKNOWN) {
      throw refuse(kernel, index, code, given,
          of == ParameterClass.AGGREGATE ? STRUCT_ADVICE : "pass a number");
    }
  }

  static void checkStruct(Kernel kernel, int index, int code, int size) {
    if (Signature.classOf(code) != ParameterClass.UNKNOWN) { // otherwise the launch compares sizes
      checkStruct(kernel, index, code, "a struct", size, "lay it out as in C, padding included");
    }
  }

  /** A record is also compared if the class of the parameter is unknown: its name belongs into the message. */
  static void checkRecord(Kernel kernel, int index, int code, Struct.Value record) {
    if (Signature.classOf(code) != ParameterClass.UNKNOWN || Signature.sizeOf(code) != 0) {
      checkStruct(kernel, index, code, record.label, record.bytes.length,
          "declare a component for each member of the struct, in its order");
    }
  }

  private static void checkStruct(Kernel kernel, int index, int code, String given, int size, String advice) {
    ParameterClass of = Signature.classOf(code);
    int wanted = Signature.sizeOf(code);
    boolean takesBytes = of == ParameterClass.AGGREGATE || of == ParameterClass.UNKNOWN
        || of == ParameterClass.FLOAT && wanted != Float.BYTES && wanted != Double.BYTES;
    if (!takesBytes || size != wanted) {
      throw refuse(kernel, index, code, given + " of " + Said.counted(size, "byte"),
          of == ParameterClass.POINTER ? POINTER_ADVICE : takesBytes ? advice : "pass a number");
    }
  }

  private static CucoreException refuse(Kernel kernel, int index, int code, Object value, String advice) {
    return refuse(kernel, index, code, "the " + typeOf(value) + " " + value, advice);
  }

  private static CucoreException refuse(Kernel kernel, int index, int code, String given, String advice) {
    return CucoreException.invalid("argument " + index + " of kernel " + kernel.label() + " is " + given
        + "; expected " + Signature.describe(code) + "; " + advice);
  }

  private static String typeOf(Object value) {
    return value instanceof Integer ? "int"
        : value instanceof Character ? "char" : value.getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT);
  }
}
