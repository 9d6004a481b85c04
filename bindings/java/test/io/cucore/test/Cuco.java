package io.cucore.test;

import io.cucore.CodeType;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.ObjectCode;
import io.cucore.Program;
import io.cucore.ProgramOptions;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Stored object code on the command line, for tests across languages.
 *
 * <pre>
 * Cuco compile OUT [SOURCE [NAME_EXPRESSION...]]   compiles to PTX for compute_80; without SOURCE a kernel "scale"
 * Cuco rewrite IN OUT      reads a container and writes it again
 * Cuco serialize IN OUT    the same by way of Java's serialization
 * Cuco launch IN [KERNEL]  launches void scale(float a, float *x, int n) and checks what it did
 * </pre>
 */
public final class Cuco {
  private static final String SCALE =
      "extern \"C\" __global__ void scale(float a, float *x, int n) {\n"
          + "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          + "  if (i < n) x[i] *= a;\n"
          + "}\n";

  private Cuco() {}

  /** Does what the first argument says; throws if it cannot. */
  public static void main(String... arguments) throws Exception {
    Path first = Path.of(arguments[1]);
    switch (arguments[0]) {
      case "compile":
        compile(first, arguments);
        break;
      case "rewrite":
        rewrite(first, Path.of(arguments[2]));
        break;
      case "serialize":
        serialize(first, Path.of(arguments[2]));
        break;
      case "launch":
        launch(first, arguments.length > 2 ? arguments[2] : "scale");
        break;
      default:
        throw new IllegalArgumentException(arguments[0]);
    }
  }

  private static void compile(Path out, String... arguments) throws Exception {
    String source = arguments.length > 2 ? Files.readString(Path.of(arguments[2])) : SCALE;
    String[] names = arguments.length > 3 ? java.util.Arrays.copyOfRange(arguments, 3, arguments.length) : new String[0];
    ProgramOptions options = ProgramOptions.builder().name("scale.cu").arch("compute_80").build();
    try (Program program = Program.ofCuda(source, options);
        ObjectCode code = program.compile(CodeType.PTX, names)) {
      Files.write(out, code.serialize());
    }
  }

  private static void rewrite(Path in, Path out) throws Exception {
    try (ObjectCode code = ObjectCode.deserialize(Files.readAllBytes(in))) {
      Files.write(out, code.serialize());
    }
  }

  private static void serialize(Path in, Path out) throws Exception {
    Path stream = Files.createTempFile("cucore", ".ser");
    try (ObjectCode code = ObjectCode.deserialize(Files.readAllBytes(in));
        ObjectOutputStream to = new ObjectOutputStream(Files.newOutputStream(stream))) {
      to.writeObject(code);
    }
    try (ObjectInputStream from = new ObjectInputStream(Files.newInputStream(stream));
        ObjectCode code = (ObjectCode) from.readObject()) {
      Files.write(out, code.serialize());
    } finally {
      Files.delete(stream);
    }
  }

  private static void launch(Path in, String name) throws Exception {
    float[] values = new float[1000];
    for (int i = 0; i < values.length; ++i) {
      values[i] = i;
    }
    try (ObjectCode code = ObjectCode.deserialize(Files.readAllBytes(in));
        CudaDevice device = CudaDevice.first();
        CudaStream stream = new CudaStream(device);
        CudaBuffer x = new CudaBuffer(device, 4000, stream);
        Kernel kernel = code.kernel(name)) {
      x.write(values, stream);
      kernel.launch(stream, LaunchConfig.covering(1000, 128), 3f, x, 1000);
      x.read(values, stream);
    }
    for (int i = 0; i < values.length; ++i) {
      if (values[i] != 3f * i) {
        throw new IllegalStateException("x[" + i + "] is " + values[i]);
      }
    }
    System.out.println("scaled 1000 floats");
  }
}
