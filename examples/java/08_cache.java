// SPDX-License-Identifier: Apache-2.0
import io.cucore.*;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.*;
import java.util.stream.Stream;

/** 08: compile once: threads, processes and languages share a cache. Needs no device. */
class Caching {
  static final String SOURCE = "template <class T> __global__ void saxpy(T a, const T *x, T *y) { *y += a * *x; }";

  public static void main(String[] args) throws Exception {
    Path folder = Files.createTempDirectory("cucore");
    ProgramOptions options = ProgramOptions.builder().name("saxpy.cu").arch("compute_80").build();
    CacheOutcome outcome;
    List<BatchResult> many;
    // snippet: cache
    try (Cache cache = new Cache(folder); // or new Cache(): $CUCORE_CACHE_DIR, else ~/.cache/cucore
        Program program = Program.ofCuda(SOURCE, options);
        ObjectCode code = program.compile(CodeType.PTX, cache, "saxpy<float>")) { // the same result as compile alone
      outcome = cache.compile(program, CodeType.PTX, "saxpy<float>").getOutcome();
      System.out.println("the second time: " + outcome);

      byte[] key = MessageDigest.getInstance("SHA-256").digest("my generator 1.0; n = 4".getBytes());
      ObjectCode mine = cache.getOrBuild(key, // called once for all threads and processes
          () -> program.compile(CodeType.PTX, "saxpy<double>")).getCode();

      System.out.println(cache.explainMiss(program, CodeType.PTX, "saxpy<int>"));
      many = Program.compileBatch( // in worker processes
          List.of(BatchItem.of(program, CodeType.PTX, "saxpy<int>"), BatchItem.of(program, CodeType.PTX, "saxpy<char>")),
          BatchOptions.builder().cache(cache).build());
      System.out.println("builds: " + cache.getStatistics().getBuilds() + ", " + many.get(0));
    }
    // end of snippet
    try (Stream<Path> all = Files.walk(folder)) {
      all.sorted(Comparator.reverseOrder()).forEach(each -> each.toFile().delete());
    }
    System.exit(outcome == CacheOutcome.HIT_MEMORY && many.get(1).isSuccessful() ? 0 : 1);
  }
}
