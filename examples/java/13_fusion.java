// SPDX-License-Identifier: Apache-2.0
// 13: compute an expression and a softmax, each with one kernel, and print what the kernels do.
import io.cucore.CudaDevice;
import io.cucore.array.*;

class Fusion {
  static NdArray softmax(NdArray x) {
    Reduction rows = Reduction.along(-1).keepAxes();
    NdArray e = x.subtract(x.max(rows)).exp();
    return e.divide(e.sum(rows));
  }

  public static void main(String[] arguments) {
    if (CudaDevice.count() == 0) {
      System.out.println("arrays need a device");
      return;
    }
    try (CudaDevice device = CudaDevice.first();
        Context context = new Context(device);
        Scope scope = new Scope(context);
        Generator generator = new Generator(7)) {
      NdArray x = generator.uniform(DType.FLOAT32, 100_000).named("x");
      NdArray y = generator.uniform(DType.FLOAT32, 100_000).named("y");
      NdArray z = generator.uniform(DType.FLOAT32, 100_000).named("z");
      Nd.evaluate(x, y, z);
      NdArray r = x.sin().multiply(y.cos()).add(z.negative().multiply(z).exp()).add(x.add(1).log()).sqrt().named("r");
      System.out.println(r.explain()); // one kernel, which is not launched yet
      long before = context.getStatistics().get("kernels_launched");
      r.evaluate();
      long launched = context.getStatistics().get("kernels_launched") - before;
      System.out.printf("%d kernel computed %d elements, mean %s%n", launched, r.getSize(), r.mean().item());

      NdArray rows = softmax(generator.normal(DType.FLOAT32, 100, 1000).evaluate());
      System.out.println("softmax: " + rows.explain(Explanation.COUNTS));
      if (launched != 1 || rows.sum(1).subtract(1).abs().max().item().doubleValue() > 1e-5) {
        throw new AssertionError("expected one kernel, and sums of 1");
      }
    }
  }
}
