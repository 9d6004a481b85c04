// SPDX-License-Identifier: Apache-2.0
// The place where arrays are computed.
using System;

namespace Cucore.Arrays {
/// <summary>The place where arrays are computed: a device and a stream, with the operations that wait.</summary>
public sealed partial class Context : IDisposable {
  private static readonly object gate = new object();
  private static Context? shared;

  private readonly ArrayHandle handle;
  private volatile bool isDisposed;

  internal Context(IntPtr made) { handle = new ArrayHandle(made, ArrayNative.cucore_array_context_release); }

  /// <summary>Creates a context with a stream of its own.</summary>
  /// <param name="device">the device</param>
  public Context(CudaDevice device) : this(device, new ContextOptions()) {}

  /// <summary>Creates a context.</summary>
  /// <param name="device">the device</param>
  /// <param name="options">the stream, the policy and the limits</param>
  /// <exception cref="Cucore.InvalidArgumentException">the stream is of another device</exception>
  public Context(CudaDevice device, ContextOptions options) : this(Made(device, options)) {}

  private static IntPtr Made(CudaDevice device, ContextOptions options) {
    Calls.NotNull(device, nameof(device));
    using (new Use(CudaStream.getCPtr(Calls.NotNull(options, nameof(options)).Stream)))
    using (new Use(Cache.getCPtr(options.Cache))) {
      NativeContextOptions native = new NativeContextOptions(options);
      Calls.Check(ArrayNative.cucore_array_context_create(CudaDevice.getCPtr(device, nameof(device)), ref native, out IntPtr made, out IntPtr error), error);
      return made;
    }
  }

  /// <summary>Returns the context of a device that all callers of this process share.</summary>
  /// <param name="device">the device</param>
  /// <returns>a context that can be disposed of; the shared one stays</returns>
  public static Context OfDevice(CudaDevice device) {
    Calls.Check(ArrayNative.cucore_array_context_default(CudaDevice.getCPtr(device, nameof(device)), out IntPtr made, out IntPtr error), error);
    return new Context(made);
  }

  /// <summary>The context of the innermost scope, or the shared one of device 0. New arrays belong to it.</summary>
  internal static Context Current { get { return Scope.InnermostContext ?? Shared(); } }

  private static Context Shared() {
    lock (gate) {
      if (shared != null) return shared;
      using (CudaDevice first = new CudaDevice()) return shared = OfDevice(first);
    }
  }

  internal ArrayHandle Handle {
    get {
      if (isDisposed) throw new ObjectDisposedException(nameof(Context));
      return handle;
    }
  }

  internal static ArrayHandle HandleOf(Context? context, string parameter) { return Calls.NotNull(context, parameter).Handle; }

  /// <summary>Releases the context. Its arrays keep it. A second call does nothing.</summary>
  public void Dispose() {
    isDisposed = true;
    handle.Dispose();
  }

  /// <summary>Whether Dispose was called.</summary>
  public bool IsDisposed { get { return isDisposed; } }

  /// <summary>The statistics: kernels, compiles, bytes and the causes of evaluations.</summary>
  public ContextStatistics Statistics {
    get {
      ulong[] all = new ulong[1 + ContextStatistics.Count];
      all[0] = (ulong)(all.Length * sizeof(ulong));  // struct_size
      Calls.Check(ArrayNative.cucore_array_context_query(Handle, all, out IntPtr error), error);
      return new ContextStatistics(all);
    }
  }

  /// <summary>The device.</summary>
  public override string ToString() { return Describe.Object("context", () => $"context of {Describe.Device(Device)}"); }
}
}
