package io.cucore;

/** Where a parameter of a kernel lies in its parameter block. */
public final class Parameter {
  private final long offset;
  private final long size;

  Parameter(long[] both) {
    offset = both[0];
    size = both[1];
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

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof Parameter)) {
      return false;
    }
    Parameter that = (Parameter) other;
    return offset == that.offset && size == that.size;
  }

  @Override
  public int hashCode() {
    return java.util.Objects.hash(offset, size);
  }

  static java.util.List<Parameter> of(Kernel kernel, CudaDevice device) {
    java.util.List<Parameter> all = new java.util.ArrayList<>();
    // A count that is not known is for the first question to explain.
    long count = Math.abs(kernel.getParameterCount());
    for (long i = 0; i < count; ++i) {
      all.add(new Parameter(kernel.parameterAt(i, device)));
    }
    return java.util.Collections.unmodifiableList(all);
  }

  @Override
  public String toString() {
    return size + " bytes at " + offset;
  }
}
