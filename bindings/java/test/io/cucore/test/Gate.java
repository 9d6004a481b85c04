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
 * Holds a stream until it is opened, which closing does at the latest. Its memory is one word a device
 * that is never given back: while a kernel runs, a GPU's driver frees and loads nothing, and who asks
 * for it waits.
 */
final class Gate implements AutoCloseable {
  private static final Map<Integer, Gate> ALL = new HashMap<>();

  private final CudaBuffer word;
  private final ByteBuffer view;

  private Gate(CudaDevice device) {
    word = CudaBuffer.pinned(device, 4);
    view = word.asByteBuffer();
  }

  /** The device's gate, open. The kernels that tests hold a stream with or break it by have run once. */
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
    System.gc(); // what other tests have dropped goes now, not while a kernel runs
    Thread.sleep(20);
    return gate;
  }

  /** What the stream gets from now on waits. */
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
