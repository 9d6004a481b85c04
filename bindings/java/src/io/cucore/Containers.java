// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.io.Serializable;
import java.lang.ref.Reference;

/** Converts between object code and bytes. */
final class Containers {
  private Containers() {}

  static byte[] write(ObjectCode code, SerializeOptions options) {
    SerializeOptions how = options == null ? SerializeOptions.DEFAULTS : options;
    try (NativeKeys keys = how.signingKey == null ? null : how.signingKey.toNative()) {
      long size = code.serializeNow(how.compression, keys, null);
      if (size > Integer.MAX_VALUE) {
        throw Exceptions.of(new Failure(Status.UNSUPPORTED,
            "the container has " + size + " bytes; an array holds 2147483647 at most"));
      }
      byte[] bytes = new byte[(int) size];
      code.serializeNow(how.compression, keys, bytes);
      return bytes;
    } finally {
      Reference.reachabilityFence(code);
    }
  }

  static ObjectCode read(byte[] container, DeserializeOptions options) {
    DeserializeOptions how = options == null ? DeserializeOptions.DEFAULTS : options;
    try (NativeKeys keys = how.toNative()) {
      return ObjectCode.deserializeNow(container, how.maxCodeSize, how.signaturePolicy, keys);
    }
  }

  /** The replacement of object code in Java's own serialization: the same container. */
  static final class Proxy implements Serializable {
    private static final long serialVersionUID = 1L;

    private final byte[] container;

    Proxy(byte[] container) {
      this.container = container;
    }

    private Object readResolve() {
      return ObjectCode.deserialize(container);
    }
  }
}
