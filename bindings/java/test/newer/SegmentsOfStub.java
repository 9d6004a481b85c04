// SPDX-License-Identifier: Apache-2.0
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.InvalidArgumentException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;

/** The copies of segments, where the platform lacks them: with a segment of the test. */
class SegmentsOfStub {
  private static final class Fake implements MemorySegment {
    Object heap;
    long address;
    long size;
    boolean isReadOnly;
    boolean isAlive = true;
    Thread owner;

    @Override public Scope scope() {
      return () -> isAlive;
    }

    @Override public boolean isAccessibleBy(Thread thread) {
      return owner == null || owner == thread;
    }

    @Override public boolean isReadOnly() {
      return isReadOnly;
    }

    @Override public boolean isNative() {
      return heap == null;
    }

    @Override public long address() {
      return address;
    }

    @Override public long byteSize() {
      return size;
    }

    @Override public Optional<Object> heapBase() {
      return isReadOnly ? Optional.empty() : Optional.ofNullable(heap);
    }

    @Override public byte[] toArray(ValueLayout.OfByte layout) {
      ByteBuffer bytes = ByteBuffer.allocate((int) size).order(ByteOrder.nativeOrder());
      for (int i = 0; i < size / 4; ++i) {
        bytes.putInt(((int[]) heap)[(int) address / 4 + i]);
      }
      return bytes.array();
    }
  }

  private static Fake of(Object heap, long address, long size) {
    Fake segment = new Fake();
    segment.heap = heap;
    segment.address = address;
    segment.size = size;
    return segment;
  }

  public static void main(String[] none) {
    try (CudaDevice device = CudaDevice.first();
        CudaStream stream = new CudaStream(device);
        CudaBuffer memory = new CudaBuffer(device, 16, stream);
        CudaBuffer host = CudaBuffer.pinned(device, 16)) {
      int[] ints = {1, 2, 3, 4, 5};
      memory.write(of(ints, 4, 16), stream);
      host.asByteBuffer().putInt(0, 0);
      memory.read(of(null, host.getHostPointer(), 16), stream);
      check(new int[] {2, 3, 4, 5}, values(host));
      host.asByteBuffer().putInt(0, 77);
      memory.write(of(null, host.getHostPointer(), 4), stream, 8);
      memory.read(of(ints, 0, 16), stream);
      check(new int[] {2, 3, 77, 5, 5}, ints);
      Fake readOnly = of(new int[] {8, 9}, 4, 4);
      readOnly.isReadOnly = true;
      memory.write(readOnly, stream);
      memory.read(of(ints, 16, 4), stream);
      check(new int[] {2, 3, 77, 5, 9}, ints);

      refused("destination is a MemorySegment that is read-only", () -> memory.read(readOnly, stream));
      Fake closed = of(null, host.getHostPointer(), 4);
      closed.isAlive = false;
      refused("source is a MemorySegment whose arena is closed; close it after the call", () -> memory.write(closed, stream));
      Fake other = of(null, host.getHostPointer(), 4);
      other.owner = new Thread();
      refused("source is a MemorySegment of another thread; expected one that this thread can access; allocate it in a shared arena",
          () -> memory.write(other, stream));
    }
    System.out.print("segments are copied");
  }

  private static int[] values(CudaBuffer host) {
    int[] all = new int[4];
    host.asByteBuffer().asIntBuffer().get(all);
    return all;
  }

  private static void check(int[] expected, int[] got) {
    if (!Arrays.equals(expected, got)) {
      throw new AssertionError(Arrays.toString(got) + ", not " + Arrays.toString(expected));
    }
  }

  private static void refused(String message, Runnable body) {
    try {
      body.run();
    } catch (InvalidArgumentException e) {
      if (!e.getMessage().equals(message)) {
        throw new AssertionError(e.getMessage() + "\nnot\n" + message);
      }
      return;
    }
    throw new AssertionError("accepted: " + message);
  }
}
