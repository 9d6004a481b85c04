// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** The compute capability of a device, 9 and 0 for sm_90. */
public final class ComputeCapability {
  //: fields equal (long[] both)
  private final int major = (int) both[0]; // The first number -> 9 of 9.0
  private final int minor = (int) both[1]; // The second number -> 0 of 9.0

  //: said major + "." + minor
}
