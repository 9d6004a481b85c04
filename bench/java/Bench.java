// SPDX-License-Identifier: Apache-2.0
import io.cucore.CodeType;
import io.cucore.Cucore;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaEvent;
import io.cucore.CudaStream;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.ObjectCode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Measures calls in Java above the same calls in C. Batches of both take turns in one process; the
 * figures are medians of their differences.
 *
 * <p>Bench PATH_OF_C_CALLS LIBCUCORE [--limits]; with --limits it fails if a figure is too large.
 */
public final class Bench {
  static final String PTX =
      ".version 8.0\n.target sm_75\n.address_size 64\n"
          + ".visible .entry three(.param .f32 a, .param .s32 n, .param .u64 .ptr data)\n{\n  ret;\n}\n"
          + ".visible .entry four(.param .u64 .ptr a, .param .u64 .ptr b, .param .u64 .ptr c, .param .u64 .ptr d)\n"
          + "{\n  ret;\n}\n";

  private static final int PAIRS = 400;
  private static volatile long sink;

  interface Batch {
    void run(int times);
  }

  private static double once(Batch batch, int times) {
    long start = System.nanoTime();
    batch.run(times);
    return (System.nanoTime() - start) / (double) times;
  }

  static double median(double[] values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }

  /** Prints the medians; returns that of the differences. */
  private static double compare(
      String what, int times, double limit, Batch c, Batch java, Runnable settle) {
    double[] inC = new double[PAIRS];
    double[] inJava = new double[PAIRS];
    double[] more = new double[PAIRS];
    for (int i = -PAIRS / 2; i < PAIRS; ++i) { // the first rounds are for the compilers of the JVM
      double first = once(c, times);
      settle.run();
      double second = once(java, times);
      settle.run();
      if (i >= 0) {
        inC[i] = first;
        inJava[i] = second;
        more[i] = second - first;
      }
    }
    double difference = median(more);
    System.out.printf("| %s | %.1f | %.1f | %.1f | %s |%n", what, median(inC), median(inJava), difference,
        limit == Double.MAX_VALUE ? "" : "" + (int) limit);
    return difference;
  }

  public static void main(String[] arguments) throws Exception {
    Cucore.version(); // the calls in C use the library that this call has loaded
    System.load(arguments[0]);
    CCalls.open(PTX);
    System.out.printf("| a call, ns | C | Java | above C | limit |%n|---|---|---|---|---|%n");
    Map<String, double[]> results = new LinkedHashMap<>(); // figure and limit
    try (CudaDevice device = new CudaDevice(0);
        CudaStream stream = new CudaStream(device);
        CudaBuffer buffer = new CudaBuffer(device, 4096, stream);
        ObjectCode code = ObjectCode.fromBytes(CodeType.PTX, PTX.getBytes(StandardCharsets.US_ASCII));
        Kernel kernel = code.kernel("three");
        Kernel four = code.kernel("four")) {
      LaunchConfig config = LaunchConfig.of(1, 32);
      Runnable nothing = () -> {};
      Runnable settle = () -> {
        device.synchronize();
        CCalls.synchronize();
      };
      results.put("property", new double[] {10, compare("constant property (parameter count)", 10_000, 10,
          n -> sink += CCalls.property(n), n -> {
            long sum = 0;
            for (int i = 0; i < n; ++i) {
              sum += kernel.getParameterCount();
            }
            sink += sum;
          }, nothing)});
      results.put("property asked", new double[] {40, compare("other property (is loaded)", 10_000, 40,
          n -> sink += CCalls.isLoaded(n), n -> {
            long sum = 0;
            for (int i = 0; i < n; ++i) {
              sum += code.isLoaded() ? 1 : 0;
            }
            sink += sum;
          }, nothing)});
      results.put("launch", new double[] {150, compare("launch with three arguments", 256, 150, CCalls::launch, n -> {
            for (int i = 0; i < n; ++i) {
              kernel.launch(stream, config, 2f, i, buffer);
            }
          }, settle)});
      results.put("buffers", new double[] {150, compare("launch with four buffers", 256, 150, CCalls::launchBuffers, n -> {
            for (int i = 0; i < n; ++i) {
              four.launch(stream, config, buffer, buffer, buffer, buffer);
            }
          }, settle)});
      results.put("event", new double[] {Double.MAX_VALUE, compare("event made and closed", 256, Double.MAX_VALUE, CCalls::event, n -> {
            for (int i = 0; i < n; ++i) {
              new CudaEvent(device).close();
            }
          }, nothing)});
    }
    try {
      Class.forName("JnaBench").getMethod("run", String.class).invoke(null, arguments[1]);
    } catch (ClassNotFoundException | NoClassDefFoundError e) {
      System.out.println("\nJNA: not on this machine (Debian: libjna-java)");
    }
    boolean tooSlow = results.values().stream().anyMatch(r -> r[1] > r[0]);
    System.exit(tooSlow && arguments.length > 2 && arguments[2].equals("--limits") ? 1 : 0);
  }
}
