// SPDX-License-Identifier: Apache-2.0
// Elements in arrays and spans of C#, and in files.
using System;
using System.IO;
using System.Runtime.InteropServices;

namespace Cucore.Arrays {
/// <summary>The types of elements that C# has.</summary>
internal static class Element<T> where T : unmanaged {
  private static readonly DType dtype = Elements.Of(typeof(T));

  internal static DType DType {
    get {
      if (dtype == DType.Default) throw new ArgumentException($"{typeof(T)} is not a type of elements; expected a number, bool, Half or Complex");
      return dtype;
    }
  }
}

internal static class Elements {
  // Half and Complex are in other assemblies, or in none.
  internal static DType Of(Type type) {
    switch (type.FullName) {
      case "System.Boolean": return DType.Bool;
      case "System.SByte": return DType.Int8;
      case "System.Int16": return DType.Int16;
      case "System.Int32": return DType.Int32;
      case "System.Int64": return DType.Int64;
      case "System.Byte": return DType.UInt8;
      case "System.UInt16": return DType.UInt16;
      case "System.UInt32": return DType.UInt32;
      case "System.UInt64": return DType.UInt64;
      case "System.Half": return DType.Float16;
      case "System.Single": return DType.Float32;
      case "System.Double": return DType.Float64;
      case "System.Numerics.Complex": return DType.Complex128;
      default: return DType.Default;
    }
  }

  /// <summary>Returns the product of the sizes; -1 if the library will refuse them.</summary>
  internal static long Count(long[] shape) {
    if (Array.IndexOf(shape, 0L) >= 0) return 0;
    long count = 1;
    foreach (long each in shape) {
      if (each < 0 || count > long.MaxValue / each) return -1;
      count *= each;
    }
    return count;
  }
}

public sealed partial class NdArray {
  private const int MostElements = 0x7FEFFFFF;

  /// <summary>Copies elements to a new array.</summary>
  /// <param name="data">the elements, the last axis first</param>
  /// <param name="shape">the sizes; none: one axis</param>
  /// <returns>the array, in the type of the elements</returns>
  /// <exception cref="System.ArgumentException">the shape has another number of elements, or no array has elements of type T</exception>
  /// <exception cref="Cucore.ShapeException">a size is negative, or their product is too large</exception>
  public static NdArray Of<T>(T[] data, params long[] shape) where T : unmanaged {
    return Of(new ReadOnlySpan<T>(Calls.NotNull(data, nameof(data))), shape);
  }

  /// <summary>Copies elements to a new array.</summary>
  /// <param name="data">the elements, the last axis first</param>
  /// <param name="shape">the sizes; none: one axis</param>
  /// <returns>the array, in the type of the elements</returns>
  /// <exception cref="System.ArgumentException">the shape has another number of elements, or no array has elements of type T</exception>
  /// <exception cref="Cucore.ShapeException">a size is negative, or their product is too large</exception>
  public static unsafe NdArray Of<T>(ReadOnlySpan<T> data, params long[] shape) where T : unmanaged {
    long[] sizes = Calls.NotNull(shape, nameof(shape)).Length == 0 ? new[] { (long)data.Length } : shape;
    long count = Elements.Count(sizes);
    if (count >= 0 && count != data.Length)
      throw new ArgumentException($"data has {data.Length} elements; the shape ({string.Join(", ", sizes)}) has {count}", nameof(shape));
    DType dtype = Element<T>.DType;
    fixed (byte* first = &MemoryMarshal.GetReference(Unmanaged<T>.First(data))) {
      byte none = 0;
      Calls.Check(ArrayNative.cucore_array_from_host(Context.Current.Handle, dtype, (IntPtr)(data.Length == 0 ? &none : first), sizes, Calls.Count(sizes), null,
                                                     out IntPtr made, out IntPtr error), error);
      return new NdArray(made);
    }
  }

  /// <summary>Copies rows of elements to a new array with two axes.</summary>
  /// <param name="data">the elements</param>
  /// <returns>the array, in the type of the elements</returns>
  /// <exception cref="System.ArgumentException">no array has elements of type T</exception>
  public static NdArray Of<T>(T[,] data) where T : unmanaged {
    T[] flat = new T[Calls.NotNull(data, nameof(data)).Length];
    int at = 0;
    foreach (T each in data) flat[at++] = each;
    return Of(flat, data.GetLongLength(0), data.GetLongLength(1));
  }

