// SPDX-License-Identifier: Apache-2.0
// Scenarios about the values of arrays: types, views, writes, items, files. C# computes what is expected.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Cucore;
using Cucore.Arrays;

public static class ArrayValues {
  private static readonly float[] X = { 0.5f, 1, 2, 4, 8, 16 };

  public static void OperatorsRoundAsCSharpDoes() {
    using (new Scope()) {
      float[] others = { 3, 5, 7, 11, 13, 17 };
      NdArray x = NdArray.Of(X), y = NdArray.Of(others);
      float[] expected = X.Select((v, i) => (float)((float)((float)Math.Sqrt(v) * others[i]) - (float)(v / 2))).ToArray();
      Check.Same(expected, (Nd.Sqrt(x) * y - x / 2).ToArray<float>());
      Check.Same(expected, x.Sqrt().Multiply(y).Subtract(x.Divide(2)).ToArray<float>());
      Check.Same(X.Select(v => 1 - v), (1 - x).ToArray<float>());
      Check.Same(X.Select(v => -v), (-x).ToArray<float>());
      Check.Same(X.Select(v => v > 2), (x > 2).ToArray<bool>());
      Check.Same(X.Select(v => v >= 2 && !(v > 4)), ((x >= 2) & !(x > 4)).ToArray<bool>());
      NdArray n = NdArray.Of(new[] { 5, -7, 12 });
      Check.Same(new[] { 5 << 2, -7 << 2, 12 << 2 }, (n << 2).ToArray<int>());
      Check.Same(new[] { 5 ^ 3, -7 ^ 3, 12 ^ 3 }, (n ^ 3).ToArray<int>());
      Check.Same(new[] { ~5, ~-7, ~12 }, (~n).ToArray<int>());
      Check.Same(new[] { 2, 2, 0 }, (n % 3).ToArray<int>());  // the sign of the divisor, as in NumPy
      Scalar half = 0.5;
      Check.Same(X.Select(v => v * 0.5f), (x * half).ToArray<float>());
      (NdArray quotients, NdArray rests) = n.Divmod(4);
      Check.Same(new[] { 1, -2, 3 }, quotients.ToArray<int>());
      Check.Same(new[] { 1, 1, 0 }, rests.ToArray<int>());
    }
  }

  public static void TypesPromoteAsInNumPy() {
    using (new Scope()) {
      NdArray bytes = NdArray.Of(new sbyte[] { 1, 2, 3 }), floats = NdArray.Of(new float[] { 1, 2, 3 });
      Check.Equal(DType.Int8, (bytes + 1).DType);
      Check.Equal(DType.Float32, (floats + 0.5).DType);
      Check.Equal(DType.Float64, (bytes + 0.5).DType);
      Check.Equal(DType.Float32, (bytes + floats).DType);
      Check.Equal(DType.Bool, (floats < 2).DType);
      Check.Equal(DType.Int64, bytes.Sum().DType);
      Check.Equal(DType.Float64, (bytes / bytes).DType);
      Check.Equal(DType.Complex64, (floats * Scalar.Complex(0, 1)).DType);
      Check.Equal(DType.Float32, Nd.ResultType(DType.Float32, DType.Int16));
      Check.Equal(DType.Float32, Nd.ResultType(floats, 1.5));
      Check.That(Nd.CanCast(DType.Int8, DType.Float16) && !Nd.CanCast(DType.Float64, DType.Int8));
      Check.Equal("float32 4", $"{Nd.NameOf(DType.Float32)} {Nd.SizeOf(DType.Float32)}");
      Check.Contains("300", Check.Throws<InvalidArgumentException>(() => (NdArray.Of(new byte[] { 1 }) + 300).Evaluate()).Message);
    }
  }

  public static void UnsignedNumbersKeepTheirBits() {
    using (new Scope()) {
      NdArray all = NdArray.Of(new ulong[] { 1, ulong.MaxValue });
      NdArray[] sums = { all + (byte)0, all + (ushort)0, all + 0u, all + 0ul, Nd.Maximum(all, ulong.MaxValue - 1) - (ulong.MaxValue - 1) + all };
      foreach (NdArray sum in sums) Check.Equal(DType.UInt64, sum.DType);
      for (int i = 0; i < 4; ++i) Check.Same(new ulong[] { 1, ulong.MaxValue }, sums[i].ToArray<ulong>());
      Check.Same(new ulong[] { 1, 0 }, sums[4].ToArray<ulong>());
      Scalar[] numbers = { (byte)7, (ushort)7, 7u };
      foreach (Scalar number in numbers) Check.Same(new byte[] { 7, 7 }, Nd.Full(DType.UInt8, number, 2).ToArray<byte>());
    }
  }

