// SPDX-License-Identifier: Apache-2.0
// Calls of libcucore-perf: errors, texts, and native objects.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Text;

namespace Cucore.Perf {
internal static class PerfCalls {
  internal delegate int Writer(byte[]? buffer, ulong capacity, out ulong size, out IntPtr error);
  internal delegate T Reader<T>(ulong index);

  /// <summary>Throws the exception of a failed call.</summary>
  internal static void Check(int status, IntPtr error) {
    if (status != 0) throw CucoreNativePINVOKE.Raised(status, error);
  }

  internal static Exception Refused(Status status, string message) { return CucoreException.Of(new Failure(status, message)); }

  internal static T NotNull<T>(T? given, string parameter) where T : class { return given ?? throw new ArgumentNullException(parameter); }

  internal static int NotNegative(int given, string parameter) {
    return given >= 0 ? given : throw new ArgumentOutOfRangeException(parameter, given, "expected at least 0");
  }

  internal static long NotNegative(long given, string parameter) {
    return given >= 0 ? given : throw new ArgumentOutOfRangeException(parameter, given, "expected at least 0");
  }

  /// <summary>UTF-8 with a NUL at its end; null for null.</summary>
  internal static byte[]? Bytes(string? text) {
    if (text == null) return null;
    if (text.IndexOf('\0') >= 0) throw new ArgumentException("a text contains a NUL character");
    return Encoding.UTF8.GetBytes(text + "\0");
  }

  internal static string Text(IntPtr text) { return text == IntPtr.Zero ? "" : Utf8.Read(text); }

  /// <summary>Returns the text that a call writes.</summary>
  internal static string Written(Writer write) {
    Check(write(null, 0, out ulong size, out IntPtr error), error);
    byte[] buffer = new byte[size];
    Check(write(buffer, size, out size, out error), error);
    return Encoding.UTF8.GetString(buffer).TrimEnd(new[] { '\0' });
  }

  internal static IReadOnlyList<T> Each<T>(ulong count, Reader<T> read) {
    List<T> all = new List<T>();
    for (ulong i = 0; i < count; ++i) all.Add(read(i));
    return all.AsReadOnly();
  }
}

/// <summary>A native object, which is not released while a call uses it.</summary>
internal sealed class PerfHandle : SafeHandle {
  private readonly Action<IntPtr> release;

  internal PerfHandle(IntPtr made, Action<IntPtr> release) : base(IntPtr.Zero, true) {
    this.release = release;
    SetHandle(made);
  }

  public override bool IsInvalid { get { return handle == IntPtr.Zero; } }

  protected override bool ReleaseHandle() {
    release(handle);
    return true;
  }
}

/// <summary>An object of this namespace with a native one.</summary>
public abstract class PerfObject : IDisposable {
  private readonly PerfHandle handle;

  internal PerfObject(IntPtr made, Action<IntPtr> release) { handle = new PerfHandle(made, release); }

  internal SafeHandle Handle {
    get {
      if (handle.IsClosed) throw new ObjectDisposedException(GetType().Name);
      return handle;
    }
  }

  /// <summary>Whether the object was disposed of.</summary>
  public bool IsDisposed { get { return handle.IsClosed; } }

  /// <summary>Returns the class, and whether the object was disposed of.</summary>
  public override string ToString() { return GetType().Name + (IsDisposed ? ", disposed" : ""); }

  /// <summary>Releases the native object. Calls of other threads that use it continue.</summary>
  public void Dispose() { handle.Dispose(); }
}
}
