// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.cucore.CheckReport;
import io.cucore.Checks;
import io.cucore.ChecksException;
import io.cucore.ChecksOptions;
import io.cucore.CodeType;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaEvent;
import io.cucore.CudaStream;
import io.cucore.InvalidArgumentException;
import io.cucore.InvalidStateException;
import io.cucore.KernelFaultException;
import io.cucore.LaunchConfig;
import io.cucore.ObjectCode;
import io.cucore.OutOfDeviceMemoryException;
import io.cucore.Program;
import io.cucore.ProgramOptions;
import io.cucore.junit.FailsAllocation;
import io.cucore.junit.NoCheckReports;
import io.cucore.junit.NoLeaks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Checks of kernels: reports, options, and the extension of JUnit with tests that must fail. */
class ChecksTest {
  private static final String SOURCE =
      "extern \"C\" __global__ void store(int *p, int at) { p[at] = 1; }\n"
          + "extern \"C\" __global__ void forever(volatile int *p) { while (*p == 0); }\n"
          + "extern \"C\" __global__ void say(int *p) { printf(\"hello\\n\"); }\n"
          + "extern \"C\" __global__ void reverse(int *p) {\n"
          + "  __shared__ int s[64];\n"
          + "  s[threadIdx.x] = threadIdx.x;\n"
          + "  p[threadIdx.x] = s[63 - threadIdx.x];\n"
          + "}\n";
  private static ObjectCode code;

  @BeforeEach
  void compile() {
    assumeTrue(World.device().isEmulated());
    code();
  }

  private static synchronized ObjectCode code() {
    if (code == null) {
      try (Program program = Program.ofCuda(SOURCE, ProgramOptions.builder().name("checks.cu").lineinfo(true).build())) {
        code = program.compile(CodeType.PTX);
      }
    }
    return code;
  }

  static void store(int at) {
    try (CudaDevice device = World.device(); CudaStream stream = new CudaStream(device);
        CudaBuffer data = new CudaBuffer(device, 64, stream)) {
      code().kernel("store").launch(stream, LaunchConfig.of(1, 1), data, at);
      stream.synchronize();
    }
  }

  private static void run(String kernel, int threads) {
    try (CudaDevice device = World.device(); CudaStream stream = new CudaStream(device);
        CudaBuffer data = new CudaBuffer(device, 256, stream)) {
      data.fill(0, stream);
      code().kernel(kernel).launch(stream, LaunchConfig.of(1, threads), data);
      stream.synchronize();
    }
  }

  @Test
  void findNothingInAGoodKernel() {
    try (Checks checks = new Checks()) {
      assertTrue(checks.isRunning());
      store(0);
      checks.verify();
      assertFalse(checks.isRunning());
      assertEquals(List.of(), checks.getReports());
    }
  }

  @Test
  void reportABadKernel() {
    try (Checks checks = new Checks(ChecksOptions.builder().kinds("memory").build())) {
      store(16);
      ChecksException found = assertThrows(ChecksException.class, checks::verify);
      assertTrue(found.getMessage().contains("out-of-bounds"), found.getMessage());
      assertEquals(2, found.toString().split("out-of-bounds", -1).length, found.toString());
      CheckReport report = checks.getReports().get(0);
      assertEquals(1, checks.getReports().size());
      assertEquals("out-of-bounds", report.kind());
      assertEquals("store", report.kernel());
      assertEquals("checks.cu", report.file());
      assertEquals(1, report.line());
      assertEquals(List.of(0, 0, 0), report.block());
      assertEquals(List.of(0, 0, 0), report.thread());
      assertEquals(report.allocation() + 64, report.address());
      assertEquals(64, report.allocationSize());
      assertEquals(report.text(), report.toString());
      assertEquals(report.text() + "\n", checks.getText());
      assertTrue(checks.getJson().contains(report.json()));
    }
  }

