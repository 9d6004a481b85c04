// SPDX-License-Identifier: Apache-2.0
// One argument of a launch: a number, an address, a buffer, or the bytes of a struct.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Cucore {
/// <summary>One argument of a launch. Numbers and buffers are converted implicitly; Arg.Of takes structs and
/// Arg.Address takes addresses. A launch converts a number to the type of the kernel's parameter if that
/// loses nothing, and refuses it otherwise. An argument keeps its buffer alive.</summary>
public readonly partial struct Arg {
  // The kind of value that an argument contains.
  private enum Kind : byte { None, Bool, Signed, Unsigned, Float, Address, Buffer, Bytes, Memory }

  private const int SizeBits = 24;
  private const int SizeMask = (1 << SizeBits) - 1;
  private const int InlineSize = 8;
  private readonly ulong bits;    // a value of up to 8 bytes; an integer is extended by its sign
  private readonly object? other;  // a buffer, the owner of memory, or the bytes of a larger value
  private readonly int form;      // Form(): equal to that of a parameter that takes the value unchanged
  private readonly Kind kind;
  private readonly bool isBytes;  // also accepted for a parameter that is a struct

  [MethodImpl(MethodImplOptions.AggressiveInlining)]
  private Arg(ulong bits, Kind kind, int form) {
    this.bits = bits;
    other = null;
    this.form = form;
    this.kind = kind;
    isBytes = false;
  }

  [MethodImpl(MethodImplOptions.AggressiveInlining)]
  private Arg(CudaBuffer buffer) {
    bits = 0;
    other = buffer;
    form = Form(ParameterClass.Pointer, 8);
    kind = Kind.Buffer;
    isBytes = false;
  }

  private Arg(ulong bits, Kind kind, int form, bool isBytes, object? other = null) {
    this.bits = bits;
    this.other = other;
    this.form = form;
    this.kind = kind;
    this.isBytes = isBytes;
  }

  // The class and the size in one number, so that a launch compares once.
  internal static int Form(ParameterClass parameterClass, long size) { return (int)parameterClass << SizeBits | (int)size; }

  private static Arg Integer(long value, Kind kind, int size) {
    return new Arg((ulong)value, kind, Form(ParameterClass.Integer, size));
  }

  /// <summary>One byte, 0 or 1.</summary>
  public static implicit operator Arg(bool value) { return Integer(value ? 1 : 0, Kind.Bool, 1); }
  /// <summary>One byte.</summary>
  public static implicit operator Arg(sbyte value) { return Integer(value, Kind.Signed, 1); }
  /// <summary>One byte.</summary>
  public static implicit operator Arg(byte value) { return Integer(value, Kind.Unsigned, 1); }
  /// <summary>Two bytes.</summary>
  public static implicit operator Arg(short value) { return Integer(value, Kind.Signed, 2); }
  /// <summary>Two bytes.</summary>
  public static implicit operator Arg(ushort value) { return Integer(value, Kind.Unsigned, 2); }
  /// <summary>Four bytes.</summary>
  public static implicit operator Arg(int value) { return Integer(value, Kind.Signed, 4); }
  /// <summary>Four bytes.</summary>
  public static implicit operator Arg(uint value) { return Integer(value, Kind.Unsigned, 4); }
  /// <summary>Eight bytes.</summary>
  public static implicit operator Arg(long value) { return Integer(value, Kind.Signed, 8); }
  /// <summary>Eight bytes: a number. Addresses: Arg.Address.</summary>
  public static implicit operator Arg(ulong value) { return Integer((long)value, Kind.Unsigned, 8); }
  /// <summary>Four bytes.</summary>
  public static unsafe implicit operator Arg(float value) {
    return new Arg(*(uint*)&value, Kind.Float, Form(ParameterClass.Float, 4));
  }
  /// <summary>Eight bytes.</summary>
  public static unsafe implicit operator Arg(double value) {
    return new Arg(*(ulong*)&value, Kind.Float, Form(ParameterClass.Float, 8));
  }
  /// <summary>An address, as by Arg.Address.</summary>
  public static implicit operator Arg(IntPtr value) { return Address(value.ToInt64()); }
  /// <summary>A buffer. The launch passes its address, holds it, and records the use.</summary>
  public static implicit operator Arg(CudaBuffer? buffer) {
    return buffer == null ? default(Arg) : new Arg(buffer);
  }

  internal static Arg Memory(IDeviceMemory owner) { return new Arg(0, Kind.Memory, Form(ParameterClass.Pointer, 8), false, owner); }

  /// <summary>An address in device memory; 0 is the null pointer. The launch does not record the use of a
  /// buffer at this address: see CudaBuffer.RecordUse.</summary>
  public static Arg Address(long address) { return Address((ulong)address); }

  /// <summary>An address in device memory, such as CudaBuffer.Address plus an offset; 0 is the null pointer.
  /// The launch does not record the use of a buffer at this address: see CudaBuffer.RecordUse.</summary>
  public static Arg Address(ulong address) { return new Arg(address, Kind.Address, Form(ParameterClass.Pointer, 8)); }

  /// <summary>A value of any type without references, as its bytes lie in memory.</summary>
  public static unsafe Arg Of<T>(T value) where T : unmanaged {
    int size = Unmanaged<T>.Size;
    Span<byte> bytes = MemoryMarshal.AsBytes(new Span<T>(new[] { value }));
    fixed (byte* first = &MemoryMarshal.GetReference(bytes)) {
      Kind kind = KindOf(typeof(T));
      if (kind != Kind.Bytes) return Number(kind, first, size);
      int form = Form(ParameterClass.Aggregate, size);
      return size > InlineSize ? new Arg(0, kind, form, true, bytes.ToArray()) : new Arg(Bits((IntPtr)first, size), kind, form, true);
    }
  }

  private static Kind KindOf(Type type) {
    switch (Type.GetTypeCode(type)) {  // of an enum: of what it is made of
      case TypeCode.Boolean: return Kind.Bool;
      case TypeCode.SByte: case TypeCode.Int16: case TypeCode.Int32: case TypeCode.Int64: return Kind.Signed;
      case TypeCode.Byte: case TypeCode.UInt16: case TypeCode.UInt32: case TypeCode.UInt64: case TypeCode.Char: return Kind.Unsigned;
      case TypeCode.Single: case TypeCode.Double: return Kind.Float;
    }
    return type == typeof(IntPtr) || type == typeof(UIntPtr) ? Kind.Address : Kind.Bytes;
  }

  private static unsafe Arg Number(Kind kind, byte* value, int size) {
    ulong bits = Bits((IntPtr)value, size);
    int unused = 64 - 8 * size;
    if (kind == Kind.Signed) bits = (ulong)((long)(bits << unused) >> unused);
    ParameterClass type = kind == Kind.Float ? ParameterClass.Float : kind == Kind.Address ? ParameterClass.Pointer : ParameterClass.Integer;
    return new Arg(bits, kind, Form(type, size), true);
  }

  private static unsafe ulong Bits(IntPtr from, int size) {
    ulong value = 0;
    for (int i = 0; i < size; ++i) ((byte*)&value)[i] = ((byte*)from)[i];
    return value;
  }

  private int Size { get { return form & SizeMask; } }

  // An entry of a block is what cpp/launch.hpp reads: the size, whether it is a buffer, the value padded to a
  // multiple of 8.
  internal const int SmallSize = 16;
  private const ulong BufferEntry = 1UL << 32 | 8;

  internal bool IsSmall { get { return Size <= InlineSize; } }

  internal int BlockSize { get { return 8 + (IsSmall ? InlineSize : (Size + 7) & ~7); } }

  // Writes the entry. `forms` are those of the parameters, none where they are not known. `held` gets a buffer,
  // and loses all if this throws.
  [MethodImpl(MethodImplOptions.AggressiveInlining)]
  internal unsafe byte* Write(byte* to, Kernel kernel, int[] forms, int index, ref HeldBuffers held) {
    if (other != null || (uint)index >= (uint)forms.Length || forms[index] != form) return WriteOther(to, kernel, forms, index, ref held);
    *(ulong*)to = (uint)(form & SizeMask);
    *(ulong*)(to + 8) = bits;
    return to + SmallSize;
  }

  private unsafe byte* WriteOther(byte* to, Kernel kernel, int[] forms, int index, ref HeldBuffers held) {
    bool isKnown = (uint)index < (uint)forms.Length;
    int wanted = isKnown ? forms[index] : form;
    bool fits = form == wanted || Size == wanted;  // the form of an unknown class is the size alone
    if (fits && form != 0) return WriteAsIs(to, kernel, index, ref held);
    Arg converted = Converted(wanted);
    if (!converted.IsNone) return converted.WriteAsIs(to, kernel, index, ref held);
    held.Leave();
    throw Arguments.Refused(kernel, index, this, wanted);
  }

  [MethodImpl(MethodImplOptions.AggressiveInlining)]
  private unsafe byte* WriteAsIs(byte* to, Kernel kernel, int index, ref HeldBuffers held) {
    if (kind == Kind.Buffer) {
      *(ulong*)to = BufferEntry;
      *(IntPtr*)(to + 8) = ((CudaBuffer)other!).Enter(kernel, index, ref held);
      return to + SmallSize;
    }
    if (kind == Kind.Bytes && other != null) return WriteBytes(to, (byte[])other);
    *(ulong*)to = (uint)Size;
    *(ulong*)(to + 8) = kind == Kind.Memory ? held.Lend((IDeviceMemory)other!) : bits;
    return to + SmallSize;
  }

  private static unsafe byte* WriteBytes(byte* to, byte[] bytes) {
    *(ulong*)to = (uint)bytes.Length;
    Marshal.Copy(bytes, 0, (IntPtr)(to + 8), bytes.Length);
    byte* end = to + 8 + ((bytes.Length + 7) & ~7);
    for (byte* p = to + 8 + bytes.Length; p < end; ++p) *p = 0;
    return end;
  }
}

public partial class CudaBuffer {
  // The handle, which is not released before `held` is left.
  [MethodImpl(MethodImplOptions.AggressiveInlining)]
  internal IntPtr Enter(Kernel kernel, int index, ref HeldBuffers held) {
    Handle handle = owned;
    if (isDisposed || !handle.TryEnter()) {
      held.Leave();
      throw Arguments.Disposed(kernel, index);
    }
    held.Add(handle);
    return handle.DangerousGetHandle();
  }
}
}
