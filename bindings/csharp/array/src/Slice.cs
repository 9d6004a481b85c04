// SPDX-License-Identifier: Apache-2.0
// The items between the brackets of an array.
using System;

namespace Cucore.Arrays {
/// <summary>An item between brackets: x[1..3, ^1] with a compiler that has ranges, x[Slice.Of(1, 3), -1] with every one.</summary>
public readonly struct Slice {
  private const int IntegerKind = 1, SliceKind = 2, NewAxisKind = 3, EllipsisKind = 4, ArrayKind = 5;
  private const uint StartGiven = 1, StopGiven = 2, StepGiven = 4;

  private readonly int kind;
  private readonly uint given;
  private readonly long start, stop, step;
  private readonly NdArray? array;

  private Slice(int kind, uint given, long start, long stop, long step, NdArray? array = null) {
    this.kind = kind;
    this.given = given;
    this.start = start;
    this.stop = stop;
    this.step = step;
    this.array = array;
  }

  /// <summary>All elements of an axis: NumPy's ":".</summary>
  public static readonly Slice All = new Slice(SliceKind, 0, 0, 0, 0);
  /// <summary>All axes that the other items leave: NumPy's "...".</summary>
  public static readonly Slice Rest = new Slice(EllipsisKind, 0, 0, 0, 0);
  /// <summary>A new axis of size 1.</summary>
  public static readonly Slice NewAxis = new Slice(NewAxisKind, 0, 0, 0, 0);

  /// <summary>The elements start, start + step, and so on: NumPy's "start:stop:step".</summary>
  /// <param name="start">the first one; null: the first in the direction of the step. Negative numbers count from the end</param>
  /// <param name="stop">the one behind the last; null: all that follow</param>
  /// <param name="step">the distance, not 0; null: 1</param>
  /// <returns>the item</returns>
  public static Slice Of(long? start, long? stop, long? step = null) {
    uint given = (start == null ? 0 : StartGiven) | (stop == null ? 0 : StopGiven) | (step == null ? 0 : StepGiven);
    return new Slice(SliceKind, given, start ?? 0, stop ?? 0, step ?? 0);
  }

  /// <summary>The elements from one on: NumPy's "start:".</summary>
  /// <param name="start">the first one; negative numbers count from the end</param>
  /// <returns>the item</returns>
  public static Slice From(long start) { return Of(start, null); }

  /// <summary>The elements before one: NumPy's ":stop".</summary>
  /// <param name="stop">the one behind the last; negative numbers count from the end</param>
  /// <returns>the item</returns>
  public static Slice To(long stop) { return Of(null, stop); }

  /// <summary>All elements in steps: NumPy's "::step". A negative step reverses the axis.</summary>
  /// <param name="step">the distance, not 0</param>
  /// <returns>the item</returns>
  public static Slice By(long step) { return Of(null, null, step); }

  /// <summary>One element of an axis, which the result lacks. A negative number counts from the end.</summary>
  public static implicit operator Slice(int index) { return new Slice(IntegerKind, 0, index, 0, 0); }
  /// <summary>One element of an axis, which the result lacks. A negative number counts from the end.</summary>
  public static implicit operator Slice(long index) { return new Slice(IntegerKind, 0, index, 0, 0); }
  /// <summary>The elements that an array of integers or a mask names. The result is a copy.</summary>
  public static implicit operator Slice(NdArray indices) { return new Slice(ArrayKind, 0, 0, 0, 0, Calls.NotNull(indices, nameof(indices))); }
  /// <summary>The elements start:stop; null is an open end.</summary>
  public static implicit operator Slice((long? Start, long? Stop) range) { return Of(range.Start, range.Stop); }
#if CUCORE_RANGES || NETSTANDARD2_1_OR_GREATER || NETCOREAPP3_0_OR_GREATER
  /// <summary>One element of an axis, which the result lacks: 1, or ^1 from the end.</summary>
  public static implicit operator Slice(Index index) { return new Slice(IntegerKind, 0, Number(index), 0, 0); }
  /// <summary>The elements of a range: 1..3, ..^2, or .. for all.</summary>
  public static implicit operator Slice(Range range) {
    bool isToEnd = range.End.Equals(Index.End);
    return Of(Number(range.Start), isToEnd ? (long?)null : Number(range.End));
  }

  // ^0 is the end. As a start it lies behind all elements.
  private static long Number(Index index) { return !index.IsFromEnd ? index.Value : index.Value == 0 ? long.MaxValue : -(long)index.Value; }
#endif

  internal NdArray? Array { get { return array; } }

  internal NativeIndex ToNative() { return new NativeIndex { Kind = kind, Given = given, Start = start, Stop = stop, Step = step }; }

  private string Shown(uint flag, long number) { return (given & flag) == 0 ? "" : $"{number}"; }

  /// <summary>The item as Python writes it.</summary>
  public override string ToString() {
    switch (kind) {
      case IntegerKind: return $"{start}";
      case NewAxisKind: return "None";
      case EllipsisKind: return "...";
      case ArrayKind: return "array";
      default: return $"{Shown(StartGiven, start)}:{Shown(StopGiven, stop)}{((given & StepGiven) == 0 ? "" : $":{step}")}";
    }
  }
}

/// <summary>The items of a call, until disposed of.</summary>
internal struct Items : IDisposable {
  private readonly Use[] uses;
  internal readonly NativeIndex[] All;

  internal Items(Slice[] items) {
    uses = new Use[Calls.NotNull(items, nameof(items)).Length];
    All = new NativeIndex[items.Length];
    try {
      for (int i = 0; i < items.Length; ++i) {
        All[i] = items[i].ToNative();
        if (All[i].Kind == 0) throw new ArgumentException($"items[{i}] is not set; use an index, a range or one of the members of Slice", nameof(items));
        ArrayHandle handle = NdArray.HandleOf(items[i].Array, nameof(items), true);
        uses[i] = new Use(handle);
        All[i].Array = handle.DangerousGetHandle();
      }
    } catch {
      Dispose();
      throw;
    }
  }

  public void Dispose() {
    foreach (Use each in uses) each.Dispose();
  }
}
}
