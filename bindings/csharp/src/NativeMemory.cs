// SPDX-License-Identifier: Apache-2.0
// Native memory as Memory<byte>, without a copy.
using System;
using System.Buffers;

namespace Cucore {
/// <summary>Native memory, with a separate reference to the object that owns it.</summary>
internal sealed unsafe class NativeMemory : MemoryManager<byte> {
  private readonly IDisposable owner;  // released by the collector, together with this
  private readonly byte* first;
  private readonly int length;

  internal NativeMemory(IDisposable owner, IntPtr first, long length) {
    this.owner = owner;
    this.first = (byte*)first;
    this.length = checked((int)length);
  }

  protected override void Dispose(bool disposing) {
    if (disposing) owner.Dispose();
  }

  public override Span<byte> GetSpan() { return new Span<byte>(first, length); }
  public override MemoryHandle Pin(int elementIndex = 0) { return new MemoryHandle(first + elementIndex); }
  public override void Unpin() {}
}

public partial class CudaBuffer {
  /// <summary>The bytes of pinned or managed memory, without a copy; empty for device memory. They
  /// stay valid after Dispose, as long as this view exists.</summary>
  public Memory<byte> HostMemory {
    get {
      ulong host = HostPointer;
      return host == 0 ? Memory<byte>.Empty : new NativeMemory(RawShare(), (IntPtr)(long)host, Size).Memory;
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
        return new NativeMemory(RawShare(), bytes.Data, (long)bytes.Size.ToUInt64()).Memory;
      }
    }
  }
}
}
