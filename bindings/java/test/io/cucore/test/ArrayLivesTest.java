// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.OutOfDeviceMemoryException;
import io.cucore.array.Context;
import io.cucore.array.ContextOptions;
import io.cucore.array.DType;
import io.cucore.array.Generator;
import io.cucore.array.Nd;
import io.cucore.array.NdArray;
import io.cucore.array.Policy;
import io.cucore.array.Scalar;
import io.cucore.array.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Arrays that the program forgets, arrays that are closed while work runs, and the end of the process. */
class ArrayLivesTest {
  private static final float[] X = {0.5f, 1, 2, 4, 8, 16};
  private static final int COUNT = 1 << 18; // floats of a MiB
  private static final long LIMIT = 32 << 20;

  private static Context limited(CudaDevice device, long limit) {
    return new Context(device, ContextOptions.DEFAULT.withMaxBytes(limit));
  }

  private static long statistic(Context context, String name) {
    return context.getStatistics().get(name);
  }

  private static NdArray made(Context context, int count) {
    try (Scope scope = new Scope(context)) {
      return scope.keep(Nd.full(DType.FLOAT32, Scalar.of(1), count));
    }
  }

  /** The collector does not count device memory: it runs when that is exhausted, and the call tries again. */
  @Test
  void forgottenArraysMakeRoom() {
    try (CudaDevice device = CudaDevice.first();
        Context context = limited(device, LIMIT)) {
      NdArray x = made(context, COUNT);
      for (int i = 0; i < 300; ++i) {
        x = x.multiply(0.5).add(0.5).evaluate();
      }
      assertEquals(1, x.get(COUNT - 1).item().doubleValue());
      assertTrue(statistic(context, "peak_bytes") <= LIMIT, context.getStatistics().toString());
      NdArray large = made(context, 64 * COUNT);
      long begin = System.nanoTime();
      assertThrows(OutOfDeviceMemoryException.class, large::evaluate);
      assertTrue(System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(10), "it collects for too long");
      assertEquals(1, x.get(0).item().doubleValue());
    }
  }

  /** A write that finds no memory is repeated, and happens once. So are random numbers. */
  @Test
  void repeatedCallsHappenOnce() {
    try (CudaDevice device = CudaDevice.first();
        Context context = new Context(device, ContextOptions.DEFAULT.withPolicy(Policy.EAGER).withMaxBytes(4 << 20));
        Generator generator = generator(context)) {
      NdArray x = made(context, COUNT);
      NdArray y = x.copy(); // the write is not done in place
      forget(context, 3);
      x.addAssign(1);
      assertEquals(2, x.get(0).item().doubleValue());
      assertEquals(1, y.get(0).item().doubleValue());
      forget(context, 2);
      generator.uniform(DType.FLOAT32, COUNT / 4);
      assertEquals(COUNT / 4, generator.getState()[1]);
    }
  }

  private static Generator generator(Context context) {
    try (Scope scope = new Scope(context)) {
      return new Generator(7);
    }
  }

  private static void forget(Context context, int count) {
    for (int i = 0; i < count; ++i) {
      made(context, COUNT).evaluate();
    }
  }

  private static Thread started(List<Throwable> failed, Runnable body) {
    Thread thread = new Thread(body);
    thread.setUncaughtExceptionHandler((of, e) -> failed.add(e));
    thread.start();
    return thread;
  }

  /** 100 000 arrays that two threads forget, while others compute in the same context. */
  @Test
  void aStormOfReleasesDisturbsNobody() throws Exception {
    List<Throwable> failed = java.util.Collections.synchronizedList(new ArrayList<>());
    try (CudaDevice device = CudaDevice.first();
        Context context = limited(device, LIMIT)) {
      NdArray x = made(context, 1024);
      List<Thread> storms = new ArrayList<>();
      for (int i = 0; i < 2; ++i) {
        storms.add(started(failed, () -> {
          for (int k = 0; k < 50_000; ++k) {
            x.add(k);
          }
        }));
      }
      int rounds = 0;
      while (storms.stream().anyMatch(Thread::isAlive)) {
        try (NdArray doubled = x.multiply(++rounds);
            NdArray sum = doubled.sum()) {
          assertEquals(1024.0 * rounds, sum.item().doubleValue());
        }
      }
      assertEquals(List.of(), failed);
      assertTrue(rounds > 2, rounds + " rounds");
      assertTrue(statistic(context, "peak_bytes") <= LIMIT, context.getStatistics().toString());
      for (int i = 0; i < 200 && statistic(context, "arrays") > 100; ++i) {
        System.gc();
        Thread.sleep(10);
      }
      context.synchronize();
      assertTrue(statistic(context, "arrays") <= 100 && statistic(context, "live_bytes") < 4 << 20, context.getStatistics().toString());
      x.close();
    }
  }

