// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import java.util.ArrayList;
import java.util.List;

/**
 * Closes all arrays that its thread makes inside, except those that are kept:
 * {@code try (Scope scope = new Scope()) { ... return scope.keep(x.sin().sum()); }}.
 */
public final class Scope implements AutoCloseable {
  private static final int LEAST = 64; // arrays before the first search for closed ones
  private static final ThreadLocal<Scope> INNERMOST = new ThreadLocal<>();

  private final Scope outer = INNERMOST.get();
  private final Thread thread = Thread.currentThread();
  private final Context context;
  private final List<NdArray> made = new ArrayList<>();
  private int limit = LEAST;
  private boolean closed;

  /** Begins a scope. */
  public Scope() {
    context = outer == null ? null : outer.context;
    INNERMOST.set(this);
  }

  /** Begins a scope in which new arrays belong to a context.
   * @param context the context */
  public Scope(Context context) {
    this.context = Calls.notNull(context, "context");
    INNERMOST.set(this);
  }

  static void add(NdArray array) {
    Scope scope = INNERMOST.get();
    if (scope != null) {
      scope.hold(array);
    }
  }

  /** A loop closes many arrays itself. They are forgotten whenever the list would become twice as long. */
  private void hold(NdArray array) {
    if (made.size() >= limit) {
      made.removeIf(NdArray::isClosed);
      limit = Math.max(LEAST, 2 * made.size());
    }
    made.add(array);
  }

  /** Returns the context of the innermost scope; null: the default one. */
  static Context context() {
    Scope scope = INNERMOST.get();
    return scope == null ? null : scope.context;
  }

  /** Lets an array outlive the scope. A scope around this one closes it.
   * @param array an array made inside
   * @return the array */
  public NdArray keep(NdArray array) {
    Calls.notNull(array, "array");
    if (made.removeIf(each -> each == array) && outer != null) {
      outer.hold(array);
    }
    return array;
  }

  /** Returns whether {@link #close()} has been called.
   * @return true once closed */
  public boolean isClosed() {
    return closed;
  }

  /** Closes the arrays, the last one first. A second call does nothing. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    if (INNERMOST.get() != this) {
      String where = thread == Thread.currentThread() ? "a scope inside is open; close it first" : "another thread has made it; close it there";
      Calls.refuse(io.cucore.Status.INVALID_STATE, "Scope.close(): " + where);
    }
    closed = true;
    if (outer == null) {
      INNERMOST.remove(); // nothing of the thread keeps this class
    } else {
      INNERMOST.set(outer);
    }
    for (int i = made.size(); --i >= 0;) {
      made.get(i).close();
    }
    made.clear();
  }

  /** Returns the number of arrays that it will close. */
  @Override
  public String toString() {
    long count = made.stream().filter(each -> !each.isClosed()).count();
    return closed ? "Scope (closed)" : "Scope of " + count + (count == 1 ? " array" : " arrays");
  }
}