  private static void Crosses<T>(params T[] values) where T : struct, IEquatable<T> {
    Check.Same(values, NdArray.Of(values).ToArray<T>());
    Check.Same(values, NdArray.Of(values, 1, values.Length).ToArray<T>());
    NdArray written = NdArray.Of(new T[values.Length]);
    written.Write(values);
    Check.Same(values, written.ToArray<T>());
    Check.Equal(values[1], written[1].Item<T>());
  }

  public static void EveryTypeCrosses() {
    using (new Scope()) {
      Crosses(true, false);
      Crosses<sbyte>(-1, 2);
      Crosses<byte>(255, 2);
      Crosses<short>(-300, 2);
      Crosses<ushort>(65535, 2);
      Crosses(1 << 30, 2);
      Crosses(uint.MaxValue, 2u);
      Crosses(1L << 60, 2);
      Crosses(ulong.MaxValue, 2ul);
      Crosses(0.1f, 2);
      Crosses(0.1, double.NaN);
      Check.Same(new[] { 1.0, 2.0 }, NdArray.Of(new byte[] { 1, 2 }).ToArray<double>());
      Check.Same(new float[0], NdArray.Of(new float[0]).ToArray<float>());
      NdArray rows = NdArray.Of(new double[,] { { 1, 2, 3 }, { 4, 5, 6 } });
      Check.Same(new long[] { 2, 3 }, rows.Shape);
      Check.Same(new long[] { 24, 8 }, rows.Strides);
      Check.Equal(6.0, rows.ToArray2D<double>()[1, 2]);
      Check.Same(new long[] { 2, 1, 2 }, NdArray.Of(new int[,,] { { { 1, 2 } }, { { 3, 4 } } }).Shape);
      Span<float> room = stackalloc float[2];
      NdArray.Of(new[] { 7f, 8f }).CopyTo(room);
      Check.That(room[0] == 7 && room[1] == 8);
      Check.Contains("Decimal", Check.Throws<ArgumentException>(() => NdArray.Of(new decimal[1])).Message);
    }
  }

  public static void ViewsShareAndWritesAreSeen() {
    using (new Scope()) {
      int[,] expected = new int[4, 5];
      NdArray a = Nd.Arange(20).Cast(DType.Int32).Reshape(new long[] { 4, 5 }).Copy();
      NdArray part = a[Slice.Of(1, 3)];
      Check.That(part.IsView && part.SharesMemory(a) && !a.Copy().SharesMemory(a));
      part.AddAssign(100);
      a[-1, Slice.By(2)] = 7;
      a[Slice.All, Slice.From(4)].MultiplyAssign(-1);
      a[Slice.To(1)] += 1;
      for (int i = 0; i < 20; ++i) {
        int row = i / 5, column = i % 5;
        int value = row == 3 && column % 2 == 0 ? 7 : i + (row == 1 || row == 2 ? 100 : 0);
        expected[row, column] = value * (column == 4 ? -1 : 1) + (row == 0 ? 1 : 0);
      }
      int[] flat = expected.Cast<int>().ToArray();
      Check.Same(flat, a.ToArray<int>());
      a[a > 50] = 0;
      flat = flat.Select(v => v > 50 ? 0 : v).ToArray();
      Check.Same(flat, a.ToArray<int>());
      NdArray line = Nd.Arange(6);
      line[Slice.From(1)] = line[Slice.From(1)] + line[Slice.To(-1)];  // a[1:] += a[:-1]
      Check.Same(new long[] { 0, 1, 3, 5, 7, 9 }, line.ToArray<long>());
      NdArray old = line[2];
      line[2] = 50;
      Check.Equal(3L, old.Item<long>());  // an index for each axis copies
      line[NdArray.Of(new[] { 1, 1, 4 })] = NdArray.Of(new long[] { 10, 20, 30 });  // the last one wins
      Check.Same(new long[] { 0, 20, 50, 5, 30, 9 }, line.ToArray<long>());
      a.Set(5);
      Check.Equal(100L, a.Sum().Item<long>());
      Check.Throws<InvalidStateException>(() => line.Broadcast(2, 6).AddAssign(1));
    }
  }

