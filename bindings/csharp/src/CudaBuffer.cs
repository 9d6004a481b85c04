// SPDX-License-Identifier: Apache-2.0
// Buffers over arrays and spans of any unmanaged type.
using System;
using System.Runtime.InteropServices;

namespace Cucore {
public partial class CudaBuffer {
  /// <summary>Allocates device memory in the order of the device's legacy default stream.</summary>
  /// <param name="length">in bytes</param>
  /// <exception cref="OutOfDeviceMemoryException">the memory is exhausted</exception>
  public CudaBuffer(CudaDevice device, long length) : this(device, length, null) {}

  //: cucore_buffer_from_pool
  public static CudaBuffer FromPool(CudaMemoryPool pool, long length, CudaStream? stream = null) { return WithPressure(Allocation.Make(() => RawFromPool(pool, length, stream))); }

  //: cucore_buffer_create_pinned
  public static CudaBuffer Pinned(CudaDevice device, long length) { return WithPressure(Allocation.Make(() => RawPinned(device, length))); }

  //: cucore_buffer_create_managed
  public static CudaBuffer Managed(CudaDevice device, long length) { return WithPressure(Allocation.Make(() => RawManaged(device, length))); }

  private static CudaBuffer WithPressure(CudaBuffer made) {
    made.swigCPtr.AddPressure(made.Size);
    return made;
  }

  // For the constructor: SWIG's call, which leaves its exception pending.
  private static IntPtr Make(Func<IntPtr> create) {
    return Allocation.Make(() => {
      IntPtr made = create();
      CucoreNativePINVOKE.Check();
      return made;
    });
  }

  // The collector does not see the memory of the buffers, so this class reports it.
  internal sealed partial class Handle {
    private long pressure;

    internal void AddPressure(long size) {
      if (size == 0) return;
      GC.AddMemoryPressure(size);
      pressure = size;
    }

    partial void OnReleased() {
      if (pressure != 0) GC.RemoveMemoryPressure(pressure);
      pressure = 0;
    }
  }

  //: cucore_buffer_write
  /// <param name="source">an array of values without references</param>
  public void Write<T>(T[] source, CudaStream? stream = null, long offset = 0) where T : unmanaged {
    Write(new ReadOnlySpan<T>(source ?? throw new ArgumentNullException(nameof(source))), stream, offset);
  }

  //: cucore_buffer_read
  /// <param name="destination">an array of values without references</param>
  public void Read<T>(T[] destination, CudaStream? stream = null, long offset = 0) where T : unmanaged {
    Read(new Span<T>(destination ?? throw new ArgumentNullException(nameof(destination))), stream, offset);
  }

  /// <summary>Returns the whole buffer as an array, in the stream's order; waits for it.</summary>
  /// <param name="stream">the stream for the order</param>
  public T[] ToArray<T>(CudaStream? stream = null) where T : unmanaged {
    T[] all = new T[checked((int)(Size / Unmanaged<T>.Size))];
    Read(all, stream);
    return all;
  }

  //: cucore_buffer_copy
  /// <param name="length">in bytes; by default all of source from sourceOffset on</param>
  /// <param name="offset">in bytes, in this buffer</param>
  public void CopyFrom(CudaBuffer source, CudaStream? stream = null, long? length = null, long offset = 0, long sourceOffset = 0) {
    if (source == null) throw new ArgumentNullException(nameof(source));
    Checked.NotNegative(sourceOffset, nameof(sourceOffset));
    Checked.NotNegative(offset, nameof(offset));
    RawCopyFrom(source, length ?? Rest(source, sourceOffset), stream, offset, sourceOffset);
  }

  //: cucore_buffer_fill
  /// <param name="pattern">a value of 1, 2, 4 or 8 bytes without references</param>
  /// <param name="length">in bytes; by default up to the end</param>
  public unsafe void Fill<T>(T pattern, CudaStream? stream = null, long offset = 0, long? length = null) where T : unmanaged {
    int bytes = Unmanaged<T>.Size;
    fixed (byte* first = &MemoryMarshal.GetReference(Unmanaged<T>.First(new[] { pattern })))
      RawFill((IntPtr)first, bytes, length ?? Rest(this, Checked.NotNegative(offset, nameof(offset))), stream, offset);
  }

  // The library refuses an offset after the end, and its message contains the length of the buffer.
  private static long Rest(CudaBuffer buffer, long offset) { return Math.Max(0, buffer.Size - offset); }

  //: cucore_buffer_write
  /// <param name="source">values without references</param>
  public unsafe void Write<T>(ReadOnlySpan<T> source, CudaStream? stream = null, long offset = 0) where T : unmanaged {
    long bytes = (long)source.Length * Unmanaged<T>.Size;
    fixed (byte* first = &MemoryMarshal.GetReference(Unmanaged<T>.First(source))) Write((IntPtr)first, bytes, stream, offset);
  }

  //: cucore_buffer_read
  /// <param name="destination">room for values without references</param>
  public unsafe void Read<T>(Span<T> destination, CudaStream? stream = null, long offset = 0) where T : unmanaged {
    long bytes = (long)destination.Length * Unmanaged<T>.Size;
    fixed (byte* first = &MemoryMarshal.GetReference(Unmanaged<T>.First(destination))) Read((IntPtr)first, bytes, stream, offset);
  }
}
}
