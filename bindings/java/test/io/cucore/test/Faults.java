// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static io.cucore.test.World.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.CodeType;
import io.cucore.CucoreException;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaEvent;
import io.cucore.CudaStream;
import io.cucore.InvalidStateException;
import io.cucore.Kernel;
import io.cucore.KernelFaultException;
import io.cucore.LaunchConfig;
import io.cucore.ObjectCode;
import io.cucore.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Errands that break a context. Each prints its progress. */
final class Faults {
  private static final LaunchConfig ONE = LaunchConfig.of(1, 1);
  private static final String NAME = "CUDA_ERROR_ILLEGAL_ADDRESS";

  private Faults() {}

  /** A wait with a limit reports a fault as the wait without one does. */
  static void ofWait(String of) {
    Duration limit = Duration.ofSeconds(60);
    try (CudaDevice device = World.device();
        CudaStream stream = new CudaStream(device);
        CudaEvent event = new CudaEvent(device);
        CudaBuffer x = new CudaBuffer(device, 4, stream);
        Kernel fault = World.code().kernel("fault")) {
      fault.launch(stream, ONE, x);
      event.record(stream);
      if (of.equals("stream")) {
        stream.synchronize(limit);
      } else if (of.equals("event")) {
        event.synchronize(limit);
      } else {
        device.synchronize(limit);
      }
    } catch (CucoreException e) {
      System.out.print(e.getClass().getSimpleName());
    }
  }

  /** Every call that meets the fault reports it; it continues after a reset, or only in a new process. */
  static void andReset() {
    try (CudaDevice device = World.device();
        ObjectCode code = ObjectCode.fromBytes(CodeType.PTX, World.code().getBytes());
        Kernel fault = code.kernel("fault");
        Kernel add = code.kernel("add_one");
        CudaStream broken = new CudaStream(device);
        CudaBuffer x = new CudaBuffer(device, 4, broken)) {
      fault.launch(broken, ONE, x);
      KernelFaultException e = assertFails(KernelFaultException.class, Status.KERNEL_FAULT, broken::synchronize);
      assertEquals(NAME, e.nativeName());
      KernelFaultException late = assertFails(KernelFaultException.class, Status.KERNEL_FAULT, () -> new CudaStream(device));
      for (String told : List.of(e.getMessage(), late.getMessage())) {
        assertTrue(told.startsWith("an earlier kernel broke the context"), told);
        assertTrue(told.contains(Machine.HAS_GPU ? "compute-sanitizer" : "kernel 'fault' block (0,0,0) thread (0,0,0): illegal address"), told);
        assertTrue(Machine.HAS_GPU || told.contains("ProgramOptions.lineinfo"), told);
      }
      assertFails(KernelFaultException.class, Status.KERNEL_FAULT, device::synchronize);
      assertFails(KernelFaultException.class, Status.KERNEL_FAULT, () -> x.read(new byte[4], broken));
      boolean cured = isCuredByReset(device);
      assertFails(InvalidStateException.class, Status.INVALID_STATE, broken::synchronize);
      if (cured) {
        launchAgain(device, add);
      }
      System.out.print(cured ? "reset" : "a new process");
    }
  }

  private static boolean isCuredByReset(CudaDevice device) {
    try {
      device.reset();
      return true;
    } catch (KernelFaultException e) {
      assertTrue(e.getMessage().contains("restart the process"), e.getMessage());
      return false;
    }
  }

  private static void launchAgain(CudaDevice device, Kernel add) {
    try (CudaStream fresh = new CudaStream(device);
        CudaBuffer y = new CudaBuffer(device, 4, fresh)) {
      y.fill(1, fresh);
      add.launch(fresh, ONE, y, 1);
      int[] result = new int[1];
      y.read(result, fresh);
      assertEquals(2, result[0]);
    }
  }

  /** A stream that is held until the gate is opened, and its waiters. */
  private static final class Held implements AutoCloseable {
    final CudaDevice device;
    final CudaStream first;
    final List<CudaStream> streams = new ArrayList<>();
    final List<CompletableFuture<Void>> pending = new ArrayList<>();
    private final Gate gate;

