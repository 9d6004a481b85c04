package io.cucore;

/** One parameter of a kernel: where it lies in the parameter block, and what it accepts. */
public final class Parameter {
  private final long offset;
  private final long size;
  private final ParameterClass parameterClass;

  /** How many numbers of {@link Natives#parameters} make one. */
  static final int NUMBERS = 3;

  Parameter(long[] numbers, int index) {
    offset = numbers[NUMBERS * index];
    size = numbers[NUMBERS * index + 1];
    parameterClass = ParameterClass.of((int) numbers[NUMBERS * index + 2]);
  }

  /**
   * Where it begins.
   *
   * @return bytes from the beginning of the block
   */
  public long offset() {
    return offset;
  }

  /**
   * How large it is.
   *
   * @return bytes
   */
  public long size() {
    return size;
  }

  /**
   * Which values it accepts.
   *
   * @return the class, UNKNOWN if the code was made from no PTX or its PTX leaves it open
   */
  public ParameterClass parameterClass() {
    return parameterClass;
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof Parameter)) {
      return false;
    }
    Parameter that = (Parameter) other;
    return offset == that.offset && size == that.size && parameterClass == that.parameterClass;
  }

  @Override
  public int hashCode() {
    return java.util.Objects.hash(offset, size, parameterClass);
  }

  static java.util.List<Parameter> list(long[] numbers) {
    java.util.List<Parameter> all = new java.util.ArrayList<>();
    for (int i = 0; i < numbers.length / NUMBERS; ++i) {
      all.add(new Parameter(numbers, i));
    }
    return java.util.Collections.unmodifiableList(all);
  }

  @Override
  public String toString() {
    return size + " bytes at " + offset;
  }
}
