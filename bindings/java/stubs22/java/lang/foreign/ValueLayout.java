// SPDX-License-Identifier: Apache-2.0
package java.lang.foreign;

/** As MemorySegment: the one layout that the jar names. */
public interface ValueLayout {
  OfByte JAVA_BYTE = new OfByte() {};

  interface OfByte extends ValueLayout {}
}
