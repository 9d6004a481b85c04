// SPDX-License-Identifier: Apache-2.0
// The array: its life, its elements and its items. Operations and other members are generated.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

namespace Cucore.Arrays {
/// <summary>An N-dimensional array, or a view of one. Operations wait until elements are needed. An array that is not
/// disposed of is released when it is unreachable.</summary>
/// <remarks>Numbers convert to arrays, as in "x + 1". Such a number has no type of its own until it is used alone: the
/// array that it meets keeps its type.</remarks>
[DebuggerDisplay("{Summary,nq}")]
public sealed partial class NdArray : IDisposable {
  // The collector does not see the memory of arrays. Smaller ones are not worth the time of a report.
  private const long LeastPressure = 1 << 16;

  private readonly Scalar number;
  private ArrayHandle? handle;  // null: a number of which no array was made
  private volatile bool isDisposed;

  internal NdArray(IntPtr made) {
    handle = Owned(made);
    long bytes = Bytes;
    if (bytes >= LeastPressure && !IsView) handle.AddPressure(bytes);
    Scope.Add(this);
  }

  private NdArray(Scalar number) { this.number = number; }

  private static ArrayHandle Owned(IntPtr made) { return new ArrayHandle(made, ArrayNative.cucore_array_release); }

  internal bool IsNumber {
    get {
      CheckAlive();
      return Volatile.Read(ref handle) == null;
    }
  }

  internal Scalar Number { get { return number; } }

  /// <summary>The native array; a number becomes one without axes.</summary>
  internal ArrayHandle Handle {
    get {
      CheckAlive();
      ArrayHandle? present = Volatile.Read(ref handle);
      if (present != null) return present;
      Scalar value = number;
      Calls.Check(ArrayNative.cucore_array_full(Context.Current.Handle, DType.Default, new long[0], UIntPtr.Zero, ref value, out IntPtr made, out IntPtr error), error);
      ArrayHandle mine = Owned(made);
      present = Interlocked.CompareExchange(ref handle, mine, null);
      if (present == null) return mine;
      mine.Dispose();
      return present;
    }
  }

  internal static ArrayHandle HandleOf(NdArray? array, string parameter, bool mayBeNull = false) {
    if (array != null) return array.Handle;
    return mayBeNull ? ArrayHandle.Null : throw new ArgumentNullException(parameter);
  }

  private void CheckAlive() {
    if (isDisposed) throw new ObjectDisposedException(nameof(NdArray));
  }

  /// <summary>Releases the array. Arrays that share its memory stay, and nothing waits. A second call does nothing.</summary>
  public void Dispose() {
    isDisposed = true;
    Volatile.Read(ref handle)?.Dispose();
  }

  /// <summary>Whether Dispose was called.</summary>
  public bool IsDisposed { get { return isDisposed; } }

  /// <summary>Converts a number, which keeps the type of arrays that it meets.</summary>
  public static implicit operator NdArray(Scalar value) { return new NdArray(value); }
  /// <summary>Converts a number, which keeps the type of arrays that it meets.</summary>
  public static implicit operator NdArray(double value) { return new NdArray(value); }
  /// <summary>Converts a number, which keeps the type of arrays that it meets.</summary>
  public static implicit operator NdArray(int value) { return new NdArray(value); }
  /// <summary>Converts a number, which keeps the type of arrays that it meets.</summary>
  public static implicit operator NdArray(long value) { return new NdArray(value); }
  // Each unsigned type has its own: of several conversions, none would be the best.
  /// <summary>Converts a number, which keeps the type of arrays that it meets.</summary>
  public static implicit operator NdArray(byte value) { return new NdArray(value); }
  /// <summary>Converts a number, which keeps the type of arrays that it meets.</summary>
  public static implicit operator NdArray(ushort value) { return new NdArray(value); }
  /// <summary>Converts a number, which keeps the type of arrays that it meets.</summary>
  public static implicit operator NdArray(uint value) { return new NdArray(value); }
  /// <summary>Converts a number, which keeps the type of arrays that it meets.</summary>
  public static implicit operator NdArray(ulong value) { return new NdArray(value); }
  /// <summary>Converts a truth value.</summary>
  public static implicit operator NdArray(bool value) { return new NdArray(value); }

