// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static io.cucore.test.World.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.Arg;
import io.cucore.CodeType;
import io.cucore.CucoreException;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.InvalidArgumentException;
import io.cucore.InvalidHandleException;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.ObjectCode;
import io.cucore.Status;
import io.cucore.array.Context;
import io.cucore.array.NdArray;
import io.cucore.array.Scope;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Arguments against the classes of parameters: conversions, and the message of each mistake. */
class ArgumentsTest {
  private static final LaunchConfig ONE = LaunchConfig.of(1, 1);
  private static final String FOR_POINTER =
      "; expected a pointer; pass a CudaBuffer, null, or Arg.address(long) for the address of memory that no CudaBuffer has";
  private static final String BYTES = "; pass its bytes as a ByteBuffer or by Arg.of(byte[])";

  private CudaDevice device;
  private CudaStream stream;
  private Kernel scale; // float, float *, int
  private Kernel kinds; // see World
  private Kernel fill; // float *, float
  private CudaBuffer x;

  @BeforeEach
  void open() {
    device = World.device();
    stream = new CudaStream(device);
    scale = World.code().kernel("scale");
    kinds = World.code().kernel("kinds");
    fill = World.code().kernel("fill<float>");
    x = new CudaBuffer(device, 64, stream);
  }

  @AfterEach
  void close() {
    for (AutoCloseable each : new AutoCloseable[] {x, fill, kinds, scale, stream, device}) {
      try {
        each.close();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }

  private static void assertRefused(String message, Executable launch) {
    InvalidArgumentException e = assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, launch);
    assertEquals(message, e.getMessage());
  }

  /** The ten most common ones, except a negative number for an unsigned, which PTX does not distinguish. */
  @Test
  void mistakes() throws Exception {
    CudaBuffer closed = new CudaBuffer(device, 64, stream);
    closed.close();
    Map<String, Executable> table = new LinkedHashMap<>();
    table.put("argument 0 of kernel scale is the int 16777217; expected a float; round it explicitly, as by (float)",
        () -> scale.launch(stream, ONE, 16777217, x, 16));
    table.put("argument 2 of kernel scale is the float 2.5; expected an integer of 4 bytes; convert it explicitly, as by (int)",
        () -> scale.launch(stream, ONE, 2f, x, 2.5f));
    table.put("argument 2 of kernel scale is the long 1099511627776; expected an integer of 4 bytes; pass a value from "
        + "-2147483648 to 4294967295", () -> scale.launch(stream, ONE, 2f, x, 1L << 40));
    table.put("argument 0 of kernel scale is a CudaBuffer; expected a float; pass a number",
        () -> scale.launch(stream, ONE, x, x, 16));
    table.put("argument 1 of kernel scale is the long 16" + FOR_POINTER, () -> scale.launch(stream, ONE, 2f, 16L, 16));
    table.put("argument 9 of kernel kinds is a struct of 23 bytes; expected a struct of 24 bytes; lay it out as in C, padding included",
        () -> launchKinds(true, 1, 1, 1, 1L, 1f, 1, 'c', new byte[23]));
    table.put("kernel scale takes 3 arguments, got 2", () -> scale.launch(stream, ONE, 2f, x));
    table.forEach(ArgumentsTest::assertRefused);
    assertEquals("argument 1 of kernel scale is a CudaBuffer that has been closed; expected an open one; close it after the "
        + "launch has returned", assertFails(InvalidHandleException.class, Status.INVALID_HANDLE,
        () -> scale.launch(stream, ONE, 2f, closed, 16)).getMessage());
    Child child = Child.run(Machine.withTwoDevices(), java.util.List.of(), "otherDevice");
    assertEquals(0, child.code, child.output);
    if (!Machine.HAS_GPU || Machine.hasTwoDevices()) {
      assertTrue(child.output.matches("argument 1 of kernel scale is a buffer of device 1; expected one of device 0, the "
          + "device of the stream; copy the buffer, or use managed memory\n"
          + "an NdArray of the launch is of device 1; expected one of device 0, the device of the stream; copy it, as by toContext\\(\\)\n"),
          child.output);
    }
    assertSigns();
  }

  /** PTX has no signs: a negative number for an unsigned parameter is passed as its bits, as in C. */
  private void assertSigns() {
    try (ObjectCode code = World.compile(
            "extern \"C\" __global__ void widen(unsigned n, unsigned long long *out) { *out = n; }");
        Kernel widen = code.kernel("widen")) {
      for (Object value : new Object[] {-1, -1L, (byte) -1, 4294967295L, -1.0}) {
        widen.launch(stream, ONE, value, x);
        long[] got = new long[1];
        x.read(got, stream);
        assertEquals(4294967295L, got[0], value.toString());
      }
    }
  }

  /** Prints the message of a buffer of another device. */
  static void otherDevice() {
    if (CudaDevice.count() < 2) {
      return;
    }
    try (CudaDevice first = new CudaDevice(0);
        CudaDevice second = new CudaDevice(1);
        CudaStream stream = new CudaStream(first);
        CudaStream there = new CudaStream(second);
        CudaBuffer far = new CudaBuffer(second, 64, there);
        Context context = new Context(second);
        Scope scope = new Scope(context);
        Kernel scale = World.code().kernel("scale")) {
      for (Object memory : new Object[] {far, NdArray.of(new float[16])}) {
        try {
          scale.launch(stream, ONE, 2f, memory, 16);
          System.out.println("no failure");
        } catch (CucoreException e) {
          System.out.println(e.getMessage());
        }
      }
    }
  }

  @Test
  void furtherMistakes() {
    Map<String, Executable> table = new LinkedHashMap<>();
    table.put("argument 0 of kernel scale is the double 0.1; expected a float; round it explicitly, as by (float)",
        () -> scale.launch(stream, ONE, 0.1, x, 16));
    table.put("argument 0 of kernel scale is the double 1.0E300; expected a float; pass a value of at most 3.4028235E38",
        () -> scale.launch(stream, ONE, 1e300, x, 16));
    table.put("argument 2 of kernel scale is the double 1.0E20; expected an integer of 4 bytes; pass a value from "
        + "-2147483648 to 4294967295", () -> scale.launch(stream, ONE, 2f, x, 1e20));
    table.put("argument 2 of kernel scale is the float NaN; expected an integer of 4 bytes; pass a value from "
        + "-2147483648 to 4294967295", () -> scale.launch(stream, ONE, 2f, x, Float.NaN));
    table.put("argument 2 of kernel scale has type io.cucore.CudaStream, which no kernel takes",
        () -> scale.launch(stream, ONE, 2f, x, stream));
    table.put("argument 1 of kernel scale has type int[]; copy it into a CudaBuffer, or make it a struct by Arg.of()",
        () -> scale.launch(stream, ONE, 2f, new int[4], 16));
    table.put("argument 1 of kernel fill<float> is null; expected a float; pass a number",
        () -> fill.launch(stream, ONE, x, null));
    table.put("argument 1 of kernel fill<float> is the boolean true; expected a float; pass a number",
        () -> fill.launch(stream, ONE, x, true));
    table.put("argument 1 of kernel fill<float> is the address 0x10; expected a float; pass a number",
        () -> fill.launch(stream, ONE, x, Arg.address(16)));
    table.put("argument 0 of kernel fill<float> is the double 2.0" + FOR_POINTER,
        () -> fill.launch(stream, ONE, 2.0, 1f));
    table.put("argument 0 of kernel fill<float> is the long 16" + FOR_POINTER,
        () -> fill.launch(stream, ONE, Arg.of(16L), 1f));
    table.put("argument 0 of kernel fill<float> is a struct of 8 bytes" + FOR_POINTER,
        () -> fill.launch(stream, ONE, Arg.of(new byte[8]), 1f));
    table.put("argument 1 of kernel fill<float> is a struct of 4 bytes; expected a float; pass a number",
        () -> fill.launch(stream, ONE, x, Arg.of(new byte[4])));
    table.put("argument 1 of kernel kinds is the int 256; expected an integer of 1 byte; pass a value from -128 to 255",
        () -> launchKinds(256, 1, 1, 1, 1, 1f, 1, 'c', new byte[24]));
    table.put("argument 3 of kernel kinds is the int -32769; expected an integer of 2 bytes; pass a value from -32768 to 65535",
        () -> launchKinds(true, 1, -32769, 1, 1, 1f, 1, 'c', new byte[24]));
    table.put("argument 7 of kernel kinds is the long 9223372036854775807; expected a double; round it explicitly, as by (double)",
        () -> launchKinds(true, 1, 1, 1, 1, 1f, Long.MAX_VALUE, 'c', new byte[24]));
    table.put("argument 9 of kernel kinds is the int 3; expected a struct of 24 bytes" + BYTES,
        () -> kinds.launch(stream, ONE, x, true, 1, 1, 1, 1, 1, 1, 'c', 3, null, null));
    table.put("argument 9 of kernel kinds is a CudaBuffer; expected a struct of 24 bytes" + BYTES,
        () -> kinds.launch(stream, ONE, x, true, 1, 1, 1, 1, 1, 1, 'c', x, null, null));
    table.forEach(ArgumentsTest::assertRefused);
  }

  private void launchKinds(Object b, Object i1, Object i2, Object i4, Object i8, Object f, Object d, Object c, byte[] m) {
    kinds.launch(stream, ONE, x, b, i1, i2, i4, i8, f, d, c, Arg.of(m), null, Arg.address(1));
  }

  /** The kernel receives the value of any number in the parameter's own type. */
  @Test
  void exactNumbersAreConverted() {
    ByteBuffer expected = ByteBuffer.allocate(64).order(ByteOrder.nativeOrder());
    expected.put((byte) 1).put((byte) -5).putShort((short) -300).putInt(-70000).putLong(-7);
    expected.putFloat(2).putDouble(0.5).putChar('é');
    byte[] wanted = Arrays.copyOf(expected.array(), expected.position());
    Object[][] lists = {
      {1, -5, -300, -70000L, -7L, 2, 0.5f, (int) 'é'},
      {1L, -5L, -300.0, -70000.0, -7L, 2.0, 0.5, (long) 'é'},
      {true, 251, 65236, 4294897296L, -7L, (short) 2, 0.5, 'é'},
      {(byte) 1, (short) -5, (short) -300, -70000, -7L, (char) 2, 0.5, 'é'},
      {1f, -5.0, -300f, -70000f, -7L, 2L, 0.5f, 233},
    };
    for (Object[] l : lists) {
      x.fill(0, stream);
      launchKinds(l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7], new byte[24]);
      byte[] got = new byte[wanted.length];
      x.read(got, stream);
      assertArrayEquals(wanted, got, Arrays.toString(l));
    }
  }

