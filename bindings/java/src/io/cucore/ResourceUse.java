// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** What a kernel needs, as its machine code says; -1 where it does not. */
public final class ResourceUse {
  //: fields
  private final int registers; // Registers -> of a thread
  private final int staticShared; // Static shared memory -> bytes of a block
  private final int stack; // The stack, where spilled registers are too -> bytes of a thread
  private final int maxThreads; // The largest block, from __launch_bounds__ -> threads
  private final int constant; // The constant bank, the parameters included -> bytes
  private final int codeSize; // The instructions -> bytes

  ResourceUse(ObjectCode code, long symbol) {
    registers = code.symbolResourceNow(symbol, 0);
    staticShared = code.symbolResourceNow(symbol, 1);
    stack = code.symbolResourceNow(symbol, 2);
    maxThreads = code.symbolResourceNow(symbol, 3);
    constant = code.symbolResourceNow(symbol, 4);
    codeSize = code.symbolResourceNow(symbol, 5);
  }

  @Override
  public String toString() {
    return "registers=" + registers() + ", staticShared=" + staticShared() + ", stack=" + stack()
        + ", maxThreads=" + maxThreads() + ", constant=" + constant() + ", codeSize=" + codeSize();
  }
}
