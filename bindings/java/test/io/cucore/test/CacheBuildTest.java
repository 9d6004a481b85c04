// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static io.cucore.test.CacheTest.key;
import static io.cucore.test.CacheTest.program;
import static io.cucore.test.World.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.BatchItem;
import io.cucore.BatchOptions;
import io.cucore.BatchResult;
import io.cucore.Cache;
import io.cucore.CacheBuild;
import io.cucore.CacheOptions;
import io.cucore.CacheStatistics;
import io.cucore.CodeType;
import io.cucore.CompilationException;
import io.cucore.CucoreException;
import io.cucore.InvalidArgumentException;
import io.cucore.InvalidHandleException;
import io.cucore.InvalidStateException;
import io.cucore.NotFoundException;
import io.cucore.ObjectCode;
import io.cucore.Program;
import io.cucore.Status;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Java's own code inside a call of the cache, many threads, and batches. */
class CacheBuildTest {
  @TempDir Path folder;

  private static ObjectCode copy() {
    return ObjectCode.deserialize(World.code().serialize());
  }

  private static <T> List<Future<T>> together(int threads, Callable<T> body) throws InterruptedException {
    ExecutorService all = Executors.newFixedThreadPool(threads);
    try {
      List<Callable<T>> bodies = new ArrayList<>();
      CountDownLatch ready = new CountDownLatch(threads);
      for (int i = 0; i < threads; ++i) {
        bodies.add(() -> {
          ready.countDown();
          ready.await();
          return body.call();
        });
      }
      return all.invokeAll(bodies);
    } finally {
      all.shutdown();
    }
  }

  @Test
  void eightThreadsBuildOnce() throws Exception {
    try (Cache cache = new Cache(folder)) {
      AtomicInteger builds = new AtomicInteger();
      List<Future<byte[]>> all = together(8, () -> {
        CacheBuild<InterruptedException> build = () -> {
          builds.incrementAndGet();
          Thread.sleep(100);
          return copy();
        };
        try (ObjectCode code = cache.getOrBuild(key(1), build).code()) {
          return code.serialize();
        }
      });
      for (Future<byte[]> each : all) {
        assertArrayEquals(World.code().serialize(), each.get());
      }
      assertEquals(1, builds.get());
      CacheStatistics s = cache.getStatistics();
      assertEquals(1, s.builds());
      assertEquals(7, s.joins() + s.hitsMemory());
      assertEquals(1, s.stores());
    }
  }

  @Test
  void eightThreadsCompileOnce() throws Exception {
    try (Cache cache = new Cache(folder);
        Program program = program(World.SOURCE, "eight.cu")) {
      List<Future<byte[]>> all = together(8, () -> {
        try (ObjectCode code = program.compile(CodeType.PTX, cache)) {
          return code.serialize();
        }
      });
      for (Future<byte[]> each : all) {
        assertArrayEquals(all.get(0).get(), each.get());
      }
      assertEquals(1, cache.getStatistics().builds());
    }
  }

  @Test
  void givesTheBuiltObjectItself() {
    try (Cache cache = new Cache(folder);
        ObjectCode made = copy();
        ObjectCode got = cache.getOrBuild(key(1), () -> made).code();
        ObjectCode again = cache.getOrBuild(key(1), () -> { throw new AssertionError("it was called"); }).code()) {
      assertSame(made, got);
      assertNotSame(made, again);
      made.close();
      assertTrue(got.isClosed());
      assertArrayEquals(World.code().serialize(), again.serialize());
    }
  }

  private static void assertComesOut(Cache cache, int number, Throwable thrown) {
    CacheBuild<Exception> build = () -> {
      if (thrown instanceof Error) {
        throw (Error) thrown;
      }
      throw (Exception) thrown;
    };
    int depth = thrown.getStackTrace().length;
    assertSame(thrown, assertThrows(thrown.getClass(), () -> cache.getOrBuild(key(number), build)));
    assertEquals(depth, thrown.getStackTrace().length);
    assertEquals(0, thrown.getSuppressed().length);
    try (ObjectCode code = cache.getOrBuild(key(number), CacheBuildTest::copy).code()) {
      assertArrayEquals(World.code().serialize(), code.serialize());
    }
  }