  @Test
  void wideIntegers() {
    try (ObjectCode code = World.compile("template <typename T> __global__ void put(T *out, T v) { *out = v; }", "put<long long>");
        Kernel put = code.kernel("put<long long>")) {
      Map<Object, Long> values = new LinkedHashMap<>();
      values.put(-7, -7L);
      values.put(-7f, -7L);
      values.put('A', 65L);
      values.put(Long.MIN_VALUE, Long.MIN_VALUE);
      values.put(-0x1p63, Long.MIN_VALUE);
      values.put(Long.MAX_VALUE, Long.MAX_VALUE);
      values.forEach((value, wanted) -> {
        long[] got = new long[1];
        put.launch(stream, ONE, x, value);
        x.read(got, stream, 0);
        assertEquals(wanted, got[0]);
      });
      for (Object value : new Object[] {0x1p63, -0x1.8p63, Double.NaN, 0.5f}) {
        assertRefused("argument 1 of kernel put<long long> is the " + (value instanceof Float ? "float " : "double ") + value
            + "; expected an integer of 8 bytes; convert it explicitly, as by (long)", () -> put.launch(stream, ONE, x, value));
      }
    }
  }

  /** Values that are not numbers, or that only one type represents, arrive unchanged. */
  @Test
  void floatsKeepTheirBits() {
    for (Object value : new Object[] {Float.NaN, Double.NaN, Float.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, -0.0, -0f, 16777216L}) {
      fill.launch(stream, ONE, x, value);
      float[] got = new float[1];
      x.read(got, stream, 0);
      assertEquals(Float.floatToIntBits(((Number) value).floatValue()), Float.floatToIntBits(got[0]), value.toString());
    }
  }

