// SPDX-License-Identifier: Apache-2.0
// Scenarios with several threads.
using System;
using System.Runtime.CompilerServices;
using System.Threading;
using Cucore;

public static class Threads {
  public static void EightThreads() {
    World.Together(8, which => {
      using (ObjectCode code = new CudaProgram(World.Scale, new ProgramOptions { Name = $"thread{which}" }).Compile())
      using (Kernel kernel = code.GetKernel("scale"))
      using (CudaStream stream = World.Stream())
        for (int i = 0; i < 20; ++i) World.CheckScale(stream, kernel, which + i, 1000 + which);
    });
  }

  // Each thread receives the exception of its own call.
  public static void ExceptionsOfTheirOwn() {
    World.Together(8, which => {
      for (int i = 0; i < 500; ++i)
        Check.Contains((1000 + which).ToString(), Check.Throws<InvalidArgumentException>(() => new CudaDevice(1000 + which)).Message);
    });
  }

  private static void EndsWell(Action action) {
    try { action(); } catch (ObjectDisposedException) {} catch (InvalidHandleException) {}
  }

  // One thread is inside a call, another closes.
  public static void CloseWhileInUse() {
    for (int round = 0; round < 20; ++round) {
      CudaStream stream = World.Stream();
      CudaBuffer buffer = new CudaBuffer(World.Device, 1 << 16, stream);
      CudaProgram program = new CudaProgram(World.Scale);
      ObjectCode code = ObjectCode.Load(World.Code(World.Scale).ToBytes());
      Kernel kernel = code.GetKernel("scale");
      byte[] bytes = new byte[1 << 16];
      World.Together(4, which => {
        if (which == 0) {
          Thread.Sleep(round % 4);
          foreach (IDisposable each in new IDisposable[] { stream, buffer, program, code, kernel }) each.Dispose();
          return;
        }
        for (int i = 0; i < 50; ++i) {
          EndsWell(() => stream.Synchronize());
          EndsWell(() => buffer.Read(bytes, World.Device.GetDefaultStream()));
          EndsWell(() => { if (code.Name != "default_program") throw new Exception(code.Name); });
          EndsWell(() => code.ToBytes());
          EndsWell(() => kernel.Launch(stream, new LaunchConfig(1, 1), 1f, buffer, 0));
        }
        if (which == 1) EndsWell(() => program.Compile().Dispose());
      });
      stream.Dispose();
    }
  }

  // The calls that count themselves in and out: each succeeds or reports that it is too late, and a
  // closed object is released once.
  public static void CloseWhileInQuickCalls() {
    byte[] stored = World.Code(World.Scale).ToBytes();
    long before = 0;
    for (int round = 0; round < 600; ++round) {
      if (round == 200) before = Lifetimes.ResidentKib();
      CudaStream stream = World.Stream();
      CudaEvent marker = new CudaEvent(World.Device);
      ObjectCode code = ObjectCode.Load(stored);
      int started = 0;
      World.Together(3, which => {
        Interlocked.Increment(ref started);
        while (Volatile.Read(ref started) < 3) Thread.Yield();
        if (which == 0) foreach (IDisposable each in new IDisposable[] { code, marker, stream }) each.Dispose();
        try {
          for (int i = 0; i < 100000; ++i) if (code.IsLoaded || !marker.Query() || !stream.Query()) throw new Exception("wrong");
        } catch (ObjectDisposedException) {
          return;
        }
        throw new Exception("it was never closed");
      });
      Check.Throws<ObjectDisposedException>(() => code.IsLoaded.ToString());
      Check.Throws<ObjectDisposedException>(() => stream.Query());
      Check.Throws<ObjectDisposedException>(() => marker.Query());
    }
    World.Collect();
    Check.That(Lifetimes.ResidentKib() - before < 8 * 1024, $"{Lifetimes.ResidentKib() - before} KiB more");
  }

  // Does the same while the call waits on the device.
  public static void CloseWhileSynchronizing() {
    CudaStream stream = World.Stream();
    Thread waiter;
    Exception failure = null;
    using (World.Busy(World.Device.GetDefaultStream(DefaultStream.PerThread))) {
      using (CudaEvent end = new CudaEvent(World.Device)) {
        end.Record(World.Device.GetDefaultStream(DefaultStream.PerThread));
        stream.WaitEvent(end);
      }
      waiter = new Thread(() => { try { stream.Synchronize(); } catch (Exception e) { failure = e; } });
      waiter.Start();
      Thread.Sleep(100);
      stream.Dispose();
      Check.That(!waiter.Join(100), "it still waits");
    }
    waiter.Join();
    Check.That(failure == null, $"{failure}");
    Check.Throws<ObjectDisposedException>(() => stream.Synchronize());
  }

  [MethodImpl(MethodImplOptions.NoInlining)]
  private static Thread WaitOnForgotten() {
    CudaStream stream = World.Stream();
    CudaEvent end = new CudaEvent(World.Device);
    end.Record(World.Device.GetDefaultStream(DefaultStream.PerThread));
    stream.WaitEvent(end);
    Thread thread = new Thread(() => stream.Synchronize());
    thread.Start();
    return thread;
  }

  // The last reference ends while a call on the object runs.
  public static void CollectedWhileInUse() {
    Thread thread;
    using (World.Busy(World.Device.GetDefaultStream(DefaultStream.PerThread))) {
      thread = WaitOnForgotten();
      Thread.Sleep(50);
      World.Collect();
      Check.That(!thread.Join(50), "it still waits");
    }
    thread.Join();
    World.Device.Synchronize();
  }
}
