// SPDX-License-Identifier: Apache-2.0
import io.cucore.*;
import java.util.concurrent.CompletableFuture;

/** 07: launch a matrix product, do other work, and await the stream without a blocked thread. */
class Async {
  static final int N = 256;
  static final String SOURCE =
      "extern \"C\" __global__ void matmul(const float *a, const float *b, float *c, int n) {\n"
          + "  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;\n"
          + "  float sum = 0;\n"
          + "  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];\n"
          + "  c[row * n + col] = sum;\n"
          + "}\n";

  public static void main(String[] args) {
    float[] a = new float[N * N], b = new float[N * N], columns = new float[N];
    for (int i = 0; i < N * N; ++i) { a[i] = i % 7; b[i] = i % 5; }
    try (CudaDevice device = CudaDevice.first(); CudaStream stream = new CudaStream(device);
        Program program = Program.ofCuda(SOURCE); ObjectCode code = program.compile(CodeType.PTX);
        Kernel matmul = code.kernel("matmul"); CudaBuffer left = new CudaBuffer(device, 4L * N * N, stream);
        CudaBuffer right = new CudaBuffer(device, 4L * N * N, stream);
        CudaBuffer result = CudaBuffer.pinned(device, 4L * N * N)) {
      left.write(a, stream);
      right.write(b, stream);
      LaunchConfig tiles = LaunchConfig.builder().grid(N / 16, N / 16).block(16, 16).build();
      matmul.launch(stream, tiles, left, right, result, N);
      CompletableFuture<?> done = stream.completion(); // fails as the kernel does
      for (int col = 0; col < N; ++col) // other work of the program
        for (int k = 0; k < N; ++k) columns[col] += a[k] * b[k * N + col];
      int wrong = done.thenApply(ended -> { // at once, or at the end of the work
        int count = 0;
        for (int col = 0; col < N; ++col) count += result.asByteBuffer().getFloat(4 * col) == columns[col] ? 0 : 1;
        return count;
      }).join();
      System.out.println(N + " columns on the host meanwhile; " + wrong + " of " + N + " values are wrong");
      System.exit(wrong);
    }
  }
}
