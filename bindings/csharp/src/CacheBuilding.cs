// SPDX-License-Identifier: Apache-2.0
// Calls back into C# for what a cache does not have.
using System;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace Cucore {
/// <summary>One get-or-build. What the program's own code throws stays here while native frames are on
/// the stack, which exceptions must not cross, and goes on once they are gone.</summary>
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
  private ObjectCode made;
  private ExceptionDispatchInfo thrown;
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

  // One object for whoever asked, and one Dispose.
  private CacheResult Given(ObjectCode found, int outcome) {
    if (isAborted) Thread.CurrentThread.Abort();
    thrown?.Throw();
    if (made == null) return new CacheResult(found, outcome);
    found.Dispose();
    return new CacheResult(made, outcome);
  }

  // A reference to what was made, or none where that failed.
  private static IntPtr Make(IntPtr building) { return ((CacheBuilding)GCHandle.FromIntPtr(building).Target).Make(); }

  private IntPtr Make() {
    try {
      made = build() ?? throw new InvalidOperationException("the object code that was to be built is null");
      return CucoreNativePINVOKE.RetainCode(ObjectCode.getCPtr(made));
    } catch (ThreadAbortException) {
      Thread.ResetAbort();  // else it goes on from here by itself, through native frames
      isAborted = true;
      return IntPtr.Zero;
    } catch (Exception e) {
      thrown = ExceptionDispatchInfo.Capture(e);
      return IntPtr.Zero;
    }
  }
}
}
