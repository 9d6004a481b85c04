// SPDX-License-Identifier: Apache-2.0
// Calls back into C# for results that a cache does not have.
using System;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace Cucore {
/// <summary>One get-or-build. An exception of the program's code must not cross native frames. It
/// is stored here while they are on the stack, and then thrown again.</summary>
internal sealed class CacheBuilding {
  [UnmanagedFunctionPointer(CallingConvention.StdCall)]
  private delegate IntPtr Function(IntPtr building);

  // BuildRequest of swig/csharp/types.i
  [StructLayout(LayoutKind.Sequential)]
  private struct Request {
    internal IntPtr Function, Building;
  }

  private static readonly Function function = Make;
  private static readonly IntPtr pointer = Marshal.GetFunctionPointerForDelegate(function);
  private readonly Func<ObjectCode> build;
  private ObjectCode? made;
  private ExceptionDispatchInfo? thrown;
  private bool isAborted;

  internal CacheBuilding(Func<ObjectCode> build) { this.build = build ?? throw new ArgumentNullException(nameof(build)); }

  internal unsafe CacheResult Ask(Cache cache, IntPtr key, int size) {
    GCHandle self = GCHandle.Alloc(this);
    try {
      Request request = new Request { Function = pointer, Building = GCHandle.ToIntPtr(self) };
      ObjectCode found = cache.RawGetOrBuild(key, size, (IntPtr)(&request), out int outcome);
      return Given(found, outcome);
    } finally {
      self.Free();
    }
  }

  // One object for the caller, and one Dispose.
  private CacheResult Given(ObjectCode found, int outcome) {
    if (isAborted) Thread.CurrentThread.Abort();
    thrown?.Throw();
    if (made == null) return new CacheResult(found, outcome);
    found.Dispose();
    return new CacheResult(made, outcome);
  }

  // Returns a reference to the result, or none if the build failed.
  private static IntPtr Make(IntPtr building) { return ((CacheBuilding)GCHandle.FromIntPtr(building).Target).Make(); }

  private IntPtr Make() {
    try {
      made = build() ?? throw new InvalidOperationException("the object code that was to be built is null");
      return CucoreNativePINVOKE.ObjectCode_RawShare(ObjectCode.getCPtr(made));
    } catch (ThreadAbortException) {
      Thread.ResetAbort();  // otherwise it would continue by itself, through native frames
      isAborted = true;
      return IntPtr.Zero;
    } catch (Exception e) {
      thrown = ExceptionDispatchInfo.Capture(e);
      return IntPtr.Zero;
    }
  }
}
}
