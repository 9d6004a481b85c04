// SPDX-License-Identifier: Apache-2.0
package io.cucore;

final class Linker {
  /** Gives what {@link #link(CodeType)} would, and links only what has not been linked before.
   * {@link Cache#link} says where it came from, too.
   * @param target CUBIN; PTX of inputs that are LTOIR
   * @param cache where to look first, and to keep it; null: nowhere
   * @return the object code; its log has the warnings
   * @throws LinkingException its log() has the linker's output */
  public ObjectCode link(CodeType target, Cache cache) {
    return cache == null ? link(target) : cache.link(this, target).code();
  }

  //: said Said.of("Linker", this::isClosed, () -> "by " + getBackend())
}
