// SPDX-License-Identifier: Apache-2.0
// Types whose values are plain bytes: those that kernels take and buffers contain.
using System;
using System.Runtime.InteropServices;

namespace Cucore {
/// <summary>Facts about a type whose values cross as bytes.</summary>
internal static class Unmanaged<T> where T : unmanaged {
  // Measured once per type; 0 for a type with references. A kernel would receive a reference as an address of the
  // collector's heap.
  private static readonly int size = Measure();

  internal static int Size {
    get {
      if (size == 0) throw new ArgumentException($"{typeof(T)} holds references, so its bytes mean nothing to a device");
      return size;
    }
  }

  // AsBytes of all would refuse more than 2 GiB.
  internal static ReadOnlySpan<byte> First(ReadOnlySpan<T> all) { return MemoryMarshal.AsBytes(all.Slice(0, Math.Min(all.Length, 1))); }

  // AsBytes refuses references. GCHandle pins no array of bool, char or a struct with one of them on .NET Core.
  private static int Measure() {
    try {
      return MemoryMarshal.AsBytes(new Span<T>(new T[1])).Length;
    } catch (ArgumentException) {
      return 0;
    }
  }
}

/// <summary>An array that is pinned until disposed of; null has the address 0.</summary>
internal struct Pinned : IDisposable {
  private GCHandle handle;

  internal Pinned(object? array) { handle = array == null ? default(GCHandle) : GCHandle.Alloc(array, GCHandleType.Pinned); }
  internal IntPtr Address { get { return handle.IsAllocated ? handle.AddrOfPinnedObject() : IntPtr.Zero; } }
  public void Dispose() { if (handle.IsAllocated) handle.Free(); }
}
}
