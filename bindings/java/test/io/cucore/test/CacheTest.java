// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static io.cucore.test.World.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.Cache;
import io.cucore.CacheEntry;
import io.cucore.CacheFile;
import io.cucore.CacheOptions;
import io.cucore.CacheOutcome;
import io.cucore.CacheResult;
import io.cucore.CacheStatistics;
import io.cucore.CodeType;
import io.cucore.CompilationException;
import io.cucore.InvalidArgumentException;
import io.cucore.InvalidCodeException;
import io.cucore.IoException;
import io.cucore.KeyAlgorithm;
import io.cucore.Linker;
import io.cucore.LinkerOptions;
import io.cucore.ObjectCode;
import io.cucore.Program;
import io.cucore.ProgramOptions;
import io.cucore.RemoteOptions;
import io.cucore.SigningKey;
import io.cucore.Status;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cache: its results, its reports, its refusals. */
class CacheTest {
  private static final String SOURCE =
      "template <typename T> __global__ void fill(T *x, T value) { x[threadIdx.x] = value; }\n";

  @TempDir Path folder;

  static Program program(String source, String name) {
    return Program.ofCuda(source, ProgramOptions.builder().arch("compute_80").name(name).build());
  }

  static byte[] key(int number) {
    byte[] key = new byte[32];
    Arrays.fill(key, (byte) number);
    return key;
  }

  private CacheOptions.Builder here() {
    return CacheOptions.builder().directory(folder.toString());
  }

  private static void assertOutcome(CacheOutcome wanted, byte[] bytes, CacheResult got) {
    try (ObjectCode code = got.code()) {
      assertEquals(wanted, got.outcome());
      assertArrayEquals(bytes, code.serialize());
      assertTrue(got.toString().startsWith(wanted.name()));
    }
  }

