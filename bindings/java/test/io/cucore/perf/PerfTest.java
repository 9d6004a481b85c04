// SPDX-License-Identifier: Apache-2.0
package io.cucore.perf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.CodeType;
import io.cucore.CucoreException;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.InvalidArgumentException;
import io.cucore.InvalidHandleException;
import io.cucore.InvalidStateException;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.NotFoundException;
import io.cucore.ObjectCode;
import io.cucore.UnsupportedException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Measurements, profiles and analyses on the CPU device. */
class PerfTest {
  private static final int BLOCKS = 4;
  private static final int THREADS = 64;
  private static final long BYTES = 4L * BLOCKS * THREADS;
  private static final LaunchConfig CONFIG = LaunchConfig.of(BLOCKS, THREADS);
  // y[i] = 2 x[i], with 13 instructions per thread
  private static final String PTX = ".version 7.0\n.target sm_52\n.address_size 64\n"
      + ".visible .entry twice(.param .u64 x, .param .u64 y) {\n"
      + ".reg .b32 %r<5>; .reg .b64 %rd<6>; .reg .f32 %f<3>;\n"
      + "ld.param.u64 %rd1, [x];\nld.param.u64 %rd2, [y];\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
      + "mad.lo.s32 %r4, %r1, %r2, %r3;\nmul.wide.u32 %rd3, %r4, 4;\nadd.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, %rd2, %rd3;\n"
      + "ld.global.f32 %f1, [%rd4];\nmul.f32 %f2, %f1, 0f40000000;\nst.global.f32 [%rd5], %f2;\nret;\n}\n";

  private CudaDevice device;
  private CudaStream stream;
  private ObjectCode code;
  private Kernel kernel;
  private CudaBuffer x;
  private CudaBuffer y;

  @BeforeEach
  void open() {
    device = CudaDevice.first();
    stream = new CudaStream(device);
    code = ObjectCode.fromBytes(CodeType.PTX, PTX.getBytes(StandardCharsets.US_ASCII));
    kernel = code.kernel("twice");
    x = new CudaBuffer(device, BYTES, stream);
    y = new CudaBuffer(device, BYTES, stream);
  }

  @AfterEach
  void close() {
    for (AutoCloseable each : new AutoCloseable[] {y, x, kernel, code, stream, device}) {
      assertDoesNotFail(each::close);
    }
  }

  private static void assertDoesNotFail(Executable body) {
    org.junit.jupiter.api.Assertions.assertDoesNotThrow(body);
  }

  private void launch(CudaStream on) {
    kernel.launch(on, CONFIG, x, y);
  }

  private static MeasurementOptions quick() {
    return new MeasurementOptions().criterion(Criterion.COUNT).minSamples(5).batch(false);
  }

  @Test
  void measuresWorks() {
    AtomicInteger calls = new AtomicInteger();
    AtomicInteger setups = new AtomicInteger();
    try (Measurement found = Perf.measure(device, on -> {
      calls.incrementAndGet();
      launch(on);
    }, quick().name("twice").bytes(2 * BYTES).setup(on -> setups.incrementAndGet()))) {
      Statistics of = found.statistics();
      assertEquals("twice", of.name());
      assertEquals(5, of.samples());
      assertEquals(5, found.times().length);
      assertTrue(0 < of.min() && of.min() <= of.median() && of.median() <= of.max());
      assertEquals(2 * BYTES / of.median(), of.bytesPerSecond(), 1e-6 * of.bytesPerSecond());
      assertEquals(Clock.EVENTS, of.clock());
      assertEquals(StopReason.CRITERION, of.stopReason());
      assertTrue(calls.get() > 5 && setups.get() >= 5);
      assertTrue(found.text().contains("twice") && found.json().contains("cucore.measurement/1") && found.toString().contains("twice"));
      assertEquals(3, Perf.write(ReportFormat.CSV, found, found).split("\n").length);
      assertEquals(ComparisonVerdict.NO_DIFFERENCE, Perf.compare(found, found).verdict());
      assertThrows(InvalidArgumentException.class, () -> Perf.write(ReportFormat.CSV));
    }
    try (Measurement found = Perf.measure(device, () -> launch(stream), quick().stream(stream))) {
      assertEquals(5, found.statistics().samples());
    }
    try (Measurement found = Perf.measure(device, () -> launch(stream), quick().clock(Clock.HOST))) {
      assertEquals(Clock.HOST, found.statistics().clock());
    }
  }