  /** Without a class a number has its own size. */
  @Test
  void unknownClasses() {
    String ptx = ".version 8.0\n.target sm_75\n.address_size 64\n"
        + ".visible .entry copy(.param .u64 to, .param .u64 from)\n{\n  .reg .b64 %r<3>;\n  ld.param.u64 %r1, [to];\n"
        + "  ld.param.u64 %r2, [from];\n  st.global.u64 [%r1], %r2;\n  ret;\n}\n";
    try (ObjectCode code = ObjectCode.fromBytes(CodeType.PTX, ptx.getBytes(StandardCharsets.US_ASCII));
        Kernel copy = code.kernel("copy")) {
      assertEquals("[POINTER, UNKNOWN]", Arrays.toString(
          copy.getParameters(device).stream().map(each -> each.parameterClass().toString()).toArray()));
      long[] got = new long[1];
      copy.launch(stream, ONE, x, 1L << 40);
      x.read(got, stream, 0);
      assertEquals(1L << 40, got[0]);
      copy.launch(stream, ONE, x, x);
      x.read(got, stream, 0);
      assertEquals(x.getAddress(), got[0]);
      InvalidArgumentException e = assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT,
          () -> copy.launch(stream, ONE, x, 1));
      assertTrue(e.getMessage().contains("argument 1 of kernel copy has 4 bytes"), e.getMessage());
    }
  }
}
