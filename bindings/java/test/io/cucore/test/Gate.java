// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * Holds a stream until it is opened, which a close does at the latest. Its memory is one word per
 * device that is never freed. While a kernel runs, a GPU's driver frees and loads nothing, and such a
 * call waits.
 */
final class Gate implements AutoCloseable {
  private static final Map<Integer, Gate> ALL = new HashMap<>();

  private final CudaBuffer word;
  private final ByteBuffer view;

  private Gate(CudaDevice device) {
    word = CudaBuffer.pinned(device, 4);
    view = word.asByteBuffer();
  }

  /** Returns the device's gate, open. The kernels that hold or break a stream in the tests have run once. */
  static synchronized Gate of(CudaDevice device, CudaStream stream) throws InterruptedException {
    Gate gate = ALL.computeIfAbsent(device.getOrdinal(), ordinal -> new Gate(device));
    gate.open();
    LaunchConfig one = LaunchConfig.of(1, 1);
    try (CudaBuffer x = new CudaBuffer(device, 4, stream);
        Kernel wait = World.code().kernel("wait_for");
        Kernel add = World.code().kernel("add_one");
        Kernel fault = World.code().kernel("fault")) {
      x.fill(0, stream);
      wait.launch(stream, one, gate.word);
      add.launch(stream, one, x, 1);
      fault.launch(stream, one, (Object) null);
      x.read(new byte[4], stream);
    }
    System.gc(); // objects dropped by other tests are released now, not while a kernel runs
    Thread.sleep(20);
    return gate;
  }

  /** Later work of the stream waits. */
  void hold(CudaStream stream) {
    view.putInt(0, 0);
    try (Kernel wait = World.code().kernel("wait_for")) {
      wait.launch(stream, LaunchConfig.of(1, 1), word);
    }
  }

  void open() {
    view.putInt(0, 1);
  }

  @Override
  public void close() {
    open();
  }
}
