// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** Memory segments, which Java has from release 22: META-INF/versions/22 of the jar replaces this class. */
final class Segments {
  private Segments() {}

  static boolean isSegment(Object value) {
    return false;
  }

  static Place place(Object segment, String name, boolean toFill) {
    throw new AssertionError(segment);
  }
}
