// SPDX-License-Identifier: Apache-2.0
// Profilers and profiles of one block of work.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;

namespace Cucore.Perf {
/// <summary>A launch whose amounts a function computes: see Profiler.Declare.</summary>
public sealed class Launch {
  internal Launch(Kernel kernel, NativeLaunchOptions options) {
    Kernel = kernel;
    Grid = Extent(options.Grid0, options.Grid1, options.Grid2);
    Block = Extent(options.Block0, options.Block1, options.Block2);
    DynamicShared = (int)options.DynamicShared;
  }

  private static IReadOnlyList<int> Extent(params uint[] numbers) { return Array.ConvertAll(numbers, each => (int)Math.Max(each, 1)); }

  /// <summary>The kernel, which is open during the call.</summary>
  public Kernel Kernel { get; }

  /// <summary>The blocks: three numbers.</summary>
  public IReadOnlyList<int> Grid { get; }

  /// <summary>The threads of a block: three numbers.</summary>
  public IReadOnlyList<int> Block { get; }

  /// <summary>Bytes of dynamic shared memory per block.</summary>
  public int DynamicShared { get; }

  /// <summary>Describes the launch.</summary>
  public override string ToString() { return $"launch of {string.Join(" x ", Grid)} blocks of {string.Join(" x ", Block)} threads"; }
}

/// <summary>The amounts of one launch; 0 is unknown.</summary>
public readonly struct Declaration {
  /// <summary>Makes a declaration.</summary>
  /// <param name="bytesRead">from device memory</param>
  /// <param name="bytesWritten">to device memory</param>
  /// <param name="operations">arithmetic operations</param>
  public Declaration(double bytesRead, double bytesWritten, double operations) {
    BytesRead = bytesRead;
    BytesWritten = bytesWritten;
    Operations = operations;
  }

  /// <summary>Bytes that are read.</summary>
  public double BytesRead { get; }

  /// <summary>Bytes that are written.</summary>
  public double BytesWritten { get; }

  /// <summary>Arithmetic operations.</summary>
  public double Operations { get; }

  /// <summary>Describes the amounts.</summary>
  public override string ToString() { return $"reads {BytesRead} bytes, writes {BytesWritten} bytes, {Operations} operations"; }
}

/// <summary>The functions that profilers call, by number.</summary>
internal static class Declared {
  [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
  private delegate void ComputeFunction(IntPtr operation, IntPtr declaration, IntPtr number);
  [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
  private delegate void DestroyFunction(IntPtr number);

  private static readonly ConcurrentDictionary<long, Func<Launch, Declaration>> functions = new ConcurrentDictionary<long, Func<Launch, Declaration>>();
  private static readonly ComputeFunction compute = Run;
  private static readonly DestroyFunction destroy = number => functions.TryRemove(number.ToInt64(), out _);
  internal static readonly IntPtr Compute = Marshal.GetFunctionPointerForDelegate(compute);
  internal static readonly IntPtr Destroy = Marshal.GetFunctionPointerForDelegate(destroy);
  private static long last;

  internal static IntPtr Add(Func<Launch, Declaration> amounts) {
    long number = Interlocked.Increment(ref last);
    functions[number] = amounts;
    return new IntPtr(number);
  }

  internal static void Remove(IntPtr number) { functions.TryRemove(number.ToInt64(), out _); }

  // On the thread of a launch, which an exception cannot fail.
  private static void Run(IntPtr operation, IntPtr declaration, IntPtr number) {
    try {
      NativeOperation of = Marshal.PtrToStructure<NativeOperation>(operation);
      NativeLaunchOptions options = Marshal.PtrToStructure<NativeLaunchOptions>(of.Launch);
      NativeDeclaration to = Marshal.PtrToStructure<NativeDeclaration>(declaration);
      using (Kernel kernel = new Kernel(PerfNative.cucore_kernel_retain(of.Kernel), true)) {
        Declaration found = functions[number.ToInt64()](new Launch(kernel, options));
        (to.BytesRead, to.BytesWritten, to.Operations) = (found.BytesRead, found.BytesWritten, found.Operations);
      }
      Marshal.StructureToPtr(to, declaration, false);
    } catch (Exception thrown) {
      CucoreLog.Write(LogLevel.Error, "a declared function threw an exception: " + thrown);
    }
  }
}

/// <summary>Records what a program does on its devices, from Begin to End. Perf.Profile is shorter for one block of work.</summary>
public sealed class Profiler : PerfObject {
  /// <summary>Creates a profiler. It records nothing before Begin.</summary>
  /// <param name="options">the options; null for the defaults</param>
  public Profiler(ProfilerOptions? options = null) : base(Create(options ?? new ProfilerOptions()), PerfNative.cucore_profiler_release) {}

  private static IntPtr Create(ProfilerOptions options) {
    using (Frame frame = new Frame()) {
      NativeProfilerOptions native = options.Write(frame);
      frame.Check(PerfNative.cucore_profiler_create(ref native, out IntPtr made, out IntPtr error), error);
      return made;
    }
  }

  /// <summary>Begins a session, which observes the operations of all threads of the process.</summary>
  public void Begin() { PerfCalls.Check(PerfNative.cucore_profiler_begin(Handle, out IntPtr error), error); }

  /// <summary>Ends the session, waits for the work that was timed, and returns the report. Open ranges end.</summary>
  /// <returns>the report</returns>
  public Report End() {
    PerfCalls.Check(PerfNative.cucore_profiler_end(Handle, out IntPtr made, out IntPtr error), error);
    return new Report(made);
  }

  /// <summary>Begins a range. Launches of this thread count in it until it ends. Ranges nest.</summary>
  /// <param name="name">the name</param>
  public void BeginRange(string name) {
    PerfCalls.Check(PerfNative.cucore_profiler_begin_range(Handle, PerfCalls.Bytes(PerfCalls.NotNull(name, nameof(name))), out IntPtr error), error);
  }

  /// <summary>Ends the innermost range of this thread.</summary>
  public void EndRange() { PerfCalls.Check(PerfNative.cucore_profiler_end_range(Handle, out IntPtr error), error); }

  /// <summary>Calls a work in a range, with a new stream, and waits for the stream. A session of Counters calls it again, once
  /// for each pass that the counters need.</summary>
  /// <param name="range">the name of the range</param>
  /// <param name="work">the work, whose exception is thrown again</param>
  public void Run(string range, Action<CudaStream> work) {
    PerfCalls.NotNull(work, nameof(work));
    byte[]? name = PerfCalls.Bytes(PerfCalls.NotNull(range, nameof(range)));
    using (Frame frame = new Frame())
      frame.Check(PerfNative.cucore_profiler_run(Handle, name, frame.Work(work), IntPtr.Zero, out IntPtr error), error);
  }

  /// <summary>Declares how many bytes and operations the launches of a kernel have.</summary>
  /// <param name="kernel">the name in the code</param>
  /// <param name="amounts">called on the thread of each launch. Its exceptions go to the log</param>
  public void Declare(string kernel, Func<Launch, Declaration> amounts) {
    byte[]? name = PerfCalls.Bytes(PerfCalls.NotNull(kernel, nameof(kernel)));
    IntPtr number = Declared.Add(PerfCalls.NotNull(amounts, nameof(amounts)));
    int status = PerfNative.cucore_profiler_declare(Handle, name, Declared.Compute, number, Declared.Destroy, out IntPtr error);
    if (status != 0) Declared.Remove(number);
    PerfCalls.Check(status, error);
  }

  /// <summary>Declares the same for a kernel.</summary>
  /// <param name="kernel">the kernel</param>
  /// <param name="amounts">called on the thread of each launch</param>
  public void Declare(Kernel kernel, Func<Launch, Declaration> amounts) { Declare(PerfCalls.NotNull(kernel, nameof(kernel)).Name, amounts); }
}

/// <summary>A profile of one block of work. Dispose ends it, and Report is then there.</summary>
public sealed class Profile : IDisposable {
  private Report? report;

  internal Profile(ProfilerOptions? options) {
    Profiler = new Profiler(options);
    Profiler.Begin();
  }

  /// <summary>The profiler, for ranges and declarations.</summary>
  public Profiler Profiler { get; }

  /// <summary>The report of the block.</summary>
  public Report Report { get { return report ?? throw PerfCalls.Refused(Status.InvalidState, "the profile has no report yet; dispose of it first"); } }

  /// <summary>Returns the class, and whether the block has ended.</summary>
  public override string ToString() { return report == null ? "Profile" : "Profile, ended"; }

  /// <summary>Ends the session. A second call does nothing.</summary>
  public void Dispose() {
    lock (Profiler) {
      if (report != null) return;
      report = Profiler.End();
      Profiler.Dispose();
    }
  }
}
}