  @Test
  void measuresLaunches() {
    try (Measurement found = Perf.measure(device, kernel, CONFIG, quick(), x, y)) {
      assertEquals("twice", found.statistics().name());
      assertEquals(5, found.statistics().samples());
    }
    assertThrows(InvalidArgumentException.class, () -> Perf.measure(device, kernel, CONFIG, quick(), x));
    CucoreException refused = assertThrows(InvalidArgumentException.class, () -> Perf.measure(device, kernel, CONFIG, quick(), x, "y"));
    assertTrue(refused.getMessage().contains("argument 2 of 2"), refused.getMessage());
  }

  @Test
  void comparesWorks() {
    try (Pair pair = Perf.compare(device, this::launch, on -> {
      launch(on);
      launch(on);
    }, quick().minSamples(20))) {
      assertTrue(0 < pair.low() && pair.low() <= pair.ratio() && pair.ratio() <= pair.high());
      assertEquals(20, pair.first().statistics().samples());
      assertEquals(20, pair.second().statistics().samples());
    }
  }

  @Test
  void exceptionsOfWorksTravel() {
    AtomicInteger calls = new AtomicInteger();
    IOException failure = new IOException("third");
    assertSame(failure, assertThrows(IOException.class, () -> Perf.measure(device, on -> {
      launch(on);
      if (calls.incrementAndGet() == 3) {
        throw failure;
      }
    }, quick())));
    assertEquals(3, calls.get());
    Error error = new StackOverflowError();
    assertSame(error, assertThrows(Error.class, () -> Perf.compare(device, this::launch, on -> {
      throw error;
    }, quick())));
    assertThrows(CucoreException.class, () -> Perf.measure(device, on -> kernel.launch(on, LaunchConfig.of(1, 4096), x, y), quick()));
    assertThrows(ArithmeticException.class, () -> Perf.measure(device, this::launch, quick().setup(on -> Math.floorDiv(1, calls.get() - 3))));
  }

  @Test
  void refusesOptionsByTheirNames() {
    CucoreException refused = assertThrows(InvalidArgumentException.class, () -> Perf.measure(device, this::launch, quick().noise(-1)));
    assertTrue(refused.getMessage().contains("MeasurementOptions.noise is -1"), refused.getMessage());
    refused = assertThrows(UnsupportedException.class, () -> Perf.measure(device, this::launch, quick().clock(Clock.ACTIVITY)));
    assertTrue(refused.getMessage().contains("MeasurementOptions.clock is ACTIVITY"), refused.getMessage());
    assertThrows(InvalidArgumentException.class, () -> new Profiler(new ProfilerOptions().overhead(2)));
    assertThrows(IllegalArgumentException.class, () -> Perf.measure(device, this::launch, quick().name("a\0b")));
  }

  @Test
  void profilesExactly() {
    Profile profile = Perf.profile();
    try (profile) {
      assertThrows(InvalidStateException.class, profile::report);
      profile.profiler().beginRange("part");
      launch(stream);
      launch(stream);
      profile.profiler().endRange();
      profile.profiler().run("inner", this::launch);
      assertThrows(IOException.class, () -> profile.profiler().run("bad", on -> {
        throw new IOException();
      }));
      CucoreException none = assertThrows(InvalidStateException.class, profile.profiler()::endRange);
      assertTrue(none.getMessage().contains("Profiler.beginRange()"), none.getMessage());
    }
    profile.close();
    try (Report report = profile.report()) {
      assertEquals(ProfilerSource.EMULATED, report.source());
      assertEquals(1, report.rows().size());
      KernelRow row = report.rows().get(0);
      assertEquals("twice", row.name());
      assertArrayEquals(new int[] {BLOCKS, 1, 1}, row.grid());
      assertArrayEquals(new int[] {THREADS, 1, 1}, row.block());
      assertEquals(3, row.calls());
      assertEquals(3.0 * BYTES, row.bytesRead());
      assertEquals(3.0 * BYTES, row.bytesWritten());
      assertEquals(AmountSource.COUNTER, row.bytesSource());
      assertEquals(3.0 * BLOCKS * THREADS * 13, report.counter(0, "cpu.instructions"));
      assertTrue(Double.isNaN(report.memoryEfficiency()) && Double.isNaN(report.computeEfficiency()) && Double.isNaN(report.efficiency("part")[0]));
      assertTrue(report.text().contains("twice") && report.html().contains("<html") && report.json().contains("cucore.report/1"));
      report.findings().forEach(each -> assertFalse(each.id().isEmpty()));
      assertThrows(NotFoundException.class, () -> report.counter(0, "cpu.sneezes"));
      assertThrows(InvalidArgumentException.class, () -> report.counter(1, "cpu.instructions"));
      assertThrows(NotFoundException.class, () -> report.efficiency("none"));
      report.close();
      CucoreException closed = assertThrows(InvalidHandleException.class, report::rows);
      assertTrue(closed.getMessage().contains("the Report has been closed"), closed.getMessage());
    }
    try (Report report = Perf.profile(() -> launch(stream))) {
      assertEquals(1, report.rows().get(0).calls());
    }
  }

