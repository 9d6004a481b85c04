// SPDX-License-Identifier: Apache-2.0
// 12: change a picture through views that share its memory, as with NumPy.
using System;
using Cucore;
using Cucore.Arrays;

internal static class Pictures {
  private static void Main() {
    if (CudaDevice.Count == 0) {
      Console.WriteLine("arrays need a device");
      return;
    }
    using (new Scope()) {
      NdArray rows = Nd.Arange(120).Reshape(new long[] { 120, 1 }), columns = Nd.Arange(160);
      NdArray white = ((rows.FloorDivide(20) + columns.FloorDivide(20)) % 2).Equal(0);
      NdArray picture = Nd.Where(white, 0.9, 0.2);  // a chessboard
      NdArray frame = picture.Copy();
      frame[Slice.To(4)] = 1.0;  // writes into views of rows,
      frame[Slice.From(-4)] = 1.0;
      frame[Slice.All, Slice.To(4)] = 1.0;  // and of columns. A newer compiler takes frame[.., ..4]
      frame[Slice.All, Slice.From(-4)] = 1.0;
      NdArray corner = frame[Slice.Of(10, 50), Slice.Of(10, 50)];  // shares the memory of the frame
      corner.MultiplyAssign(0.5);
      frame[Slice.From(60), Slice.To(80)] = frame[Slice.From(60), Slice.To(80)].Flip(1);  // a part of it, mirrored
      frame[frame > 0.95] = 0.95;  // a mask
      NdArray blurred = (frame[Slice.To(-2)] + frame[Slice.Of(1, -1)] * 2 + frame[Slice.From(2)]) / 4;
      NdArray edges = Nd.Abs(blurred[Slice.All, Slice.From(1)] - blurred[Slice.All, Slice.To(-1)]) > 0.05;
      NdArray perRow = edges.Sum(1), most = perRow.Argsort(0, true)[Slice.To(3)];
      Console.WriteLine($"[{string.Join(", ", frame.Shape)}] pixels, mean {frame.Mean().Item<double>():0.0000}, darkest {corner.Min().Item<double>():0.00}");
      Console.WriteLine($"{perRow.Sum()} pixels of edges; most of them in rows {most}");
      if (picture.Max().Item<double>() != 0.9 || !corner[0, 0].Item().Equals(frame[10, 10].Item()))
        throw new Exception("a view does not share the memory of its array, or a copy does");
    }
  }
}