  public static void ItemsAreThoseOfNumPy() {
    using (new Scope()) {
      NdArray a = Nd.Arange(24).Reshape(new long[] { 2, 3, 4 });
      Func<NdArray, string> shape = x => string.Join(",", x.Shape);
      Check.Equal("3,4", shape(a[1]));
      Check.Equal("2,3", shape(a[Slice.Rest, 0]));
      Check.Equal("2,1,3,4", shape(a[Slice.All, Slice.NewAxis]));
      Check.Equal("1,3,2", shape(a[(0, 1), Slice.All, (1, 3)]));
      Check.Equal("2,3,2", shape(a[Slice.All, Slice.All, Slice.Of(null, null, -2)]));
      Check.Same(new long[] { 11, 9 }, a[0, 2, Slice.By(-2)].ToArray<long>());
      Check.Same(new long[] { 1, 2 }, a[0, 0, new Range(1, 3)].ToArray<long>());
      Check.Same(new long[] { 1, 2, 3 }, a[0, 0, new Range(1, Index.FromEnd(0))].ToArray<long>());
      Check.Same(new long[] { 2, 3 }, a[0, 0, Range.StartAt(Index.FromEnd(2))].ToArray<long>());
      Check.Same(new long[0], a[0, 0, Range.StartAt(Index.FromEnd(0))].ToArray<long>());
      Check.Equal(23L, a[Index.FromEnd(1), Index.FromEnd(1), Index.FromEnd(1)].Item<long>());
      Check.Equal("1:3 ::-1 ... None 5 :", $"{Slice.Of(1, 3)} {Slice.By(-1)} {Slice.Rest} {Slice.NewAxis} {(Slice)5} {(Slice)(null, null)}");
      Check.Throws<IndexException>(() => a[2].Evaluate());
      Check.Throws<IndexException>(() => a[0, 0, 0, 0].Evaluate());
      Check.Contains("items[1] is not set", Check.Throws<ArgumentException>(() => a[0, default(Slice)].Evaluate()).Message);
    }
  }

  public static void ReductionsSortsAndIndices() {
    using (new Scope()) {
      long[] values = { 5, 3, 9, 1, 7, 3 };
      NdArray a = NdArray.Of(values, 2, 3), flat = a.Reshape(new long[] { -1 });
      Check.Equal(values.Sum(), a.Sum().Item<long>());
      Check.Same(new[] { 6L, 10, 12 }, a.Sum(0).ToArray<long>());
      Check.Same(new long[] { 2, 1 }, a.Max(1, true).Shape);
      Check.Same(new long[] { 1, 1 }, a.Max(new Reduction { KeepDims = true }).Shape);
      Check.Same(values, a.Sum(new Reduction { Axes = new int[0] }).ToArray<long>());
      double mean = values.Average();
      double variance = values.Sum(v => (v - mean) * (v - mean)) / 5;
      Check.That(Math.Abs(variance - a.Var(new Reduction { Correction = 1 }).Item<double>()) < 1e-12);
      long[] sorted = values.OrderBy(v => v).ToArray();
      Check.Same(sorted, flat.Sort().ToArray<long>());
      Check.Same(sorted.Reverse(), flat.Sort(0, true).ToArray<long>());
      Check.Same(sorted, flat.Take(flat.Argsort(), 0).ToArray<long>());
      var (found, first, inverse, counts) = flat.Unique();
      Check.Same(sorted.Distinct(), found.ToArray<long>());
      Check.Same(sorted.Distinct().Select(v => (long)Array.IndexOf(values, v)), first.ToArray<long>());
      Check.Same(values, found.Take(inverse, 0).ToArray<long>());
      Check.Same(new long[] { 1, 2, 1, 1, 1 }, counts.ToArray<long>());
      Check.Same(new long[] { 0, 2, 4 }, (flat > 4).Nonzero()[0].ToArray<long>());
      Check.Same(new long[] { 5, 8, 17, 18, 25, 28 }, flat.CumulativeSum(0).ToArray<long>());
      Check.Same(new long[] { 0, 5, 8, 17, 18, 25, 28 }, flat.CumulativeSum(0, includeInitial: true).ToArray<long>());
      Check.Same(values.Concat(values), Nd.Concat(0, flat, flat).ToArray<long>());
      Check.Same(new long[] { 2, 2, 3 }, Nd.Stack(new[] { a, a }).Shape);
      Check.Same(new long[] { 115, 53, 53, 59 }, a.Matmul(a.T).ToArray<long>());
      Check.Same(new long[] { 3, 5, 3, 9, 1, 7 }, flat.Roll(1).ToArray<long>());
      Check.Same(new long[] { 4, 7 }, a.Pad(0, (1, 1), (2, 2)).Shape);
      Check.Same(new long[] { 5, 5, 3, 3 }, flat[Slice.To(2)].Repeat(2).ToArray<long>());
      Check.Same(new long[] { 5, 3, 3 }, flat[Slice.To(2)].Repeat(NdArray.Of(new long[] { 1, 2 })).ToArray<long>());
      Check.Same(new long[] { 1, 9, 3 }, a.Unstack(1).Select(row => row.Min().Item<long>()).Zip(new long[] { 1, 9, 3 }, (x, y) => y));
      Check.Same(new long[] { 1, 3 }, NdArray.Of(new[] { 1L, 3, 5 }).Searchsorted(NdArray.Of(new[] { 2L, 9 })).ToArray<long>());
    }
  }

