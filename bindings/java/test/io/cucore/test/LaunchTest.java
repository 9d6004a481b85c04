// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static io.cucore.test.World.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.Arg;
import io.cucore.CodeType;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaEvent;
import io.cucore.CudaStream;
import io.cucore.DefaultStream;
import io.cucore.InvalidArgumentException;
import io.cucore.InvalidStateException;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.NotReadyException;
import io.cucore.ObjectCode;
import io.cucore.Program;
import io.cucore.Status;
import io.cucore.Toggle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Scenarios of launching and memory: 2, 14, 15, 20, 21, 22, 24. */
class LaunchTest {
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
  void compileAndLaunch() {
    try (Kernel scale = World.code().kernel("scale");
        Kernel fill = World.code().kernel("fill<float>");
        CudaBuffer x = new CudaBuffer(device, 4000, stream)) {
      float[] values = World.ramp(1000);
      x.write(values, stream);
      scale.launch(stream, LaunchConfig.covering(1000, 128), 3f, x, 1000);
      x.read(values, stream);
      for (int i = 0; i < 1000; ++i) {
        assertEquals(3f * i, values[i]);
      }
      fill.launch(stream, LaunchConfig.of(1, 1000), x, Arg.of(2.5f));
      x.read(values, stream);
      for (float each : values) {
        assertEquals(2.5f, each);
      }
    }
  }

  /** Values after the first parameter, and the bytes that the kernel must have seen. */
  @Test
  void argumentTypes() {
    ByteBuffer mixed = ByteBuffer.allocateDirect(24).order(ByteOrder.nativeOrder());
    mixed.put(0, (byte) 'm').putDouble(8, 1.5).putShort(16, (short) -3);
    ByteBuffer expected = ByteBuffer.allocate(64).order(ByteOrder.nativeOrder());
    expected.put((byte) 1).put((byte) -5).putShort((short) -300).putInt(-70000).putLong(1L << 40);
    expected.putFloat(0.1f).putDouble(0.2).putChar('é').put((byte) 'm').putDouble(1.5).putShort((short) -3);
    expected.putLong(0).putLong(0x1234567890L);
    byte[] struct = new byte[24];
    mixed.duplicate().get(struct);
    try (Kernel kinds = World.code().kernel("kinds");
        CudaBuffer out = new CudaBuffer(device, 64, stream)) {
      LaunchConfig one = LaunchConfig.of(1, 1);
      Object[][] lists = {
        {out, true, (byte) -5, (short) -300, -70000, 1L << 40, 0.1f, 0.2, 'é', mixed, null, Arg.address(0x1234567890L)},
        {Arg.of(out), Arg.of(true), Arg.of((byte) -5), Arg.of((short) -300), Arg.of(-70000), Arg.of(1L << 40),
          Arg.of(0.1f), Arg.of(0.2), Arg.of('é'), Arg.of(mixed), Arg.of((CudaBuffer) null), Arg.address(0x1234567890L)},
        {out, true, (byte) -5, (short) -300, -70000, 1L << 40, 0.1f, 0.2, 'é', Arg.of(struct), null, Arg.address(0x1234567890L)},
      };
      for (Object[] arguments : lists) {
        out.fill(0, stream);
        kinds.launch(stream, one, arguments);
        byte[] got = new byte[64];
        out.read(got, stream);
        int length = expected.position();
        assertArrayEquals(Arrays.copyOf(expected.array(), length), Arrays.copyOf(got, length));
      }
      assertEquals(0, mixed.position());
      launchPacked(out);
    }
  }

