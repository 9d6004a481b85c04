import io.cucore.*;
import java.util.concurrent.CompletableFuture;

/** 07: await work of two streams together; no thread is parked for either. */
class Async {
  public static void main(String[] args) {
    String source =
        "extern \"C\" __global__ void square(float *data, int n) {\n"
            + "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            + "  if (i < n) data[i] *= data[i];\n"
            + "}\n";
    int n = 1 << 16;
    try (Program program = Program.ofCuda(source);
        ObjectCode code = program.compile(CodeType.PTX);
        Kernel square = code.kernel("square");
        CudaDevice device = CudaDevice.first();
        CudaStream first = new CudaStream(device);
        CudaStream second = new CudaStream(device);
        CudaBuffer x = CudaBuffer.pinned(device, 4L * n);
        CudaBuffer y = CudaBuffer.pinned(device, 4L * n)) {
      x.fill(3f, first);
      y.fill(4f, second);
      square.launch(first, LaunchConfig.covering(n, 256), x, n);
      square.launch(second, LaunchConfig.covering(n, 256), y, n);
      // snippet: await
      CompletableFuture<Float> sum =
          first.completion().thenCombine(second.completion(),
              (done, alsoDone) -> x.asByteBuffer().getFloat(0) + y.asByteBuffer().getFloat(0));
      float result = sum.join(); // or thenAccept(...), or an executor of your own
      // end of snippet
      System.out.println("3 * 3 + 4 * 4 = " + result);
      System.exit(result == 25f ? 0 : 1);
    }
  }
}
