// SPDX-License-Identifier: Apache-2.0
import io.cucore.*;
import java.util.Arrays;

/** 05: instantiate templates by name expression; the names remain valid after storing. */
class Templates {
  public static void main(String[] args) {
    String source =
        "template <typename T, int N>\n"
            + "__global__ void fill(T *out, T value) { if (threadIdx.x < N) out[threadIdx.x] = value; }\n";
    try (Program program = Program.ofCuda(source);
        ObjectCode code = program.compile(CodeType.PTX, "fill<float, 4>", "fill<int, 8>")) {
      for (Symbol symbol : code.getSymbols()) {
        System.out.printf("%-14s is %s in the code%n", symbol.getExpression(), symbol.getLoweredName());
      }
      if (CudaDevice.count() == 0) {
        System.out.println("launching needs a device");
        return;
      }
      try (CudaDevice device = CudaDevice.first();
          CudaStream stream = new CudaStream(device);
          CudaBuffer out = new CudaBuffer(device, 32, stream);
          Kernel fill = code.kernel("fill<int, 8>")) {
        fill.launch(stream, LaunchConfig.of(1, 32), out, 42);
        int[] values = new int[8];
        out.read(values, stream);
        System.out.println(Arrays.toString(values));
        System.exit(Arrays.stream(values).allMatch(v -> v == 42) ? 0 : 1);
      }
    }
  }
}
