// SPDX-License-Identifier: Apache-2.0
// New arrays, and functions of several arrays.
using System;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

namespace Cucore.Arrays {
/// <summary>Functions of arrays: Nd.Sqrt(x), Nd.Where(mask, x, y), and new arrays.</summary>
public static partial class Nd {
  /// <summary>Makes an array of equal elements.</summary>
  /// <param name="dtype">the type; DType.Default: that of the value</param>
  /// <param name="value">the element</param>
  /// <param name="shape">the sizes, the slowest first</param>
  /// <returns>the array</returns>
  /// <exception cref="Cucore.ShapeException">a size is negative</exception>
  /// <exception cref="Cucore.InvalidArgumentException">an integer does not fit the type</exception>
  public static NdArray Full(DType dtype, Scalar value, params long[] shape) {
    Calls.Check(ArrayNative.cucore_array_full(Context.Current.Handle, dtype, Calls.NotNull(shape, nameof(shape)), Calls.Count(shape), ref value, out IntPtr made, out IntPtr error), error);
    return new NdArray(made);
  }

  /// <summary>Makes an array of zeros.</summary>
  /// <param name="dtype">the type</param>
  /// <param name="shape">the sizes, the slowest first</param>
  /// <returns>the array</returns>
  public static NdArray Zeros(DType dtype, params long[] shape) { return Full(dtype, 0, shape); }

  /// <summary>Makes an array of ones.</summary>
  /// <param name="dtype">the type</param>
  /// <param name="shape">the sizes, the slowest first</param>
  /// <returns>the array</returns>
  public static NdArray Ones(DType dtype, params long[] shape) { return Full(dtype, 1, shape); }

  /// <summary>Makes the integers from 0 on.</summary>
  /// <param name="count">their number</param>
  /// <returns>an array of int64</returns>
  public static NdArray Arange(long count) { return Arange(0, 1, count); }

  /// <summary>Makes a square matrix with ones on its diagonal.</summary>
  /// <param name="size">the number of rows</param>
  /// <param name="dtype">the type</param>
  /// <returns>the array</returns>
  public static NdArray Eye(long size, DType dtype) { return Eye(size, size, dtype); }

  /// <summary>Queues the kernels of several arrays together. Does not wait.</summary>
  /// <param name="arrays">the arrays, of one context</param>
  /// <exception cref="Cucore.OutOfDeviceMemoryException">the arrays stay pending, and a later call tries again</exception>
  public static void Evaluate(params NdArray[] arrays) {
    using (Handles held = new Handles(arrays, nameof(arrays))) {
      Calls.Check(ArrayNative.cucore_array_evaluate(held.Pointers, Calls.Count(arrays), out IntPtr error), error);
    }
  }

  /// <summary>Describes what an evaluation of several arrays would do now. Nothing is launched.</summary>
  /// <param name="what">the kind of the description</param>
  /// <param name="arrays">the arrays, of one context</param>
  /// <returns>the text</returns>
  /// <exception cref="Cucore.InvalidArgumentException">no array is given, or they have several contexts</exception>
  public static string Explain(Explanation what, params NdArray[] arrays) {
    using (Handles held = new Handles(arrays, nameof(arrays))) {
      IntPtr[] pointers = held.Pointers;
      return Calls.Text((IntPtr buffer, UIntPtr capacity, out UIntPtr size, out IntPtr error) =>
          ArrayNative.cucore_array_explain(pointers, Calls.Count(arrays), what, buffer, capacity, out size, out error));
    }
  }

  /// <summary>Applies an element-wise operation, which is found by its name.</summary>
  /// <param name="operation">a name of this library, of NumPy or of the Array API: "sin"</param>
  /// <param name="options">the result that is written, and the type; null: a new array by the rule</param>
  /// <param name="operands">arrays and numbers, then the numbers that the operation takes besides</param>
  /// <returns>the array that is written, or a new one</returns>
  /// <exception cref="Cucore.NotFoundException">no operation has the name</exception>
  /// <exception cref="Cucore.InvalidArgumentException">the operation takes another number of operands, or has several results</exception>
  public static NdArray Apply(string operation, OperationOptions? options, params NdArray[] operands) {
    Calls.NotNull(operands, nameof(operands));
    using (Utf8 name = new Utf8(Calls.NotNull(operation, nameof(operation)))) {
      Calls.Check(ArrayNative.cucore_array_op_find(name.Pointer, out int op, out IntPtr error), error);
      return Calls.Apply(op, options, operands);
    }
  }

  /// <summary>Returns the type of the result of an operation.</summary>
  /// <param name="operands">arrays and numbers</param>
  /// <returns>their common type</returns>
  /// <exception cref="Cucore.DtypeException">they have none</exception>
  public static DType ResultType(params NdArray[] operands) {
    using (Operands held = new Operands(Calls.NotNull(operands, nameof(operands)), isAlone: false)) {
      Calls.Check(ArrayNative.cucore_array_result_dtype(0, held.All, null, Calls.Count(operands), out DType found, out IntPtr error), error);
      return found;
    }
  }

  /// <summary>Returns the common type of several types.</summary>
  /// <param name="dtypes">the types</param>
  /// <returns>the type</returns>
  /// <exception cref="Cucore.DtypeException">they have none</exception>
  public static DType ResultType(params DType[] dtypes) {
    Calls.Check(ArrayNative.cucore_array_result_dtype(0, null, Calls.NotNull(dtypes, nameof(dtypes)), Calls.Count(dtypes), out DType found, out IntPtr error), error);
    return found;
  }

  //: cucore_array_dtype_size
  public static int SizeOf(DType dtype) { return (int)ArrayNative.cucore_array_dtype_size(dtype); }

  /// <summary>Returns the name of a type: "float32".</summary>
  /// <param name="dtype">the type</param>
  /// <returns>"" for an unknown number</returns>
  public static string NameOf(DType dtype) { return Utf8.Read(ArrayNative.cucore_array_dtype_name(dtype)); }
}
}