  /** Each thread finds memory, although the others could take what its collection releases. */
  @Test
  void threadsThatForgetFindRoom() throws Exception {
    List<Throwable> failed = java.util.Collections.synchronizedList(new ArrayList<>());
    try (CudaDevice device = CudaDevice.first();
        Context context = limited(device, 1 << 20)) {
      NdArray x = made(context, 1024);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; ++i) {
        threads.add(started(failed, () -> {
          for (int k = 0; k < 2500; ++k) {
            x.add(k).evaluate();
          }
        }));
      }
      for (Thread each : threads) {
        each.join();
      }
      assertEquals(List.of(), failed);
      x.close();
    }
  }

  /** A close, and a release by the cleaner, only hand the memory back. Here its stream never ends by itself. */
  @Test
  void releasesNeverWait() throws Exception {
    try (CudaDevice device = CudaDevice.first();
        CudaStream stream = new CudaStream(device);
        Context context = new Context(device, ContextOptions.DEFAULT.withStream(stream));
        Gate gate = Gate.of(device, stream)) {
      NdArray x = made(context, 1024);
      List<NdArray> all = new ArrayList<>();
      for (int i = 0; i < 200; ++i) {
        all.add(x.add(i).evaluate());
      }
      stream.synchronize();
      gate.hold(stream);
      for (NdArray each : all) {
        each.close();
      }
      long before = statistic(context, "arrays");
      for (int i = 0; i < 200; ++i) {
        x.multiply(i); // is forgotten, and still waits for its evaluation
      }
      for (int i = 0; i < 500 && statistic(context, "arrays") > before + 20; ++i) {
        System.gc();
        Thread.sleep(10);
      }
      assertTrue(statistic(context, "arrays") <= before + 20, context.getStatistics().toString());
      assertTrue(!stream.query(), "the stream ended too early");
      gate.open();
      assertEquals(1, x.get(7).item().doubleValue());
      x.close();
    }
  }

  /** The future of an array completes with the array's own work, although later work of the stream never ends by itself. */
  @Test
  void futuresWaitForTheirOwnWork() throws Exception {
    try (CudaDevice device = CudaDevice.first();
        CudaStream stream = new CudaStream(device);
        Context context = new Context(device, ContextOptions.DEFAULT.withStream(stream));
        Scope scope = new Scope(context);
        Gate gate = Gate.of(device, stream)) {
      NdArray x = NdArray.of(X).multiply(2);
      NdArray sum = x.sum();
      NdArray wrong = x.take(NdArray.of(new long[] {98}).add(1), 0);
      CompletableFuture<NdArray> ofX = x.evaluateAsync();
      CompletableFuture<NdArray> ofSum = sum.evaluateAsync();
      CompletableFuture<NdArray> ofWrong = wrong.evaluateAsync();
      gate.hold(stream);
      NdArray other = x.add(1);
      assertEquals(x, ofX.get(60, TimeUnit.SECONDS));
      assertEquals(sum, ofSum.get(60, TimeUnit.SECONDS));
      Throwable cause = assertThrows(ExecutionException.class, () -> ofWrong.get(60, TimeUnit.SECONDS)).getCause();
      assertTrue(cause.getMessage().startsWith("index 99 is out of range for axis 0 of size 6"), cause.getMessage());
      assertTrue(other.isPending() && !stream.query(), "the stream ended too early");
      gate.open();
      assertArrayEquals(new float[] {2, 3, 5, 9, 17, 33}, other.toFloatArray());
    }
  }

  @Test
  void closingWhileOthersCompute() throws Exception {
    List<Throwable> failed = java.util.Collections.synchronizedList(new ArrayList<>());
    for (int round = 0; round < 50; ++round) {
      NdArray x = NdArray.of(X);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 3; ++i) {
        boolean closes = i == 0;
        threads.add(started(failed, () -> {
          try {
            for (int k = 0; k < 20 && !closes; ++k) {
              try (NdArray y = x.add(1)) {
                assertArrayEquals(new float[] {1.5f, 2, 3, 5, 9, 17}, y.toFloatArray());
              }
            }
            x.close();
          } catch (io.cucore.InvalidHandleException e) {
            assertEquals("the NdArray has been closed", e.getMessage());
          }
        }));
      }
      for (Thread each : threads) {
        each.join();
      }
    }
    assertEquals(List.of(), failed);
  }

  /** The process ends with operations that wait, with kernels that run, and with arrays that nobody closed. */
  @Test
  void theProcessEndsWithPendingWork() throws Exception {
    for (String how : List.of("return", "system", "halt")) {
      Child child = Child.run(Map.of(), List.of(), "arrays", how);
      assertEquals("0 ", child.code + " " + child.output, how);
    }
  }
}