  /** Its values would be garbage in the kernel, because the start of each of them is unknown. */
  @Test
  void structsInTheWrongOrder() {
    ByteBuffer little = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
    for (ByteBuffer big : new ByteBuffer[] {ByteBuffer.allocate(8), ByteBuffer.allocateDirect(8), little.slice(), little.duplicate()}) {
      String message = assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> Arg.of(big)).getMessage();
      assertTrue(message.contains("struct is a ByteBuffer in BIG_ENDIAN order; expected LITTLE_ENDIAN"), message);
      Arg.of(big.order(ByteOrder.nativeOrder()));
    }
    // Moved bytes have no order.
    try (CudaBuffer x = new CudaBuffer(device, 8, stream)) {
      x.write(ByteBuffer.allocate(8).putLong(0, 0x0102030405060708L), stream);
      ByteBuffer got = ByteBuffer.allocate(8);
      x.read(got, stream);
      assertEquals(0x0102030405060708L, got.getLong(0));
    }
  }

  private void launchPacked(CudaBuffer out) {
    try (Kernel add = World.code().kernel("add_one")) {
      ByteBuffer block = ByteBuffer.allocate(12).order(ByteOrder.nativeOrder());
      block.putLong(out.getAddress()).putInt(1);
      out.fill(0, stream);
      add.launchPacked(stream, LaunchConfig.of(1, 1), block.array());
      int[] result = new int[1];
      out.read(result, stream, 0);
      assertEquals(1, result[0]);
      assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT,
          () -> add.launchPacked(stream, LaunchConfig.of(1, 1), new byte[3]));
    }
  }

  @Test
  void manyArguments() {
    StringBuilder source = new StringBuilder("extern \"C\" __global__ void many(int *out");
    StringBuilder sum = new StringBuilder("0");
    Object[] arguments = new Object[201];
    for (int i = 0; i < 200; ++i) {
      source.append(", int a").append(i);
      sum.append(" + a").append(i);
      arguments[i + 1] = i;
    }
    source.append(") { *out = ").append(sum).append("; }");
    try (ObjectCode code = World.compile(source.toString());
        Kernel many = code.kernel("many");
        CudaBuffer out = new CudaBuffer(device, 4, stream)) {
      arguments[0] = out;
      many.launch(stream, LaunchConfig.of(1, 1), arguments);
      int[] result = new int[1];
      out.read(result, stream);
      assertEquals(199 * 100, result[0]);
    }
  }

  @Test
  void wrongArguments() {
    try (Kernel scale = World.code().kernel("scale");
        Kernel kinds = World.code().kernel("kinds");
        CudaBuffer x = new CudaBuffer(device, 64, stream)) {
      LaunchConfig one = LaunchConfig.of(1, 1);
      float[] before = World.ramp(16);
      x.write(before, stream);
      Map<String, Executable> wrong = new LinkedHashMap<>();
      wrong.put("3 arguments", () -> scale.launch(stream, one, 2f, x));
      wrong.put("got 4", () -> scale.launch(stream, one, 2f, x, 16, 17));
      wrong.put("argument 1 of kernel scale", () -> scale.launch(stream, one, 2f, 7, 16));
      wrong.put("argument 1 of kernel scale has type float[]; copy it into a CudaBuffer", () -> scale.launch(stream, one, 2f, new float[4], 16));
      wrong.put("argument 2 of kernel scale has type java.lang.String, which no kernel takes", () -> scale.launch(stream, one, 2f, x, "16"));
      wrong.put("argument 9 of kernel kinds", () -> kinds.launch(stream, one, x, true, (byte) 0, (short) 0, 0, 0L, 0f,
          0.0, 'c', ByteBuffer.allocate(23).order(ByteOrder.nativeOrder()), null, null));
      wrong.put("argument 9 of kernel kinds is a ByteBuffer in BIG_ENDIAN order", () -> kinds.launch(stream, one, x, true,
          (byte) 0, (short) 0, 0, 0L, 0f, 0.0, 'c', ByteBuffer.allocate(24), null, null));
      wrong.forEach((words, body) -> {
        InvalidArgumentException e = assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, body);
        assertTrue(e.getMessage().contains(words), words + " is not in: " + e.getMessage());
        assertTrue(e.getMessage().contains("kernel scale") || e.getMessage().contains("kernel kinds"), e.getMessage());
      });
      float[] after = new float[16];
      x.read(after, stream);
      assertArrayEquals(before, after);
    }
  }

  @Test
  void bytesWithoutCopies() throws Exception {
    ByteBuffer ofClosed;
    byte[] bytes;
    try (ObjectCode code = World.compile(World.SOURCE)) {
      ofClosed = code.asByteBuffer();
      bytes = code.getBytes();
      assertTrue(ofClosed.isDirect() && ofClosed.isReadOnly());
    }
    byte[] seen = new byte[ofClosed.remaining()];
    ofClosed.duplicate().get(seen);
    assertArrayEquals(bytes, seen);
    try (Kernel add = World.code().kernel("add_one")) {
      for (CudaBuffer memory : new CudaBuffer[] {CudaBuffer.pinned(device, 400), CudaBuffer.managed(device, 400)}) {
        ByteBuffer view = memory.asByteBuffer();
        for (int i = 0; i < 100; ++i) {
          view.putInt(4 * i, i);
        }
        add.launch(stream, LaunchConfig.covering(100, 32), memory, 100);
        stream.synchronize();
        memory.close();
        memory = null;
        System.gc();
        Thread.sleep(20);
        ByteBuffer slice = view.slice().order(ByteOrder.nativeOrder());
        view = null;
        System.gc();
        Thread.sleep(20);
        for (int i = 0; i < 100; ++i) {
          assertEquals(i + 1, slice.getInt(4 * i));
          slice.putInt(4 * i, -1);
        }
      }
    }
    try (CudaBuffer plain = new CudaBuffer(device, 4, stream)) {
      assertFails(InvalidStateException.class, Status.INVALID_STATE, plain::asByteBuffer);
    }
  }

  @Test
  void bufferRanges() {
    try (CudaBuffer x = new CudaBuffer(device, 40, stream);
        CudaBuffer y = new CudaBuffer(device, 40, stream)) {
      x.fill((byte) 0, stream);
      x.write(new int[] {1, 2, 3}, stream, 8);
      x.fill(9, stream, 24, 8);
      y.fill((short) 0, stream);
      y.copyFrom(x, 24, stream, 4, 8);
      int[] got = new int[10];
      x.read(got, stream);
      assertArrayEquals(new int[] {0, 0, 1, 2, 3, 0, 9, 9, 0, 0}, got);
      y.read(got, stream);
      assertArrayEquals(new int[] {0, 1, 2, 3, 0, 9, 9, 0, 0, 0}, got);
      y.write(new byte[0], stream);
      y.read(new float[0], stream, 40);
      y.fill(0.1, stream);
      y.fill(-2L, stream, 8, 16);
      double[] values = new double[5];
      y.read(values, stream);
      assertArrayEquals(new double[] {0.1, Double.longBitsToDouble(-2), Double.longBitsToDouble(-2), 0.1, 0.1}, values);
      assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> y.fill(1L, stream, 4, 8));
      slices(x);
      Executable[] outside = {
        () -> x.write(new byte[41], stream), () -> x.write(new byte[4], stream, 37), () -> x.read(new long[6], stream),
        () -> x.read(new byte[1], stream, 40), () -> x.fill(1, stream, 36, 8), () -> x.copyFrom(y, 41, stream),
        () -> x.copyFrom(y, 4, stream, 37), () -> x.write(ByteBuffer.allocateDirect(41), stream),
        () -> x.fill(1, stream, 2, 4), () -> x.write(new byte[3 << 20], stream), () -> x.read(new byte[3 << 20], stream),
      };
      for (Executable each : outside) {
        assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, each);
      }
    }
    largeArrays();
  }

  /** Parts of direct buffers, heap buffers and read-only ones, each without its rest. */
  private void slices(CudaBuffer x) {
    for (ByteBuffer whole : new ByteBuffer[] {ByteBuffer.allocate(16), ByteBuffer.allocateDirect(16)}) {
      for (int i = 0; i < 16; ++i) {
        whole.put(i, (byte) i);
      }
      ByteBuffer part = whole.duplicate().position(2).slice().position(2).limit(8);
      x.fill((byte) 0, stream);
      x.write(part, stream, 1);
      x.write(part.asReadOnlyBuffer(), stream, 11);
      assertEquals(2, part.position());
      byte[] got = new byte[40];
      x.read(got, stream);
      byte[] expected = new byte[40];
      for (int i = 0; i < 6; ++i) {
        expected[1 + i] = expected[11 + i] = (byte) (4 + i);
      }
      assertArrayEquals(expected, got);
      ByteBuffer into = whole.duplicate().position(4).limit(8);
      x.read(into, stream, 3);
      byte[] all = new byte[16];
      whole.duplicate().position(0).limit(16).get(all);
      assertArrayEquals(new byte[] {0, 1, 2, 3, 6, 7, 8, 9, 8, 9, 10, 11, 12, 13, 14, 15}, all);
    }
  }

  /** More than one piece. */
  private void largeArrays() {
    double[] values = new double[500_000];
    Arrays.setAll(values, i -> i * 0.5);
    try (CudaBuffer x = new CudaBuffer(device, values.length * 8L, stream)) {
      x.write(values, stream);
      double[] got = new double[values.length];
      x.read(got, stream);
      assertArrayEquals(values, got);
    }
  }

  @Test
  void streamsAndEvents() throws Exception {
    try (Gate gate = Gate.of(device, stream);
        CudaBuffer x = new CudaBuffer(device, 4, stream);
        Kernel add = World.code().kernel("add_one");
        CudaStream other = new CudaStream(device, Toggle.ON, 0);
        CudaEvent start = CudaEvent.timed(device);
        CudaEvent end = CudaEvent.timed(device);
        CudaEvent plain = new CudaEvent(device)) {
      x.fill(1, stream);
      stream.synchronize();
      assertTrue(stream.query() && end.query());
      start.record(stream);
      gate.hold(stream);
      add.launch(stream, LaunchConfig.of(1, 1), x, 1);
      end.record(stream);
      other.waitEvent(end);
      add.launch(other, LaunchConfig.of(1, 1), x, 1);
      assertFalse(stream.query() || other.query() || end.query());
      assertFails(NotReadyException.class, Status.NOT_READY, () -> start.elapsed(end));
      Thread.sleep(20);
      gate.open();
      int[] result = new int[1];
      x.read(result, other);
      assertEquals(3, result[0]);
      assertTrue(stream.query() && end.query());
      assertTrue(start.elapsed(end) >= 15, "only " + start.elapsed(end));
      assertFails(InvalidStateException.class, Status.INVALID_STATE, () -> start.elapsed(plain));
      stream.waitStream(other);
      stream.synchronize();
    }
    for (DefaultStream kind : new DefaultStream[] {DefaultStream.LEGACY, DefaultStream.PER_THREAD}) {
      try (CudaStream each = device.defaultStream(kind);
          CudaStream same = CudaStream.fromNative(device, stream.getNativeHandle())) {
        each.synchronize();
        assertEquals(stream.getNativeHandle(), same.getNativeHandle());
      }
    }
  }

  /** In a separate process, because a GPU's driver may not recover. */
  @Test
  void faultAndReset() throws Exception {
    Child child = Child.run(Map.of(), List.of(), "faultAndReset");
    assertEquals(0, child.code, child.output);
    System.out.println("way on after a fault: " + child.output);
    assertTrue(child.output.equals("reset") || Machine.HAS_GPU && child.output.equals("a new process"), child.output);
  }

  @Test
  void configsAreValues() {
    LaunchConfig config = LaunchConfig.builder().grid(4, 2).block(8).dynamicShared(16).build();
    LaunchConfig same = LaunchConfig.builder().grid(4, 2).block(8).dynamicShared(16).build();
    assertEquals(same, config);
    assertEquals(same.hashCode(), config.hashCode());
    assertTrue(!config.equals(LaunchConfig.of(4, 8)) && !config.equals("config"));
    assertEquals(LaunchConfig.of(4, 256), LaunchConfig.covering(1000, 256));
    assertEquals(LaunchConfig.of(0, 256), LaunchConfig.covering(0, 256));
    for (long[] bad : new long[][] {{10, 0}, {10, -1}, {-1, 256}, {Long.MAX_VALUE, 1}}) {
      assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT,
          () -> LaunchConfig.covering(bad[0], (int) bad[1]));
    }
  }

  @Test
  void wrongArgumentsAreNamed() {
    try (Kernel scale = World.code().kernel("scale");
        CudaBuffer x = new CudaBuffer(device, 16, stream)) {
      LaunchConfig one = LaunchConfig.of(1, 1);
      assertNamed(InvalidArgumentException.class, "config is null", () -> scale.launch(stream, null, 1f, x, 1));
      assertNamed(InvalidArgumentException.class, "arguments is null", () -> scale.launch(stream, one, (Object[]) null));
      assertNamed(InvalidArgumentException.class, "source is null", () -> Program.ofCuda(null));
      assertNamed(InvalidArgumentException.class, "length is -1, below 0", () -> new CudaBuffer(device, -1, stream));
      assertNamed(InvalidArgumentException.class, "offset is -1, below 0", () -> x.write(new byte[1], stream, -1));
      assertNamed(InvalidArgumentException.class, "offset is -1, below 0", () -> x.read(new byte[1], stream, -1));
    }
  }

  private static void assertNamed(Class<? extends Exception> type, String message, Executable call) {
    assertEquals(message, assertThrows(type, call).getMessage());
  }
}
