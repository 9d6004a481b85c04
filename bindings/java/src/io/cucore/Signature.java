// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** The parameters of a kernel on one device, in a form for comparison with the arguments of a launch. */
final class Signature {
  /** Codes of a class and a size in bytes, which launches compare first. */
  static final int INT = code(ParameterClass.INTEGER, Integer.BYTES);
  static final int FLOAT = code(ParameterClass.FLOAT, Float.BYTES);
  static final int POINTER = code(ParameterClass.POINTER, Long.BYTES);

  private static final int SIZE_SHIFT = 4;
  private static final int CLASS_MASK = (1 << SIZE_SHIFT) - 1;

  private final int[] codes; // null: neither the code nor the driver records the parameters

  private Signature(int[] codes) {
    this.codes = codes;
  }

  /** Reads the parameters by one call. */
  static Signature of(Kernel owner, CudaDevice device) {
    try {
      long[] numbers = owner.parametersNow(device);
      int[] codes = new int[numbers.length / Parameter.NUMBERS];
      for (int i = 0; i < codes.length; ++i) {
        Parameter each = new Parameter(numbers, i);
        codes[i] = code(each.parameterClass(), (int) each.size());
      }
      return new Signature(codes);
    } catch (UnsupportedException e) {
      return new Signature(null);
    }
  }

  static int code(ParameterClass of, int size) {
    return size << SIZE_SHIFT | of.value();
  }

  static ParameterClass classOf(int code) {
    return ParameterClass.of(code & CLASS_MASK);
  }

  static int sizeOf(int code) {
    return code >> SIZE_SHIFT;
  }

  static boolean isUnknown(int code) {
    return (code & CLASS_MASK) == 0;
  }

  /** Returns the code of a parameter, 0 if it is not recorded. */
  int at(int index) {
    return codes == null ? 0 : codes[index];
  }

  void checkCount(Kernel kernel, int count) {
    if (codes != null && codes.length != count) {
      throw CucoreException.invalid("kernel " + kernel.label() + " takes "
          + Said.counted(codes.length, "argument") + ", got " + count);
    }
  }

  /** Describes the values that a parameter accepts, for messages. */
  static String describe(int code) {
    int size = sizeOf(code);
    switch (classOf(code)) {
      case INTEGER:
        return "an integer of " + Said.counted(size, "byte");
      case FLOAT:
        return size == Float.BYTES ? "a float" : size == Double.BYTES ? "a double" : "a floating-point number of " + Said.counted(size, "byte");
      case POINTER:
        return "a pointer";
      case AGGREGATE:
        return "a struct of " + Said.counted(size, "byte");
      default:
        return "a value of " + Said.counted(size, "byte");
    }
  }
}
