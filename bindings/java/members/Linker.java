// SPDX-License-Identifier: Apache-2.0
package io.cucore;

final class Linker {
  static {
    NativeLoader.supply(NativeLoader.CPU_DEVICE);
  }

  /** Returns the result of {@link #link(CodeType)}, and links only inputs that were not linked
   * before. {@link Cache#link} also returns the place where it was found.
   * @param target CUBIN; PTX of inputs that are LTOIR
   * @param cache the cache for lookups and results; null: none
   * @return the object code; its log has the warnings
   * @throws LinkingException its log() has the linker's output */
  public ObjectCode link(CodeType target, Cache cache) {
    return cache == null ? link(target) : cache.link(this, target).code();
  }

  //: said Said.of("Linker", this::isClosed, () -> "by " + getBackend())
}