  /// <summary>The size of each axis, the slowest first.</summary>
  public long[] Shape { get { return Numbers(ArrayNative.cucore_array_shape); } }
  /// <summary>The distance of neighbours on each axis in bytes.</summary>
  public long[] Strides { get { return Numbers(ArrayNative.cucore_array_strides); } }

  private long[] Numbers(Func<SafeHandle, IntPtr> read) {
    using (new Use(Handle)) {
      long[] all = new long[Rank];
      if (all.Length != 0) Marshal.Copy(read(Handle), all, 0, all.Length);
      return all;
    }
  }

  // == Items ==

  /// <summary>The elements that the items select: a view, or a copy if an item is an array or if all axes have an index.
  /// Assigning writes into this array.</summary>
  /// <param name="items">an item for each axis, from the first one on; those that are missing select all</param>
  /// <exception cref="Cucore.IndexException">an axis or an index is out of range</exception>
  [IndexerName("At")]  // the name by default is that of the method Item
  public NdArray this[params Slice[] items] {
    get {
      using (Items held = new Items(items)) {
        Calls.Check(ArrayNative.cucore_array_select(Handle, held.All, Calls.Count(items), out IntPtr made, out IntPtr error), error);
        return new NdArray(made);
      }
    }
    set { Put(0, value, items); }
  }

  /// <summary>Replaces all elements by those of an array, or by a number.</summary>
  /// <param name="value">the new elements, repeated to the shape</param>
  /// <exception cref="Cucore.ShapeException">shapes do not fit; the message contains them</exception>
  /// <exception cref="Cucore.InvalidStateException">the array is read-only, such as a broadcast view</exception>
  public void Set(NdArray value) {
    using (Operands held = new Operands(value, nameof(value)))
      Calls.Check(ArrayNative.cucore_array_assign(Handle, held.All, out IntPtr error), error);
  }

  private void AssignOp(int op, NdArray y) {
    using (Operands held = new Operands(y, nameof(y)))
      Calls.Check(ArrayNative.cucore_array_assign_op(op, Handle, held.All, out IntPtr error), error);
  }

  private void Put(int op, NdArray value, Slice[] items) {
    using (Items held = new Items(items))
    using (Operands operand = new Operands(value, nameof(value)))
      Calls.Check(ArrayNative.cucore_array_assign_select(Handle, held.All, Calls.Count(items), op, operand.All, out IntPtr error), error);
  }

  // == Evaluation ==

  /// <summary>Queues the kernels. Does not wait.</summary>
  /// <returns>this array</returns>
  /// <exception cref="Cucore.OutOfDeviceMemoryException">the array stays pending, and a later call tries again</exception>
  public NdArray Evaluate() {
    Nd.Evaluate(this);
    return this;
  }

  // NdArray itself is not awaitable: the compiler would warn of each "x.Evaluate();" in an async method.
  /// <summary>Queues the kernels. No thread waits for them.</summary>
  /// <param name="cancellation">ends the waiting, not the work</param>
  /// <returns>ends with this array when the elements are computed, or fails as the work does</returns>
  /// <exception cref="Cucore.IndexException">by the task: an index that was computed on the device is out of range</exception>
  public Task<NdArray> EvaluateAsync(CancellationToken cancellation = default(CancellationToken)) { return Evaluate().Evaluated(cancellation); }

  private async Task<NdArray> Evaluated(CancellationToken cancellation) {
    using (Context context = Context)
    using (CudaStream stream = context.Stream)
      await stream.SynchronizeAsync(cancellation).ConfigureAwait(false);
    try {
      CheckIndices();
    } catch (ObjectDisposedException) when (isDisposed) {}  // needs no elements
    return this;
  }

