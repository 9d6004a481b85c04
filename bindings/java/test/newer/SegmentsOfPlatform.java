// SPDX-License-Identifier: Apache-2.0
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** The copies of segments of the platform, which has them from release 22. */
class SegmentsOfPlatform {
  public static void main(String[] none) {
    try (Arena arena = Arena.ofConfined();
        CudaDevice device = CudaDevice.first();
        CudaStream stream = new CudaStream(device);
        CudaBuffer memory = new CudaBuffer(device, 16, stream)) {
      MemorySegment host = arena.allocate(16);
      int[] ints = {1, 2, 3, 4, 5};
      memory.write(MemorySegment.ofArray(ints).asSlice(4, 16), stream);
      memory.read(host, stream);
      check(new int[] {2, 3, 4, 5}, host.toArray(ValueLayout.JAVA_INT));
      host.setAtIndex(ValueLayout.JAVA_INT, 0, 77);
      memory.write(host.asSlice(0, 4), stream, 8);
      memory.read(MemorySegment.ofArray(ints).asSlice(0, 16), stream);
      check(new int[] {2, 3, 77, 5, 5}, ints);
      memory.write(MemorySegment.ofArray(new int[] {8, 9}).asSlice(4, 4).asReadOnly(), stream);
      memory.read(MemorySegment.ofArray(ints).asSlice(16, 4), stream);
      check(new int[] {2, 3, 77, 5, 9}, ints);
    }
    System.out.print("segments are copied");
  }

  private static void check(int[] expected, int[] got) {
    if (!Arrays.equals(expected, got)) {
      throw new AssertionError(Arrays.toString(got) + ", not " + Arrays.toString(expected));
    }
  }
}
