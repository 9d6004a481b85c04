// SPDX-License-Identifier: Apache-2.0
import io.cucore.Counter;
import io.cucore.CucoreException;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.InvalidArgumentException;
import io.cucore.InvalidHandleException;
import io.cucore.Toggle;

/** Counts with the handle type of libsecond, next to the objects of libcucore. */
public final class CountOnDevice {
  private CountOnDevice() {}

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  private static <E extends CucoreException> E fails(Class<E> expected, Runnable call) {
    try {
      call.run();
    } catch (CucoreException e) {
      return expected.cast(e);
    }
    throw new AssertionError("no " + expected.getName());
  }

  public static void main(String[] none) {
    Counter closed;
    try (Counter counter = new Counter(1, 4);
        CudaDevice device = CudaDevice.first();
        CudaStream stream = new CudaStream(device);
        CudaBuffer memory = new CudaBuffer(device, 8, stream)) {
      check(counter.getValue() == 1, "the first number");
      check(counter.step() == 2 && counter.getValue() == 2, "the second number");
      counter.write(memory, 4, stream);
      int[] read = new int[2];
      memory.read(read, stream);
      check(read[1] == 2, "the number in the buffer");
      check(counter.step() == 3, "the last number");
      CucoreException past = fails(CucoreException.class, counter::step);
      check(past.getClass().getSimpleName().equals("IndexException") && past.origin().equals("second"), past.toString());
      fails(InvalidArgumentException.class, () -> counter.write(memory, 6, stream));
      check(fails(InvalidArgumentException.class, () -> counter.write(null, 0, stream)).getMessage().contains("buffer"), "null");
      check(counter.toString().equals("Counter"), counter.toString());
      closed = counter;
    }
    check(closed.isClosed() && closed.toString().equals("Counter (closed)"), closed.toString());
    check(fails(InvalidHandleException.class, closed::step).getMessage().contains("Counter"), "the name of the class");
    CucoreException empty = fails(CucoreException.class, () -> new Counter(5, 5));
    check(empty.getMessage().contains("Counter(first) is 5"), empty.getMessage());
    try (Counter wrapping = new Counter(0, 2, Toggle.ON)) {
      check(wrapping.step() == 1 && wrapping.step() == 0, "wraps");
    }
  }
}