  @Test
  void whatBuildThrowsComesOut() {
    try (Cache cache = new Cache(folder);
        Program wrong = program("#error this one\n", "wrong.cu")) {
      assertComesOut(cache, 1, new FileNotFoundException("checked"));
      assertComesOut(cache, 2, new IllegalStateException("unchecked"));
      assertComesOut(cache, 3, new AssertionError("an error"));
      assertComesOut(cache, 4, new StackOverflowError());
      assertComesOut(cache, 5, assertThrows(CompilationException.class, () -> wrong.compile(CodeType.PTX)));
      CacheBuild<IOException> checked = () -> { throw new IOException("declared"); };
      try {
        cache.getOrBuild(key(6), checked);
      } catch (IOException e) { // the compiler allows this exception
        assertEquals("declared", e.getMessage());
      }
      assertEquals(6, cache.getStatistics().buildFailures());
      assertThrows(InvalidArgumentException.class, () -> cache.getOrBuild(key(7), () -> null));
      assertThrows(InvalidArgumentException.class, () -> cache.getOrBuild(key(7), null));
      ObjectCode closed = copy();
      closed.close();
      assertFails(InvalidHandleException.class, Status.INVALID_HANDLE, () -> cache.getOrBuild(key(7), () -> closed));
      assertThrows(StackOverflowError.class, () -> cache.getOrBuild(key(7), CacheBuildTest::endless));
      cache.getOrBuild(key(7), CacheBuildTest::copy).code().close();
    }
  }

  private static ObjectCode endless() {
    return endless().isClosed() ? null : endless();
  }

  /** Those that waited for a build that threw build for themselves. */
  @Test
  void othersBuildForThemselves() throws Exception {
    for (boolean fromCompiler : new boolean[] {false, true}) {
      try (Cache cache = new Cache(folder);
          Program wrong = program("#error this one\n", "wrong.cu")) {
        AtomicInteger calls = new AtomicInteger();
        RuntimeException first =
            fromCompiler ? assertThrows(CompilationException.class, () -> wrong.compile(CodeType.PTX)) : new RuntimeException();
        byte[] key = key(fromCompiler ? 1 : 2);
        List<Future<Boolean>> all = together(8, () -> {
          try {
            cache.getOrBuild(key, () -> {
              if (calls.incrementAndGet() == 1) {
                Thread.sleep(200);
                throw first;
              }
              return copy();
            }).code().close();
            return true;
          } catch (RuntimeException e) {
            assertSame(first, e);
            return false;
          }
        });
        int failed = 0;
        for (Future<Boolean> each : all) {
          failed += each.get() ? 0 : 1;
        }
        assertEquals(1, failed);
        assertTrue(calls.get() >= 2, "" + calls.get());
      }
    }
  }

