// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Completes the futures of streams: one queue and one daemon thread for the process, made by the
 * first future. Dependent stages of a future run in an executor, never on that thread.
 */
final class Completions {
  static final Executor DEFAULT = new CompletableFuture<Void>().defaultExecutor();

  private static final long WAIT_MS = 200;
  private static final int BATCH = 64;

  private final CudaQueue queue = new CudaQueue();
  private final Map<Long, Awaited> awaited = new ConcurrentHashMap<>();
  private final AtomicLong tokens = new AtomicLong();

  private Completions() {
    Thread thread = new Thread(this::drain, "cucore-completions");
    thread.setDaemon(true);
    thread.start();
  }

  private static Completions only;

  /** Not by a class's initialization: if that fails once, for example without descriptors, it fails forever. */
  private static synchronized Completions only() {
    if (only == null) {
      only = new Completions();
    }
    return only;
  }

  static CompletableFuture<Void> of(CudaStream stream, Executor executor) {
    return only().begin(stream, Given.notNull(executor, "executor"));
  }

  private CompletableFuture<Void> begin(CudaStream stream, Executor executor) {
    long token = tokens.incrementAndGet();
    Awaited result = new Awaited(this, token, executor);
    awaited.put(token, result); // before the completion can arrive
    synchronized (result) { // the completion may come before this returns; then it waits
      try {
        result.work = CudaFuture.fromStream(stream, queue, token);
      } catch (RuntimeException | Error e) {
        awaited.remove(token);
        throw e;
      }
    }
    return result;
  }

  private void drain() {
    while (true) {
      try {
        for (Completion each : queue.waitFor(WAIT_MS, TimeUnit.MILLISECONDS, BATCH)) {
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

    Awaited(Completions all, long token, Executor executor) {
      this.all = all;
      this.token = token;
      this.executor = executor;
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
