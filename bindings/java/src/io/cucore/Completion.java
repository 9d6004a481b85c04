// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** A completion from a {@link CudaQueue}: the end of a stream's work. */
public final class Completion {
  /** Bytes of a cucore_completion; this never changes. */
  static final int SIZE = 32;

  //: fields private ()
  private final long token; // Which future it is of -> the token that the future was made with
  private final Status status; // The end of the work -> OK, or its failure; {@link CudaFuture#check()} has the details

  static List<Completion> list(byte[] bytes, int count) {
    ByteBuffer from = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    return Facts.list(count, i -> new Completion(from.getLong((int) i * SIZE), Status.of(from.getInt((int) i * SIZE + Long.BYTES))));
  }

  //: said Long.toUnsignedString(token) + ": " + status
}
