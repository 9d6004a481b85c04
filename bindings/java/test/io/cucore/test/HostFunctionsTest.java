// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.Comparison;
import io.cucore.Completion;
import io.cucore.CompletionKind;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaQueue;
import io.cucore.CudaStream;
import io.cucore.Graph;
import io.cucore.InvalidArgumentException;
import io.cucore.NotFoundException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Host functions: Runnables in streams; and words that streams write and wait for. */
class HostFunctionsTest {
  private CudaDevice device;
  private CudaStream stream;

  @BeforeEach
  void open() {
    device = World.device();
    stream = new CudaStream(device);
  }

  @AfterEach
  void close() {
    stream.close();
    device.close();
  }

  @Test
  void runInTheOrderOfTheStream() {
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < 20; ++i) {
      int number = i;
      stream.launchHost(() -> order.add(number));
    }
    stream.synchronize();
    assertEquals(IntStream.range(0, 20).boxed().collect(Collectors.toList()), order);
  }

  @Test
  void runInTheirExecutor() throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor(body -> new Thread(body, "of the test"));
    AtomicReference<String> name = new AtomicReference<>();
    stream.launchHost(() -> name.set(Thread.currentThread().getName()), executor);
    stream.synchronize();
    assertEquals("of the test", name.get());
    executor.shutdown();
    assertTrue(executor.awaitTermination(10, TimeUnit.SECONDS));
    stream.launchHost(() -> name.set("never"), executor); // refused there; the stream goes on
    stream.synchronize();
    assertEquals("of the test", name.get());
  }

  @Test
  void holdTheStream() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    AtomicBoolean ended = new AtomicBoolean();
    stream.launchHost(() -> {
      try {
        gate.await(10, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      ended.set(true);
    });
    assertFalse(stream.query());
    gate.countDown();
    stream.synchronize();
    assertTrue(ended.get());
  }

  @Test
  void reportWhatTheyThrow() {
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    AtomicReference<Throwable> reported = new AtomicReference<>();
    Thread.setDefaultUncaughtExceptionHandler((thread, e) -> reported.set(e));
    try {
      AtomicBoolean after = new AtomicBoolean();
      stream.launchHost(() -> {
        throw new IllegalStateException("on purpose");
      });
      stream.launchHost(() -> after.set(true));
      stream.synchronize();
      assertTrue(after.get());
      assertEquals("on purpose", reported.get().getMessage());
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
    assertThrows(InvalidArgumentException.class, () -> stream.launchHost(null));
    assertThrows(InvalidArgumentException.class, () -> stream.launchHost(() -> {}, null));
  }

  @Test
  void comeFromManyThreads() throws Exception {
    AtomicInteger ran = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 64; ++i) {
      threads.add(new Thread(() -> {
        try (CudaStream own = new CudaStream(device)) {
          for (int k = 0; k < 10; ++k) {
            own.launchHost(ran::incrementAndGet);
          }
          own.synchronize();
        }
      }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(640, ran.get());
  }

  /** The call that adds a function may block, here for an iteration, until others have run and added functions. */
  @Test
  void startWhileAnotherIsAdded() throws Exception {
    CountDownLatch ran = new CountDownLatch(1);
    AtomicBoolean hasRun = new AtomicBoolean();
    try (Graph graph = new Graph(device)) {
      graph.host(() -> {
        stream.launchHost(() -> stream.launchHost(ran::countDown));
        try {
          hasRun.set(ran.await(10, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
        return Collections.emptyIterator();
      }, () -> {});
    }
    assertTrue(hasRun.get(), "a function waits for the call that adds another");
    stream.synchronize();
  }

  @Test
  void haveTickets() {
    try (CudaQueue queue = new CudaQueue()) {
      stream.launchHostQueued(queue, 7, 1);
      Completion first = queue.waitFor(10, TimeUnit.SECONDS, 1).get(0);
      assertEquals(7, first.token());
      assertEquals(CompletionKind.HOST, first.kind());
      assertFalse(stream.query());
      queue.resume(first.ticket());
      stream.synchronize();
      assertThrows(NotFoundException.class, () -> queue.resume(first.ticket()));
    }
  }

  @Test
  void waitForWords() {
    try (CudaBuffer x = CudaBuffer.pinned(device, 16); CudaStream other = new CudaStream(device)) {
      x.write(new byte[16], stream);
      stream.synchronize();
      stream.waitValue(x, 8, 5, 8, Comparison.GREATER_EQUAL);
      assertFalse(stream.query());
      other.writeValue(x, 8, 6, 8);
      stream.synchronize();
    }
  }
}
