package io.cucore.test;

import static io.cucore.test.World.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.Completion;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaFuture;
import io.cucore.CudaQueue;
import io.cucore.CudaStream;
import io.cucore.InvalidStateException;
import io.cucore.Kernel;
import io.cucore.KernelFaultException;
import io.cucore.LaunchConfig;
import io.cucore.NotReadyException;
import io.cucore.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Awaiting a stream's work: by CompletableFuture, and by queues and futures themselves. */
class CompletionTest {
  private CudaDevice device;
  private CudaStream stream;
  private CudaBuffer flag;
  private Kernel wait;

  @BeforeEach
  void open() {
    device = World.device();
    stream = new CudaStream(device);
    flag = CudaBuffer.pinned(device, 4);
    wait = World.code().kernel("wait_for");
  }

  @AfterEach
  void close() {
    wait.close();
    flag.close();
    stream.close();
    device.close();
  }

  /** Work that lasts until go(). */
  private void hold() {
    flag.asByteBuffer().putInt(0, 0);
    wait.launch(stream, LaunchConfig.of(1, 1), flag);
  }

  private void go() {
    flag.asByteBuffer().putInt(0, 1);
  }

  @Test
  void completesInAnExecutor() throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor(body -> new Thread(body, "users own"));
    hold();
    CompletableFuture<Void> own = stream.completion(executor);
    CompletableFuture<Void> plain = stream.completion();
    CompletableFuture<String> where = own.thenApply(nothing -> Thread.currentThread().getName());
    Thread.sleep(30);
    assertFalse(own.isDone() || plain.isDone());
    go();
    assertEquals("users own", where.get(20, TimeUnit.SECONDS));
    assertNull(plain.get(20, TimeUnit.SECONDS));
    executor.shutdown();
    assertNull(stream.completion(executor).get(20, TimeUnit.SECONDS)); // it takes no more work: another does
    assertThrows(NullPointerException.class, () -> stream.completion(null));
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
    hold();
    CompletableFuture<Void> gone = stream.completion();
    CompletableFuture<Void> stays = stream.completion();
    assertTrue(gone.cancel(true));
    assertTrue(gone.isCancelled());
    go();
    assertNull(stays.get(20, TimeUnit.SECONDS));
    assertFalse(stays.cancel(true));
  }

  @Test
  void failure() throws Exception {
    try (Kernel fault = World.code().kernel("fault");
        CudaStream broken = new CudaStream(device);
        CudaBuffer x = new CudaBuffer(device, 4, broken)) {
      hold();
      broken.waitStream(stream);
      fault.launch(broken, LaunchConfig.of(1, 1), x);
      CompletableFuture<Void> bad = broken.completion();
      go();
      ExecutionException e = assertThrows(ExecutionException.class, () -> bad.get(20, TimeUnit.SECONDS));
      assertEquals(KernelFaultException.class, e.getCause().getClass());
      assertTrue(e.getCause().getMessage().contains("fault"), e.getCause().getMessage());
      assertThrows(KernelFaultException.class, () -> broken.completion());
    } finally {
      device.reset();
    }
  }

  @Test
  void queuesAndFutures() {
    try (CudaQueue queue = new CudaQueue()) {
      assertTrue(queue.getDescriptor() >= 0);
      assertEquals(List.of(), queue.waitFor(0, TimeUnit.SECONDS, 4));
      hold();
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
        go();
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
