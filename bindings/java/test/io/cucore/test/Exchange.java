// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import io.cucore.Cache;
import io.cucore.CodeType;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.ObjectCode;
import io.cucore.Program;
import io.cucore.ProgramOptions;
import io.cucore.array.NumpyFile;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Java's part in the exchange of object code and arrays between languages: see exchange.py and arrays.py of
 * bindings/exchange.
 */
public final class Exchange {
  private static final String SOURCE =
      "extern \"C\" __global__ void triple(float *data, int n) {\n"
          + "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          + "  if (i < n) data[i] *= 3;\n"
          + "}\n";

  private Exchange() {}

  /** Does what the first argument selects; throws if it cannot. */
  public static void main(String... arguments) throws Exception {
    Path first = Path.of(arguments[1]);
    switch (arguments[0]) {
      case "make":
        make(first);
        break;
      case "copy":
        copy(first, Path.of(arguments[2]));
        break;
      case "own":
        own(first, Path.of(arguments[2]));
        break;
      case "launch":
        launch(first);
        break;
      case "cached":
        cached(first);
        break;
      case "arrays":
        NumpyFile.saveAll(Path.of(arguments[2]), NumpyFile.loadAll(first));
        break;
      case "compressed":
        NumpyFile.saveCompressed(Path.of(arguments[2]), NumpyFile.loadAll(first));
        break;
      default:
        throw new IllegalArgumentException(arguments[0]);
    }
  }

  private static Program program() {
    return Program.ofCuda(SOURCE, ProgramOptions.builder().name("triple.cu").arch("compute_80").build());
  }

  private static void cached(Path folder) {
    try (Program program = program();
        Cache cache = new Cache(folder)) {
      System.out.println(cache.compile(program, CodeType.PTX, "triple").outcome());
    }
  }

  private static void make(Path out) throws Exception {
    try (Program program = program();
        ObjectCode code = program.compile(CodeType.PTX, "triple")) {
      Files.write(out, code.serialize());
    }
  }

  private static void copy(Path in, Path out) throws Exception {
    try (ObjectCode code = ObjectCode.deserialize(Files.readAllBytes(in))) {
      Files.write(out, code.serialize());
    }
  }

  private static void own(Path in, Path out) throws Exception {
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

  private static void launch(Path in) throws Exception {
    float[] values = new float[1000];
    for (int i = 0; i < values.length; ++i) {
      values[i] = i;
    }
    try (ObjectCode code = ObjectCode.deserialize(Files.readAllBytes(in));
        CudaDevice device = CudaDevice.first();
        CudaStream stream = new CudaStream(device);
        CudaBuffer x = new CudaBuffer(device, 4000, stream);
        Kernel kernel = code.kernel("triple")) {
      x.write(values, stream);
      kernel.launch(stream, LaunchConfig.covering(1000, 256), x, 1000);
      x.read(values, stream);
    }
    for (int i = 0; i < values.length; ++i) {
      if (values[i] != 3f * i) {
        throw new IllegalStateException("x[" + i + "] is " + values[i]);
      }
    }
    System.out.println("ok");
  }
}
