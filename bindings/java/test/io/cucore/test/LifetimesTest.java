// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static io.cucore.test.World.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.Arg;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.InvalidHandleException;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.OutOfDeviceMemoryException;
import io.cucore.Status;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Memory that a kernel uses stays until the end of the kernel, however its buffer is released. */
class LifetimesTest {
  private static final int COUNT = 1 << 12;
  private static final int BYTES = 4 * COUNT;
  private static final LaunchConfig ALL = LaunchConfig.covering(COUNT, 128);

  private CudaDevice device;
  private CudaStream owner; // of the buffers
  private CudaStream user; // used by kernels
  private Kernel add;

  @BeforeEach
  void open() {
    device = World.device();
    owner = new CudaStream(device);
    user = new CudaStream(device);
    add = World.code().kernel("add_one");
  }

  @AfterEach
  void close() {
    add.close();
    user.close();
    owner.close();
    device.close();
  }

  private static void collect() throws InterruptedException {
    for (int i = 0; i < 5; ++i) {
      System.gc();
      Thread.sleep(10);
    }
  }

  private CudaBuffer zeros() {
    CudaBuffer made = new CudaBuffer(device, BYTES, owner);
    made.fill(0, owner);
    return made;
  }

  /** Memory of the same size, which would reuse memory that was freed too early. */
  private List<CudaBuffer> marked() {
    List<CudaBuffer> all = new ArrayList<>();
    for (int i = 0; i < 4; ++i) {
      CudaBuffer each = new CudaBuffer(device, BYTES, owner);
      each.fill(7, owner);
      all.add(each);
    }
    owner.synchronize();
    return all;
  }

  private void assertUntouched(List<CudaBuffer> all) {
    user.synchronize();
    int[] expected = new int[COUNT];
    Arrays.fill(expected, 7);
    for (CudaBuffer each : all) {
      int[] got = new int[COUNT];
      each.read(got, owner);
      assertArrayEquals(expected, got);
      each.close();
    }
  }

  @Test
  void timeoutLeavesTheBlock() throws Exception {
    try (Gate gate = Gate.of(device, owner)) {
      gate.hold(user);
      assertThrows(TimeoutException.class, () -> {
        try (CudaBuffer x = zeros()) {
          owner.synchronize();
          add.launch(user, ALL, x, COUNT);
          user.completion().get(20, TimeUnit.MILLISECONDS);
        }
      });
      List<CudaBuffer> others = marked();
      gate.open();
      assertUntouched(others);
    }
  }

  /** Nothing is closed: the collector releases the buffers while their kernels wait. */
  @Test
  void collectedBeforeItsKernelRuns() throws Exception {
    try (Gate gate = Gate.of(device, owner)) {
      gate.hold(user);
      for (int i = 0; i < 10; ++i) {
        launchOnForgotten();
      }
      collect();
      List<CudaBuffer> others = marked();
      gate.open();
      assertUntouched(others);
    }
  }

  private void launchOnForgotten() {
    CudaBuffer x = zeros();
    owner.synchronize();
    add.launch(user, ALL, x, COUNT);
  }

  @Test
  void argKeepsItsBuffer() throws Exception {
    Arg argument = argOfForgotten();
    collect();
    List<CudaBuffer> others = marked();
    add.launch(user, ALL, argument, COUNT);
    assertUntouched(others);
  }

  private Arg argOfForgotten() {
    CudaBuffer x = zeros();
    owner.synchronize();
    return Arg.of(x);
  }

  @Test
  void argOfAClosedBuffer() {
    CudaBuffer x = zeros();
    Arg argument = Arg.of(x);
    x.close();
    InvalidHandleException e = assertFails(InvalidHandleException.class, Status.INVALID_HANDLE,
        () -> add.launch(owner, ALL, argument, COUNT));
    assertTrue(e.getMessage().contains("argument 0 of kernel add_one is a CudaBuffer that has been closed"), e.getMessage());
    assertFails(InvalidHandleException.class, Status.INVALID_HANDLE, () -> Arg.of(x));
    owner.synchronize();
  }

  @Test
  void closedWhileAnotherThreadLaunches() throws Exception {
    AtomicReference<CudaBuffer> shared = new AtomicReference<>(zeros());
    AtomicBoolean done = new AtomicBoolean();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread closer = new Thread(() -> {
      try {
        while (!done.get()) {
          shared.getAndSet(zeros()).close();
        }
      } catch (Throwable e) {
        failure.set(e);
      }
    });
    closer.start();
    int launched = 0;
    int refused = 0;
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(4);
    try {
      while (System.nanoTime() < end) {
        try {
          add.launch(user, ALL, shared.get(), COUNT);
          if (++launched % 64 == 0) {
            user.synchronize();
          }
        } catch (InvalidHandleException e) {
          assertTrue(e.getMessage().contains("closed"), e.getMessage());
          ++refused;
        }
      }
    } finally {
      done.set(true);
      closer.join();
    }
    user.synchronize();
    assertEquals(null, failure.get());
    assertTrue(launched > 100, launched + " launches");
    System.out.println("closed during launches: " + launched + " launched, " + refused + " refused");
    shared.get().close();
  }

  @Test
  void wrappedMemory() {
    try (CudaBuffer x = zeros();
        CudaBuffer wrapped = CudaBuffer.fromNative(device, x.getAddress(), BYTES);
        CudaBuffer empty = new CudaBuffer(device, 0, owner)) {
      owner.synchronize();
      add.launch(user, ALL, wrapped, COUNT);
      add.launch(user, ALL, Arg.of(wrapped), COUNT);
      add.launch(user, ALL, empty, 0);
      x.recordUse(user);
      int[] got = new int[COUNT];
      x.read(got, user);
      assertEquals(2, got[COUNT - 1]);
    }
  }

  @Test
  void forgottenBuffers() throws Exception {
    for (int i = 0; i < 400; ++i) {
      new CudaBuffer(device, 64 << 20, owner);
    }
    for (int i = 0; i < 200; ++i) {
      CudaBuffer.managed(device, 64 << 20);
    }
    List<Callable<Void>> bodies = new ArrayList<>();
    for (int t = 0; t < 4; ++t) {
      bodies.add(() -> {
        try (CudaStream own = new CudaStream(device)) {
          for (int i = 0; i < 200; ++i) {
            new CudaBuffer(device, 64 << 20, own);
          }
        }
        return null;
      });
    }
    ExecutorService threads = Executors.newFixedThreadPool(bodies.size());
    try {
      for (Future<Void> each : threads.invokeAll(bodies)) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertAllIsReleased();
  }

  /** On a GPU the next kernel that waits would delay later releases. */
  private void assertAllIsReleased() throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (device.getMemory().total() - device.getMemory().free() > 4L << 30) {
      assertTrue(System.nanoTime() < end, "forgotten buffers stay");
      collect();
      device.synchronize();
    }
    collect();
  }

  /** A held buffer is not dropped. */
  @Test
  void memoryThatIsOut() {
    long tooLarge = device.getMemory().total() + (1L << 30);
    long begin = System.nanoTime();
    assertFails(OutOfDeviceMemoryException.class, Status.OUT_OF_DEVICE_MEMORY,
        () -> new CudaBuffer(device, tooLarge, owner));
    assertTrue(System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(10), "it takes too long");
  }
}
