// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.Collection;
import java.util.List;

/** The result of one {@link BatchItem}: object code, or the exception of its failure. */
public final class BatchResult {
  //: fields private ()
  private final ObjectCode code;
  private final CucoreException error; // Optional: Why the item failed -> the exception that compiling it alone would have thrown; empty where it did not fail

  static List<BatchResult> of(Collection<BatchItem> items, BatchOptions options) {
    List<BatchItem> given = List.of(Given.noneNull(Given.notNull(items, "items").toArray(new BatchItem[0]), "items"));
    NativeLoader.supply(NativeLoader.WORKER);
    try (NativeBatch batch = new NativeBatch()) {
      for (BatchItem each : given) {
        batch.add(each.program(), each.target(), each.nameExpressions());
      }
      batch.runNow(options.workers, options.timeLimitMillis, options.cache);
      return Facts.list(given.size(), i -> of(batch, (int) i));
    }
  }

  private static BatchResult of(NativeBatch batch, int index) {
    try {
      batch.check(index);
      return new BatchResult(batch.code(index), null);
    } catch (CucoreException e) {
      return new BatchResult(null, e);
    }
  }

  /**
   * The object code: yours to close.
   *
   * @return the object code
   * @throws CucoreException the item failed; that of {@link #error()}
   */
  public ObjectCode code() {
    if (error != null) {
      throw error;
    }
    return code;
  }

  /**
   * Whether there is object code.
   *
   * @return false if the item failed
   */
  public boolean isSuccessful() {
    return error == null;
  }

  //: said error == null ? code.toString() : error.getClass().getName() + ": " + error.getMessage()
}
