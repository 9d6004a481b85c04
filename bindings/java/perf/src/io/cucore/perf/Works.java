// SPDX-License-Identifier: Apache-2.0
package io.cucore.perf;

import io.cucore.CucoreException;
import io.cucore.CudaStream;
import io.cucore.Kernel;
import io.cucore.Status;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** The functions of Java that C calls, by number. Nothing is thrown into C. */
final class Works {
  private static final Map<Long, Works> WORKS = new ConcurrentHashMap<>();
  private static final Map<Long, Function<Launch, Declaration>> AMOUNTS = new ConcurrentHashMap<>();
  private static final AtomicLong NUMBERS = new AtomicLong();

  private final Work work;
  private final Frame frame;
  private CudaStream stream;
  private long streamAddress;

  private Works(Work work, Frame frame) {
    this.work = work;
    this.frame = frame;
  }

  static long add(Work work, Frame frame) {
    long number = NUMBERS.incrementAndGet();
    WORKS.put(number, new Works(work, frame));
    return number;
  }

  static long add(Function<Launch, Declaration> amounts) {
    long number = NUMBERS.incrementAndGet();
    AMOUNTS.put(number, amounts);
    return number;
  }

  /** Called by C, also when it no longer needs a function. */
  static void remove(long number) {
    AMOUNTS.remove(number);
    Works ended = WORKS.remove(number);
    if (ended != null && ended.stream != null) {
      ended.stream.close();
    }
  }

  /** Called by C. Returns a status. */
  static int run(long number, long stream) {
    Works of = WORKS.get(number);
    try {
      of.work.run(of.streamAt(stream));
      return 0;
    } catch (Throwable failure) {
      of.frame.fail(failure);
      return failure instanceof CucoreException ? ((CucoreException) failure).statusCode() : Status.INVALID_STATE.getValue();
    }
  }

  private CudaStream streamAt(long address) {
    if (stream == null || streamAddress != address) {
      if (stream != null) {
        stream.close();
      }
      stream = (CudaStream) Natives.object(Frame.STREAM, address);
      streamAddress = address;
    }
    return stream;
  }

  /** Called by C on the thread of a launch, which an exception cannot fail. Returns null after one. */
  static double[] compute(long number, long kernel, int[] launch) {
    try (Kernel of = (Kernel) Natives.object(Frame.KERNEL, kernel)) {
      Declaration found = AMOUNTS.get(number).apply(new Launch(of, launch));
      return new double[] {found.bytesRead(), found.bytesWritten(), found.operations()};
    } catch (Throwable failure) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
      return null;
    }
  }
}
