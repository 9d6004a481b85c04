// SPDX-License-Identifier: Apache-2.0
// Host functions: actions in streams, on the thread pool; and words that streams write and wait for.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Threading;
using Cucore;

public static class HostCalls {
  public static void RunInTheOrderOfTheStream() {
    List<int> order = new List<int>();
    using (CudaStream stream = World.Stream()) {
      for (int i = 0; i < 20; ++i) {
        int number = i;
        stream.LaunchHost(() => order.Add(number));
      }
      stream.Synchronize();
    }
    Check.Equal("0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19", string.Join(" ", order));
  }

  public static void HoldTheStream() {
    using (CudaStream stream = World.Stream())
    using (ManualResetEventSlim gate = new ManualResetEventSlim()) {
      bool ended = false;
      stream.LaunchHost(() => { gate.Wait(10000); ended = true; });
      Check.Equal(false, stream.Query());
      gate.Set();
      stream.Synchronize();
      Check.Equal(true, ended);
    }
  }

  public static void ReportFailures() {
    string log = "";
    using (CucoreLog.Subscribe(LogLevel.Error, (level, message) => { lock (World.Device) log += message; })) {
      using (CudaStream stream = World.Stream()) {
        bool after = false;
        stream.LaunchHost(() => { throw new InvalidOperationException("on purpose"); });
        stream.LaunchHost(() => after = true);
        stream.Synchronize();
        Check.Equal(true, after);
      }
      for (int i = 0; i < 1000 && log == ""; ++i) Thread.Sleep(10);
      lock (World.Device) Check.Contains("a host function has failed: System.InvalidOperationException: on purpose", log);
    }
    using (CudaStream stream = World.Stream()) Check.Throws<ArgumentNullException>(() => stream.LaunchHost(null));
  }

  public static void ComeFromManyThreads() {
    int ran = 0;
    Thread[] threads = Enumerable.Range(0, 8).Select(i => new Thread(() => {
      using (CudaStream stream = World.Stream()) {
        for (int k = 0; k < 80; ++k) stream.LaunchHost(() => Interlocked.Increment(ref ran));
        stream.Synchronize();
      }
    })).ToArray();
    foreach (Thread thread in threads) thread.Start();
    foreach (Thread thread in threads) thread.Join();
    Check.Equal(640, ran);
  }

  // The call that adds a function may block until others have run and added functions.
  public static void StartWhileAnotherIsAdded() {
    MethodInfo add = typeof(CudaStream).Assembly.GetType("Cucore.HostFunctions").GetMethod("Add", BindingFlags.Static | BindingFlags.NonPublic);
    using (CudaStream stream = World.Stream())
    using (ManualResetEventSlim ran = new ManualResetEventSlim()) {
      bool hasRun = false, last = false;
      Action<CudaQueue, ulong> launch = (queue, token) => {
        stream.LaunchHost(() => stream.LaunchHost(ran.Set));
        hasRun = ran.Wait(10000);
        stream.LaunchHostQueued(queue, token, 1);
      };
      add.Invoke(null, new object[] { (Action)(() => last = true), null, launch });
      stream.Synchronize();
      Check.That(hasRun, "a function waits for the call that adds another");
      Check.That(last);
    }
  }

  public static void HaveTickets() {
    using (CudaStream stream = World.Stream())
    using (CudaQueue queue = new CudaQueue()) {
      stream.LaunchHostQueued(queue, 7, 1);
      Completion first = queue.Wait(TimeSpan.FromSeconds(10), 1)[0];
      Check.Equal("7 Ok Host", $"{first.Token} {first.Status} {first.Kind}");
      Check.Equal(false, stream.Query());
      queue.Resume(first.Ticket);
      stream.Synchronize();
      Check.Throws<NotFoundException>(() => queue.Resume(first.Ticket));
    }
  }

  public static void WaitForWords() {
    using (CudaStream stream = World.Stream(), other = World.Stream())
    using (CudaBuffer x = CudaBuffer.Pinned(World.Device, 16)) {
      x.Write(new byte[16], stream);
      stream.Synchronize();
      stream.WaitValue(x, 8, 5, 8, Comparison.GreaterEqual);
      Check.Equal(false, stream.Query());
      other.WriteValue(x, 8, 6, 8);
      stream.Synchronize();
    }
  }
}
