// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import java.io.InvalidObjectException;
import java.io.Serializable;

/** The replacement of an array in Java's own serialization: the bytes of a .npy file. */
final class StoredArray implements Serializable {
  private static final long serialVersionUID = 1L;

  private final byte[] file;

  StoredArray(NdArray array) {
    file = array.toNpy();
  }

  private Object readResolve() throws InvalidObjectException {
    if (file == null) {
      throw new InvalidObjectException("the stream contains no file");
    }
    return Nd.fromNpy(file);
  }
}
