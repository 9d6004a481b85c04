// Scenarios about awaiting work.
using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Cucore;

public static class Futures {
  private static readonly TimeSpan soon = TimeSpan.FromMilliseconds(50), late = TimeSpan.FromSeconds(20);

  public static void TasksEndWithTheWork() {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer buffer = new CudaBuffer(World.Device, 4, stream)) {
      Task task;
      using (World.Busy(stream)) {
        buffer.Fill(7, stream);
        task = stream.SynchronizeAsync();
        Check.That(!task.Wait(soon), "the task waits");
      }
      Check.That(task.Wait(late) && task.Status == TaskStatus.RanToCompletion);
      Check.That(stream.SynchronizeAsync().Wait(late), "a stream with nothing to do");
    }
  }

  private static async Task<float> Await(float factor) {
    using (CudaStream stream = World.Stream())
    using (CudaBuffer buffer = new CudaBuffer(World.Device, 4, stream)) {
      buffer.Fill(1f, stream);
      for (int i = 0; i < 3; ++i) {
        World.Kernel(World.Scale, "scale").Launch(stream, new LaunchConfig(1, 1), factor, buffer, 1);
        await stream;
      }
      return buffer.ToArray<float>(stream)[0];
    }
  }

  public static void Awaits() {
    Task<float>[] all = Enumerable.Range(0, 50).Select(i => Await(i)).ToArray();
    Check.That(Task.WaitAll(all, late));
    Check.Same(Enumerable.Range(0, 50).Select(i => (float)i * i * i), all.Select(t => t.Result));
  }

  public static void Cancels() {
    using (CudaStream stream = World.Stream()) {
      CancellationTokenSource cancellation = new CancellationTokenSource();
      using (World.Busy(stream)) {
        Task task = stream.SynchronizeAsync(cancellation.Token), other = stream.SynchronizeAsync();
        cancellation.Cancel();
        Check.Throws<AggregateException>(() => task.Wait(late));
        Check.That(task.IsCanceled && !other.IsCompleted && !stream.Query(), "the work goes on");
      }
      Check.That(stream.SynchronizeAsync(cancellation.Token).IsCanceled, "cancelled before");
      stream.Synchronize();
    }
  }

  public static void ManyTasksFromManyThreads() {
    World.Together(8, which => {
      using (CudaStream stream = World.Stream())
        for (int round = 0; round < 5; ++round)
          Check.That(Task.WaitAll(Enumerable.Range(0, 200).Select(i => stream.SynchronizeAsync()).ToArray(), late));
    });
  }

  // The thread ends when nobody waits, and begins again.
  public static void WaitsAgainAfterAPause() {
    using (CudaStream stream = World.Stream())
      for (int i = 0; i < 2; ++i) {
        Check.That(stream.SynchronizeAsync().Wait(late));
        Thread.Sleep(500);
      }
  }

  public static void QueuesByHand() {
    using (CudaStream stream = World.Stream())
    using (CudaQueue queue = new CudaQueue(new QueueOptions { SpinNanoseconds = -1 })) {
      Check.That(queue.Descriptor >= 0);
      CheckPending(stream, queue);
      for (ulong token = 1; token <= 5; ++token) CudaFuture.FromStream(stream, queue, token).Dispose();
      using (CudaFuture last = CudaFuture.FromStream(stream, queue, 6)) {
        last.Wait(late);
        last.Check();
        Check.That(last.Query() && last.Token == 6);
      }
      Completion[] taken = new Completion[0];
      while (taken.Length < 6) taken = taken.Concat(queue.Wait(late, 2)).ToArray();
      Check.Same(Enumerable.Range(1, 6).Select(i => (ulong)i), taken.Select(c => c.Token));
      Check.That(taken.All(c => c.Status == Status.Ok) && queue.Info.Completed == 6 && queue.Info.Waiting == 0);
      Check.Equal(0, queue.Wait(soon).Length);
      queue.End();
      Check.That(queue.Info.IsClosed);
      Check.Throws<InvalidStateException>(() => queue.Wait());
      Check.Throws<InvalidStateException>(() => CudaFuture.FromStream(stream, queue, 7));
    }
    Check.Throws<InvalidArgumentException>(() => new CudaQueue(new QueueOptions { SweepNanoseconds = -5 }));
  }

  // A future that is not complete; it is detached, so that nothing of it comes out of the queue.
  private static void CheckPending(CudaStream stream, CudaQueue queue) {
    using (World.Busy(stream))
    using (CudaFuture future = CudaFuture.FromStream(stream, queue, 0)) {
      Check.That(!future.Query());
      Check.Throws<NotReadyException>(() => future.Check());
      Check.Throws<NotReadyException>(() => future.Wait(soon));
      Check.That(queue.Info.Pending == 1 && future.Detach());
    }
  }

  // The last one: it breaks the context.
  public static void ZFaultsReachTheTask() {
    CudaStream stream = World.Stream();
    World.Kernel(World.Fault, "fault").Launch(stream, new LaunchConfig(1, 1), 8UL);
    Task task = stream.SynchronizeAsync();
    Check.That(Check.Throws<AggregateException>(() => task.Wait(late)).InnerException is KernelFaultException);
    World.Device.Reset();
    using (CudaStream next = World.Stream()) Check.That(next.SynchronizeAsync().Wait(late));
  }
}
