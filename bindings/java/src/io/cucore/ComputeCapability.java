// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** What a device can do, 9 and 0 for sm_90. */
public final class ComputeCapability {
  //: fields equal
  private final int major; // The first number -> 9 of 9.0
  private final int minor; // The second number -> 0 of 9.0

  ComputeCapability(long[] both) {
    major = (int) both[0];
    minor = (int) both[1];
  }

  @Override
  public String toString() {
    return major + "." + minor;
  }
}