  private List<Path> files(String ending) throws Exception {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(p -> p.toString().endsWith(ending)).collect(Collectors.toList());
    }
  }

  @Test
  void givesWhatCompilingGives() {
    try (Program program = program(SOURCE, "fill.cu");
        ObjectCode fresh = program.compile(CodeType.PTX, "fill<float>", "fill<int>");
        ObjectCode none = program.compile(CodeType.PTX, (Cache) null, "fill<float>", "fill<int>")) {
      byte[] bytes = fresh.serialize();
      assertArrayEquals(bytes, none.serialize());
      try (Cache cache = new Cache(folder)) {
        assertEquals(folder.toString(), cache.getDirectory());
        assertOutcome(CacheOutcome.BUILT, bytes, cache.compile(program, CodeType.PTX, "fill<float>", "fill<int>"));
        assertOutcome(CacheOutcome.HIT_MEMORY, bytes, cache.compile(program, CodeType.PTX, "fill<float>", "fill<int>"));
        try (ObjectCode code = program.compile(CodeType.PTX, cache, "fill<float>", "fill<int>")) {
          assertArrayEquals(bytes, code.serialize());
          code.kernel("fill<int>").close();
        }
      }
      try (Cache cache = new Cache(here().build())) {
        assertOutcome(CacheOutcome.HIT_DISK, bytes, cache.compile(program, CodeType.PTX, "fill<float>", "fill<int>"));
        try (ObjectCode other = cache.compile(program, CodeType.PTX, "fill<double>").code()) {
          assertEquals(1, other.getSymbolCount());
        }
        assertEquals(1, cache.getStatistics().misses());
      }
    }
  }

  @Test
  void findCompilesNothing() {
    try (Program program = program(SOURCE, "fill.cu");
        Cache cache = new Cache(here().build())) {
      assertEquals(null, cache.find(program, CodeType.PTX));
      assertEquals(0, cache.getStatistics().builds() + cache.getStatistics().misses());
      byte[] bytes = cache.compile(program, CodeType.PTX).code().serialize();
      assertOutcome(CacheOutcome.HIT_MEMORY, bytes, cache.find(program, CodeType.PTX));
      try (Cache other = new Cache(here().build())) {
        assertOutcome(CacheOutcome.HIT_DISK, bytes, other.find(program, CodeType.PTX));
      }
    }
  }

  @Test
  void whatComesFromItStays() {
    ObjectCode code;
    try (Program program = program(SOURCE, "stays.cu");
        Cache cache = new Cache(folder)) {
      cache.compile(program, CodeType.PTX, "fill<int>").code().close();
      code = cache.compile(program, CodeType.PTX, "fill<int>").code();
      cache.trim(0);
    }
    code.kernel("fill<int>").close();
    code.close();
  }

  @Test
  void links() {
    ProgramOptions relocatable = ProgramOptions.builder().arch("sm_80").relocatableDeviceCode(true).build();
    String source = "extern \"C\" __global__ void k(int *x) { *x = 2; }\n";
    LinkerOptions options = LinkerOptions.builder().name("linked").arch("sm_80").build();
    try (Cache cache = new Cache(folder);
        Program program = Program.ofCuda(source, relocatable);
        ObjectCode input = program.compile(CodeType.CUBIN);
        Linker first = new Linker(options);
        Linker second = new Linker(options);
        Linker third = new Linker(options)) {
      first.add(input);
      second.add(input);
      third.add(input);
      CacheResult built = cache.link(first, CodeType.CUBIN);
      byte[] bytes = built.code().serialize();
      assertOutcome(CacheOutcome.BUILT, bytes, built);
      assertOutcome(CacheOutcome.HIT_MEMORY, bytes, cache.link(second, CodeType.CUBIN));
      try (ObjectCode code = third.link(CodeType.CUBIN, cache);
          ObjectCode fresh = third.link(CodeType.CUBIN, null)) {
        assertArrayEquals(bytes, code.serialize());
        assertArrayEquals(bytes, fresh.serialize());
      }
      assertEquals(2, cache.getStatistics().hitsMemory());
    }
  }

  @Test
  void compileFailures() {
    try (Cache cache = new Cache(folder);
        Program program = program("#error this one\n", "wrong.cu")) {
      CompilationException e =
          assertFails(CompilationException.class, Status.COMPILATION, () -> cache.compile(program, CodeType.PTX));
      assertTrue(e.log().contains("this one"));
      assertFalse(e.diagnostics().isEmpty());
      assertThrows(InvalidArgumentException.class, () -> cache.compile(program, null));
      assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> cache.compile(null, CodeType.PTX));
      assertEquals(1, cache.getStatistics().buildFailures());
      assertEquals(0, cache.getStatistics().stores());
    }
  }

  @Test
  void keysOfYourOwn() {
    try (Cache cache = new Cache(folder)) {
      assertNull(cache.get(key(1)));
      cache.put(key(1), World.code());
      try (ObjectCode again = cache.get(key(1))) {
        assertArrayEquals(World.code().serialize(), again.serialize());
      }
      assertNull(cache.get(key(2)));
      for (byte[] wrong : new byte[][] {new byte[0], new byte[31], new byte[33]}) {
        InvalidArgumentException e =
            assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> cache.get(wrong));
        assertTrue(e.getMessage().contains("32 bytes") && e.getMessage().contains("" + wrong.length), e.getMessage());
        assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> cache.put(wrong, World.code()));
        assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT,
            () -> cache.getOrBuild(wrong, () -> { throw new AssertionError("it was called"); }));
      }
      assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> cache.get(null));
      assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> cache.put(key(3), null));
    }
    try (Cache later = new Cache(folder);
        ObjectCode again = later.getOrBuild(key(1), () -> { throw new AssertionError("it was called"); }).code()) {
      assertArrayEquals(World.code().serialize(), again.serialize());
      assertEquals(1, later.getStatistics().hitsDisk());
    }
  }

  @Test
  void inMemory() throws Exception {
    try (Cache cache = new Cache(CacheOptions.builder().directory("").build())) {
      assertEquals("", cache.getDirectory());
      assertEquals("Cache in memory", cache.toString());
      cache.put(key(1), World.code());
      cache.get(key(1)).close();
      assertEquals(0, cache.getEntries().size());
    }
  }

  @Test
  void optionsThatAreWrong() throws Exception {
    InvalidArgumentException e = assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT,
        () -> new Cache(here().maxBytes(-1).build()));
    assertTrue(e.getMessage().contains("CacheOptions.maxBytes"), e.getMessage());
    e = assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT,
        () -> new Cache(here().lockTimeoutMs(1L << 32).build()));
    assertTrue(e.getMessage().contains("CacheOptions.lockTimeoutMs"), e.getMessage());
    SigningKey bad = new SigningKey(KeyAlgorithm.ED25519, new byte[5]);
    assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> new Cache(here().keys(bad).build()));
    assertThrows(InvalidArgumentException.class, () -> here().signingKey(null));
    Path open = Files.createDirectory(folder.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertFails(IoException.class, Status.IO, () -> new Cache(open));
    try (Cache cache = new Cache(folder)) {
      assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> cache.trim(-1));
    }
  }

  @Test
  void readOnlyAndNameSpaces() throws Exception {
    try (Cache cache = new Cache(here().build())) {
      cache.put(key(1), World.code());
    }
    int before = files(".cuco").size();
    try (Program program = program(SOURCE, "read.cu");
        Cache cache = new Cache(here().readOnly(true).build())) {
      cache.get(key(1)).close();
      CacheResult result = cache.compile(program, CodeType.PTX, "fill<int>");
      result.code().close();
      assertEquals(CacheOutcome.BUILT, result.outcome()); // kept in memory
      assertEquals(before, files(".cuco").size());
    }
    try (Program program = program(SOURCE, "spaces.cu");
        Cache one = new Cache(here().nameSpace("one").build());
        Cache again = new Cache(here().nameSpace("one").locking(true).build());
        Cache two = new Cache(here().nameSpace("two").trustToolkit(true).durable(true).build())) {
      assertEquals(CacheOutcome.BUILT, one.compile(program, CodeType.PTX, "fill<int>").outcome());
      assertEquals(CacheOutcome.HIT_DISK, again.compile(program, CodeType.PTX, "fill<int>").outcome());
      assertEquals(CacheOutcome.BUILT, two.compile(program, CodeType.PTX, "fill<int>").outcome());
    }
  }

  @Test
  void hermetic() throws Exception {
    Files.writeString(folder.resolve("a.h"), "#define A 1\n");
    ProgramOptions options = ProgramOptions.builder().arch("compute_80").includePaths(folder.toString()).build();
    try (Cache cache = new Cache(here().hermetic(true).build());
        Program program = Program.ofCuda("#include \"a.h\"\n", options)) {
      InvalidArgumentException e =
          assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> cache.compile(program, CodeType.PTX));
      assertTrue(e.getMessage().contains("a.h"), e.getMessage());
    }
  }

  @Test
  void statistics() throws Exception {
    try (Program program = program(SOURCE, "count.cu");
        Cache cache = new Cache(here().maxBytes(1 << 20).maxEntries(100).maxMemory(1 << 20).maxAgeSeconds(1000).build())) {
      for (int i = 0; i < 3; ++i) {
        cache.compile(program, CodeType.PTX, "fill<int>").code().close();
        cache.compile(program, CodeType.PTX, "fill<float>").code().close();
      }
      CacheStatistics s = cache.getStatistics();
      assertEquals(2, s.builds());
      assertEquals(2, s.misses());
      assertEquals(1, s.missesNew());
      assertEquals(1, s.missesExpressions());
      assertEquals(4, s.hitsMemory());
      assertEquals(0, s.hitsDisk() + s.hitsRemote() + s.joins() + s.bypasses() + s.corrupt() + s.evictions());
      assertEquals(2, s.entries());
      assertEquals(2, s.stores());
      assertEquals(1 << 20, s.maxBytes());
      assertEquals(100, s.maxEntries());
      assertTrue(s.bytes() > 0 && s.bytesWritten() >= s.bytes() / 2);
    }
    try (Cache other = new Cache(folder)) {
      assertEquals(0, other.getStatistics().builds());
      assertEquals(2, other.getStatisticsOfAll().builds());
      assertEquals(4, other.getStatisticsOfAll().hitsMemory());
      String text = other.getStatisticsOfAll().toString();
      assertTrue(text.contains("builds=2, "), text);
      long numbers = Arrays.stream(CacheStatistics.class.getMethods())
          .filter(m -> m.getReturnType() == long.class && m.getName().startsWith("get")).count();
      assertEquals(numbers, text.split(", ").length);
      assertTrue(numbers >= 35, "" + numbers);
    }
  }

  @Test
  void entriesVerifyAndTrim() throws Exception {
    Instant before = Instant.now().minusSeconds(2);
    try (Program program = program(SOURCE, "entry.cu");
        Cache cache = new Cache(folder)) {
      cache.compile(program, CodeType.PTX, "fill<int>").code().close();
      cache.put(key(7), World.code());
      List<CacheEntry> entries = cache.getEntries();
      assertEquals(2, entries.stream().filter(e -> e.kind() == CacheFile.ENTRY).count());
      assertThrows(UnsupportedOperationException.class, () -> entries.remove(0));
      List<CacheEntry> sound = cache.verify();
      assertTrue(sound.stream().allMatch(CacheEntry::isSound));
      CacheEntry own = sound.stream().filter(e -> e.name().equals("world.cu")).findFirst().orElseThrow();
      assertEquals(CacheFile.ENTRY, own.kind());
      assertEquals(CodeType.PTX, own.type().orElseThrow());
      assertEquals("compute_80", own.arch());
      assertEquals("", own.problem());
      assertTrue(own.size() > 100);
      for (Instant moment : List.of(own.made(), own.used())) {
        assertTrue(moment.isAfter(before) && moment.isBefore(Instant.now().plusSeconds(2)), "" + moment);
      }
      byte[] name = own.key();
      own.key()[0] ^= 1;
      assertArrayEquals(name, own.key());

      StringBuilder hex = new StringBuilder();
      for (byte each : name) {
        hex.append(String.format("%02x", each));
      }
      Path file = folder.resolve("v1/" + hex.substring(0, 2) + "/" + hex.substring(2) + ".cuco");
      byte[] bytes = Files.readAllBytes(file);
      Files.write(file, new byte[1]);
      String cut = cache.getEntries().stream().filter(e -> e.size() == 1).findFirst().orElseThrow().toString();
      assertTrue(cut.startsWith("ENTRY, 1 byte: "), cut);
      bytes[bytes.length / 2] ^= 1;
      Files.write(file, bytes);
      List<CacheEntry> bad = cache.verify().stream().filter(e -> !e.isSound()).collect(Collectors.toList());
      assertEquals(1, bad.size());
      assertArrayEquals(name, bad.get(0).key());
      assertFalse(bad.get(0).problem().isEmpty());
      assertTrue(bad.get(0).toString().endsWith(bad.get(0).problem()));
      assertFalse(Files.exists(file));
      assertEquals(1, cache.getStatistics().corrupt());

      assertEquals(0, cache.trim(Long.MAX_VALUE).size());
      assertThrows(NoSuchMethodException.class, () -> Cache.class.getMethod("trim"), "everything must be said");
      assertTrue(cache.trim(0).stream().anyMatch(e -> e.kind() == CacheFile.ENTRY));
      assertEquals(0, cache.getEntries().stream().filter(e -> e.kind() == CacheFile.ENTRY).count());
      assertEquals(0, files(".cuco").size());
    }
  }

  @Test
  void explainsMisses() {
    try (Program program = program(SOURCE, "explain.cu");
        Program changed = program(SOURCE + "// more\n", "explain.cu");
        Cache cache = new Cache(folder)) {
      assertTrue(cache.explainMiss(program, CodeType.PTX, "fill<int>").startsWith("miss"));
      cache.compile(program, CodeType.PTX, "fill<int>").code().close();
      assertTrue(cache.explainMiss(program, CodeType.PTX, "fill<int>").startsWith("hit"));
      String text = cache.explainMiss(changed, CodeType.PTX, "fill<int>");
      assertTrue(text.startsWith("miss") && text.contains("source"), text);
    }
  }

  private static void await(LongSupplier number) throws InterruptedException {
    for (int i = 0; i < 1000 && number.getAsLong() == 0; ++i) {
      Thread.sleep(10);
    }
  }

  @Test
  void remotes() throws Exception {
    SigningKey key = new SigningKey(KeyAlgorithm.HMAC_SHA256, "secret".getBytes(StandardCharsets.UTF_8));
    SigningKey stranger = new SigningKey(KeyAlgorithm.HMAC_SHA256, "other".getBytes(StandardCharsets.UTF_8));
    Path shared = Files.createDirectory(folder.resolve("shared"));
    String url = "file://" + shared;
    try (Program program = program(SOURCE, "remote.cu")) {
      try (Cache cache = new Cache(here().directory(folder.resolve("a").toString()).signingKey(key).keys(key).build())) {
        cache.addRemote(url);
        assertEquals(CacheOutcome.BUILT, cache.compile(program, CodeType.PTX, "fill<int>").outcome());
        await(() -> cache.getStatistics().remoteStores());
        assertEquals(1, cache.getStatistics().remoteStores());
      }
      RemoteOptions options = RemoteOptions.builder().readOnly(true).connectTimeout(Duration.ofSeconds(1))
          .timeout(Duration.ofSeconds(5)).build();
      try (Cache cache = new Cache(here().directory(folder.resolve("b").toString()).keys(stranger, key).build())) {
        cache.addRemote(url, options);
        assertEquals(CacheOutcome.HIT_REMOTE, cache.compile(program, CodeType.PTX, "fill<int>").outcome());
      }
      try (Cache cache = new Cache(here().directory(folder.resolve("c").toString()).keys(stranger).build())) {
        cache.addRemote(url, options);
        assertEquals(CacheOutcome.BUILT, cache.compile(program, CodeType.PTX, "fill<int>").outcome());
        assertEquals(1, cache.getStatistics().remoteRefused());
        assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> cache.addRemote("ftp://host/"));
      }
    }
    assertThrows(InvalidArgumentException.class, () -> RemoteOptions.builder().timeout(Duration.ofNanos(5)));
    assertThrows(InvalidArgumentException.class, () -> RemoteOptions.builder().timeout(Duration.ofSeconds(-5)));
    assertThrows(InvalidArgumentException.class, () -> RemoteOptions.builder().timeout(Duration.ofDays(365)));
  }

  @Test
  void processesShareAFolder() throws Exception {
    java.util.Map<String, String> nothing = java.util.Map.of();
    assertEquals("BUILT", Child.run(nothing, List.of(), "cache", folder.toString()).output);
    assertEquals("HIT_DISK", Child.run(nothing, List.of(), "cache", folder.toString()).output);
    try (Program program = program(World.SOURCE, "shared.cu");
        Cache cache = new Cache(folder)) {
      assertEquals(CacheOutcome.HIT_DISK, cache.compile(program, CodeType.PTX).outcome());
      assertEquals(1, cache.getStatisticsOfAll().builds());
    }
    Path second = folder.resolve("second");
    List<String> both = Stream.of(1, 2).parallel().map(i -> {
      try {
        return Child.run(nothing, List.of(), "cache", second.toString()).output;
      } catch (Exception e) {
        return e.toString();
      }
    }).sorted().collect(Collectors.toList());
    assertEquals(List.of("BUILT", "HIT_DISK"), both);
  }

  @Test
  void environment() throws Exception {
    Child off = Child.run(java.util.Map.of("CUCORE_CACHE", "off"), List.of(), "cache", folder.toString());
    assertEquals("BYPASSED", off.output);
    assertEquals(List.of(), files(".cuco"));
    Path chosen = folder.resolve("chosen");
    Child child = Child.run(java.util.Map.of("CUCORE_CACHE_DIR", chosen.toString()), List.of(), "cache");
    assertEquals("BUILT", child.output);
    assertEquals(1, files(".cuco").size());
    assertTrue(files(".cuco").get(0).startsWith(chosen));
  }
}
