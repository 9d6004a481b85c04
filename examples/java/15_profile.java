// SPDX-License-Identifier: Apache-2.0
// 15: profile a block of work, and print the memory and compute efficiency of its kernels.
import io.cucore.*;
import io.cucore.perf.*;

class Profile15 {
  public static void main(String[] arguments) {
    String source = "extern \"C\" __global__ void saxpy(float a, const float *x, float *y, int n) {\n"
        + "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = a * x[i] + y[i];\n}\n";
    if (CudaDevice.count() == 0) {
      System.out.println("profiles need a device");
      return;
    }
    try (CudaDevice device = CudaDevice.first(); CudaStream stream = new CudaStream(device);
        ObjectCode code = Program.ofCuda(source).compile(CodeType.PTX); Kernel saxpy = code.kernel("saxpy")) {
      int n = 1 << (device.isEmulated() ? 16 : 26);
      if (!device.isEmulated()) {
        Perf.roof(device, new RoofOptions()).close(); // measured once, and kept; percentages need it
      }
      // snippet: profile
      Profile profile = Perf.profile();
      try (CudaBuffer x = new CudaBuffer(device, 4L * n, stream); CudaBuffer y = new CudaBuffer(device, 4L * n, stream); profile) {
        profile.profiler().declare(saxpy, launch -> Declaration.of(8.0 * n, 4.0 * n, 2.0 * n));
        for (int i = 0; i < 20; ++i) {
          saxpy.launch(stream, LaunchConfig.of(n / 256, 256), 2f, x, y, n);
        }
      }
      Report report = profile.report();
      // end of snippet
      KernelRow row = report.rows().get(0);
      System.out.printf("%d calls of %s read %.1f MB and write %.1f MB%n", row.calls(), row.name(), row.bytesRead() / 1e6, row.bytesWritten() / 1e6);
      System.out.println(report.source() == ProfilerSource.EMULATED
          ? "exact counts of the CPU device: " + (long) report.counter(0, "cpu.instructions") + " instructions; a GPU also has times"
          : String.format("memory efficiency %.0f%%, compute efficiency %.0f%%", 100 * report.memoryEfficiency(), 100 * report.computeEfficiency()));
      report.findings().forEach(each -> System.out.println(each.id() + " " + each.name() + ": " + each.advice()));
      if (row.calls() != 20 || row.bytesRead() != 160.0 * n || row.bytesWritten() != 80.0 * n) {
        throw new AssertionError("expected 20 calls that read 8 bytes per element and write 4");
      }
    }
  }
}