    Held(int ordinal) throws InterruptedException {
      device = new CudaDevice(ordinal);
      first = new CudaStream(device);
      gate = Gate.of(device, first);
      for (int i = 0; i < 4; ++i) {
        streams.add(new CudaStream(device));
      }
    }

    void hold() {
      gate.hold(first);
    }

    void addFutures() {
      for (CudaStream stream : streams) {
        stream.waitStream(first);
        for (int i = 0; i < 25; ++i) {
          pending.add(stream.completion());
        }
      }
    }

    void open() {
      gate.open();
    }

    @Override
    public void close() {
      gate.close();
      streams.forEach(CudaStream::close);
      first.close();
      device.close();
    }
  }

  /** A fault reaches every pending future of its context with its text, and no others. */
  static void ofFutures() throws Exception {
    try (Held broken = new Held(0);
        Held other = Machine.hasTwoDevices() ? new Held(1) : null;
        CudaBuffer x = CudaBuffer.pinned(broken.device, 4);
        Kernel fault = World.code().kernel("fault")) {
      CompletableFuture<Void> before = broken.streams.get(0).completion();
      assertNull(before.get(20, TimeUnit.SECONDS));
      broken.hold();
      fault.launch(broken.first, ONE, x);
      broken.addFutures();
      if (other != null) {
        other.hold();
        other.addFutures();
      }
      Thread.sleep(30);
      assertTrue(broken.pending.stream().noneMatch(CompletableFuture::isDone));
      broken.open();
      for (CompletableFuture<Void> each : broken.pending) {
        Throwable e = assertThrows(ExecutionException.class, () -> each.get(20, TimeUnit.SECONDS)).getCause();
        assertEquals(KernelFaultException.class, e.getClass());
        assertEquals(NAME, ((KernelFaultException) e).nativeName());
        assertTrue(e.getMessage().contains(NAME), e.getMessage());
      }
      assertFalse(before.isCompletedExceptionally());
      CompletableFuture<Void> after = broken.streams.get(0).completion();
      Throwable late = assertThrows(ExecutionException.class, () -> after.get(20, TimeUnit.SECONDS)).getCause();
      assertEquals(KernelFaultException.class, late.getClass());
      System.out.print(broken.pending.size() + " failed, " + (other == null ? "no second device" : untouched(other)));
    }
  }

  /** Futures are created while the context breaks: none is an exception, and the last ones fail. */
  static void meetFutures() throws Exception {
    int rounds = Machine.HAS_GPU ? 1 : 100; // a GPU breaks once per process
    for (int round = 0; round < rounds; ++round) {
      try (CudaDevice device = World.device();
          Kernel fault = World.code().kernel("fault");
          CudaStream stream = new CudaStream(device);
          CudaBuffer x = CudaBuffer.pinned(device, 4)) {
        fault.launch(stream, ONE, x);
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 50; ++i) {
          all.add(stream.completion());
        }
        for (CompletableFuture<Void> each : all) {
          Throwable e = assertThrows(ExecutionException.class, () -> each.get(20, TimeUnit.SECONDS)).getCause();
          assertEquals(KernelFaultException.class, e.getClass());
        }
        if (round + 1 < rounds) {
          device.reset();
        }
      }
    }
    System.out.print("all failed");
  }

  private static String untouched(Held other) throws Exception {
    if (Machine.HAS_GPU) { // NVIDIA's driver reports the fault to all devices of the process
      other.open();
      for (CompletableFuture<Void> each : other.pending) {
        Throwable fault = each.handle((nothing, e) -> e).get(20, TimeUnit.SECONDS);
        assertTrue(fault == null || fault instanceof KernelFaultException, String.valueOf(fault));
      }
      return other.pending.size() + " of the second device ended";
    }
    assertTrue(other.pending.stream().noneMatch(CompletableFuture::isDone));
    other.open();
    for (CompletableFuture<Void> each : other.pending) {
      assertNull(each.get(20, TimeUnit.SECONDS));
    }
    assertNull(other.first.completion().get(20, TimeUnit.SECONDS));
    return other.pending.size() + " of the second device not";
  }
}
