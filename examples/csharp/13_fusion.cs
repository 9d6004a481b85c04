// SPDX-License-Identifier: Apache-2.0
// 13: compute an expression and a softmax, each with one kernel, and print what the kernels do.
using System;
using Cucore;
using Cucore.Arrays;

internal static class Fusion {
  private static NdArray Softmax(NdArray x) {
    NdArray e = Nd.Exp(x - x.Max(-1, true));
    return e / e.Sum(-1, true);
  }

  private static void Main() {
    if (CudaDevice.Count == 0) {
      Console.WriteLine("arrays need a device");
      return;
    }
    using (CudaDevice device = new CudaDevice())
    using (Context context = new Context(device))
    using (new Scope(context))
    using (Generator generator = new Generator(7)) {
      NdArray x = generator.Uniform(DType.Float32, 100000).Named("x");
      NdArray y = generator.Uniform(DType.Float32, 100000).Named("y");
      NdArray z = generator.Uniform(DType.Float32, 100000).Named("z");
      Nd.Evaluate(x, y, z);
      NdArray r = Nd.Sqrt(Nd.Sin(x) * Nd.Cos(y) + Nd.Exp(-z * z) + Nd.Log(x + 1)).Named("r");
      Console.WriteLine(r.Explain());  // one kernel, which is not launched yet
      long before = context.Statistics.KernelsLaunched;
      r.Evaluate();
      long launched = context.Statistics.KernelsLaunched - before;
      Console.WriteLine($"{launched} kernel computed {r.Size} elements, mean {r.Mean()}");

      NdArray rows = Softmax(generator.Normal(DType.Float32, 100, 1000).Evaluate());
      Console.WriteLine("softmax: " + rows.Explain(Explanation.Counts));
      if (launched != 1 || Nd.Abs(rows.Sum(1) - 1).Max().Item<double>() > 1e-5) throw new Exception("expected one kernel, and sums of 1");
    }
  }
}
