package io.cucore;

/** What a device can do, 9 and 0 for sm_90. */
public final class ComputeCapability {
  private final int major;
  private final int minor;

  ComputeCapability(long[] both) {
    major = (int) both[0];
    minor = (int) both[1];
  }

  /**
   * The first number.
   *
   * @return 9 of 9.0
   */
  public int major() {
    return major;
  }

  /**
   * The second number.
   *
   * @return 0 of 9.0
   */
  public int minor() {
    return minor;
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof ComputeCapability)) {
      return false;
    }
    ComputeCapability that = (ComputeCapability) other;
    return major == that.major && minor == that.minor;
  }

  @Override
  public int hashCode() {
    return java.util.Objects.hash(major, minor);
  }

  @Override
  public String toString() {
    return major + "." + minor;
  }
}