  /// <summary>Copies elements to a new array with three axes.</summary>
  /// <param name="data">the elements</param>
  /// <returns>the array, in the type of the elements</returns>
  /// <exception cref="System.ArgumentException">no array has elements of type T</exception>
  public static NdArray Of<T>(T[,,] data) where T : unmanaged {
    T[] flat = new T[Calls.NotNull(data, nameof(data)).Length];
    int at = 0;
    foreach (T each in data) flat[at++] = each;
    return Of(flat, data.GetLongLength(0), data.GetLongLength(1), data.GetLongLength(2));
  }

  /// <summary>Converts the elements to a type and copies them, the last axis first. Waits.</summary>
  /// <returns>the elements</returns>
  /// <exception cref="System.ArgumentException">no array has elements of type T, or C# has no array of this length</exception>
  /// <exception cref="Cucore.IndexException">the elements were computed with an index that is out of range</exception>
  public T[] ToArray<T>() where T : unmanaged {
    if (Size > MostElements) throw new ArgumentException($"the array has {Size} elements; an array of C# holds {MostElements}");
    T[] all = new T[(int)Size];
    CopyTo(new Span<T>(all));
    return all;
  }

  /// <summary>Converts the elements of an array with two axes to a type, and copies them. Waits.</summary>
  /// <returns>the rows</returns>
  /// <exception cref="System.ArgumentException">the array has another number of axes, or no array has elements of type T</exception>
  public T[,] ToArray2D<T>() where T : unmanaged {
    long[] shape = Shape;
    if (shape.Length != 2) throw new ArgumentException($"the array has {shape.Length} axes; expected 2");
    T[] flat = ToArray<T>();
    T[,] rows = new T[shape[0], shape[1]];
    for (int i = 0; i < flat.Length; ++i) rows[i / shape[1], i % shape[1]] = flat[i];
    return rows;
  }

  /// <summary>Converts the elements to a type and copies them, the last axis first. Waits.</summary>
  /// <param name="destination">as long as the array</param>
  /// <exception cref="System.ArgumentException">the length is another one, or no array has elements of type T</exception>
  public unsafe void CopyTo<T>(Span<T> destination) where T : unmanaged {
    DType dtype = Element<T>.DType;
    if (destination.Length != Size) throw new ArgumentException($"destination has {destination.Length} elements; the array has {Size}", nameof(destination));
    NdArray? converted = DType == dtype ? null : Cast(dtype);
    try {
      byte none = 0;
      fixed (byte* first = &MemoryMarshal.GetReference(Unmanaged<T>.First(destination))) {
        ArrayHandle handle = (converted ?? this).Handle;
        UIntPtr bytes = Checked.Size((converted ?? this).Bytes, nameof(Bytes));
        IntPtr place = (IntPtr)(destination.Length == 0 ? &none : first);
        Calls.Check(ArrayNative.cucore_array_read(handle, place, bytes, out IntPtr error), error);
      }
    } finally {
      converted?.Dispose();
    }
  }

  /// <summary>Replaces all elements by those of C#, which have the type of this array. Waits for earlier work.</summary>
  /// <param name="source">the elements, the last axis first</param>
  /// <exception cref="System.ArgumentException">the length or the type is another one</exception>
  /// <exception cref="Cucore.InvalidStateException">the array is read-only, such as a broadcast view</exception>
  public unsafe void Write<T>(ReadOnlySpan<T> source) where T : unmanaged {
    if (Element<T>.DType != DType) throw new ArgumentException($"source has elements of type {Element<T>.DType}; the array has {DType}", nameof(source));
    if (source.Length != Size) throw new ArgumentException($"source has {source.Length} elements; the array has {Size}", nameof(source));
    byte none = 0;
    fixed (byte* first = &MemoryMarshal.GetReference(Unmanaged<T>.First(source)))
      Calls.Check(ArrayNative.cucore_array_write(Handle, (IntPtr)(source.Length == 0 ? &none : first), Checked.Size(Bytes, nameof(Bytes)), out IntPtr error), error);
  }

  /// <summary>Replaces all elements by those of C#, which have the type of this array. Waits for earlier work.</summary>
  /// <param name="source">the elements, the last axis first</param>
  /// <exception cref="System.ArgumentException">the length or the type is another one</exception>
  public void Write<T>(T[] source) where T : unmanaged { Write(new ReadOnlySpan<T>(Calls.NotNull(source, nameof(source)))); }

  /// <summary>Evaluates an array of one element and returns it. Waits.</summary>
  /// <returns>the number</returns>
  /// <exception cref="Cucore.ShapeException">the array does not have exactly one element</exception>
  public Scalar Item() {
    if (IsNumber) return number;
    Calls.Check(ArrayNative.cucore_array_item(Handle, out Scalar item, out IntPtr error), error);
    return item;
  }