  /// <summary>Describes what an evaluation would do now. Nothing is launched.</summary>
  /// <param name="what">the kind of the description</param>
  /// <returns>the text</returns>
  public string Explain(Explanation what = Explanation.Plan) { return Nd.Explain(what, this); }

  /// <summary>Names the array in the texts of Explain().</summary>
  /// <param name="name">the name; an empty one removes it</param>
  /// <returns>this array</returns>
  public NdArray Named(string name) {
    using (Utf8 text = new Utf8(Calls.NotNull(name, nameof(name)))) Calls.Check(ArrayNative.cucore_array_set_name(Handle, text.Pointer, out IntPtr error), error);
    return this;
  }

  // == Parts and joins with forms of their own ==

  /// <summary>Reverses the axes.</summary>
  /// <returns>a view</returns>
  public NdArray Transpose() { return Permute(null); }
  /// <summary>The array with reversed axes: a view.</summary>
  public NdArray T { get { return Transpose(); } }

  /// <summary>The real parts: a view of complex elements; of others, this array itself as a view.</summary>
  public NdArray Real { get { return PartOf(Part.Real); } }
  /// <summary>The imaginary parts: a view of complex elements.</summary>
  /// <exception cref="Cucore.DtypeException">the elements are not complex</exception>
  public NdArray Imaginary { get { return PartOf(Part.Imag); } }

  private NdArray PartOf(Part part) {
    if (part == Part.Real && DType != DType.Complex64 && DType != DType.Complex128) return this[Slice.Rest];
    Calls.Check(ArrayNative.cucore_array_part(Handle, part, out IntPtr made, out IntPtr error), error);
    return new NdArray(made);
  }

  /// <summary>Moves the elements of an axis in a circle.</summary>
  /// <param name="shift">the steps; negative ones move to the beginning</param>
  /// <param name="axis">the axis; null: all elements as one axis</param>
  /// <returns>a new array</returns>
  /// <exception cref="Cucore.IndexException">the axis is out of range</exception>
  public NdArray Roll(long shift, int? axis = null) { return Roll(new[] { shift }, axis == null ? null : new[] { axis.Value }); }

  //: cucore_array_roll
  public NdArray Roll(long[] shifts, int[]? axes) {
    if (axes != null && axes.Length != Calls.NotNull(shifts, nameof(shifts)).Length)
      throw new ArgumentException($"{shifts.Length} shifts for {axes.Length} axes; expected as many", nameof(axes));
    Calls.Check(ArrayNative.cucore_array_roll(Handle, Calls.NotNull(shifts, nameof(shifts)), axes, Calls.Count(shifts), out IntPtr made, out IntPtr error), error);
    return new NdArray(made);
  }

  /// <summary>Surrounds the array with equal elements.</summary>
  /// <param name="value">the element</param>
  /// <param name="widths">for each axis, how many elements are before it and after it</param>
  /// <returns>a new array</returns>
  /// <exception cref="Cucore.ShapeException">a number is negative</exception>
  public NdArray Pad(Scalar value, params (long Before, long After)[] widths) {
    if (Calls.NotNull(widths, nameof(widths)).Length != Rank) throw new ArgumentException($"{widths.Length} widths for {Rank} axes; expected as many", nameof(widths));
    long[] all = new long[2 * widths.Length];
    for (int i = 0; i < widths.Length; ++i) {
      all[2 * i] = widths[i].Before;
      all[2 * i + 1] = widths[i].After;
    }
    Calls.Check(ArrayNative.cucore_array_pad(Handle, all, 0, ref value, out IntPtr made, out IntPtr error), error);
    return new NdArray(made);
  }

  /// <summary>Repeats the elements of an axis.</summary>
  /// <param name="count">how often</param>
  /// <param name="axis">the axis; null: the elements of all axes</param>
  /// <returns>a new array</returns>
  /// <exception cref="Cucore.ShapeException">the count is negative</exception>
  public NdArray Repeat(long count, int? axis = null) { return Repeated(ArrayHandle.Null, count, axis); }