  public static void OutAndWhereChooseTheResult() {
    using (new Scope()) {
      NdArray x = NdArray.Of(new[] { 1.0, 4, 9, 16 }), into = Nd.Zeros(DType.Float64, 4);
      NdArray mask = NdArray.Of(new[] { true, false, true, false });
      NdArray same = Nd.Sqrt(x, new OperationOptions { Out = into, Where = mask });
      Check.That(ReferenceEquals(same, into));
      Check.Same(new[] { 1.0, 0, 3, 0 }, into.ToArray<double>());
      Nd.Add(x, 1, new OperationOptions { Out = into });
      Check.Same(new[] { 2.0, 5, 10, 17 }, into.ToArray<double>());
      Check.Equal(DType.Float32, Nd.Add(x, x, new OperationOptions { DType = DType.Float32 }).DType);
      Check.Same(new[] { 2.0, 5, 9, 16 }, Nd.Apply("maximum", null, x, NdArray.Of(new[] { 2.0, 5, 0, 0 })).ToArray<double>());
      Check.Same(new[] { true, false, true, true }, Nd.Isclose(x, NdArray.Of(new[] { 1.0, 5, 9, 16 })).ToArray<bool>());
      Check.Throws<NotFoundException>(() => Nd.Apply("no such operation", null, x));
    }
  }

  public static void WholeArraysAreCompared() {
    using (new Scope()) {
      NdArray x = NdArray.Of(new[] { 1.25, -2.5, double.NaN }), numbers = x[(null, 2)];
      Check.That(Nd.Allclose(x, x, equalNan: true) && !Nd.Allclose(x, x));
      Check.That(Nd.Allclose(numbers, numbers * (1 + 1e-7)) && !Nd.Allclose(numbers, 1.25));
      Check.That(Nd.ArrayEqual(numbers, numbers.Copy()) && Nd.ArrayEqual(numbers.Cast(DType.Int32), NdArray.Of(new sbyte[] { 1, -2 })));
      Check.That(!Nd.ArrayEqual(numbers, x) && !Nd.ArrayEqual(numbers, numbers + 1e-9) && !Nd.ArrayEqual(x, x));
      Check.Equal("y", Check.Throws<ArgumentNullException>(() => Nd.ArrayEqual(x, null)).ParamName);
    }
  }

  public static void NumbersAreRoundedAndReplaced() {
    using (new Scope()) {
      NdArray x = NdArray.Of(new[] { 1.25, -2.35, 1234.5678 });
      Check.Same(new[] { 1.0, -2, 1235 }, Nd.Round(x, 0).ToArray<double>());
      Check.Same(new[] { 1.25, -2.35, 1234.57 }, Nd.Round(x, 2).ToArray<double>());
      Check.Same(new[] { 0.0, 0, 1200 }, Nd.Round(x, -2).ToArray<double>());
      Check.Same(new[] { 1200, -1400, 0 }, Nd.Round(NdArray.Of(new[] { 1250, -1350, 7 }), -2).ToArray<int>());
      NdArray odd = NdArray.Of(new[] { double.NaN, double.PositiveInfinity, double.NegativeInfinity });
      Check.Same(new[] { 0, double.MaxValue, -double.MaxValue }, Nd.NanToNum(odd).ToArray<double>());
      Check.Same(new[] { 7.0, 8, 9 }, Nd.NanToNum(odd, 7, 8, 9).ToArray<double>());
      Check.Equal(65504.0, Nd.NanToNum(odd.Cast(DType.Float16)).ToArray<double>()[1]);
      Check.Equal(float.MaxValue, Nd.NanToNum(odd.Cast(DType.Float32)).ToArray<float>()[1]);
      Check.Same(new[] { 3, 4 }, Nd.NanToNum(NdArray.Of(new[] { 3, 4 })).ToArray<int>());
    }
  }