  @Test
  void suppressReports(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("known"), "# known\n* st*\n");
    for (ChecksOptions options : List.of(ChecksOptions.builder().suppressions("out-of-bounds store checks.cu:1").build(),
        ChecksOptions.builder().suppressionFiles(file.toString()).build())) {
      try (Checks checks = new Checks(options)) {
        store(16);
        checks.verify();
      }
    }
  }

  @Test
  void injectFaults() {
    try (Checks checks = new Checks(ChecksOptions.builder().kinds("none").faults("allocation@1+=2").build())) {
      assertThrows(OutOfDeviceMemoryException.class, () -> store(0));
      checks.end();
      assertTrue(checks.getFaultCount() > 0);
      assertTrue(checks.callCount("cuMemAllocAsync") > 0);
    }
    store(0);
  }

  @Test
  void findLeaks() {
    try (Checks checks = new Checks(ChecksOptions.builder().kinds("leak").build()); CudaEvent kept = new CudaEvent(World.device())) {
      store(0);
      assertTrue(kept.query());
      ChecksException found = assertThrows(ChecksException.class, checks::verify);
      assertTrue(found.getMessage().contains("leak: cuEventCreate"), found.getMessage());
      assertEquals(List.of("leak"), checks.getReports().stream().map(CheckReport::kind).collect(Collectors.toList()));
    }
  }

  @Test
  void traceTheCallsOfTheDriver(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("trace");
    try (CudaDevice device = World.device()) {
      try (Checks checks = new Checks(ChecksOptions.builder().kinds("none").traceFile(file.toString()).build())) {
        new CudaEvent(device).close();
        checks.end();
      }
      new CudaStream(device).close();
    }
    String trace = Files.readString(file);
    assertTrue(trace.contains("\"call\":\"cuEventCreate\""), trace);
    assertFalse(trace.contains("cuStreamCreate"), trace);
  }

  @Test
  void nameTheirSchedule() {
    try (Checks checks = new Checks(ChecksOptions.builder().kinds("race").schedule("random").seed(5).build())) {
      run("reverse", 64);
      checks.end();
      assertEquals("random:5", checks.getSchedule());
      CheckReport report = checks.getReports().get(0);
      assertEquals("shared-race", report.kind());
      assertEquals("random:5", report.schedule());
      assertEquals(5, report.seed());
      assertEquals(Set.of(6, 7), Set.of(report.line(), report.otherLine()));
    }
    try (Checks checks = new Checks(ChecksOptions.builder().kinds("race").schedule("random").build())) {
      run("reverse", 64);
      checks.end();
      assertTrue(checks.getSchedule().matches("random:\\d+"), checks.getSchedule());
      assertEquals(checks.getSchedule(), checks.getReports().get(0).schedule());
    }
    try (Checks checks = new Checks(ChecksOptions.builder().schedule("sequential").build())) {
      checks.end();
      assertEquals("", checks.getSchedule());
    }
  }

  private static void fails(ChecksOptions.Builder options, String kernel, String... parts) {
    try (CudaDevice device = World.device(); Checks checks = new Checks(options.kinds("memory").build())) {
      KernelFaultException fault = assertThrows(KernelFaultException.class, () -> run(kernel, 32));
      device.reset();
      ChecksException found = assertThrows(ChecksException.class, checks::verify);
      for (String part : parts) {
        assertTrue(fault.getMessage().contains(part), fault.getMessage());
      }
      assertTrue(found.getMessage().contains("fault: kernel '" + kernel + "'"), found.getMessage());
    }
  }

  @Test
  void boundLaunches() {
    fails(ChecksOptions.builder().launchInstructions(1000), "forever", "budget of 1000 warp", "launchInstructions");
    fails(ChecksOptions.builder().launchMemory(1024), "say", "a launch has 1024 bytes", "launchMemory");
    fails(ChecksOptions.builder().launchOutput(6 * 32 - 1), "say", "a launch has 191", "launchOutput");
    try (Checks checks = new Checks(ChecksOptions.builder().launchMemory(1 << 20).launchOutput(6 * 32).build())) {
      run("say", 32);
      checks.verify();
    }
  }

  @Test
  void runOneAtATime() {
    try (Checks checks = new Checks()) {
      assertThrows(InvalidStateException.class, Checks::new);
      assertTrue(checks.isRunning());
    }
    InvalidArgumentException wrong =
        assertThrows(InvalidArgumentException.class, () -> new Checks(ChecksOptions.builder().kinds("rice").build()));
    assertTrue(wrong.getMessage().contains("kinds is 'rice'"), wrong.getMessage());
  }

  /** Tests with the annotations; those named bad must fail. Only the test below runs them. */
  static class Marked {
    private static CudaEvent kept;

    @Test
    @NoCheckReports
    void checkedGood() {
      store(0);
    }

    @Test
    @NoCheckReports("memory")
    void checkedBad() {
      store(16);
    }

    @Test
    @NoCheckReports(suppressions = "out-of-bounds store")
    void checkedSuppressed() {
      store(16);
    }

    @Test
    @NoLeaks
    void leaksGood() {
      store(0);
    }

    @Test
    @NoLeaks
    void leaksBad() {
      kept = new CudaEvent(World.device());
    }

    @Test
    @FailsAllocation(1)
    void surviveGood() {
      assertThrows(OutOfDeviceMemoryException.class, () -> store(0));
    }

    @Test
    @FailsAllocation(1)
    void surviveBad() {
      store(0);
    }

    @Test
    @FailsAllocation(99)
    void surviveWithoutAFaultBad() {
      store(0);
    }
  }

  @Test
  void annotationsLetWrongTestsFail() {
    Map<String, String> failures = new TreeMap<>();
    Map<String, String> passed = new TreeMap<>();
    LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request().selectors(selectClass(Marked.class)).build();
    LauncherFactory.create().execute(request, new TestExecutionListener() {
      @Override
      public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (test.isTest()) {
          result.getThrowable().ifPresentOrElse(t -> failures.put(test.getDisplayName(), t.toString()),
              () -> passed.put(test.getDisplayName(), ""));
        }
      }
    });
    assertEquals(4, passed.size(), failures.toString());
    Map<String, String> reasons = Map.of("checkedBad()", "out-of-bounds", "leaksBad()", "leak: cuEventCreate", "surviveBad()",
        "OutOfDeviceMemory", "surviveWithoutAFaultBad()", "no fault was injected");
    assertEquals(reasons.keySet(), failures.keySet());
    reasons.forEach((name, reason) -> assertTrue(failures.get(name).contains(reason), failures.get(name)));
    Marked.kept.close();
  }
}