  /// <summary>Repeats the elements of an axis. Waits until the size of the result is computed.</summary>
  /// <param name="counts">how often each element is repeated</param>
  /// <param name="axis">the axis; null: the elements of all axes</param>
  /// <returns>a new array</returns>
  /// <exception cref="Cucore.ShapeException">the axis has another size</exception>
  public NdArray Repeat(NdArray counts, int? axis = null) { return Repeated(HandleOf(counts, nameof(counts)), 0, axis); }

  private NdArray Repeated(ArrayHandle counts, long count, int? axis) {
    Calls.Check(ArrayNative.cucore_array_repeat(Handle, counts, count, axis ?? int.MinValue, out IntPtr made, out IntPtr error), error);
    return new NdArray(made);
  }

  /// <summary>Splits an axis into its elements.</summary>
  /// <param name="axis">the axis; a negative one counts from the end</param>
  /// <returns>a view of each element</returns>
  /// <exception cref="Cucore.IndexException">the axis is out of range</exception>
  public NdArray[] Unstack(int axis = 0) {
    long[] shape = Shape;
    int at = axis < 0 ? axis + shape.Length : axis;
    IntPtr[] made = new IntPtr[at >= 0 && at < shape.Length ? checked((int)shape[at]) : 0];
    Calls.Check(ArrayNative.cucore_array_unstack(Handle, axis, made, Calls.Count(made), out IntPtr error), error);
    return Calls.Arrays(made);
  }

  /// <summary>Finds the elements that are not 0, in the order of the last axis first. Waits for their number.</summary>
  /// <returns>for each axis, the indices of these elements</returns>
  /// <exception cref="Cucore.InvalidArgumentException">the array has no axes</exception>
  public NdArray[] Nonzero() {
    IntPtr[] made = new IntPtr[Rank];
    Calls.Check(ArrayNative.cucore_array_nonzero(Handle, made, Calls.Count(made), out IntPtr error), error);
    return Calls.Arrays(made);
  }

  /// <summary>Finds the different elements, in the order of Sort(). Waits for their number.</summary>
  /// <returns>the elements, the first place of each one, and how often it occurs. Inverse has the shape of this array, and contains the number of each
  /// element among those found.</returns>
  public (NdArray Values, NdArray Index, NdArray Inverse, NdArray Counts) Unique() {
    const uint All = 7;
    Calls.Check(ArrayNative.cucore_array_unique(Handle, All, out IntPtr values, out IntPtr index, out IntPtr inverse, out IntPtr counts, out IntPtr error), error);
    return (new NdArray(values), new NdArray(index), new NdArray(inverse), new NdArray(counts));
  }

  // == Texts ==

  /// <summary>Evaluates the array and returns its text, as NumPy's str() does. Of a long array, only the edges are read.</summary>
  /// <param name="options">the format; null: the default</param>
  /// <returns>the text</returns>
  public string Print(PrintOptions? options = null) {
    NativePrintOptions native = new NativePrintOptions(options);
    return Calls.Text((IntPtr buffer, UIntPtr capacity, out UIntPtr size, out IntPtr error) =>
        ArrayNative.cucore_array_print(Handle, ref native, buffer, capacity, out size, out error));
  }

  // A debugger must not start kernels.
  private string Summary {
    get { return isDisposed ? "NdArray, disposed" : IsNumber ? number.ToString() : $"{DType} [{string.Join(", ", Shape)}]{(IsPending ? ", pending" : "")}"; }
  }

  /// <summary>The elements as NumPy prints them. Waits for them, but never fails.</summary>
  public override string ToString() {
    if (isDisposed) return "NdArray, disposed";
    try {
      return IsNumber ? number.ToString() : Print();
    } catch (CucoreException e) {
      return "NdArray: " + e.Message;
    } catch (ObjectDisposedException) {
      return "NdArray, disposed";
    }
  }
}
}
