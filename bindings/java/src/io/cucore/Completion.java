// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** What comes out of a {@link CudaQueue}: the end of a stream's work. */
public final class Completion {
  /** Bytes of a cucore_completion, for ever. */
  static final int SIZE = 32;

  //: fields private ()
  private final long token; // Which future it is of -> the token that the future was made with
  private final Status status; // How the work ended -> OK, or how it failed; {@link CudaFuture#check()} tells more

  static List<Completion> list(byte[] bytes, int count) {
    ByteBuffer from = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    return Facts.list(count, i -> new Completion(from.getLong((int) i * SIZE), Status.of(from.getInt((int) i * SIZE + Long.BYTES))));
  }

  //: said Long.toUnsignedString(token) + ": " + status
}
