// Native memory as Memory<byte>, without a copy.
#if CUCORE_SPAN
using System;
using System.Buffers;
using System.Runtime.InteropServices;

namespace Cucore {
/// <summary>Native memory that belongs to an object, which it keeps from being released.</summary>
internal sealed unsafe class NativeMemory : MemoryManager<byte> {
  private readonly SafeHandle owner;
  private readonly byte* first;
  private readonly int length;
  private readonly bool held;

  internal NativeMemory(SafeHandle owner, IntPtr first, long length) {
    this.first = (byte*)first;
    this.length = checked((int)length);
    owner.DangerousAddRef(ref held);
    this.owner = owner;
  }

  // The owner may have been disposed of meanwhile: then this was the last reference.
  ~NativeMemory() { Dispose(false); }

  protected override void Dispose(bool disposing) {
    if (held) owner.DangerousRelease();
  }

  public override Span<byte> GetSpan() { return new Span<byte>(first, length); }
  public override MemoryHandle Pin(int elementIndex = 0) { return new MemoryHandle(first + elementIndex); }
  public override void Unpin() {}
}

public partial class CudaBuffer {
  /// <summary>The bytes of pinned or managed memory, without a copy; empty for device memory. They stay
  /// good after Dispose, for as long as this view is kept.</summary>
  public Memory<byte> HostMemory {
    get {
      using (new Use(swigCPtr)) {
        ulong host = HostPointer;
        return host == 0 ? Memory<byte>.Empty : new NativeMemory(swigCPtr, (IntPtr)(long)host, Size).Memory;
      }
    }
  }
}

public partial class ObjectCode {
  /// <summary>The bytes of the image, without a copy. They stay good after Dispose, for as long as this
  /// view is kept.</summary>
  public ReadOnlyMemory<byte> DataMemory {
    get {
      using (new Use(swigCPtr)) {
        NativeBytes bytes = CucoreNativePINVOKE.ObjectCode_RawData(swigCPtr);
        CucoreNativePINVOKE.Check();
        return new NativeMemory(swigCPtr, bytes.Data, (long)bytes.Size.ToUInt64()).Memory;
      }
    }
  }
}
}
#endif
