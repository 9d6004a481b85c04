// SPDX-License-Identifier: Apache-2.0
// Native memory as Memory<byte>, without a copy.
using System;
using System.Buffers;
using System.Runtime.InteropServices;

namespace Cucore {
/// <summary>Native memory, with a separate reference to the object that owns it.</summary>
internal sealed unsafe class NativeMemory : MemoryManager<byte> {
  private readonly IDisposable owner;  // released by the collector, together with this
  private readonly byte* first;
  private readonly int length;

  internal NativeMemory(IDisposable owner, IntPtr first, long length) {
    this.owner = owner;
    this.first = (byte*)first;
    this.length = (int)length;
  }

  /// <summary>Refuses a size before a reference to the owner is made.</summary>
  internal static long Checked(ulong size, string what) {
    if (size <= int.MaxValue) return (long)size;
    throw CucoreException.Of(new Failure(Status.Unsupported, what + " has " + size + " bytes; a Memory<byte> holds 2147483647 at most"));
  }

  protected override void Dispose(bool disposing) {
    if (disposing) owner.Dispose();
  }

  public override Span<byte> GetSpan() { return new Span<byte>(first, length); }
  public override MemoryHandle Pin(int elementIndex = 0) {
    // The handle keeps this, and so the memory, alive; nothing is pinned.
    return new MemoryHandle(first + elementIndex, default(GCHandle), this);
  }
  public override void Unpin() {}
}

public partial class CudaBuffer {
  /// <summary>The bytes of pinned or managed memory, without a copy; empty for device memory. They
  /// stay valid after Dispose, as long as this view exists.</summary>
  public Memory<byte> HostMemory {
    get {
      ulong host = HostPointer;
      if (host == 0) return Memory<byte>.Empty;
      long size = NativeMemory.Checked((ulong)Size, "the CudaBuffer");
      return new NativeMemory(RawShare(), (IntPtr)(long)host, size).Memory;
    }
  }
}

public partial class ObjectCode {
  /// <summary>The bytes of the image, without a copy. They stay valid after Dispose, as long as
  /// this view exists.</summary>
  public ReadOnlyMemory<byte> DataMemory {
    get {
      using (new Use(swigCPtr)) {
        NativeBytes bytes = CucoreNativePINVOKE.ObjectCode_RawData(swigCPtr);
        CucoreNativePINVOKE.Check();
        long size = NativeMemory.Checked(bytes.Size.ToUInt64(), "the ObjectCode");
        return new NativeMemory(RawShare(), bytes.Data, size).Memory;
      }
    }
  }
}
}
