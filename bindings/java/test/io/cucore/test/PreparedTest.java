// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static io.cucore.test.World.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.InvalidArgumentException;
import io.cucore.InvalidHandleException;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.PreparedLaunch;
import io.cucore.Status;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Prepared launches: converted once, run often, updated by index. */
class PreparedTest {
  private static final LaunchConfig FOUR = LaunchConfig.of(1, 4);
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

  private CudaBuffer ramp() {
    CudaBuffer buffer = new CudaBuffer(device, 16, stream);
    buffer.write(World.ramp(4), stream);
    return buffer;
  }

  private float[] read(CudaBuffer buffer) {
    float[] values = new float[4];
    buffer.read(values, stream);
    return values;
  }

  @Test
  void runsAgainWithNewArguments() {
    try (CudaBuffer x = ramp(); CudaBuffer y = ramp(); Kernel scale = World.code().kernel("scale");
        PreparedLaunch prepared = scale.prepare(stream, FOUR, 3f, x, 4)) {
      assertArrayEquals(World.ramp(4), read(x));
      prepared.run();
      prepared.run();
      prepared.update(0, 10.0);
      prepared.update(1, y);
      prepared.update(2, 2L);
      prepared.run();
      assertArrayEquals(new float[] {0, 9, 18, 27}, read(x));
      assertArrayEquals(new float[] {0, 10, 2, 3}, read(y));
    }
  }

  @Test
  void refusesWhatALaunchRefuses() {
    try (CudaBuffer x = ramp(); Kernel scale = World.code().kernel("scale")) {
      assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> scale.prepare(stream, FOUR, 3f, x));
      assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT,
          () -> scale.prepare(stream, LaunchConfig.of(0, 4), 3f, x, 4));
      try (PreparedLaunch prepared = scale.prepare(stream, FOUR, 3f, x, 4)) {
        String message = assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT,
            () -> prepared.update(2, 1.5)).getMessage();
        assertTrue(message.contains("argument 2 of kernel scale"), message);
        message = assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT,
            () -> prepared.update(3, 1)).getMessage();
        assertTrue(message.contains("index is 3; kernel scale takes 3 arguments"), message);
        prepared.run();
        assertArrayEquals(new float[] {0, 3, 6, 9}, read(x));
      }
    }
  }

  @Test
  void keepsWhatItUses() {
    CudaBuffer x = ramp();
    Kernel scale = World.code().kernel("scale");
    CudaBuffer view = CudaBuffer.fromNative(device, x.getAddress(), 16);
    try (PreparedLaunch prepared = scale.prepare(stream, FOUR, 3f, x, 4)) {
      x.close();
      scale.close();
      prepared.run();
      prepared.update(0, 2f);
      prepared.run();
      assertArrayEquals(new float[] {0, 6, 12, 18}, read(view));
    }
    view.close();
  }

  @Test
  void refusesClosedObjects() {
    CudaBuffer x = ramp();
    CudaBuffer closed = ramp();
    closed.close();
    try (Kernel scale = World.code().kernel("scale")) {
      String message = assertThrows(InvalidHandleException.class, () -> scale.prepare(stream, FOUR, 3f, closed, 4)).getMessage();
      assertTrue(message.contains("argument 1 of kernel scale"), message);
      PreparedLaunch prepared = scale.prepare(stream, FOUR, 3f, x, 4);
      message = assertThrows(InvalidHandleException.class, () -> prepared.update(1, closed)).getMessage();
      assertTrue(message.contains("argument 1 of kernel scale"), message);
      prepared.close();
      assertThrows(InvalidHandleException.class, prepared::run);
      assertThrows(InvalidHandleException.class, () -> prepared.update(0, 1f));
    }
    x.close();
  }

  @Test
  void runsInSeveralThreads() throws Exception {
    try (CudaBuffer x = new CudaBuffer(device, 16, stream); Kernel add = World.code().kernel("add_one")) {
      x.fill((byte) 0, stream);
      try (PreparedLaunch prepared = add.prepare(stream, LaunchConfig.of(1, 1), x, 1)) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; ++i) {
          Thread thread = new Thread(() -> {
            for (int round = 0; round < 100; ++round) {
              prepared.run();
              prepared.update(1, 1);
            }
          });
          thread.start();
          threads.add(thread);
        }
        for (Thread thread : threads) {
          thread.join();
        }
        int[] count = new int[4];
        x.read(count, stream);
        assertEquals(400, count[0]);
      }
    }
  }
}
