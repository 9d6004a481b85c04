// SPDX-License-Identifier: Apache-2.0
package java.lang.foreign;

import java.util.Optional;

/** The members of Java 22's interface that the jar calls, for compilers that lack it. It is not packed. */
public interface MemorySegment {
  interface Scope {
    boolean isAlive();
  }

  Scope scope();

  boolean isAccessibleBy(Thread thread);

  boolean isReadOnly();

  boolean isNative();

  long address();

  long byteSize();

  Optional<Object> heapBase();

  byte[] toArray(ValueLayout.OfByte layout);
}
