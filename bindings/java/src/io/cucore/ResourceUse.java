// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** The resources of a kernel, from its machine code; -1 if not recorded. */
public final class ResourceUse {
  //: fields (ObjectCode code, long symbol)
  private final int registers = code.symbolResourcesRegistersNow(symbol); // Registers -> of a thread
  private final int staticShared = code.symbolResourcesStaticSharedNow(symbol); // Static shared memory -> bytes of a block
  private final int stack = code.symbolResourcesStackNow(symbol); // The stack, where spilled registers are too -> bytes of a thread
  private final int maxThreads = code.symbolResourcesMaxThreadsNow(symbol); // The largest block, from __launch_bounds__ -> threads
  private final int constant = code.symbolResourcesConstantNow(symbol); // The constant bank, the parameters included -> bytes
  private final int codeSize = code.symbolResourcesCodeSizeNow(symbol); // The instructions -> bytes

  @Override
  public String toString() {
    return "registers=" + registers() + ", staticShared=" + staticShared() + ", stack=" + stack()
        + ", maxThreads=" + maxThreads() + ", constant=" + constant() + ", codeSize=" + codeSize();
  }
}
