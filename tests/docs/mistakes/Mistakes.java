// SPDX-License-Identifier: Apache-2.0
import io.cucore.*;

/** Makes ten mistakes of beginners and prints the message of each, on one line. */
class Mistakes {
  static final String SOURCE = "extern \"C\" __global__ void scale(float factor, float *data, int n) {\n"
      + "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      + "  if (i < n) data[i] *= factor;\n"
      + "}\n";

  interface Mistake {
    void make() throws Exception;
  }

  static void print(String name, Mistake mistake) {
    try {
      mistake.make();
      System.out.println(name + ": no message");
    } catch (Exception e) {
      System.out.println(name + ": " + e.getMessage());
    }
  }

  static ObjectCode compile(String source, String arch) {
    ProgramOptions.Builder options = ProgramOptions.builder().name("scale.cu");
    if (arch != null) {
      options.arch(arch);
    }
    try (Program program = Program.ofCuda(source, options.build())) {
      return program.compile(CodeType.PTX);
    }
  }

  public static void main(String[] args) {
    float[] host = new float[1000];
    LaunchConfig config = LaunchConfig.of(4, 256);
    try (CudaDevice device = CudaDevice.first();
        CudaStream stream = new CudaStream(device);
        ObjectCode code = compile(SOURCE, null);
        Kernel scale = code.kernel("scale");
        CudaBuffer buffer = new CudaBuffer(device, 4L * host.length, stream)) {
      print("wrong type", () -> scale.launch(stream, config, 2f, buffer, 2.5));
      print("host array", () -> scale.launch(stream, config, 2f, host, 1000));
      print("grid", () -> scale.launch(stream, LaunchConfig.of(1, 2048), 2f, buffer, 1000));
      print("kernel name", () -> code.kernel("scal"));
      print("extern \"C\"", () -> compile(SOURCE.replace("extern \"C\" ", ""), null).kernel("scale"));
      print("syntax", () -> compile(SOURCE.replace("threadIdx.x;", "threadIdx.x"), null));
      print("architecture", () -> compile(SOURCE, "sm_30"));
      print("missing stream", () -> scale.launch(null, config, 2f, buffer, 1000));
      print("missing header", () -> compile("#include \"mine.h\"\n" + SOURCE, null));
      print("out of bounds", () -> {
        scale.launch(stream, LaunchConfig.of(8, 256), 2f, buffer, 2000); // the buffer has 1000 elements
        stream.synchronize();
      });
    }
  }
}