  public static void FilesOfNumPyCross() {
    using (new Scope()) {
      byte[] file = NdArray.Of(X, 3, 2).ToNpy();
      Check.Equal("NUMPY", System.Text.Encoding.ASCII.GetString(file, 1, 5));
      NdArray back = NdArray.FromNpy(file);
      Check.Same(X, back.ToArray<float>());
      Check.Same(new long[] { 3, 2 }, back.Shape);
      string path = Path.GetTempFileName();
      try {
        NdArray.Of(X).Save(path);
        Check.Same(X, NdArray.Load(path).ToArray<float>());
      } finally {
        File.Delete(path);
      }
      for (int length = 0; length < file.Length; ++length) Check.Throws<InvalidArgumentException>(() => NdArray.FromNpy(file.Take(length).ToArray()));
    }
  }

  public static void FilesHaveSeveralArrays() {
    using (new Scope()) {
      Dictionary<string, NdArray> arrays = new Dictionary<string, NdArray> { { "x", NdArray.Of(X, 2, 3) }, { "\u00fcbrige", Nd.Arange(5000) } };
      string path = Path.GetTempFileName();
      try {
        long[] lengths = new[] { false, true }.Select(compressed => {
          NumpyFile.SaveAll(path, arrays, compressed);
          Dictionary<string, NdArray> read = NumpyFile.LoadAll(path);
          Check.Same(arrays.Keys, read.Keys);
          Check.Same(X, read["x"].ToArray<float>());
          Check.Same(new long[] { 2, 3 }, read["x"].Shape);
          Check.Equal(5000L * 4999 / 2, read["\u00fcbrige"].Sum().Item<long>());
          return new FileInfo(path).Length;
        }).ToArray();
        Check.That(lengths[0] >= lengths[1] && lengths[1] < 20000, string.Join(" and ", lengths));
        KeyValuePair<string, NdArray> one = new KeyValuePair<string, NdArray>("one", arrays["x"]), none = new KeyValuePair<string, NdArray>("none", null);
        Check.Equal("arrays[none]", Check.Throws<ArgumentNullException>(() => NumpyFile.SaveAll(path, new[] { one, none })).ParamName);
        Check.Contains("two arrays have the name \"one\"", Check.Throws<ArgumentException>(() => NumpyFile.SaveAll(path, new[] { one, one })).Message);
        Check.Equal(lengths[1], new FileInfo(path).Length);  // as before
        arrays["x"].Save(path);
        Check.Throws<InvalidDataException>(() => NumpyFile.LoadAll(path));
      } finally {
        File.Delete(path);
      }
    }
  }

  public static void BuffersAreShared() {
    using (Context context = Context.OfDevice(World.Device))
    using (CudaStream stream = context.Stream)
    using (CudaBuffer buffer = new CudaBuffer(World.Device, 6 * sizeof(float), stream))
    using (CudaBuffer pinned = CudaBuffer.Pinned(World.Device, 6 * sizeof(float)))
    using (new Scope()) {
      buffer.Write(X, stream);
      NdArray over = NdArray.FromBuffer(buffer, DType.Float32, new long[] { 2, 2 }, 8);
      Check.Same(X.Skip(2), over.ToArray<float>());
      over.AddAssign(1);
      Check.Same(new[] { 0.5f, 1, 3, 5, 9, 17 }, buffer.ToArray<float>(stream));
      (CudaBuffer memory, long offset) = (NdArray.Of(X) * 2).GetBuffer();
      using (memory) Check.Same(X.Select(v => v * 2), memory.ToArray<float>(stream).Skip((int)(offset / sizeof(float))).Take(6));
      NdArray.Of(X).ReadInto(pinned);
      stream.Synchronize();
      Check.Same(X, pinned.ToArray<float>());
      Check.Throws<InvalidArgumentException>(() => NdArray.FromBuffer(buffer, DType.Float32, new long[] { 7 }));
    }
  }