  @Test
  void buildsInsideOfBuilds() {
    try (Cache cache = new Cache(folder);
        Program program = program(World.SOURCE, "inside.cu");
        ObjectCode outer = cache.getOrBuild(key(1), () -> {
          assertThrows(IllegalStateException.class,
              () -> cache.getOrBuild(key(3), () -> { throw new IllegalStateException(); }));
          ObjectCode inner = cache.getOrBuild(key(2), () -> program.compile(CodeType.PTX, cache)).code();
          assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> cache.get(new byte[1]));
          return inner;
        }).code()) {
      outer.kernel("scale").close();
      assertEquals(2 + 1 + 1, cache.getStatistics().builds());
    }
  }

  @Test
  void aBuildThatRequestsItsOwnResult() {
    try (Cache cache = new Cache(folder)) {
      CacheBuild<RuntimeException> refused = () -> {
        long begin = System.nanoTime();
        String message = assertThrows(InvalidStateException.class,
            () -> cache.getOrBuild(key(1), CacheBuildTest::copy)).getMessage();
        assertTrue(message.contains("key is one that this thread is already building"), message);
        assertTrue(System.nanoTime() - begin < 5_000_000_000L);
        return copy();
      };
      cache.getOrBuild(key(1), refused).code().close();
      cache.trim(0);
      // Through another key; an uncaught exception leaves every call.
      assertThrows(InvalidStateException.class, () -> cache.getOrBuild(key(1),
          () -> cache.getOrBuild(key(2), () -> cache.getOrBuild(key(1), CacheBuildTest::copy).code()).code()));
      cache.getOrBuild(key(1), () -> cache.getOrBuild(key(2), CacheBuildTest::copy).code()).code().close();
    }
  }

  @Test
  void closeWhileInUse() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    Cache cache = new Cache(folder);
    AtomicReference<Object> result = new AtomicReference<>();
    Thread thread = new Thread(() -> {
      try (ObjectCode code = cache.getOrBuild(key(1), () -> {
        inside.countDown();
        closed.await();
        return copy();
      }).code()) {
        result.set(code.getName());
      } catch (Throwable e) {
        result.set(e);
      }
    });
    thread.start();
    inside.await();
    cache.close();
    assertTrue(cache.isClosed());
    closed.countDown();
    thread.join();
    assertEquals("world.cu", result.get());
    assertFails(InvalidHandleException.class, Status.INVALID_HANDLE, () -> cache.get(key(1)));
    assertFails(InvalidHandleException.class, Status.INVALID_HANDLE, () -> cache.getOrBuild(key(1), () -> copy()));
    assertFails(InvalidHandleException.class, Status.INVALID_HANDLE, cache::getDirectory);
    assertEquals("Cache (closed)", cache.toString());
    try (Cache later = new Cache(folder)) {
      later.get(key(1)).close();
    }
    closeInManyThreads();
  }

  private void closeInManyThreads() throws Exception {
    AtomicReference<Cache> shared = new AtomicReference<>(new Cache(folder));
    AtomicInteger number = new AtomicInteger();
    for (Future<Integer> each : together(6, () -> {
      boolean closes = number.incrementAndGet() <= 2;
      int hits = 0;
      for (int i = 0; i < 200; ++i) {
        Cache cache = shared.get();
        try {
          if (closes) {
            cache.close();
            shared.set(new Cache(folder));
          } else {
            cache.getOrBuild(key(1), CacheBuildTest::copy).code().close();
            hits += cache.getStatistics().misses() == 0 ? 1 : 0;
          }
        } catch (InvalidHandleException e) {
          // closed by another thread, as expected
        }
      }
      return hits;
    })) {
      each.get();
    }
    shared.get().close();
  }

  @Test
  void collectedWhileInUse() throws Exception {
    for (int i = 0; i < 20; ++i) {
      int number = i;
      ObjectCode code = new Cache(folder).getOrBuild(key(number), () -> {
        System.gc();
        return copy();
      }).code();
      System.gc();
      assertEquals("world.cu", code.getName());
      code.close();
    }
  }

  @Test
  void nothingLeaks() throws Exception {
    Child child = Child.run(Map.of(), List.of("-Xmx48m", "-Xms48m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC"),
        "cacheMemory", folder.toString());
    assertEquals(0, child.code, child.output);
    long grown = Long.parseLong(child.output);
    System.out.println("the cache leaks nothing: " + grown / 1024 + " KiB more after 60 000 further calls");
    assertTrue(grown < 8 << 20, grown + " bytes more");
  }

  private static String numbered(int number) {
    return "extern \"C\" __global__ void k" + number + "(int *p) { *p = " + number + "; }\n";
  }

  private static void close(List<BatchResult> results) {
    results.stream().filter(BatchResult::isSuccessful).forEach(r -> r.code().close());
  }

  @Test
  void batches() {
    List<Program> programs = new ArrayList<>();
    List<BatchItem> items = new ArrayList<>();
    for (int i = 0; i < 6; ++i) {
      programs.add(program(i == 3 ? "#error this one\n" : numbered(i), "batch.cu"));
      items.add(BatchItem.of(programs.get(i), CodeType.PTX));
    }
    programs.add(program("template <typename T> __global__ void t(T *) {}\n", "templates.cu"));
    items.add(BatchItem.of(programs.get(6), CodeType.PTX, "t<int>", "t<float>"));
    items.add(BatchItem.of(programs.get(0), CodeType.PTX));
    try (Cache cache = new Cache(folder)) {
      BatchOptions options =
          BatchOptions.builder().workers(2).timeLimit(Duration.ofMinutes(5)).cache(cache).build();
      for (int round = 0; round < 2; ++round) {
        List<BatchResult> results = Program.compileBatch(items, options);
        assertEquals(items.size(), results.size());
        for (int i = 0; i < items.size(); ++i) {
          assertEquals(i != 3, results.get(i).isSuccessful(), results.get(i).toString());
          assertEquals(i == 3, results.get(i).error().isPresent());
          if (i != 3) {
            try (ObjectCode alone = items.get(i).program().compile(CodeType.PTX, items.get(i).nameExpressions())) {
              assertArrayEquals(alone.serialize(), results.get(i).code().serialize());
            }
          }
        }
        CucoreException failure = results.get(3).error().orElseThrow();
        assertEquals(CompilationException.class, failure.getClass());
        assertTrue(failure.log().contains("this one"));
        assertEquals(1, failure.diagnostics().get(0).line());
        assertSame(failure, assertThrows(CompilationException.class, () -> results.get(3).code()));
        results.get(6).code().kernel("t<float>").close();
        close(results);
      }
      assertEquals(6 + 2, cache.getStatistics().builds()); // each once, and the wrong one twice
      assertEquals(6, cache.getStatistics().stores());
    }
    close(Program.compileBatch(items.subList(0, 2)));
    programs.forEach(Program::close);
  }

  @Test
  void batchesThatAreWrong() throws Exception {
    assertEquals(List.of(), Program.compileBatch(List.of()));
    assertThrows(InvalidArgumentException.class, () -> BatchItem.of(null, CodeType.PTX));
    assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> BatchOptions.builder().workers(-1));
    assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT,
        () -> BatchOptions.builder().timeLimit(Duration.ofNanos(1)));
    Program program = program(numbered(1), "wrong.cu");
    BatchItem item = BatchItem.of(program, CodeType.PTX);
    Cache cache = new Cache(CacheOptions.builder().directory("").build());
    cache.close();
    BatchOptions closed = BatchOptions.builder().cache(cache).build();
    assertFails(InvalidHandleException.class, Status.INVALID_HANDLE, () -> Program.compileBatch(List.of(item), closed));
    program.close();
    assertFails(InvalidHandleException.class, Status.INVALID_HANDLE, () -> Program.compileBatch(List.of(item)));
    Child child = Child.run(Map.of("CUCORE_WORKER", "/no/such/worker"), List.of(), "batch");
    assertTrue(child.output.startsWith(NotFoundException.class.getSimpleName()) && child.output.contains("/no/such/worker"),
        child.output);
  }

  /** One that takes too long does not affect the other. */
  @Test
  void timeLimit() {
    // The compiler takes very long for this.
    String endless = "template <int N> struct F { static constexpr int v = F<N - 1>::v + F<N - 2>::v; };\n"
        + "template <int N, int M> struct G { static constexpr int v = G<N - 1, 2 * M>::v + G<N - 1, 2 * M + 1>::v; };\n"
        + "template <int M> struct G<0, M> { static constexpr int v = M; };\n"
        + "__global__ void k(int *p) { *p = G<24, 0>::v; }\n";
    try (Program one = program(endless, "endless.cu");
        Program two = program(numbered(2), "quick.cu")) {
      List<BatchItem> items = List.of(BatchItem.of(one, CodeType.PTX), BatchItem.of(two, CodeType.PTX));
      List<BatchResult> results =
          Program.compileBatch(items, BatchOptions.builder().workers(2).timeLimit(Duration.ofSeconds(5)).build());
      assertFalse(results.get(0).isSuccessful());
      assertTrue(results.get(0).error().orElseThrow().getMessage().contains("5000"), results.get(0).toString());
      assertTrue(results.get(1).isSuccessful(), results.get(1).toString());
      close(results);
    }
  }
}
