// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits with a limit. As the waits without one, an interrupt does not end them; the thread stays interrupted. */
final class Waits {
  private static final long SPIN_NS = 50_000;
  private static final long LONGEST_PAUSE_NS = 1_000_000;
  /** One thread per device at most, also if many waits have ended at their limits. */
  private static final Map<Integer, DeviceWait> OF_DEVICES = new ConcurrentHashMap<>();

  private Waits() {}

  /** Waits for a stream or an event. */
  static void until(Duration timeout, String work, BooleanSupplier isDone) {
    long start = System.nanoTime();
    long limit = nanos(timeout);
    boolean interrupted = false;
    long pause = SPIN_NS;
    try {
      while (!isDone.getAsBoolean()) {
        long waited = System.nanoTime() - start;
        if (waited >= limit) {
          throw notReady(work, timeout);
        }
        if (waited < SPIN_NS) {
          Thread.yield();
        } else {
          interrupted |= pause(Math.min(pause, limit - waited));
          pause = Math.min(2 * pause, LONGEST_PAUSE_NS);
        }
      }
    } finally {
      restore(interrupted);
    }
  }

  /** Waits for a device, which has no query: a thread waits without a limit. */
  static void device(Duration timeout, CudaDevice device) {
    long start = System.nanoTime();
    long limit = Math.max(nanos(timeout), LONGEST_PAUSE_NS);
    int ordinal = device.getOrdinal();
    while (true) {
      DeviceWait mine = new DeviceWait(ordinal);
      DeviceWait running = OF_DEVICES.putIfAbsent(ordinal, mine);
      if (running == null) {
        mine.begin();
      }
      if (!(running == null ? mine : running).await(limit - (System.nanoTime() - start))) {
        throw notReady("the device", timeout);
      }
      if (running == null) {
        mine.check();
        return;
      }
      // It began before this call, so later work needs another one.
    }
  }

  private static final class DeviceWait extends Thread {
    private final int ordinal;
    private final CountDownLatch end = new CountDownLatch(1);
    private volatile Throwable failure;

    DeviceWait(int ordinal) {
      super("cucore-device-" + ordinal);
      this.ordinal = ordinal;
      setDaemon(true);
      setContextClassLoader(null);
    }

    void begin() {
      try {
        start();
      } catch (Throwable e) { // no thread is available
        OF_DEVICES.remove(ordinal, this);
        end.countDown();
        throw e;
      }
    }

    /** With a device of its own, so that a close of the caller's does not wait for this one. */
    @Override
    public void run() {
      try (CudaDevice device = new CudaDevice(ordinal)) {
        device.synchronize();
      } catch (Throwable e) {
        failure = e;
      } finally {
        OF_DEVICES.remove(ordinal, this);
        end.countDown();
      }
    }

    boolean await(long ns) {
      long start = System.nanoTime();
      boolean interrupted = false;
      try {
        while (true) {
          try {
            return end.await(ns - (System.nanoTime() - start), TimeUnit.NANOSECONDS);
          } catch (InterruptedException e) {
            interrupted = true;
          }
        }
      } finally {
        restore(interrupted);
      }
    }

    void check() {
      if (failure instanceof CucoreException) {
        throw (CucoreException) failure;
      } else if (failure instanceof Error) {
        throw (Error) failure;
      }
    }
  }

  /** Returns the length of a wait; one that no long can represent is the longest. */
  static long nanos(Duration timeout) {
    try {
      return timeout.toNanos();
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE;
    }
  }

  private static CucoreException notReady(String work, Duration timeout) {
    return Exceptions.of(new Failure(Status.NOT_READY, work + " is not complete after " + timeout.toMillis() + " ms; wait longer"));
  }

  /** Returns whether the thread was interrupted. */
  static boolean pause(long ns) {
    try {
      TimeUnit.NANOSECONDS.sleep(ns);
      return false;
    } catch (InterruptedException e) {
      return true;
    }
  }

  static void restore(boolean interrupted) {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