  @Test
  void declaresAmounts() {
    AtomicReference<Launch> seen = new AtomicReference<>();
    AtomicReference<String> name = new AtomicReference<>();
    try (Profiler profiler = new Profiler(new ProfilerOptions().source(ProfilerSource.EVENTS))) {
      profiler.declare(kernel, launch -> {
        seen.set(launch);
        name.set(launch.kernel().getName());
        return Declaration.of(1000, 500, 300);
      });
      profiler.begin();
      launch(stream);
      try (Report report = profiler.end()) {
        KernelRow row = report.rows().get(0);
        assertEquals(1000, row.bytesRead());
        assertEquals(500, row.bytesWritten());
        assertEquals(300, row.operations());
        assertEquals(AmountSource.DECLARED, row.bytesSource());
      }
      assertEquals("twice", name.get());
      assertArrayEquals(new int[] {BLOCKS, 1, 1}, seen.get().grid());
      assertArrayEquals(new int[] {THREADS, 1, 1}, seen.get().block());
    }
    AtomicReference<Throwable> caught = new AtomicReference<>();
    Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> caught.set(failure));
    try (Profiler profiler = new Profiler(new ProfilerOptions().source(ProfilerSource.EVENTS).model(false))) {
      profiler.declare("twice", launch -> {
        throw new IllegalStateException("no amounts");
      });
      profiler.begin();
      launch(stream);
      try (Report report = profiler.end()) {
        assertEquals(AmountSource.NONE, report.rows().get(0).bytesSource());
      }
      assertEquals("no amounts", caught.get().getMessage());
    } finally {
      Thread.currentThread().setUncaughtExceptionHandler(null);
    }
  }

  @Test
  void analysesAndModels() {
    try (Analysis analysis = Perf.analyze(code, new AnalysisOptions().archs(List.of("sm_90")).block(THREADS))) {
      KernelAnalysis found = analysis.kernels().get(0);
      assertEquals("twice", found.name());
      assertEquals(CodeLevel.PTX, found.level());
      assertEquals(13, found.instructions());
      assertEquals(13, found.instructionCounts(InstructionClass.ANY).count());
      assertArrayEquals(new int[] {0, 0, 1, 0, 0, 0}, found.instructionCounts(InstructionClass.LOAD_GLOBAL).widths());
      assertEquals("A116", analysis.findings().get(0).id());
      assertEquals(FindingSeverity.NOTE, analysis.findings().get(0).severity());
      assertTrue(analysis.text().contains("A116") && analysis.json().contains("cucore.analysis/1"));
      assertThrows(InvalidStateException.class, () -> found.occupancy(null, 0, 0));
      assertThrows(NotFoundException.class, () -> found.instructionCounts(InstructionClass.ANY, CodeLevel.MACHINE));
      for (Object[] arguments : new Object[][] {{null, null}, {x, y}, {0x1000L, 0x9000L}}) {
        LaunchModel model = found.model(CONFIG, arguments);
        assertEquals(ModelQuality.EXACT, model.quality());
        assertEquals(BLOCKS, model.blocks());
        assertEquals((double) BYTES, model.requestedRead());
        assertEquals((double) BYTES, model.bytesWritten());
        assertEquals((double) BLOCKS * THREADS, model.operationsF32());
        assertEquals(ModelBound.MEMORY, model.bound());
      }
      assertThrows(InvalidArgumentException.class, () -> found.model(CONFIG, x));
      assertThrows(InvalidArgumentException.class, () -> found.model(CONFIG, "x", y));
    }
    try (Analysis analysis = Perf.analyze(code, new AnalysisOptions().allow(List.of("A116")))) {
      assertEquals(List.of(), analysis.findings());
    }
    assertThrows(InvalidArgumentException.class, () -> Perf.analyze(code, new AnalysisOptions().allow(List.of("A999"))));
  }

  @Test
  void modelsALaunchAtTheRatesOfARoof() {
    String json = "{\"schema\": \"cucore.roof/1\", \"machine\": {\"device\": \"mine\"}, \"values\": {\"copy\": 1e9, \"read\": 1e9, \"write\": 1e9}}";
    AnalysisOptions options = new AnalysisOptions().disassembler(true);
    try (Roof roof = Roof.fromJson(json); Analysis analysis = Perf.analyze(code, options.roof(roof))) {
      LaunchModel model = analysis.kernels().get(0).model(CONFIG, null, null);
      assertTrue(model.isMeasured());
      assertEquals("mine", model.device());
      assertEquals(2.0 * BYTES / 1e9, model.leastSeconds(), 1e-12);
    }
    assertThrows(InvalidHandleException.class, () -> Perf.analyze(code, options), "the roof is closed");
  }

  @Test
  void describesTheMachine(@TempDir Path folder) {
    Occupancy found = Perf.occupancy("sm_90", 256, 64, 0);
    assertEquals(4, found.blocks());
    assertEquals(OccupancyLimiter.REGISTERS, found.limiter());
    assertEquals(0.5, found.fraction());
    assertThrows(UnsupportedException.class, () -> Perf.occupancy("sm_35", 256, 0, 0));
    try (Roof roof = Perf.roof(device, new RoofOptions().directory(folder.toString()).maxTimeMs(1)); Roof again = Roof.fromJson(roof.json())) {
      assertTrue(roof.value(RoofKind.COPY) > 0);
      assertEquals(roof.value(RoofKind.F32), again.value(RoofKind.F32));
      assertThrows(InvalidArgumentException.class, () -> roof.value(RoofKind.NONE));
    }
    assertThrows(InvalidArgumentException.class, () -> Roof.fromJson("no"));
    CucoreException refused = assertThrows(InvalidArgumentException.class, () -> Perf.presetPasses("GH100", "magic"));
    assertTrue(refused.getMessage().contains("magic"));
    Perf.startFromEnvironment();
    assertTrue(Perf.version() > 0);
  }

  @Test
  void forgottenObjectsAreReleased() throws Exception {
    List<java.lang.ref.WeakReference<Object>> forgotten = new ArrayList<>();
    for (int i = 0; i < 50; ++i) {
      Profiler profiler = new Profiler();
      profiler.declare("k" + i, launch -> Declaration.of(0, 0, 0));
      forgotten.add(new java.lang.ref.WeakReference<>(profiler));
      forgotten.add(new java.lang.ref.WeakReference<>(Perf.analyze(code)));
    }
    for (int i = 0; i < 200 && forgotten.stream().anyMatch(each -> each.get() != null); ++i) {
      System.gc();
      Thread.sleep(5);
    }
    assertTrue(forgotten.stream().allMatch(each -> each.get() == null));
  }

  @Test
  void threadsShareASession() throws Exception {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (Profiler profiler = new Profiler()) {
      profiler.begin();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 64; ++i) {
        String range = "range " + i % 4;
        threads.add(new Thread(() -> {
          profiler.beginRange(range);
          for (int each = 0; each < 4; ++each) {
            launch(stream);
          }
          profiler.endRange();
          Perf.analyze(code).close();
        }));
      }
      threads.forEach(each -> each.setUncaughtExceptionHandler((thread, thrown) -> failure.set(thrown)));
      threads.forEach(Thread::start);
      for (Thread each : threads) {
        each.join();
      }
      assertEquals(null, failure.get());
      try (Report report = profiler.end()) {
        assertEquals(256, report.rows().get(0).calls());
        assertEquals(256.0 * BLOCKS * THREADS * 13, report.counter(0, "cpu.instructions"));
      }
    }
  }

  @Test
  void nullIsRefusedByName() throws Exception {
    int count = 0;
    for (Method method : Perf.class.getMethods()) {
      if (method.getDeclaringClass() != Perf.class || method.getParameterCount() == 0) {
        continue;
      }
      Object[] nulls = new Object[method.getParameterCount()];
      for (int i = 0; i < nulls.length; ++i) {
        nulls[i] = method.getParameterTypes()[i] == int.class ? (Object) 1 : null;
      }
      Throwable thrown = assertThrows(InvocationTargetException.class, () -> method.invoke(null, nulls), method::toString).getCause();
      assertTrue(thrown instanceof InvalidArgumentException && thrown.getMessage().endsWith(" is null"), method + ": " + thrown);
      ++count;
    }
    assertTrue(count > 12);
  }
}
