// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * Host functions: one queue and one daemon thread, which gives each function to its executor. Both end
 * when no function is pending, because they keep the class loader alive.
 */
final class HostFunctions {
  private static final long WAIT_MS = 200;
  private static final int BATCH = 64;

  private static HostFunctions only;

  private final CudaQueue queue = new CudaQueue();
  private final Map<Long, Entry> entries = new ConcurrentHashMap<>();
  private final long owner = CucoreNative.newToken(); // of the tokens that graphs hold

  /** A function; a graph launches a kept one again, until it drops its token. */
  private static final class Entry {
    final Runnable function;
    final Executor executor;
    final boolean isKept;

    Entry(Runnable function, Executor executor, boolean isKept) {
      this.function = function;
      this.executor = executor;
      this.isKept = isKept;
    }
  }

  /** Not by a class's initialization: if that fails once, for example without descriptors, it fails forever. */
  private static HostFunctions only() {
    if (only == null) {
      HostFunctions made = new HostFunctions();
      Thread thread = new Thread(made::drain, "cucore-host");
      thread.setDaemon(true);
      thread.setContextClassLoader(null);
      thread.start();
      only = made;
    }
    return only;
  }

  static void launch(CudaStream stream, Runnable function, Executor executor) {
    Given.notNull(function, "function");
    Given.notNull(executor, "executor");
    try (Graph keeper = stream.isCapturing() ? stream.getCaptureGraph() : null) {
      add(function, executor, keeper, (queue, token) -> {
        stream.launchHostQueued(queue, token, 1);
        return null;
      });
    }
  }

  /**
   * Calls a function with the queue and a token, for which a function of the user runs. A keeper launches it
   * again. No lock is held in the call. If a stream is full, the driver waits there until other functions
   * have run, which may add functions.
   */
  static <T> T add(Runnable function, Executor executor, Graph keeper, BiFunction<CudaQueue, Long, T> launch) {
    long token = CucoreNative.newToken();
    HostFunctions all = keep(token, new Entry(function, executor, keeper != null));
    try {
      T result = launch.apply(all.queue, token);
      if (keeper != null) {
        keeper.holdTokenNow(all.owner, token);
      }
      return result;
    } catch (RuntimeException | Error e) {
      all.entries.remove(token);
      throw e;
    }
  }

  /**
   * The thread and its queue do not end while the entry is there. When its function has run, the call that
   * adds it needs neither.
   */
  private static synchronized HostFunctions keep(long token, Entry entry) {
    HostFunctions all = only();
    all.entries.put(token, entry);
    return all;
  }

  /** Forgets the functions of graphs that have ended. */
  private void forget() {
    for (long token = CucoreNative.takeDroppedToken(owner); token != 0; token = CucoreNative.takeDroppedToken(owner)) {
      entries.remove(token);
    }
  }

  /** Ends an idle queue; the next function makes another. */
  private boolean isEnded() {
    synchronized (HostFunctions.class) {
      if (!entries.isEmpty()) {
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
        forget();
        if (some.isEmpty() && isEnded()) {
          return;
        }
        for (Completion each : some) {
          begin(each);
        }
      } catch (InvalidStateException e) {
        return; // the process ends
      } catch (RuntimeException | Error e) {
        report(e); // and continues: others may be waiting
      }
    }
  }

  /** The entry stays until the function has ended, so that the queue is open for the resume. */
  private void begin(Completion completion) {
    Entry entry = entries.get(completion.token());
    if (entry == null) { // of a graph that could not hold its token
      resume(completion);
      return;
    }
    Runnable body = () -> run(entry, completion);
    try {
      entry.executor.execute(body);
    } catch (Throwable e) { // the user's executor has been shut down, or is broken
      report(e);
      end(entry, completion);
    }
  }

  private void run(Entry entry, Completion completion) {
    try {
      entry.function.run();
    } catch (Throwable e) {
      report(e);
    } finally {
      end(entry, completion);
    }
  }

  private void end(Entry entry, Completion completion) {
    try {
      resume(completion);
    } finally {
      if (!entry.isKept) {
        entries.remove(completion.token());
      }
    }
  }

  private void resume(Completion completion) {
    try {
      queue.resume(completion.ticket());
    } catch (NotFoundException e) {
      // the time limit was over, which the log reports
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
}
