// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static io.cucore.test.World.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.CudaDevice;
import io.cucore.CudaEvent;
import io.cucore.CudaStream;
import io.cucore.InvalidHandleException;
import io.cucore.NotReadyException;
import io.cucore.Status;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Waits with a limit: of a stream, an event and a device. */
class WaitsTest {
  private static final Duration SHORT = Duration.ofMillis(30);
  private static final Duration LONG = Duration.ofSeconds(60);

  private CudaDevice device;
  private CudaStream stream;
  private CudaEvent event;
  private Gate gate;

  @BeforeEach
  void open() throws Exception {
    device = World.device();
    stream = new CudaStream(device);
    event = new CudaEvent(device);
    gate = Gate.of(device, stream);
  }

  @AfterEach
  void close() {
    gate.close();
    event.close();
    stream.close();
    device.close();
  }

  private Map<String, Consumer<Duration>> waits() {
    return Map.of("the work of the stream", stream::synchronize, "the event", event::synchronize, "the device", device::synchronize);
  }

  private void hold() {
    gate.hold(stream);
    event.record(stream);
  }

  private static NotReadyException assertNotReady(Runnable body) {
    return assertFails(NotReadyException.class, Status.NOT_READY, body::run);
  }

  @Test
  void endsAtTheLimit() {
    hold();
    waits().forEach((name, wait) -> {
      long start = System.nanoTime();
      assertEquals(name + " is not complete after 30 ms; wait longer", assertNotReady(() -> wait.accept(SHORT)).getMessage());
      assertTrue(System.nanoTime() - start >= SHORT.toNanos(), name);
      assertNotReady(() -> wait.accept(Duration.ZERO));
    });
    gate.open();
    waits().forEach((name, wait) -> wait.accept(LONG));
    assertTrue(stream.query());
    waits().forEach((name, wait) -> wait.accept(Duration.ofNanos(-1))); // no limit
    waits().forEach((name, wait) -> wait.accept(Duration.ofSeconds(Long.MAX_VALUE)));
  }

  /** Zero reports the end of a stream and an event that are complete. */
  @Test
  void zeroOfCompleteWork() {
    event.record(stream);
    stream.synchronize();
    stream.synchronize(Duration.ZERO);
    event.synchronize(Duration.ZERO);
  }

  /** Waits that ended at their limits share one thread, and keep no object open. */
  @Test
  void givenUp() throws Exception {
    hold();
    for (int i = 0; i < 50; ++i) {
      assertNotReady(() -> device.synchronize(Duration.ofMillis(1)));
      assertNotReady(() -> stream.synchronize(Duration.ofMillis(1)));
    }
    long threads = Thread.getAllStackTraces().keySet().stream().filter(t -> t.getName().startsWith("cucore-device-")).count();
    assertEquals(1, threads);
    CudaDevice other = World.device();
    assertNotReady(() -> other.synchronize(SHORT));
    other.close(); // does not wait for the device
    assertFails(InvalidHandleException.class, Status.INVALID_HANDLE, () -> other.synchronize(SHORT));
    gate.open();
    device.synchronize(LONG);
    assertTrue(stream.query());
  }

  /** A wait of the device that began before the work does not count for it. */
  @Test
  void laterWorkOfADevice() throws Exception {
    hold();
    assertNotReady(() -> device.synchronize(SHORT)); // its thread waits for the gate
    try (CudaStream later = new CudaStream(device)) {
      gate.hold(later);
      Thread opening = new Thread(() -> {
        try {
          Thread.sleep(50);
        } catch (InterruptedException e) {
          return;
        }
        gate.open();
      });
      opening.start();
      device.synchronize(LONG);
      assertTrue(later.query());
      opening.join();
    }
  }

  @Test
  void interrupted() {
    hold();
    waits().forEach((name, wait) -> {
      Thread.currentThread().interrupt();
      long start = System.nanoTime();
      assertNotReady(() -> wait.accept(SHORT));
      assertTrue(System.nanoTime() - start >= SHORT.toNanos(), name);
      assertTrue(Thread.interrupted(), name + " has cleared the interrupt");
    });
    gate.open();
    assertFalse(Thread.interrupted());
  }

  /** In a process of its own: the faults break the device. */
  @Test
  void faults() throws Exception {
    for (String of : List.of("stream", "event", "device")) {
      Child child = Child.run(Map.of(), List.of(), "faultOfWait", of);
      assertEquals("KernelFaultException", child.output);
    }
  }
}
