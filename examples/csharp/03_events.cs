// SPDX-License-Identifier: Apache-2.0
// 03: events are made from a device, recorded on any stream, any number of times; they order streams
// and measure time.
using System;
using Cucore;

static class Example {
  static int Main() {
    const int size = 16 << 20;
    int wrong = 0;
    if (CudaDevice.Count == 0) {
      Console.WriteLine("events belong to a device: launching needs a device");
      return 0;
    }
    using (var device = new CudaDevice())
    using (var producer = new CudaStream(device))
    using (var consumer = new CudaStream(device, new StreamOptions { Priority = device.StreamPriorities.Greatest }))
    using (var start = new CudaEvent(device, new EventOptions { Timing = true }))
    using (var end = new CudaEvent(device, new EventOptions { Timing = true }))
    using (var first = new CudaBuffer(device, size, producer))
    using (var second = new CudaBuffer(device, size, producer))
      for (int round = 1; round <= 3; ++round) {
        start.Record(producer);
        first.Fill(round, producer);
        end.Record(producer);
        // the consumer waits on the device for the producer's work so far; the host continues
        consumer.WaitEvent(end);
        second.CopyFrom(first, consumer);
        int[] last = new int[1];
        second.Read(last, consumer, size - sizeof(int));
        end.Synchronize();
        wrong += last[0] == round ? 0 : 1;
        Console.WriteLine($"round {round}: filled {size >> 20} MiB in {start.Elapsed(end):f3} ms, last word {last[0]}");
      }
    return wrong;
  }
}