  private const string Scale = @"extern ""C"" __global__ void scale(float a, float *x, const float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = a * x[i] + y[i]; }";

  // The launch comes after what computes its arrays, and before what is computed later, in any stream.
  public static void KernelsTakeArrays() {
    Kernel scale = World.Kernel(Scale, "scale");
    LaunchConfig config = new LaunchConfig(1, 64);
    using (Context context = new Context(World.Device))
    using (CudaStream own = context.Stream, other = World.Stream())
    using (new Scope(context)) {
      foreach (CudaStream stream in new[] { own, other }) {
        NdArray x = Nd.Arange(8).Cast(DType.Float32) + 1, y = NdArray.Of(new float[] { 9, 9, 10, 20, 30, 40 })[(2, null)];
        NdArray before = x * 10;
        scale.Launch(stream, config, 2f, x[(4, null)], y, 4);
        Check.Same(new float[] { 1, 2, 3, 4, 20, 32, 44, 56 }, x.ToArray<float>());
        Check.Same(new float[] { 10, 20, 30, 40, 50, 60, 70, 80 }, before.ToArray<float>());
        x.AddAssign(1);
        scale.Launch(stream, config, new Arg[] { 0f, x, x, 8 });
        Check.Same(new float[] { 2, 3, 4, 5, 21, 33, 45, 57 }, x.ToArray<float>());
        scale.Launch(stream, config, 1f, Nd.Zeros(DType.Float32, 0), Nd.Zeros(DType.Float32, 0), 0);
      }
      NdArray z = NdArray.Of(X, 2, 3);
      Check.Equal("an NdArray of the launch has the strides (4, 12); expected consecutive elements; pass a copy, as by Copy()",
          Check.Throws<InvalidArgumentException>(() => scale.Launch(other, config, 1f, z.T, z, 6)).Message);
      Check.Contains("argument 0 of kernel scale is an NdArray; expected a float; pass a number",
          Check.Throws<InvalidArgumentException>(() => scale.Launch(other, config, z, z, z, 6)).Message);
      Check.Contains("takes no array", Check.Throws<ArgumentException>(() => scale.Prepare(other, config, 1f, z, z, 6)).Message);
      using (Capture capture = other.Capture()) {  // the stream of the array is outside
        Check.Contains("work outside the capture", Check.Throws<InvalidStateException>(() => scale.Launch(other, config, 1f, z, z, 6)).Message);
        Check.Contains("a node takes no array", Check.Throws<ArgumentException>(() => capture.Graph.Kernel(scale, config, 1f, z, z, 6)).Message);
        Check.Equal(0, capture.End().NodeCount);
      }
      z.Dispose();
      Check.Throws<ObjectDisposedException>(() => scale.Launch(other, config, 1f, z, z, 6));
    }
  }

  // A kernel may still run when its array is disposed of and when the memory is used again.
  public static void KernelsKeepTheMemoryOfArrays() {
    Kernel scale = World.Kernel(Scale, "scale");
    using (CudaStream other = World.Stream())
    using (CudaBuffer sum = new CudaBuffer(World.Device, 4096, other)) {
      sum.Fill(0, other);
      for (int i = 0; i < 100; ++i) {
        using (new Scope()) scale.Launch(other, new LaunchConfig(4, 256), 1f, sum, Nd.Full(DType.Float32, i, 1024), 1024);
        Nd.Full(DType.Float32, -1, 1024).Evaluate().Dispose();
      }
      Check.That(sum.ToArray<float>(other).All(each => each == 4950));
    }
  }

  public static void TextsAreThoseOfNumPy() {
    using (new Scope()) {
      Check.Equal("[[0 1 2]\n [3 4 5]]", Nd.Arange(6).Reshape(new long[] { 2, 3 }).ToString());
      Check.Equal("[1.  2.5]", NdArray.Of(new[] { 1, 2.5 }).ToString());
      Check.Equal("[0.33]", (Nd.Ones(DType.Float64, 1) / 3).Print(new PrintOptions { Precision = 2 }));
      Check.Equal("[0 1 ... 8 9]", Nd.Arange(10).Print(new PrintOptions { Threshold = 5, EdgeItems = 2 }));
      Check.Equal("3 2.5 True 1-2i", $"{(Scalar)3} {(Scalar)2.5} {(Scalar)true} {Scalar.Complex(1, -2)}");
      Check.Equal("2.5", ((NdArray)2.5).ToString());
      Check.That(((Scalar)3).Equals((Scalar)3) && !((Scalar)3).Equals((Scalar)3.0) && (double)(Scalar)3 == 3.0 && (int)(Scalar)2.75 == 2);
    }
  }

