// SPDX-License-Identifier: Apache-2.0
// Counts with the handle type of libsecond, next to the objects of libcucore.
using System;
using Cucore;

internal static class CountOnDevice {
  private static void Check(bool holds, string what) {
    if (!holds) throw new Exception(what);
  }

  private static E Fails<E>(Action call) where E : Exception {
    try {
      call();
    } catch (E e) {
      return e;
    }
    throw new Exception("no " + typeof(E).Name);
  }

  private static void Main() {
    Counter counter = new Counter(new CounterOptions { First = 1, End = 4 });
    using (CudaDevice device = new CudaDevice())
    using (CudaStream stream = new CudaStream(device))
    using (CudaBuffer memory = new CudaBuffer(device, 8, stream)) {
      Check(counter.Value == 1, "the first number");
      Check(counter.Step() == 2 && counter.Value == 2, "the second number");
      counter.Write(memory, 4, stream);
      Check(memory.ToArray<int>(stream)[1] == 2, "the number in the buffer");
      Check(counter.Step() == 3, "the last number");
      CucoreException past = Fails<CucoreException>(() => counter.Step());
      Check(past.GetType().Name == "IndexException" && past.Origin == "second", past.ToString());
      Fails<InvalidArgumentException>(() => counter.Write(memory, 6, stream));
      Check(Fails<ArgumentNullException>(() => counter.Write(null, 0, stream)).ParamName == "buffer", "null");
      Check(counter.ToString() == "Counter", counter.ToString());
    }
    counter.Dispose();
    Check(counter.ToString() == "Counter, disposed", counter.ToString());
    Fails<ObjectDisposedException>(() => counter.Step());
    CucoreException empty = Fails<CucoreException>(() => new Counter(new CounterOptions { First = 5, End = 5 }));
    Check(empty.Message.Contains("CounterOptions.First is 5"), empty.Message);
    using (Counter wrapping = new Counter(new CounterOptions { End = 2, Wraps = true })) Check(wrapping.Step() == 1 && wrapping.Step() == 0, "wraps");
  }
}
