// SPDX-License-Identifier: Apache-2.0
// One call of the library: its memory, its objects, and its works with the first exception of one of them.
using System;
using System.Collections.Generic;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;

namespace Cucore.Perf {
[UnmanagedFunctionPointer(CallingConvention.Cdecl)]
internal delegate int NativeWorkFunction(IntPtr stream, IntPtr userData, IntPtr error);

internal sealed class Frame : IDisposable {
  private readonly List<IntPtr> memory = new List<IntPtr>();
  private readonly List<SafeHandle> objects = new List<SafeHandle>();
  private readonly List<NativeWorkFunction> works = new List<NativeWorkFunction>();
  private readonly Dictionary<IntPtr, CudaStream> streams = new Dictionary<IntPtr, CudaStream>();
  private ExceptionDispatchInfo? failure;

  internal IntPtr Bytes(byte[] bytes) {
    IntPtr made = Marshal.AllocHGlobal(Math.Max(bytes.Length, 1));
    memory.Add(made);
    Marshal.Copy(bytes, 0, made, bytes.Length);
    return made;
  }

  internal IntPtr Text(string? text) {
    byte[]? bytes = PerfCalls.Bytes(text);
    return bytes == null ? IntPtr.Zero : Bytes(bytes);
  }

  internal IntPtr Texts(IReadOnlyList<string>? texts) {
    if (texts == null || texts.Count == 0) return IntPtr.Zero;
    byte[] all = new byte[texts.Count * IntPtr.Size];
    for (int i = 0; i < texts.Count; ++i) BitConverter.GetBytes(Text(texts[i]).ToInt64()).CopyTo(all, i * IntPtr.Size);
    return Bytes(all);
  }

  /// <summary>The pointer of an object, which stays valid during the call; zero for none.</summary>
  internal IntPtr Object(SafeHandle handle) {
    if (handle.IsInvalid) return IntPtr.Zero;
    bool isHeld = false;
    handle.DangerousAddRef(ref isHeld);
    if (isHeld) objects.Add(handle);
    return handle.DangerousGetHandle();
  }

  /// <summary>A function of C that calls a work; zero for none.</summary>
  internal IntPtr Work(Action<CudaStream>? work) {
    if (work == null) return IntPtr.Zero;
    NativeWorkFunction function = (stream, userData, error) => Run(work, stream, error);
    works.Add(function);
    return Marshal.GetFunctionPointerForDelegate(function);
  }

  private int Run(Action<CudaStream> work, IntPtr stream, IntPtr error) {
    try {
      work(StreamAt(stream));
      return 0;
    } catch (Exception thrown) {
      failure = failure ?? ExceptionDispatchInfo.Capture(thrown);
      int status = thrown is CucoreException known ? (int)known.Status : (int)Status.InvalidState;
      if (error != IntPtr.Zero)
        Marshal.WriteIntPtr(error, PerfNative.cucore_error_create(status, PerfCalls.Bytes("the work threw an exception"), IntPtr.Zero));
      return status;
    }
  }

  private CudaStream StreamAt(IntPtr stream) {
    if (!streams.TryGetValue(stream, out CudaStream found)) {
      found = new CudaStream(PerfNative.cucore_stream_retain(stream), true);
      streams.Add(stream, found);
    }
    return found;
  }

  /// <summary>Throws the exception of a work, or of a failed call.</summary>
  internal void Check(int status, IntPtr error) {
    if (failure != null) {
      PerfNative.cucore_error_release(error);
      failure.Throw();
    }
    PerfCalls.Check(status, error);
  }

  public void Dispose() {
    foreach (SafeHandle each in objects) each.DangerousRelease();
    foreach (IntPtr each in memory) Marshal.FreeHGlobal(each);
    foreach (CudaStream each in streams.Values) each.Dispose();
    GC.KeepAlive(works);
  }
}
}
