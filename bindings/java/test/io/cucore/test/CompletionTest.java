// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static io.cucore.test.World.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.Arg;
import io.cucore.Completion;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaFuture;
import io.cucore.CudaQueue;
import io.cucore.CudaStream;
import io.cucore.InvalidArgumentException;
import io.cucore.InvalidStateException;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.NotReadyException;
import io.cucore.Status;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Awaiting a stream's work: by CompletableFuture, and by queues and futures themselves. */
class CompletionTest {
  private CudaDevice device;
  private CudaStream stream;
  private Gate gate;

  @BeforeEach
  void open() throws Exception {
    device = World.device();
    stream = new CudaStream(device);
    gate = Gate.of(device, stream);
  }

  @AfterEach
  void close() {
    gate.close();
    stream.close();
    device.close();
  }

  @Test
  void completesInAnExecutor() throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor(body -> new Thread(body, "users own"));
    gate.hold(stream);
    CompletableFuture<Void> own = stream.completion(executor);
    CompletableFuture<Void> plain = stream.completion();
    CompletableFuture<String> where = own.thenApply(nothing -> Thread.currentThread().getName());
    Thread.sleep(30);
    assertFalse(own.isDone() || plain.isDone());
    gate.open();
    assertEquals("users own", where.get(20, TimeUnit.SECONDS));
    assertNull(plain.get(20, TimeUnit.SECONDS));
    executor.shutdown();
    // it accepts no more work, so another executor does it
    assertNull(stream.completion(executor).get(20, TimeUnit.SECONDS));
    assertThrows(InvalidArgumentException.class, () -> stream.completion(null));
  }

  /** If a user's executor throws, those who share the batch receive the exception, and so do the next ones. */
  @Test
  void executorsThatThrow() throws Exception {
    CudaQueue ended = new CudaQueue();
    ended.end();
    List<Executor> broken = List.of(
        body -> { throw new IllegalStateException("broken executor"); },
        body -> ended.waitFor(0, TimeUnit.SECONDS, 1),
        body -> { throw new OutOfMemoryError("unable to create native thread"); },
        body -> { throw new RejectedExecutionException(); });
    List<String> reported = Collections.synchronizedList(new ArrayList<>());
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, e) -> {
      reported.add(e.getMessage());
      throw new IllegalStateException("a handler that throws");
    });
    try {
      for (int round = 0; round < 3; ++round) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        gate.hold(stream);
        for (Executor each : broken) {
          all.add(stream.completion(each));
          all.add(stream.completion());
        }
        gate.open();
        for (CompletableFuture<Void> each : all) {
          assertNull(each.get(20, TimeUnit.SECONDS));
        }
        assertNull(stream.completion().get(20, TimeUnit.SECONDS));
      }
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
      ended.close();
    }
    assertEquals(9, reported.size(), reported.toString());
  }

  @Test
  void executorOnThisThread() throws Exception {
    gate.hold(stream);
    CompletableFuture<Void> here = stream.completion(Runnable::run);
    CompletableFuture<Void> thrower = here.thenRun(() -> { throw new IllegalStateException("a user's own"); });
    gate.open();
    assertNull(here.get(20, TimeUnit.SECONDS));
    assertThrows(ExecutionException.class, () -> thrower.get(20, TimeUnit.SECONDS));
    assertNull(stream.completion().get(20, TimeUnit.SECONDS));
  }

  @Test
  void thousandsCancelledWhileTheyEnd() throws Exception {
    for (int round = 0; round < 5; ++round) {
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int i = 0; i < 2000; ++i) {
        all.add(stream.completion());
        if (i >= 20) {
          all.get(i - 20).cancel(true);
        }
      }
      for (CompletableFuture<Void> each : all) {
        each.handle((nothing, e) -> e).get(20, TimeUnit.SECONDS);
      }
    }
  }

  @Test
  void manyAtOnce() throws Exception {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < 5000; ++i) {
      all.add(stream.completion());
    }
    CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0])).get(60, TimeUnit.SECONDS);
  }

  @Test
  void cancelled() throws Exception {
    gate.hold(stream);
    CompletableFuture<Void> gone = stream.completion();
    CompletableFuture<Void> stays = stream.completion();
    assertTrue(gone.cancel(true));
    assertTrue(gone.isCancelled());
    gate.open();
    assertNull(stays.get(20, TimeUnit.SECONDS));
    assertFalse(stays.cancel(true));
  }

  /** In a separate process, because a GPU's driver may not recover. */
  @Test
  void failure() throws Exception {
    Child child = Child.run(Machine.withTwoDevices(), List.of(), "faultOfFutures");
    assertEquals(0, child.code, child.output);
    System.out.println("futures of a context that breaks: " + child.output);
    boolean oneGpu = Machine.HAS_GPU && !Machine.hasTwoDevices();
    assertEquals("100 failed, " + (oneGpu ? "no second device"
        : Machine.HAS_GPU ? "100 of the second device ended" : "100 of the second device not"), child.output);
  }

  @Test
  void failureWhileFuturesAreMade() throws Exception {
    Child child = Child.run(Map.of(), List.of(), "faultsMeetFutures");
    assertEquals(0, child.code, child.output);
    assertEquals("all failed", child.output);
  }

  private static final int STREAMS = 16;
  private static final int EACH = 625;

  /** Kernels between 10 000 futures on 16 streams, and the action at the end of each. */
  private void launchOnAll(List<CudaStream> streams, CudaBuffer counts, BiConsumer<Integer, Integer> after) {
    try (Kernel add = World.code().kernel("add_one")) {
      LaunchConfig one = LaunchConfig.of(1, 1);
      for (int k = 0; k < EACH; ++k) {
        for (int s = 0; s < STREAMS; ++s) {
          add.launch(streams.get(s), one, Arg.address(counts.getAddress() + 4 * s), 1);
          after.accept(s, k);
        }
      }
    }
  }

  private void withStreams(BiConsumer<List<CudaStream>, CudaBuffer> body) {
    List<CudaStream> streams = new ArrayList<>();
    try (CudaBuffer counts = CudaBuffer.pinned(device, 4 * STREAMS)) {
      for (int s = 0; s < STREAMS; ++s) {
        streams.add(new CudaStream(device));
        counts.asByteBuffer().putInt(4 * s, 0);
      }
      body.accept(streams, counts);
      for (int s = 0; s < STREAMS; ++s) {
        assertEquals(EACH, counts.asByteBuffer().getInt(4 * s));
      }
    } finally {
      streams.forEach(CudaStream::close);
    }
  }

  /** Each once, in its stream's order, after its kernel has written its result. */
  @Test
  void tenThousandOverSixteenStreams() throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    AtomicIntegerArray next = new AtomicIntegerArray(STREAMS);
    List<String> wrong = Collections.synchronizedList(new ArrayList<>());
    List<CompletableFuture<Void>> all = new ArrayList<>();
    withStreams((streams, counts) -> {
      ByteBuffer view = counts.asByteBuffer();
      launchOnAll(streams, counts, (s, k) -> all.add(streams.get(s).completion(executor).whenComplete((nothing, e) -> {
        int turn = next.getAndIncrement(s);
        int count = view.getInt(4 * s);
        if (e != null || turn != k || count <= k) {
          wrong.add("stream " + s + ": future " + k + " came at turn " + turn + ", count " + count + ", " + e);
        }
      })));
      CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0])).join();
    });
    executor.shutdown();
    assertTrue(executor.awaitTermination(20, TimeUnit.SECONDS));
    assertEquals(List.of(), wrong);
    for (int s = 0; s < STREAMS; ++s) {
      assertEquals(EACH, next.get(s));
    }
  }

  /** The same with a queue: no token twice, none out of order. */
  @Test
  void tenThousandThroughOneQueue() {
    try (CudaQueue queue = new CudaQueue()) {
      withStreams((streams, counts) -> {
        launchOnAll(streams, counts, (s, k) -> CudaFuture.fromStream(streams.get(s), queue, (long) s << 32 | k).close());
        int[] next = new int[STREAMS];
        for (int left = STREAMS * EACH; left > 0; ) {
          List<Completion> some = queue.waitFor(20, TimeUnit.SECONDS, 256);
          assertFalse(some.isEmpty(), left + " never came");
          for (Completion each : some) {
            assertEquals(next[(int) (each.token() >> 32)]++, (int) each.token());
            assertEquals(Status.OK, each.status());
          }
          left -= some.size();
        }
      });
      assertEquals(List.of(), queue.waitFor(50, TimeUnit.MILLISECONDS, 1));
    }
  }

  @Test
  void queuesAndFutures() {
    try (CudaQueue queue = new CudaQueue()) {
      assertTrue(queue.getDescriptor() >= 0);
      assertEquals(List.of(), queue.waitFor(0, TimeUnit.SECONDS, 4));
      gate.hold(stream);
      try (CudaFuture first = CudaFuture.fromStream(stream, queue, 7);
          CudaFuture second = CudaFuture.fromStream(stream, queue, -8);
          CudaFuture third = CudaFuture.fromStream(stream, queue, 0)) {
        assertEquals(7, first.getToken());
        assertEquals(0, third.getToken());
        assertFalse(first.query());
        assertFails(NotReadyException.class, Status.NOT_READY, () -> first.waitFor(1, TimeUnit.MILLISECONDS));
        assertFails(NotReadyException.class, Status.NOT_READY, first::check);
        assertTrue(third.detach());
        assertEquals(3, queue.getInfo().pending());
        gate.open();
        first.waitFor(-1, TimeUnit.NANOSECONDS);
        first.check();
        List<Completion> got = new ArrayList<>();
        while (got.size() < 2) {
          got.addAll(queue.waitFor(20, TimeUnit.SECONDS, 4));
        }
        assertEquals(7, got.get(0).token());
        assertEquals(-8, got.get(1).token());
        assertEquals(Status.OK, got.get(1).status());
        assertEquals(2, queue.getInfo().completed());
        assertEquals(0, queue.getInfo().waiting());
        assertTrue(queue.getInfo().cpuNanos() >= 0);
        queue.end();
        assertTrue(queue.getInfo().isEnded());
        assertFails(InvalidStateException.class, Status.INVALID_STATE, () -> queue.waitFor(-1, TimeUnit.SECONDS, 1));
        assertFails(InvalidStateException.class, Status.INVALID_STATE, () -> CudaFuture.fromStream(stream, queue, 1));
      }
    }
  }
}
