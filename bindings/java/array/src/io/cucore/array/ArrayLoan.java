// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.DeviceMemory;
import io.cucore.Status;
import java.util.Arrays;

/** The memory of an array for one launch. The streams of the array and of the launch wait for one another. */
final class ArrayLoan implements DeviceMemory.Loan {
  private final CudaStream own;
  private final CudaStream other; // null if it is the same
  private final ArrayMemory memory;

  ArrayLoan(NdArray x, CudaStream stream) {
    if (!x.isContiguous()) {
      Calls.refuse(Status.INVALID_ARGUMENT, "an NdArray of the launch has the strides " + Arrays.toString(x.getStrides())
          + "; expected consecutive elements; pass a copy, as by copy()");
    }
    try (Context context = x.getContext()) {
      checkDevice(context, stream);
      context.evaluate(); // the kernel may write into what waiting operations read
      memory = x.buffer();
      own = context.getStream();
    }
    other = own.getNativeHandle() == stream.getNativeHandle() ? null : stream;
    waitFor(other, own);
  }

  private static void checkDevice(Context context, CudaStream stream) {
    try (CudaDevice device = stream.getDevice()) {
      if (device.getOrdinal() != context.getDevice()) {
        Calls.refuse(Status.INVALID_ARGUMENT, "an NdArray of the launch is of device " + context.getDevice() + "; expected one of device "
            + device.getOrdinal() + ", the device of the stream; copy it, as by toContext()");
      }
    }
  }

  private static void waitFor(CudaStream stream, CudaStream before) {
    if (stream != null && before != null) {
      stream.waitStream(before);
    }
  }

  @Override
  public CudaBuffer getBuffer() {
    return memory.getBuffer();
  }

  @Override
  public long getOffset() {
    return memory.getOffset();
  }

  @Override
  public void close() {
    try (CudaStream ending = own) {
      waitFor(ending, other);
    } finally {
      memory.close();
    }
  }

  /** Returns what it holds. */
  @Override
  public String toString() {
    return "loan of " + memory;
  }
}