  /// <summary>Evaluates an array of one element, converts it to a type and returns it. Waits.</summary>
  /// <returns>the number</returns>
  /// <exception cref="Cucore.ShapeException">the array does not have exactly one element</exception>
  /// <exception cref="System.ArgumentException">no array has elements of type T</exception>
  public T Item<T>() where T : unmanaged {
    DType dtype = Element<T>.DType;
    if (Size != 1) Item();  // throws
    return dtype == DType.Default ? default(T) : ToArray<T>()[0];
  }

  /// <summary>Throws what the kernels of an evaluated array found late. Waits for no later work.</summary>
  internal void CheckIndices() {
    if (Rank > 0) {
      CheckRows();
    } else {
      using (NdArray row = this[Slice.NewAxis]) row.CheckRows();
    }
  }

  // A view without elements reports what its array does.
  private void CheckRows() {
    using (NdArray none = this[Slice.To(0)])
      Calls.Check(ArrayNative.cucore_array_read(none.Handle, IntPtr.Zero, UIntPtr.Zero, out IntPtr error), error);
  }

  // == Memory ==

  //: cucore_array_from_buffer
  public static NdArray FromBuffer(CudaBuffer buffer, DType dtype, long[] shape, long offset = 0, long[]? byteStrides = null) {
    if (byteStrides != null && byteStrides.Length != Calls.NotNull(shape, nameof(shape)).Length)
      throw new ArgumentException($"{byteStrides.Length} strides for {shape.Length} axes; expected as many", nameof(byteStrides));
    Calls.Check(ArrayNative.cucore_array_from_buffer(Context.Current.Handle, dtype, CudaBuffer.getCPtr(buffer, nameof(buffer)), Checked.Size(offset, nameof(offset)),
                                                     Calls.NotNull(shape, nameof(shape)), Calls.Count(shape), byteStrides, out IntPtr made, out IntPtr error), error);
    return new NdArray(made);
  }

  /// <summary>Evaluates the array and returns its memory for others. From now on, writes of the array go into this memory
  /// at once, in the order of the context's stream. Evaluate what was recorded before others write there.</summary>
  /// <returns>the memory, which the caller disposes of, and the byte of the element at index 0</returns>
  /// <exception cref="Cucore.OutOfDeviceMemoryException">the elements could not be stored</exception>
  public (CudaBuffer Buffer, long Offset) GetBuffer() {
    Calls.Check(ArrayNative.cucore_array_buffer(Handle, out IntPtr made, out UIntPtr offset, out IntPtr error), error);
    return (new CudaBuffer(made, true), (long)(ulong)offset);
  }

  // == Files ==

  /// <summary>Returns the bytes of a .npy file with the elements. Waits. A type of NumPy's that is missing there, bfloat16, gets the type "&lt;V2".</summary>
  /// <returns>the file</returns>
  public byte[] ToNpy() {
    return Calls.Filled((IntPtr buffer, UIntPtr capacity, out UIntPtr size, out IntPtr error) =>
        ArrayNative.cucore_array_to_npy(Handle, buffer, capacity, out size, out error), 0);
  }

  /// <summary>Writes the elements to a .npy file. Waits.</summary>
  /// <param name="path">the file, which is replaced</param>
  /// <exception cref="System.IO.IOException">the file cannot be written</exception>
  public void Save(string path) {
    byte[] bytes = ToNpy();
    File.WriteAllBytes(Calls.NotNull(path, nameof(path)), bytes);
  }

  /// <summary>Makes an array from the bytes of a .npy file of version 1, 2 or 3, in any order of bytes and axes.</summary>
  /// <param name="data">the file; bytes behind the elements are ignored</param>
  /// <returns>the array</returns>
  /// <exception cref="Cucore.InvalidArgumentException">the bytes are not a .npy file, or they end early</exception>
  /// <exception cref="Cucore.DtypeException">no array has the type of the elements</exception>
  public static unsafe NdArray FromNpy(byte[] data) {
    fixed (byte* first = Calls.NotNull(data, nameof(data))) {
      byte none = 0;
      Calls.Check(ArrayNative.cucore_array_from_npy(Context.Current.Handle, (IntPtr)(data.Length == 0 ? &none : first), Calls.Count(data), out IntPtr made, out IntPtr error), error);
      return new NdArray(made);
    }
  }

  /// <summary>Reads a .npy file.</summary>
  /// <param name="path">the file</param>
  /// <returns>the array</returns>
  /// <exception cref="System.IO.IOException">the file cannot be read</exception>
  /// <exception cref="Cucore.InvalidArgumentException">it is not a .npy file</exception>
  public static NdArray Load(string path) { return FromNpy(File.ReadAllBytes(Calls.NotNull(path, nameof(path)))); }
}
}
