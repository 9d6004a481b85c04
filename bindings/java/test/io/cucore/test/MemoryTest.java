// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static io.cucore.test.World.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaEvent;
import io.cucore.CudaMemoryPool;
import io.cucore.CudaStream;
import io.cucore.InvalidArgumentException;
import io.cucore.InvalidHandleException;
import io.cucore.GraphMemory;
import io.cucore.PoolStatistics;
import io.cucore.Status;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Copies between the host's kinds of memory and a buffer: ranges of arrays, and the buffers of java.nio. */
class MemoryTest {
  private static final int COUNT = 6;

  private CudaDevice device;
  private CudaStream stream;
  private CudaBuffer memory;

  @BeforeEach
  void open() {
    device = World.device();
    stream = new CudaStream(device);
    memory = new CudaBuffer(device, 64, stream);
    memory.fill((byte) 0, stream);
  }

  @AfterEach
  void close() {
    memory.close();
    stream.close();
    device.close();
  }

  private byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    memory.read(bytes, stream);
    return bytes;
  }

  @Test
  void ofGraphs() {
    device.trimGraphMemory(true);
    GraphMemory counted = device.getGraphMemory();
    assertEquals(counted.getUsed(), counted.getUsedPeak());
    assertEquals(counted.getReserved(), counted.getReservedPeak());
    device.trimGraphMemory();
  }

  @Test
  void fromAPool() {
    try (CudaMemoryPool pool = new CudaMemoryPool(device, 0, -1);
        CudaBuffer first = CudaBuffer.fromPool(pool, 1 << 20, stream);
        CudaBuffer second = CudaBuffer.fromPool(pool, 64)) {
      first.fill((byte) 7, stream);
      assertEquals(pool.getNativeHandle(), second.getPool().getNativeHandle());
      PoolStatistics counted = pool.getStatistics();
      assertEquals(2, counted.getLive());
      assertEquals(1 << 20, counted.getLargest());
      assertEquals(-1, counted.getKeep());
      assertTrue(counted.getUsed() >= 1 << 20 && counted.getReserved() >= counted.getUsed());
      first.close();
      stream.synchronize();
      assertTrue(pool.getStatistics().getUsed() < 1 << 20);
      pool.setKeep(0);
      pool.trim();
      device.setPool(pool);
      try (CudaBuffer third = new CudaBuffer(device, 16); CudaMemoryPool set = device.getPool()) {
        assertEquals(pool.getNativeHandle(), set.getNativeHandle());
        assertEquals(3, pool.getStatistics().getAllocations());
      } finally {
        device.setPool(null);
      }
      long address = pool.allocate(64, stream);
      pool.free(address, 64, stream);
      assertEquals(1, pool.getStatistics().getLive());
      assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> pool.setKeep(-2));
    }
  }

  @Test
  void withoutAStream() {
    try (CudaBuffer a = new CudaBuffer(device, 16); CudaBuffer b = new CudaBuffer(device, 16); CudaEvent done = new CudaEvent(device)) {
      a.fill(5);
      b.write(new int[] {1, 2, 3, 4});
      a.copyFrom(b, 8);
      int[] all = new int[4];
      a.read(all);
      assertArrayEquals(new int[] {1, 2, 5, 5}, all);
      done.record();
      done.synchronize();
      assertTrue(done.query());
      assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> a.write(all, (CudaStream) null));
      assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> new CudaBuffer(device, 16, null));
    }
  }

  @Test
  void rangesOfArrays() {
    int[] source = {1, 2, 3, 4, 5};
    memory.write(source, 1, 3, stream, 8);
    int[] whole = new int[6];
    memory.read(whole, stream);
    assertArrayEquals(new int[] {0, 0, 2, 3, 4, 0}, whole);
    int[] part = {9, 9, 9, 9, 9};
    memory.read(part, 2, 2, stream, 12);
    assertArrayEquals(new int[] {9, 9, 3, 4, 9}, part);
    double[] doubles = {0.5, 1.5, 2.5};
    memory.write(doubles, 2, 1, stream, 0);
    double[] back = new double[2];
    memory.read(back, 1, 1, stream, 0);
    assertArrayEquals(new double[] {0, 2.5}, back);
    memory.write(source, 5, 0, stream, 0); // empty, at the end
    memory.write(new byte[] {7, 8}, 1, 1, stream, 3);
    assertEquals(8, bytes(4)[3]);
  }

  /** A range that is copied in several pieces begins and ends where it should. */
  @Test
  void longRanges() {
    int count = 3 << 20;
    try (CudaBuffer big = new CudaBuffer(device, count, stream)) {
      byte[] source = new byte[count + 10];
      for (int i = 0; i < source.length; ++i) {
        source[i] = (byte) (i * 31);
      }
      big.write(source, 7, count, stream, 0);
      byte[] back = new byte[count + 10];
      big.read(back, 7, count, stream, 0);
      source[6] = back[6];
      for (int i = 0; i < source.length; ++i) {
        boolean isInside = i >= 7 && i < 7 + count;
        assertEquals(isInside ? source[i] : 0, back[i]);
      }
    }
  }

  @Test
  void refusedRanges() {
    int[] array = new int[4];
    assertRefused("the range of 2 elements from 3 ends after source, which has 4; pass a range inside the array",
        () -> memory.write(array, 3, 2, stream, 0));
    assertRefused("the range of 2147483647 elements from 2147483647 ends after destination, which has 4; pass a range inside the array",
        () -> memory.read(array, Integer.MAX_VALUE, Integer.MAX_VALUE, stream, 0));
    assertRefused("first is -1, below 0", () -> memory.write(array, -1, 2, stream, 0));
    assertRefused("count is -1, below 0", () -> memory.read(array, 0, -1, stream, 0));
    assertRefused("offset is -1, below 0", () -> memory.write(array, 0, 1, stream, -1));
    assertRefused("source is a java.lang.String; expected an array of numbers, a buffer of java.nio or a MemorySegment",
        () -> memory.write("text", stream));
    assertRefused("source is a boolean[]; expected an array of numbers, a buffer of java.nio or a MemorySegment",
        () -> memory.write(new boolean[2], 0, 1, stream, 0));
    try (CudaBuffer closed = new CudaBuffer(device, 4, stream)) {
      closed.close();
      assertFails(InvalidHandleException.class, Status.INVALID_HANDLE, () -> closed.write(array, 0, 1, stream, 0));
    }
    assertRefused(null, () -> memory.write(new int[32], 0, 17, stream, 0)); // larger than the buffer
  }

  private static void assertRefused(String message, Executable body) {
    InvalidArgumentException e = assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, body);
    if (message != null) {
      assertEquals(message, e.getMessage());
    }
  }

  /** One kind of buffer: views of bytes, heap buffers, and its value of an index. */
  private static final class Kind {
    final int size;
    final Function<ByteBuffer, Buffer> view;
    final Buffer onHeap;
    final PutAt put;
    final Function<Buffer, List<Object>> values;

    Kind(int size, Function<ByteBuffer, Buffer> view, Buffer onHeap, PutAt put, Function<Buffer, List<Object>> values) {
      this.size = size;
      this.view = view;
      this.onHeap = onHeap;
      this.put = put;
      this.values = values;
    }
  }

  private interface PutAt {
    void put(Buffer buffer, int index, int value);
  }

  private interface GetAt {
    Object get(int index);
  }

  private static List<Object> list(GetAt get) {
    List<Object> all = new ArrayList<>();
    for (int i = 0; i < COUNT; ++i) {
      all.add(get.get(i));
    }
    return all;
  }

  private static final List<Kind> KINDS = List.of(
      new Kind(2, ByteBuffer::asShortBuffer, ShortBuffer.allocate(COUNT + 1), (b, i, v) -> ((ShortBuffer) b).put(i, (short) v), b -> list(((ShortBuffer) b)::get)),
      new Kind(2, ByteBuffer::asCharBuffer, CharBuffer.allocate(COUNT + 1), (b, i, v) -> ((CharBuffer) b).put(i, (char) v), b -> list(((CharBuffer) b)::get)),
      new Kind(4, ByteBuffer::asIntBuffer, IntBuffer.allocate(COUNT + 1), (b, i, v) -> ((IntBuffer) b).put(i, v), b -> list(((IntBuffer) b)::get)),
      new Kind(8, ByteBuffer::asLongBuffer, LongBuffer.allocate(COUNT + 1), (b, i, v) -> ((LongBuffer) b).put(i, v), b -> list(((LongBuffer) b)::get)),
      new Kind(4, ByteBuffer::asFloatBuffer, FloatBuffer.allocate(COUNT + 1), (b, i, v) -> ((FloatBuffer) b).put(i, v), b -> list(((FloatBuffer) b)::get)),
      new Kind(8, ByteBuffer::asDoubleBuffer, DoubleBuffer.allocate(COUNT + 1), (b, i, v) -> ((DoubleBuffer) b).put(i, v), b -> list(((DoubleBuffer) b)::get)));

  /** Every place that a buffer of a kind can have: heap and direct, views at an odd offset, in both orders. */
  private static List<Buffer> places(Kind kind) {
    List<Buffer> all = new ArrayList<>();
    for (ByteOrder order : new ByteOrder[] {ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN}) {
      for (boolean isDirect : new boolean[] {true, false}) {
        int bytes = kind.size * COUNT + 11;
        ByteBuffer base = isDirect ? ByteBuffer.allocateDirect(bytes) : ByteBuffer.allocate(bytes);
        all.add(kind.view.apply(base.position(3).slice().order(order)));
      }
    }
    all.add(kind.onHeap.clear().position(1).slice()); // with an array offset
    return all;
  }

  /** The values arrive from any order, from the position to the limit, and the position stays. */
  @Test
  void typedBuffersInAnyOrder() {
    int tried = 0;
    for (Kind kind : KINDS) {
      for (Buffer place : places(kind)) {
        for (int i = 0; i < COUNT; ++i) {
          kind.put.put(place, i, 258 + i);
        }
        memory.fill((byte) 0x55, stream);
        place.position(1).limit(COUNT - 1);
        memory.write(place, stream, 8);
        assertEquals(1, place.position());
        Buffer expected = kind.view.apply(ByteBuffer.wrap(bytes(64)).position(8).slice().order(ByteOrder.nativeOrder()));
        Buffer wanted = kind.view.apply(ByteBuffer.allocate(COUNT * kind.size).order(ByteOrder.nativeOrder()));
        for (int i = 1; i < COUNT - 1; ++i) {
          kind.put.put(wanted, i - 1, 258 + i);
        }
        assertEquals(kind.values.apply(wanted).subList(0, COUNT - 2), kind.values.apply(expected).subList(0, COUNT - 2), place.toString());
        assertEquals(0x55, bytes(64)[8 + kind.size * (COUNT - 2)], "more was written");
        checkRead(kind, place);
        ++tried;
      }
    }
    assertEquals(30, tried);
  }

  private void checkRead(Kind kind, Buffer place) {
    place.clear();
    for (int i = 0; i < COUNT; ++i) {
      kind.put.put(place, i, 1);
    }
    place.position(2).limit(4);
    memory.read(place, stream, 8);
    assertEquals(2, place.position());
    place.clear();
    List<Object> got = kind.values.apply(place);
    Buffer wanted = kind.view.apply(ByteBuffer.allocate(COUNT * kind.size).order(ByteOrder.nativeOrder()));
    for (int i = 0; i < COUNT; ++i) {
      kind.put.put(wanted, i, i == 2 || i == 3 ? 257 + i : 1);
    }
    assertEquals(kind.values.apply(wanted), got, place.toString());
  }

  @Test
  void readOnlyBuffers() {
    memory.write(IntBuffer.wrap(new int[] {5, 6}).asReadOnlyBuffer(), stream);
    assertEquals(5, bytes(1)[0]);
    memory.write(CharBuffer.wrap("ab"), stream); // over a text, without an array
    assertEquals('a', bytes(1)[0]);
    assertRefused("destination is a IntBuffer that is read-only", () -> memory.read(IntBuffer.allocate(1).asReadOnlyBuffer(), stream));
    assertRefused("destination is a ByteBuffer that is read-only", () -> memory.read(ByteBuffer.allocate(1).asReadOnlyBuffer(), stream));
  }

  /** The bytes of a ByteBuffer are not values: its order does not matter. */
  @Test
  void bytesAreCopiedUnchanged() {
    memory.write(ByteBuffer.allocate(4).order(ByteOrder.BIG_ENDIAN).putInt(0, 1), stream);
    assertArrayEquals(new byte[] {0, 0, 0, 1}, bytes(4));
    assertTrue(memory.getSize() == 64);
  }
}
