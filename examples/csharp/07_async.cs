// SPDX-License-Identifier: Apache-2.0
// 07: launch a matrix product, do other work, and await the stream.
using System;
using System.Threading.Tasks;
using Cucore;

static class Example {
  const int N = 256;
  const string Source = @"extern ""C"" __global__ void matmul(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}";

  static async Task<float[]> Product(float[] a, float[] b) {
    using (var device = new CudaDevice())
    using (var stream = new CudaStream(device))
    using (var matmul = new CudaProgram(Source).Compile(CodeType.Ptx).GetKernel("matmul"))
    using (CudaBuffer left = new CudaBuffer(device, N * N * 4, stream), right = new CudaBuffer(device, N * N * 4, stream),
                      result = new CudaBuffer(device, N * N * 4, stream)) {
      left.Write(a, stream); right.Write(b, stream);
      matmul.Launch(stream, new LaunchConfig((N / 16, N / 16), (16, 16)), left, right, result, N);
      await stream;  // no thread waits; a fault of the kernel is thrown here
      return result.ToArray<float>(stream);
    }
  }

  static int Main() {
    if (CudaDevice.Count == 0) { Console.WriteLine("awaiting work needs a device to work"); return 0; }
    float[] a = new float[N * N], b = new float[N * N], columns = new float[N];
    for (int i = 0; i < N * N; ++i) { a[i] = i % 7; b[i] = i % 5; }
    Task<float[]> work = Product(a, b);
    for (int column = 0; column < N; ++column)  // other work of the program
      for (int k = 0; k < N; ++k) columns[column] += a[k] * b[k * N + column];
    int wrong = 0;
    for (int column = 0; column < N; ++column) wrong += columns[column] == work.Result[column] ? 0 : 1;
    Console.WriteLine($"{N} columns on the host meanwhile; {wrong} of {N} values are wrong");
    return wrong;
  }
}
