// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Completes the futures of streams: one queue and one daemon thread, made by the first future.
 * Dependent stages of a future run in an executor, never on that thread. Both end when no future is
 * pending, because they keep the class loader alive.
 */
final class Completions {
  static final Executor DEFAULT = new CompletableFuture<Void>().defaultExecutor();

  private static final long WAIT_MS = 200;
  private static final int BATCH = 64;

  private static Completions only;

  private final CudaQueue queue = new CudaQueue();
  private final Map<Long, Awaited> awaited = new ConcurrentHashMap<>();
  private long tokens;

  /** Not by a class's initialization: if that fails once, for example without descriptors, it fails forever. */
  private static Completions only() {
    if (only == null) {
      Completions made = new Completions();
      Thread thread = new Thread(made::drain, "cucore-completions");
      thread.setDaemon(true);
      thread.setContextClassLoader(null);
      thread.start();
      only = made;
    }
    return only;
  }

  static CompletableFuture<Void> of(CudaStream stream, Executor executor) {
    Given.notNull(executor, "executor");
    Awaited result;
    synchronized (Completions.class) { // the thread does not end meanwhile
      result = new Awaited(only(), executor);
    }
    return result.all.begin(stream, result);
  }

  private CompletableFuture<Void> begin(CudaStream stream, Awaited result) {
    synchronized (result) { // the completion may come before this returns; then it waits
      try {
        result.work = CudaFuture.fromStream(stream, queue, result.token);
      } catch (RuntimeException | Error e) {
        awaited.remove(result.token);
        throw e;
      }
    }
    return result;
  }

  /** Ends an idle queue; the next future makes another. */
  private boolean isEnded() {
    synchronized (Completions.class) {
      if (!awaited.isEmpty()) {
        return false;
      }
      only = null;
    }
    queue.close();
    return true;
  }

  private void drain() {
    while (true) {
      try {
        List<Completion> some = queue.waitFor(WAIT_MS, TimeUnit.MILLISECONDS, BATCH);
        if (some.isEmpty() && isEnded()) {
          return;
        }
        for (Completion each : some) {
          Awaited ended = awaited.remove(each.token());
          if (ended != null) {
            ended.end(each);
          }
        }
      } catch (InvalidStateException e) {
        return; // the process ends
      } catch (RuntimeException | Error e) {
        report(e); // and continues: others may be waiting
      }
    }
  }

  private static void report(Throwable e) {
    Thread thread = Thread.currentThread();
    try {
      thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
    } catch (Throwable ignored) {
      // as the virtual machine does with exceptions of a handler
    }
  }

  /** One stream's work. Cancelling it ends only the waiting: the work continues. */
  private static final class Awaited extends CompletableFuture<Void> {
    private final Completions all;
    private final long token;
    private final Executor executor;
    CudaFuture work;

    /** It is in the table before the completion can arrive. */
    Awaited(Completions all, Executor executor) {
      this.all = all;
      this.executor = executor;
      token = ++all.tokens;
      all.awaited.put(token, this);
    }

    /** Runs on the thread of all completions; the rest is for the executor. */
    void end(Completion completion) {
      Runnable body = () -> end(completion.status());
      try {
        executor.execute(body);
      } catch (RejectedExecutionException e) {
        endElsewhere(body); // the user's executor has been shut down
      // the user's executor is broken: its owner receives the exception, and others do not wait for
      // it
      } catch (Throwable e) {
        endElsewhere(body);
        report(e);
      }
    }

    private void endElsewhere(Runnable body) {
      try {
        defaultExecutor().execute(body);
      } catch (Throwable e) { // no thread is available: here instead of never
        body.run();
      }
    }

    private synchronized void end(Status status) {
      if (work == null) {
        return; // the call that created it has failed
      }
      CucoreException failure = status == Status.OK ? null : failure(status);
      work.close();
      if (failure == null) {
        complete(null);
      } else {
        completeExceptionally(failure);
      }
    }

    /** With the fault's own text, from the future. */
    private CucoreException failure(Status status) {
      try {
        work.check();
      } catch (CucoreException e) {
        return e;
      }
      return Exceptions.of(new Failure(status, "the work of the stream has failed"));
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
      boolean cancelled = super.cancel(mayInterrupt);
      if (cancelled && all.awaited.remove(token) != null) {
        try (CudaFuture of = work()) {
          of.detach();
        }
      }
      return cancelled;
    }

    private synchronized CudaFuture work() {
      return work;
    }
  }
}
