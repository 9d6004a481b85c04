// SPDX-License-Identifier: Apache-2.0
// Scenarios of kernels that break their context. Each is a separate process, because on a GPU
// nothing works in a process after a fault.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Cucore;

public static class Faults {
  private static readonly TimeSpan late = TimeSpan.FromSeconds(20);

  // Waits for the gate, then writes to an invalid address.
  private const string Fault = @"extern ""C"" __global__ void fault(volatile int *gate, int *p) {
    while (gate && *gate == 0) {}
    *p = 1;
  }";

  public static void FaultAndReset() { Check.Equal("", Processes.Run("Faults.BreakAndReset")); }
  public static void FaultsReachEveryPendingTask() { Check.Equal("", Processes.Run("Faults.BreakWithTasksPending")); }
  public static void FaultsMeetTasksThatAreMade() { Check.Equal("", Processes.Run("Faults.MakeTasksWhileItBreaks")); }
  public static void FaultsReachEveryPendingFuture() { Check.Equal("", Processes.Run("Faults.BreakWithFuturesPending")); }

  public static void FaultsStayOnTheirDevice() {
    if (!Machine.IsCpu) Machine.NeedsDevices(2);
    Check.Equal("", Processes.Run("Faults.BreakOneOfTwo", 0, "CUCORE_CPU_DEVICES=2"));
  }

  private static void Break(CudaStream stream, CudaBuffer gate = null) {
    World.Kernel(Fault, "fault").Launch(stream, new LaunchConfig(1, 1), gate == null ? Arg.Address(0) : gate, Arg.Address(8));
  }

  private static unsafe void Open(CudaBuffer gate) { Volatile.Write(ref *(int*)gate.HostPointer, 1); }

  private static unsafe CudaBuffer Gate(CudaDevice device) {
    CudaBuffer gate = CudaBuffer.Pinned(device, sizeof(int));
    *(int*)gate.HostPointer = 0;
    return gate;
  }

  private static void BreakAndReset() {
    ObjectCode code = World.Code(World.Scale);
    CudaStream old = World.Stream();
    World.CheckScale(old, code.GetKernel("scale"), 2);
    Break(old);
    for (int i = 0; i < 2; ++i) Check.Throws<KernelFaultException>(() => old.Synchronize());
    string told = Check.Throws<KernelFaultException>(() => new CudaBuffer(World.Device, 4, old)).Message;
    Check.That(told.StartsWith("an earlier kernel broke the context"), told);
    Check.Contains(Machine.IsCpu ? "kernel 'fault' block (0,0,0) thread (0,0,0): illegal address" : "compute-sanitizer", told);
    if (Machine.IsCpu) Check.Contains("ProgramOptions.Lineinfo", told);
    if (Machine.IsCpu) World.Device.Reset(); else ResetInVain();
    Check.Throws<InvalidStateException>(() => old.Synchronize());
    if (!Machine.IsCpu) return;
    using (CudaStream stream = World.Stream()) World.CheckScale(stream, code.GetKernel("scale"), 3);
    old.Dispose();
  }

  // Drivers differ in whether a reset helps; if it does not, the error states that.
  private static void ResetInVain() {
    try {
      World.Device.Reset();
    } catch (KernelFaultException e) {
      Check.Contains("restart the process", e.Message);
    }
  }

  // Streams of the same context as the one with the fault, which therefore have it as well.
  private static CudaStream[] StreamsBehind(CudaStream broken, int count) {
    CudaEvent after = new CudaEvent(World.Device);
    after.Record(broken);
    CudaStream[] all = Enumerable.Range(0, count).Select(i => World.Stream()).ToArray();
    foreach (CudaStream stream in all) stream.WaitEvent(after);
    return all;
  }

  private static void CheckFault(CucoreException e, string device = "device 0") {
    Check.Equal(typeof(KernelFaultException), e.GetType());
    Check.Contains(device, e.Message);
    Check.Contains("CUDA_ERROR_", e.ToString() + e.NativeName);
  }

  private static void BreakWithTasksPending() {
    CudaStream stream = World.Stream();
    CudaBuffer gate = Gate(World.Device);
    Task before = stream.SynchronizeAsync();
    Check.That(before.Wait(late));
    Break(stream, gate);
    List<Task> pending = new List<Task> { stream.SynchronizeAsync() };
    foreach (CudaStream each in StreamsBehind(stream, 4))
      pending.AddRange(Enumerable.Range(0, 5).Select(i => each.SynchronizeAsync()));
    Check.That(pending.All(t => !t.IsCompleted), "they wait");
    Open(gate);
    foreach (Task each in pending) {
      AggregateException thrown = Check.Throws<AggregateException>(() => each.Wait(late));
      CheckFault((CucoreException)thrown.InnerExceptions.Single());
    }
    Check.Equal(TaskStatus.RanToCompletion, before.Status);
    Task after = stream.SynchronizeAsync();
    CheckFault((CucoreException)Check.Throws<AggregateException>(() => after.Wait(late)).InnerExceptions.Single());
  }

  // Tasks are created while the context breaks: none is an exception of the call. A GPU breaks once
  // per process.
  private static void MakeTasksWhileItBreaks() {
    int rounds = Machine.IsCpu ? 100 : 1;
    for (int round = 1; round <= rounds; ++round) {
      using (CudaStream stream = World.Stream()) {
        Break(stream);
        Task[] all = Enumerable.Range(0, 50).Select(i => stream.SynchronizeAsync()).ToArray();
        foreach (Task each in all) CheckFault((CucoreException)Check.Throws<AggregateException>(() => each.Wait(late)).InnerExceptions.Single());
        if (round < rounds) World.Device.Reset();
      }
    }
  }

  private static void BreakWithFuturesPending() {
    CudaStream stream = World.Stream();
    CudaBuffer gate = Gate(World.Device);
    CudaQueue queue = new CudaQueue();
    CudaFuture before = CudaFuture.FromStream(stream, queue, 1000);
    before.Wait(late);
    Check.Equal(1000UL, queue.Wait(late).Single().Token);
    Break(stream, gate);
    CudaStream[] streams = StreamsBehind(stream, 4);
    CudaFuture[] pending = Enumerable.Range(0, 20).Select(i => CudaFuture.FromStream(streams[i % 4], queue, (ulong)i)).ToArray();
    Open(gate);
    List<Completion> taken = new List<Completion>();
    while (taken.Count < pending.Length) {
      Completion[] some = queue.Wait(late);
      Check.That(some.Length != 0, $"only {taken.Count} came");
      taken.AddRange(some);
    }
    Check.That(taken.All(c => c.Status == Status.KernelFault));
    Check.Same(Enumerable.Range(0, 20).Select(i => (ulong)i), taken.Select(c => c.Token).OrderBy(t => t));
    foreach (CudaFuture each in pending) CheckFault(Check.Throws<KernelFaultException>(() => each.Check()));
    before.Check();
    Check.Equal(0, queue.Wait(TimeSpan.Zero).Length);
  }

  // Waiters for another device do not receive the fault and continue. NVIDIA's driver, however,
  // reports an illegal address to all devices of the process, and then they end as well.
  private static void BreakOneOfTwo() {
    using (CudaDevice other = new CudaDevice(1)) {
      CudaStream stream = World.Stream(), there = new CudaStream(other);
      CudaBuffer gate = Gate(World.Device), gateThere = Gate(other);
      World.Kernel(World.Wait, "wait").Launch(there, new LaunchConfig(1, 1), gateThere);
      Task healthy = there.SynchronizeAsync();
      Break(stream, gate);
      Task broken = stream.SynchronizeAsync();
      Open(gate);
      CheckFault((CucoreException)Check.Throws<AggregateException>(() => broken.Wait(late)).InnerException);
      if (!Machine.IsCpu) {
        Open(gateThere);
        Check.That(Task.WhenAny(healthy).Wait(late), "it ends");
        if (healthy.IsFaulted) CheckFault((CucoreException)healthy.Exception.InnerException, "device 1");
        return;
      }
      Check.That(!healthy.IsCompleted, "the other device's work goes on");
      Open(gateThere);
      Check.That(healthy.Wait(late) && there.SynchronizeAsync().Wait(late));
      Check.Equal(TaskStatus.RanToCompletion, healthy.Status);
    }
  }
}