  public static void RandomNumbersFollowFromTheSeed() {
    using (new Scope())
    using (Generator one = new Generator(7), same = new Generator(7)) {
      double[] numbers = one.Uniform(DType.Float64, 1000).ToArray<double>();
      Check.Same(numbers, same.Uniform(DType.Float64, 1000).ToArray<double>());
      Check.That(numbers.All(n => n >= 0 && n < 1) && numbers.Distinct().Count() > 990);
      Check.That(one.Integers(-2, 3, 500).ToArray<long>().All(n => n >= -2 && n < 3));
      ulong[] state = one.State;
      long[] next = one.Integers(0, 1000000, 10).ToArray<long>();
      same.State = state;
      Check.Same(next, same.Integers(0, 1000000, 10).ToArray<long>());
      Check.Throws<ArgumentException>(() => one.State = new ulong[3]);
      Check.Throws<InvalidArgumentException>(() => one.State = new ulong[] { 7, 0, 1, 0 });
    }
  }

  public static void RefusalsNameWhatIsWrong() {
    using (new Scope()) {
      NdArray x = NdArray.Of(X, 2, 3);
      Check.Contains("(2, 3) and (6,) do not broadcast", Check.Throws<ShapeException>(() => (x + NdArray.Of(X)).Evaluate()).Message);
      Check.Throws<DtypeException>(() => (x & 1).Evaluate());
      Check.Contains("data has 6 elements; the shape (4) has 4", Check.Throws<ArgumentException>(() => NdArray.Of(X, 4)).Message);
      Check.Contains("data has 6 elements; the shape (0, -1) has 0", Check.Throws<ArgumentException>(() => NdArray.Of(X, 0, -1)).Message);
      Check.Contains("the size of a dimension is -2", Check.Throws<ShapeException>(() => NdArray.Of(X, -2, -3)).Message);
      Check.Contains("more than 2^63 - 1 elements", Check.Throws<ShapeException>(() => NdArray.Of(X, long.MaxValue, 2)).Message);
      Check.Contains("destination has 5 elements; the array has 6", Check.Throws<ArgumentException>(() => x.CopyTo(new Span<float>(new float[5]))).Message);
      Check.Equal("y", Check.Throws<ArgumentNullException>(() => x.Add(null)).ParamName);
      Check.Equal("arrays[1]", Check.Throws<ArgumentNullException>(() => Nd.Concat(0, x, null)).ParamName);
      Check.Throws<ShapeException>(() => x.Item());
      Check.Throws<ShapeException>(() => x.Item<float>());
      NdArray ended = x.Copy();
      ended.Dispose();
      Check.Contains("NdArray", Check.Throws<ObjectDisposedException>(() => (x + ended).Evaluate()).Message);
      Check.Equal("NdArray, disposed", ended.ToString());
    }
  }

  public static void ArraysThatAreTooLongForCSharpAreRefused() {
    using (NdArray x = Nd.Zeros(DType.Int8, 1).Broadcast(1L << 20, 1L << 20)) {
      Check.Contains("the array has 1099511627776 elements", Check.Throws<ArgumentException>(() => x.ToArray<sbyte>()).Message);
      Check.Contains("the array has 1099511627776 elements", Check.Throws<ArgumentException>(() => x.ToArray2D<sbyte>()).Message);
    }
  }

  public static void AFileIsReplacedOnlyByArraysThatHaveElements() {
    string path = Path.GetTempFileName();
    try {
      using (new Scope()) {
        NumpyFile.SaveAll(path, new[] { new KeyValuePair<string, NdArray>("x", Nd.Arange(3)) });
        NdArray wrong = Nd.Arange(5)[NdArray.Of(new[] { 99L }) + 0];
        Check.Throws<IndexException>(() => NumpyFile.SaveAll(path, new[] { new KeyValuePair<string, NdArray>("x", wrong) }));
        Check.Same(new long[] { 0, 1, 2 }, NumpyFile.LoadAll(path)["x"].ToArray<long>());
      }
    } finally {
      File.Delete(path);
    }
  }
}
