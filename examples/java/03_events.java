// SPDX-License-Identifier: Apache-2.0
import io.cucore.*;

/** 03: events are made from a device, recorded on any stream; they order streams and measure time. */
class Events {
  public static void main(String[] args) {
    if (CudaDevice.count() == 0) {
      System.out.println("events belong to a device: launching needs a device");
      return;
    }
    int size = 16 << 20;
    try (CudaDevice device = CudaDevice.first();
        CudaStream producer = new CudaStream(device);
        CudaStream consumer = new CudaStream(device);
        CudaEvent start = CudaEvent.timed(device);
        CudaEvent end = CudaEvent.timed(device);
        CudaBuffer first = new CudaBuffer(device, size, producer);
        CudaBuffer second = new CudaBuffer(device, size, producer)) {
      for (int round = 1; round <= 3; ++round) {
        start.record(producer);
        first.fill(round, producer);
        end.record(producer);
        // The consumer waits on the device for the producer's work so far; the host continues.
        consumer.waitEvent(end);
        second.copyFrom(first, size, consumer);
        int[] last = new int[1];
        second.read(last, consumer, size - 4);
        end.synchronize();
        System.out.printf("round %d: filled %d MiB in %.3f ms, last word %d%n",
            round, size >> 20, start.elapsed(end), last[0]);
        if (last[0] != round) {
          throw new AssertionError(last[0]);
        }
      }
    }
  }
}
