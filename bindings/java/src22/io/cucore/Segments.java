// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Memory segments, from Java 22. */
final class Segments {
  private Segments() {}

  static boolean isSegment(Object value) {
    return value instanceof MemorySegment;
  }

  static Place place(Object given, String name, boolean toFill) {
    MemorySegment segment = (MemorySegment) given;
    check(segment, name, toFill);
    if (segment.isNative()) {
      return new Place(null, segment.address(), segment.byteSize());
    }
    Object array = segment.heapBase().orElse(null);
    if (array != null) {
      return new Place(array, segment.address(), segment.byteSize());
    }
    // a read-only segment hides its array
    return Place.toRead(segment.toArray(ValueLayout.JAVA_BYTE));
  }

  private static void check(MemorySegment segment, String name, boolean toFill) {
    if (!segment.scope().isAlive()) {
      throw CucoreException.invalid(name + " is a MemorySegment whose arena is closed; close it after the call");
    }
    if (!segment.isAccessibleBy(Thread.currentThread())) {
      throw CucoreException.invalid(name + " is a MemorySegment of another thread; expected one that this thread can"
          + " access; allocate it in a shared arena");
    }
    if (toFill && segment.isReadOnly()) {
      throw CucoreException.invalid(name + " is a MemorySegment that is read-only");
    }
  }
}
