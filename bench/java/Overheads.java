// SPDX-License-Identifier: Apache-2.0
import io.cucore.Cache;
import io.cucore.CodeType;
import io.cucore.Cucore;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaEvent;
import io.cucore.CudaStream;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.ObjectCode;
import io.cucore.PreparedLaunch;
import io.cucore.Program;
import io.cucore.ProgramOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Measures the rows of bench/overheads in C, as a native method written by hand, and in Java. The three take turns in
 * one process; the figures are medians. A second table has the rows of graphs.
 *
 * <p>Overheads PATH_OF_THE_ROWS [graphs], which measures graphs alone
 */
public final class Overheads {
  private static final String PTX =
      ".version 7.0\n.target sm_75\n.address_size 64\n"
          + ".visible .entry k(.param .f32 a, .param .u64 x, .param .u32 n) { ret; }\n";
  private static final String SOURCE =
      "extern \"C\" __global__ void k(float a, float *x, int n) {\n"
          + "  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = a * x[i] + sinf(x[i]);\n}\n";
  private static final long MIB = 1 << 20;
  private static final int ROUNDS = 201;

  interface Call {
    void run() throws Exception;
  }

  static double nanos(int count, Call call) throws Exception {
    long began = System.nanoTime();
    for (int i = 0; i < count; ++i) {
      call.run();
    }
    return (System.nanoTime() - began) / (double) count;
  }

  static double median(double[] values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }

  static void must(boolean isGood) {
    if (!isGood) {
      throw new IllegalStateException(ByHand.failure());
    }
  }

  private static void row(String title, int number, int count, Call settle, Call java) throws Exception {
    double[] inC = new double[ROUNDS];
    double[] byHand = new double[ROUNDS];
    double[] inJava = new double[ROUNDS];
    for (int i = -ROUNDS / 2; i < ROUNDS; ++i) { // the first rounds are for the compilers of the JVM
      double first = ByHand.repeat(number, count);
      must(first >= 0);
      double second = nanos(count, () -> must(ByHand.once(number) == 0));
      settle.run();
      double third = nanos(count, java);
      settle.run();
      if (i >= 0) {
        inC[i] = first;
        byHand[i] = second;
        inJava[i] = third;
      }
    }
    double hand = median(byHand);
    double here = median(inJava);
    System.out.printf("| %s | %.0f | %.0f | %.0f | %.0f |%n", title, median(inC), hand, here, here - hand);
  }

  public static void main(String[] arguments) throws Exception {
    Cucore.version(); // the calls in C use the library that this call has loaded
    System.load(arguments[0]);
    Path folder = Files.createTempDirectory("overheads");
    int begun = ByHand.begin(PTX, SOURCE, folder.toString());
    must(begun != 1);
    boolean isWhole = arguments.length < 2 || !arguments[1].equals("graphs");
    byte[] image = PTX.getBytes(StandardCharsets.US_ASCII);
    try (CudaDevice device = new CudaDevice(0);
        CudaStream stream = new CudaStream(device);
        CudaBuffer buffer = new CudaBuffer(device, MIB, stream);
        ObjectCode code = ObjectCode.fromBytes(CodeType.PTX, image);
        Kernel kernel = code.kernel("k")) {
      if (isWhole) {
        System.out.printf("| ns, median | C | JNI by hand | Java | above JNI |%n|---|---|---|---|---|%n");
        deviceRows(device, stream, buffer, kernel);
        codeRows(image, code, stream::synchronize);
      }
      if (isWhole && begun == 0) {
        cacheRows(folder);
      }
      GraphOverheads.measure(device, stream, kernel, buffer);
    }
  }

  private static void deviceRows(CudaDevice device, CudaStream stream, CudaBuffer buffer, Kernel kernel) throws Exception {
    LaunchConfig config = LaunchConfig.of(1, 1);
    try (CudaEvent event = new CudaEvent(device);
        PreparedLaunch prepared = kernel.prepare(stream, config, 1f, buffer, 0)) {
      event.record(stream);
      Call settle = stream::synchronize;
      row("launch, 3 arguments", 0, 200, settle, () -> kernel.launch(stream, config, 1f, buffer, 0));
      row("prepared launch, run again", 1, 200, settle, prepared::run);
      row("launch and synchronize", 2, 20, settle, () -> {
        kernel.launch(stream, config, 1f, buffer, 0);
        stream.synchronize();
      });
      row("event create and drop", 3, 200, settle, () -> new CudaEvent(device).close());
      row("event record", 4, 200, settle, () -> event.record(stream));
      row("event query (recorded, done)", 5, 200, settle, event::query);
      row("stream-ordered allocate and free, 1 MiB", 6, 50, settle, () -> new CudaBuffer(device, MIB, stream).close());
    }
  }

  private static void codeRows(byte[] image, ObjectCode code, Call settle) throws Exception {
    row("object code to bytes and back", 7, 20, settle, () -> ObjectCode.deserialize(code.serialize()).close());
    row("bytes to kernel, then dropped", 8, 10, settle, () -> {
      try (ObjectCode made = ObjectCode.fromBytes(CodeType.PTX, image);
          Kernel found = made.kernel("k")) {
        must(found != null);
      }
    });
  }

  private static Program program() {
    return Program.ofCuda(SOURCE, ProgramOptions.builder().arch("sm_90").build());
  }

  private static void cacheRows(Path folder) throws Exception {
    Call nothing = () -> {};
    try (Cache cache = new Cache(folder);
        Program program = program()) {
      program.compile(CodeType.CUBIN, cache).close();
      row("cache hit, same program", 9, 100, nothing, () -> program.compile(CodeType.CUBIN, cache).close());
      row("cache hit, new program object", 10, 50, nothing, () -> {
        try (Program made = program()) {
          made.compile(CodeType.CUBIN, cache).close();
        }
      });
    }
  }
}
