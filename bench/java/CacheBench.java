// SPDX-License-Identifier: Apache-2.0
import io.cucore.Cache;
import io.cucore.CacheOptions;
import io.cucore.CacheOutcome;
import io.cucore.CodeType;
import io.cucore.ObjectCode;
import io.cucore.Program;
import io.cucore.ProgramOptions;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Measures a hit of the program cache in Java, together with a fresh compile in the same run. Each
 * figure is the median of short batches in turn with the others. Needs NVRTC, no device.
 *
 * <p>CacheBench [--limits]; with --limits it fails where a hit in memory costs too much.
 */
public final class CacheBench {
  private static final int ROUNDS = 200;
  private static final double LIMIT_US = 3;

  private interface Call {
    ObjectCode run() throws Exception;
  }

  /** One kind of call: its number per batch, and the times of the batches. */
  private static final class Row {
    final int count;
    final double limit;
    final Call call;
    final double[] took = new double[ROUNDS];

    Row(int count, double limit, Call call) {
      this.count = count;
      this.limit = limit;
      this.call = call;
    }
  }

  private static String source() {
    StringBuilder text = new StringBuilder("extern \"C\" __global__ void scale(float *x) {\n"
        + "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n");
    for (int i = 0; i < 22; ++i) {
      text.append("  if (i == ").append(i).append(") x[i] = x[i] * ").append(i).append(".5f + __sinf(x[i]);\n");
    }
    return text.append("}\n").toString();
  }

  private static Program program(String source) {
    return Program.ofCuda(source, ProgramOptions.builder().name("scale.cu").arch("sm_90").build());
  }

  private static double micros(Call call, int count) throws Exception {
    long start = System.nanoTime();
    for (int i = 0; i < count; ++i) {
      call.run().close();
    }
    return (System.nanoTime() - start) / (count * 1000.0);
  }

  private static double median(double[] values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }

  private static ObjectCode fresh(String source) {
    try (Program program = program(source)) {
      return program.compile(CodeType.CUBIN);
    }
  }

  private static ObjectCode ofNewProgram(String source, Cache cache) {
    try (Program program = program(source)) {
      return program.compile(CodeType.CUBIN, cache);
    }
  }

  private static ObjectCode put(Cache cache, byte[] key, ObjectCode code) {
    cache.put(key, code);
    return cache.get(key);
  }

  private static boolean measure(Path folder) throws Exception {
    String source = source();
    byte[] key = new byte[32];
    CacheOptions tiny = CacheOptions.builder().directory(folder.toString()).maxMemory(1).build();
    Map<String, Row> rows = new LinkedHashMap<>();
    // The second has no entries in memory, so its hits come from the disk.
    try (Cache cache = new Cache(folder);
        Cache disk = new Cache(tiny);
        Program used = program(source);
        ObjectCode code = used.compile(CodeType.CUBIN, cache)) {
      cache.put(key, code);
      check(CacheOutcome.HIT_MEMORY, cache.compile(used, CodeType.CUBIN).outcome());
      check(CacheOutcome.HIT_DISK, disk.compile(used, CodeType.CUBIN).outcome());
      rows.put("`compile`, hit in memory, a program used again", new Row(200, LIMIT_US, () -> used.compile(CodeType.CUBIN, cache)));
      rows.put("the same, with the outcome", new Row(200, LIMIT_US, () -> cache.compile(used, CodeType.CUBIN).code()));
      rows.put("`compile`, hit in memory, a new program", new Row(20, 0, () -> ofNewProgram(source, cache)));
      rows.put("`get` with a key", new Row(200, LIMIT_US, () -> cache.get(key)));
      rows.put("`getOrBuild` with a key, hit", new Row(200, LIMIT_US, () -> cache.getOrBuild(key, () -> null).code()));
      rows.put("`put` and `get`", new Row(10, 0, () -> put(cache, key, code)));
      rows.put("`compile`, hit on disk", new Row(10, 0, () -> used.compile(CodeType.CUBIN, disk)));
      // the first rounds are for the compilers of the JVM
      for (int round = -ROUNDS / 2; round < ROUNDS; ++round) {
        for (Row each : rows.values()) {
          double took = micros(each.call, each.count);
          each.took[Math.max(round, 0)] = took;
        }
      }
      double[] freshly = new double[15];
      for (int i = 0; i < freshly.length; ++i) {
        freshly[i] = micros(() -> fresh(source), 1);
      }
      return print(rows, median(freshly));
    }
  }

  private static void check(CacheOutcome wanted, CacheOutcome got) {
    if (wanted != got) {
      throw new IllegalStateException(got + " where " + wanted + " was wanted");
    }
  }

  private static boolean print(Map<String, Row> rows, double fresh) {
    System.out.printf("| the cache, a call | µs | limit | of a fresh compile |%n|---|---|---|---|%n");
    System.out.printf("| fresh compile | %.0f | | 1 |%n", fresh);
    boolean fits = true;
    for (Map.Entry<String, Row> each : rows.entrySet()) {
      Row row = each.getValue();
      double took = median(row.took);
      fits &= row.limit == 0 || took <= row.limit;
      System.out.printf("| %s | %.2f | %s | 1/%.0f |%n", each.getKey(), took, row.limit == 0 ? "" : "" + row.limit, fresh / took);
    }
    return fits;
  }

  /** Measures in a separate folder. */
  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("cucore-bench");
    boolean fits;
    try {
      fits = measure(folder);
    } finally {
      try (Stream<Path> all = Files.walk(folder)) {
        all.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
      }
    }
    System.exit(!fits && arguments.length > 0 && arguments[0].equals("--limits") ? 1 : 0);
  }
}
