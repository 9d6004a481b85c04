// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.AccessProperty;
import io.cucore.AccessWindow;
import io.cucore.ClusterScheduling;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaEvent;
import io.cucore.CudaStream;
import io.cucore.InvalidArgumentException;
import io.cucore.InvalidHandleException;
import io.cucore.InvalidStateException;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.LaunchException;
import io.cucore.PreparedLaunch;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Options of launches that are attributes of the driver, and access windows of streams. */
class LaunchOptionsTest {
  private CudaDevice device;
  private CudaStream stream;
  private Kernel scale;
  private CudaBuffer x;

  @BeforeEach
  void open() {
    device = World.device();
    stream = new CudaStream(device);
    scale = World.code().kernel("scale");
    x = new CudaBuffer(device, 16, stream);
    x.write(World.ramp(4), stream);
  }

  @AfterEach
  void close() {
    x.close();
    scale.close();
    stream.close();
    device.close();
  }

  private static LaunchConfig config(UnaryOperator<LaunchConfig.Builder> settings) {
    return settings.apply(LaunchConfig.builder().grid(1).block(4)).build();
  }

  private static byte[] word(int value) {
    return ByteBuffer.allocate(4).order(ByteOrder.nativeOrder()).putInt(value).array();
  }

  private void launch(LaunchConfig config) {
    scale.launch(stream, config, 3f, x, 4);
  }

  private void refuses(String text, UnaryOperator<LaunchConfig.Builder> settings) {
    String message = assertThrows(InvalidArgumentException.class, () -> launch(config(settings))).getMessage();
    assertTrue(message.contains(text), message);
  }

  private float[] read() {
    float[] values = new float[4];
    x.read(values, stream);
    return values;
  }

  @Test
  void recordsEvents() {
    try (CudaEvent first = new CudaEvent(device); CudaEvent second = new CudaEvent(device)) {
      LaunchConfig config =
          config(b -> b.programmaticEvent(first, true).completionEvent(second).attribute(8, word(-1)).memoryDomain(1));
      launch(config);
      first.synchronize();
      second.synchronize();
      try (PreparedLaunch prepared = scale.prepare(stream, config, 3f, x, 4)) {
        prepared.run();
      }
      ByteBuffer block = ByteBuffer.allocate(20).order(ByteOrder.nativeOrder());
      block.putFloat(2f).putInt(0).putLong(x.getAddress()).putInt(4);
      scale.launchPacked(stream, config, block.array());
      scale.launchPacked(stream, LaunchConfig.of(1, 4), block.array());
      assertArrayEquals(new float[] {0, 36, 72, 108}, read());
    }
  }

  @Test
  void manyAttributesFit() {
    LaunchConfig config = config(b -> {
      for (int id = 100; id < 131; ++id) {
        b.attribute(id, new byte[64]);
      }
      return b;
    });
    assertThrows(LaunchException.class, () -> launch(config)); // the driver has none of them
    launch(LaunchConfig.of(1, 4));
    assertArrayEquals(new float[] {0, 3, 6, 9}, read());
    refuses("sets attribute 8 a second time", b -> b.priority(-1).attribute(8, word(-1)));
    assertThrows(InvalidArgumentException.class, () -> LaunchConfig.builder().attribute(1, new byte[65]));
  }

  @Test
  void namesClosedObjects() {
    CudaEvent gone = new CudaEvent(device);
    CudaBuffer closed = new CudaBuffer(device, 16, stream);
    try (CudaEvent event = new CudaEvent(device)) {
      LaunchConfig events = config(b -> b.programmaticEvent(event, false).completionEvent(gone));
      LaunchConfig window = config(b -> b.accessWindow(AccessWindow.persisting(closed, 0, 16)));
      gone.close();
      closed.close();
      for (LaunchConfig config : new LaunchConfig[] {events, window}) {
        String wanted = config == events ? "LaunchConfig.completionEvent has been closed" : "LaunchConfig.accessWindow has been closed";
        String message = assertThrows(InvalidHandleException.class, () -> launch(config)).getMessage();
        assertTrue(message.contains(wanted), message);
        assertThrows(InvalidHandleException.class, () -> scale.prepare(stream, config, 3f, x, 4));
        assertThrows(InvalidHandleException.class, () -> scale.launchPacked(stream, config, new byte[20]));
      }
      LaunchConfig open = config(b -> b.programmaticEvent(event, false));
      String message = assertThrows(InvalidHandleException.class, () -> scale.launch(stream, open, 3f, closed, 4)).getMessage();
      assertTrue(message.contains("argument 1 of kernel scale is a CudaBuffer that has been closed"), message);
      assertThrows(InvalidHandleException.class, () -> config(b -> b.completionEvent(gone)));
    }
  }

  @Test
  void refusesWrongSettings() {
    refuses("LaunchConfig.sharedCarveout is 101", b -> b.sharedCarveout(101));
    refuses("LaunchConfig.memoryDomain is 2, neither 0 nor 1", b -> b.memoryDomain(2));
    refuses("LaunchConfig.preferredCluster is set and", b -> b.preferredCluster(2, 1, 1));
    assertThrows(InvalidStateException.class, () -> launch(config(b -> b.deviceUpdatable(true))));
    assertThrows(InvalidArgumentException.class, () -> LaunchConfig.builder().clusterScheduling(null));
  }

  @Test
  void hasWindows() {
    AccessWindow window = AccessWindow.of(x, 0, 16, 0.5, AccessProperty.PERSISTING, AccessProperty.STREAMING);
    launch(config(b -> b.accessWindow(window)));
    stream.setAccessWindow(window);
    launch(LaunchConfig.of(1, 4));
    stream.setAccessWindow(null);
    assertArrayEquals(new float[] {0, 9, 18, 27}, read());
    refuses("AccessWindow.offset is 8", b -> b.accessWindow(AccessWindow.persisting(x, 8, 16)));
    String message = assertThrows(InvalidArgumentException.class,
        () -> stream.setAccessWindow(AccessWindow.of(x, 0, 16, 2, AccessProperty.NORMAL, AccessProperty.NORMAL))).getMessage();
    assertTrue(message.contains("AccessWindow.hitRatio is 2"), message);
    assertEquals(window, AccessWindow.of(x, 0, 16, 0.5, AccessProperty.PERSISTING, AccessProperty.STREAMING));
  }

  @Test
  void configsAreValues() {
    try (CudaEvent event = new CudaEvent(device)) {
      UnaryOperator<LaunchConfig.Builder> settings = b -> b.sharedCarveout(-1).clusterScheduling(ClusterScheduling.SPREAD)
          .nvlinkScheduling(true).memoryDomainMap(1).programmaticEvent(event, true).attribute(3, new byte[1]);
      assertEquals(config(settings), config(settings));
      assertEquals(config(settings).hashCode(), config(settings).hashCode());
      assertNotEquals(config(settings), config(b -> settings.apply(b).sharedCarveout(1)));
      assertNotEquals(config(settings), config(b -> settings.apply(b).attribute(3, new byte[2])));
      assertNotEquals(config(settings), LaunchConfig.of(1, 4));
    }
  }
}
