// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** A completion from a {@link CudaQueue}: the end of a stream's work, or a host function. */
public final class Completion {
  /** Bytes of a cucore_completion; this never changes. */
  static final int SIZE = 32;

  //: fields private ()
  private final long token; // Which future it is of -> the token that the future was made with
  private final Status status; // The end of the work -> OK, or its failure; {@link CudaFuture#check()} has the details
  private final CompletionKind kind; // The kind -> FUTURE, or HOST for a host function
  private final long ticket; // Which stream waits for the host function -> for {@link CudaQueue#resume}; 0: none

  static List<Completion> list(byte[] bytes, int count) {
    ByteBuffer from = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    return Facts.list(count, i -> new Completion(from.getLong((int) i * SIZE), Status.of(from.getInt((int) i * SIZE + 8)),
        CompletionKind.of(from.getInt((int) i * SIZE + 12)), from.getLong((int) i * SIZE + 16)));
  }

  //: said Long.toUnsignedString(token) + ": " + status
}
