// One argument of a launch, as the bytes that the kernel gets.
using System;

namespace Cucore {
/// <summary>One argument of a launch. Numbers and buffers become one by themselves, each with the size of
/// its own type: 1 is an int of 4 bytes, 1L a long of 8, 1f a float. Other structs: Arg.Of.</summary>
public readonly partial struct Arg {
  private const int InlineSize = 8;
  private readonly ulong bits;    // a value of up to 8 bytes
  private readonly int size;      // 0: no value
  private readonly object other;  // a buffer, or the bytes of a larger value

  private Arg(ulong bits, int size) {
    this.bits = bits;
    this.size = size;
    other = null;
  }

  private Arg(object other, int size) {
    bits = 0;
    this.size = size;
    this.other = other;
  }

  /// <summary>One byte, 0 or 1.</summary>
  public static implicit operator Arg(bool value) { return new Arg(value ? 1UL : 0, 1); }
  /// <summary>One byte.</summary>
  public static implicit operator Arg(sbyte value) { return new Arg((ulong)value, 1); }
  /// <summary>One byte.</summary>
  public static implicit operator Arg(byte value) { return new Arg(value, 1); }
  /// <summary>Two bytes.</summary>
  public static implicit operator Arg(short value) { return new Arg((ulong)value, 2); }
  /// <summary>Two bytes.</summary>
  public static implicit operator Arg(ushort value) { return new Arg(value, 2); }
  /// <summary>Four bytes.</summary>
  public static implicit operator Arg(int value) { return new Arg((uint)value, 4); }
  /// <summary>Four bytes.</summary>
  public static implicit operator Arg(uint value) { return new Arg(value, 4); }
  /// <summary>Eight bytes.</summary>
  public static implicit operator Arg(long value) { return new Arg((ulong)value, 8); }
  /// <summary>Eight bytes: a number, or an address.</summary>
  public static implicit operator Arg(ulong value) { return new Arg(value, 8); }
  /// <summary>Four bytes.</summary>
  public static unsafe implicit operator Arg(float value) { return new Arg(*(uint*)&value, 4); }
  /// <summary>Eight bytes.</summary>
  public static unsafe implicit operator Arg(double value) { return new Arg(*(ulong*)&value, 8); }
  /// <summary>An address.</summary>
  public static implicit operator Arg(IntPtr value) { return new Arg((ulong)value.ToInt64(), 8); }
  /// <summary>The address of a buffer.</summary>
  public static implicit operator Arg(CudaBuffer buffer) { return new Arg(buffer, buffer == null ? 0 : 8); }

  /// <summary>A value of any type without references, as its bytes lie in memory.</summary>
  public static unsafe Arg Of<T>(T value) where T : struct {
    T[] one = { value };
    int size = Unmanaged<T>.Size;
    byte[] bytes = new byte[size];
    using (Pinned pinned = new Pinned(one)) System.Runtime.InteropServices.Marshal.Copy(pinned.Address, bytes, 0, size);
    return new Arg(bytes, size);
  }

  // What cpp/launch.hpp reads: the size, 4 bytes of zero, the value padded to a multiple of 8.
  internal const int SmallSize = 16;

  internal bool IsSmall { get { return size <= InlineSize; } }

  internal int BlockSize { get { return 8 + (size <= InlineSize ? InlineSize : (size + 7) & ~7); } }

  internal unsafe byte* Write(byte* to, int index) {
    if (IsSmall) return WriteSmall(to, index);
    *(ulong*)to = (uint)size;
    return WriteBytes(to + 8);
  }

  internal unsafe byte* WriteSmall(byte* to, int index) {
    if (size == 0) throw new ArgumentException($"argument {index} is null");
    *(ulong*)to = (uint)size;
    *(ulong*)(to + 8) = other == null ? bits : Address(index);
    return to + SmallSize;
  }

  private unsafe ulong Address(int index) {
    if (other is CudaBuffer buffer) return buffer.AddressFor(index);
    ulong value = 0;
    byte[] bytes = (byte[])other;
    for (int i = 0; i < bytes.Length; ++i) ((byte*)&value)[i] = bytes[i];
    return value;
  }

  private unsafe byte* WriteBytes(byte* to) {
    System.Runtime.InteropServices.Marshal.Copy((byte[])other, 0, (IntPtr)to, size);
    byte* end = to + ((size + 7) & ~7);
    for (byte* p = to + size; p < end; ++p) *p = 0;
    return end;
  }
}

public partial class CudaBuffer {
  internal ulong AddressFor(int index) {
    if (IsDisposed) throw new ObjectDisposedException(nameof(CudaBuffer), $"argument {index} is a buffer that was disposed");
    return Address;
  }
}
}
