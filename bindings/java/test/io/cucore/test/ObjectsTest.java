// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static io.cucore.test.World.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.Backend;
import io.cucore.Box;
import io.cucore.CodeType;
import io.cucore.Cucore;
import io.cucore.CucoreException;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaEvent;
import io.cucore.CudaFuture;
import io.cucore.CudaQueue;
import io.cucore.CudaStream;
import io.cucore.DeviceAttribute;
import io.cucore.InvalidArgumentException;
import io.cucore.InvalidHandleException;
import io.cucore.InvalidStateException;
import io.cucore.Kernel;
import io.cucore.KernelAttribute;
import io.cucore.LaunchConfig;
import io.cucore.Library;
import io.cucore.LibraryInfo;
import io.cucore.Linker;
import io.cucore.Log;
import io.cucore.LogLevel;
import io.cucore.NotFoundException;
import io.cucore.ObjectCode;
import io.cucore.Parameter;
import io.cucore.ParameterClass;
import io.cucore.Program;
import io.cucore.ProgramOptions;
import io.cucore.SignatureState;
import io.cucore.SourceType;
import io.cucore.Status;
import io.cucore.Symbol;
import io.cucore.SymbolKind;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ResourceBundle;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Scenarios of properties, closing and collecting: 1, 3, 6, 7, 10, 16, 23, 25. */
class ObjectsTest {
  @Test
  void properties() {
    try (CudaDevice device = World.device();
        CudaStream stream = new CudaStream(device);
        CudaEvent plain = new CudaEvent(device);
        CudaEvent timed = CudaEvent.timed(device);
        CudaBuffer buffer = new CudaBuffer(device, 1000, stream);
        CudaBuffer pinned = CudaBuffer.pinned(device, 64);
        Kernel kernel = World.code().kernel("scale")) {
      assertEquals(0, device.getOrdinal());
      assertEquals(!Machine.HAS_GPU, device.isEmulated());
      assertFalse(device.getName().isEmpty());
      assertEquals("sm_" + device.getComputeCapability().toString().replace(".", ""), device.getArch());
      assertTrue(device.getPciBusId().matches("(?i)[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\\.0"), device.getPciBusId());
      assertNotEquals(0, device.getUuid().getMostSignificantBits() | device.getUuid().getLeastSignificantBits());
      assertTrue(device.getMemory().total() >= device.getMemory().free() && device.getMemory().free() > 0);
      assertTrue(device.getStreamPriorities().least() >= device.getStreamPriorities().greatest());
      assertEquals(32, device.attribute(DeviceAttribute.WARP_SIZE));
      assertEquals(32, device.attribute(DeviceAttribute.WARP_SIZE.value()));
      assertEquals(32, device.attribute("warp_size"));
      assertEquals(32, device.attribute("CU_DEVICE_ATTRIBUTE_WARP_SIZE"));
      InvalidArgumentException unknown =
          assertThrows(InvalidArgumentException.class, () -> device.attribute("WARP_SIZ"));
      assertTrue(unknown.getMessage().endsWith("; did you mean 'WARP_SIZE'?"), unknown.getMessage());
      assertTrue(device.canAccessPeer(device) || !device.canAccessPeer(device));
      assertTrue(Machine.HAS_GPU ? CudaDevice.count() >= 1 : CudaDevice.count() == 1);
      for (CudaDevice of : List.of(stream.getDevice(), timed.getDevice(), buffer.getDevice(), pinned.getDevice())) {
        assertEquals(device, of);
        assertEquals(device.hashCode(), of.hashCode());
        assertEquals(device.getUuid(), of.getUuid());
        of.close();
      }
      assertNotEquals(0, stream.getNativeHandle());
      assertNotEquals(0, plain.getNativeHandle());
      assertFalse(plain.hasTiming());
      assertTrue(timed.hasTiming());
      assertEquals(1000, buffer.getSize());
      assertEquals(buffer.getAddress(), buffer.getNativeHandle());
      assertNotEquals(0, buffer.getAddress());
      assertEquals(0, buffer.getHostPointer());
      assertNotEquals(0, pinned.getHostPointer());
      assertEquals("scale", kernel.getName());
      assertNotEquals(0, kernel.getNativeHandle());
      assertEquals(3, kernel.getParameterCount());
      assertEquals("[4 bytes at 0, 8 bytes at 8, 4 bytes at 16]", kernel.getParameters(null).toString());
      assertEquals(List.of(ParameterClass.FLOAT, ParameterClass.POINTER, ParameterClass.INTEGER),
          kernel.getParameters(device).stream().map(Parameter::parameterClass).collect(Collectors.toList()));
      assertEquals(kernel.getParameters(null), kernel.getParameters(device));
      assertTrue(kernel.attribute(KernelAttribute.MAX_THREADS_PER_BLOCK, device) >= 256);
      assertTrue(kernel.occupancy(device, 128) > 0);
      assertTrue(kernel.maxPotentialBlockSize(device, 0, 0).blockSize() > 0);
      assertTrue(kernel.availableDynamicShared(device, 1, 128) > 0);
    }
    propertiesOfCode();
  }

  private void propertiesOfCode() {
    try (Program program = Program.ofCuda(World.SOURCE);
        ObjectCode code = World.compile(World.SOURCE, "fill<float>")) {
      assertEquals(Backend.NVRTC, program.getBackend());
      assertEquals(CodeType.PTX, code.getType());
      assertEquals("world.cu", code.getName());
      assertEquals("compute_80", code.getArch());
      assertEquals("", code.getLog());
      assertEquals(List.of(), code.getDiagnostics());
      assertEquals(1, code.getImageCount());
      assertEquals(SignatureState.UNSIGNED, code.getSignature());
      assertEquals("", code.getSignatureKey());
      assertTrue(code.getMetadata().get("producer").contains("NVRTC"), code.getMetadata().toString());
      assertFalse(code.isLoaded());
      assertNotEquals(0, code.getNativeHandle());
      assertTrue(code.isLoaded());
      List<Symbol> symbols = code.getSymbols();
      assertEquals(code.getSymbolCount(), symbols.size());
      Symbol fill = symbols.stream().filter(s -> s.expression().equals("fill<float>")).findFirst().orElseThrow();
      assertEquals(SymbolKind.KERNEL, fill.kind());
      assertTrue(fill.hasParameters());
      assertEquals(2, fill.parameters().size());
      assertTrue(fill.loweredName().startsWith("_Z"));
      Symbol counter = symbols.stream().filter(s -> s.loweredName().equals("counter")).findFirst().orElseThrow();
      assertEquals(SymbolKind.GLOBAL, counter.kind());
      assertEquals(4, counter.size());
      try (CudaDevice device = World.device()) {
        assertEquals(4, code.findGlobal("counter", device).size());
      }
    }
  }

  @Test
  void options() {
    String source = "#include \"value.h\"\nextern \"C\" __global__ void k(int *x) { *x = VALUE + MORE; }\n";
    ProgramOptions options =
        ProgramOptions.builder().name("options.cu").arch("compute_75").lineinfo(true).maxRegisterCount(32)
            .defineMacros("VALUE=40", "UNUSED").defineMacros("OTHER")
            .headerNames("value.h").headerSources("#define MORE 2\n").diagSuppressions(177, 550).build();
    try (Program program = Program.ofCuda(source, options);
        ObjectCode code = program.compile(CodeType.PTX);
        CudaDevice device = World.device();
        CudaStream stream = new CudaStream(device);
        CudaBuffer out = new CudaBuffer(device, 4, stream);
        Kernel kernel = code.kernel("k")) {
      String ptx = new String(code.getBytes(), java.nio.charset.StandardCharsets.UTF_8);
      assertTrue(ptx.contains(".target sm_75") && ptx.contains(".loc"), ptx);
      assertEquals("options.cu", code.getName());
      kernel.launch(stream, LaunchConfig.of(1, 1), out);
      int[] result = new int[1];
      out.read(result, stream);
      assertEquals(42, result[0]);
    }
    ProgramOptions uneven = ProgramOptions.builder().headerNames("only.h").build();
    assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> Program.ofCuda(source, uneven));
    ProgramOptions cut = ProgramOptions.builder().name("a\0b").build();
    assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> Program.ofCuda(source, cut));
    assertThrows(InvalidArgumentException.class, () -> ProgramOptions.builder().arch(null));
    ProgramOptions ofOtherSource = ProgramOptions.builder().useLibdevice(true).build();
    InvalidArgumentException e =
        assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, () -> Program.ofCuda(source, ofOtherSource));
    assertTrue(e.getMessage().contains("ProgramOptions.useLibdevice"), e.getMessage());
  }

  private static void assertSays(String words, Executable call) {
    String message = assertThrows(CucoreException.class, call).getMessage();
    assertTrue(message.contains(words), message);
    assertFalse(message.contains("cucore_") || message.contains("NULL"), message);
  }

  @Test
  void messagesNameWhatUsersType() {
    try (CudaDevice device = new CudaDevice(0);
        CudaStream stream = new CudaStream(device);
        CudaEvent plain = new CudaEvent(device);
        CudaEvent timed = new CudaEvent(device, true);
        Kernel kernel = World.code().kernel("add_one")) {
      plain.record(stream);
      assertSays("CudaEvent(timing)", () -> plain.elapsed(plain));
      assertSays("CudaEvent.record()", () -> timed.elapsed(timed));
      assertSays("LaunchConfig.grid[0]", () -> kernel.launch(stream, LaunchConfig.of(0, 1), null, 1));
      assertSays("ObjectCode.deserialize()", () -> ObjectCode.fromBytes(CodeType.BUNDLE, new byte[64]));
      device.reset();
      assertSays("CudaDevice.reset()", stream::synchronize);
    }
  }

  private static Map<String, AutoCloseable> oneOfEach(CudaDevice device, CudaStream stream) {
    Map<String, AutoCloseable> all = new LinkedHashMap<>();
    all.put("device", new CudaDevice(0));
    all.put("stream", new CudaStream(device));
    all.put("event", new CudaEvent(device));
    all.put("buffer", new CudaBuffer(device, 16, stream));
    all.put("program", Program.ofCuda(World.SOURCE));
    all.put("linker", new Linker(null));
    CudaQueue queue = new CudaQueue();
    all.put("queue", queue);
    all.put("future", CudaFuture.fromStream(stream, queue, 1));
    all.put("code", ObjectCode.fromBytes(CodeType.PTX, World.code().getBytes()));
    all.put("kernel", World.code().kernel("nothing"));
    return all;
  }

  @Test
  void closeTwice() throws Exception {
    try (CudaDevice device = World.device();
        CudaStream stream = new CudaStream(device)) {
      for (AutoCloseable each : oneOfEach(device, stream).values()) {
        each.close();
        each.close();
      }
      Log log = new Log(LogLevel.ERROR, (level, message) -> {});
      log.close();
      log.close();
      stream.synchronize();
    }
  }

  @Test
  void useAfterClose() throws Exception {
    try (CudaDevice device = World.device();
        CudaStream stream = new CudaStream(device);
        CudaBuffer buffer = new CudaBuffer(device, 16, stream);
        Kernel kernel = World.code().kernel("add_one")) {
      int tried = 0;
      for (AutoCloseable each : oneOfEach(device, stream).values()) {
        each.close();
        tried += useAll(each, device, stream);
        assertEquals(each.getClass().getSimpleName() + " (closed)", each.toString());
        assertEquals(true, each.getClass().getMethod("isClosed").invoke(each));
      }
      assertTrue(tried > 60, "tried only " + tried);
      CudaStream closed = new CudaStream(device);
      closed.close();
      List<Executable> uses = List.of(
          () -> kernel.launch(closed, LaunchConfig.of(1, 1), buffer, 1),
          () -> buffer.write(new byte[4], closed),
          () -> buffer.read(new byte[4], closed),
          () -> new CudaBuffer(device, 4, closed),
          () -> stream.waitStream(closed));
      for (Executable use : uses) {
        assertEquals("the CudaStream has been closed",
            assertFails(InvalidHandleException.class, Status.INVALID_HANDLE, use).getMessage());
      }
      CudaBuffer gone = new CudaBuffer(device, 4, stream);
      gone.close();
      InvalidHandleException e = assertFails(InvalidHandleException.class, Status.INVALID_HANDLE,
          () -> kernel.launch(stream, LaunchConfig.of(1, 1), gone, 1));
      assertTrue(e.getMessage().contains("argument 0"), e.getMessage());
    }
  }

  /** Calls every public method of a closed object; each must report that it is closed. */
  private static int useAll(Object closed, CudaDevice device, CudaStream stream) throws Exception {
    int tried = 0;
    for (java.lang.reflect.Method method : closed.getClass().getMethods()) {
      boolean own = method.getDeclaringClass() == closed.getClass() && !method.isSynthetic();
      boolean answersAlways = List.of("close", "isClosed", "toString", "equals", "hashCode").contains(method.getName());
      if (!own || answersAlways || java.lang.reflect.Modifier.isStatic(method.getModifiers())) {
        continue;
      }
      Object[] arguments = new Object[method.getParameterCount()];
      for (int i = 0; i < arguments.length; ++i) {
        arguments[i] = anyOf(method.getParameterTypes()[i], device, stream);
      }
      try {
        method.invoke(closed, arguments);
        throw new AssertionError(method + " does not notice that the object is closed");
      } catch (java.lang.reflect.InvocationTargetException e) {
        assertEquals(InvalidHandleException.class, e.getCause().getClass(), () -> method + ": " + e.getCause());
        String type = closed.getClass().getSimpleName();
        assertTrue(e.getCause().getMessage().contains("the " + type + " has been closed"), () -> method + ": " + e.getCause());
      }
      ++tried;
    }
    return tried;
  }

  private static Object anyOf(Class<?> type, CudaDevice device, CudaStream stream) {
    Map<Class<?>, Object> values = new LinkedHashMap<>();
    values.put(int.class, 1);
    values.put(long.class, 1L);
    values.put(boolean.class, true);
    values.put(CudaDevice.class, device);
    values.put(CudaStream.class, stream);
    values.put(LaunchConfig.class, LaunchConfig.of(1, 1));
    values.put(CudaQueue.class, new CudaQueue());
    values.put(Runnable.class, (Runnable) () -> {});
    values.put(Object.class, new byte[1]);
    values.put(Object[].class, new Object[0]);
    values.put(byte[].class, new byte[0]);
    values.put(String[].class, new String[0]);
    values.put(String.class, "x");
    values.put(CudaEvent.class, new CudaEvent(device));
    values.put(CudaBuffer.class, new CudaBuffer(device, 4, stream));
    values.put(Box.class, Box.in(new CudaBuffer(device, 4, stream)));
    values.put(ObjectCode.class, World.code());
    values.put(ByteBuffer.class, ByteBuffer.allocate(4));
    values.put(java.util.concurrent.Executor.class, (java.util.concurrent.Executor) Runnable::run);
    values.put(java.util.concurrent.TimeUnit.class, java.util.concurrent.TimeUnit.NANOSECONDS);
    Object value = values.get(type);
    return value != null ? value : type.isEnum() ? type.getEnumConstants()[0] : null;
  }

  @Test
  void childrenOutliveParents() {
    Kernel kernel;
    CudaBuffer buffer;
    try (ObjectCode code = World.compile(World.SOURCE);
        CudaDevice device = World.device();
        CudaStream stream = new CudaStream(device)) {
      kernel = code.kernel("add_one");
      buffer = new CudaBuffer(device, 4, stream);
      buffer.write(new int[] {41}, stream);
    }
    try (CudaDevice device = World.device();
        CudaStream stream = new CudaStream(device)) {
      kernel.launch(stream, LaunchConfig.of(1, 1), buffer, 1);
      int[] result = new int[1];
      buffer.read(result, stream);
      assertArrayEquals(new int[] {42}, result);
    }
    buffer.close();
    kernel.close();
  }

  @Test
  void wrongTypes() {
    try (CudaDevice device = World.device();
        CudaStream stream = new CudaStream(device);
        CudaBuffer buffer = new CudaBuffer(device, 16, stream);
        Kernel kernel = World.code().kernel("nothing")) {
      Map<String, Executable> wrong = new LinkedHashMap<>();
      wrong.put("device is null", () -> new CudaStream(null));
      wrong.put("stream", () -> new CudaBuffer(device, 4, null));
      wrong.put("peer", () -> device.canAccessPeer(null));
      wrong.put("event", () -> stream.waitEvent(null));
      wrong.put("source is null", () -> buffer.write(null, stream));
      wrong.put("source is a java.lang.String", () -> buffer.write("text", stream));
      wrong.put("boolean[]", () -> buffer.write(new boolean[3], stream));
      wrong.put("read-only", () -> buffer.read(ByteBuffer.allocate(4).asReadOnlyBuffer(), stream));
      wrong.put("value is a java.lang.Boolean", () -> buffer.fill(true, stream));
      wrong.put("grid", () -> kernel.launch(stream, LaunchConfig.of(0, 1)));
      wrong.put("block", () -> kernel.launch(stream, LaunchConfig.of(1, 0)));
      wrong.put("block is -1", () -> kernel.launch(stream, LaunchConfig.of(1, -1)));
      wrong.put("type", () -> new Program(SourceType.UNKNOWN, "", null));
      wrong.put("least", () -> new Log(LogLevel.UNKNOWN, (level, message) -> {}));
      wrong.put("ordinal is -1; expected 0", () -> new CudaDevice(-1));
      wrong.put("offset", () -> buffer.write(new byte[4], stream, -1));
      wrong.forEach((word, body) -> {
        InvalidArgumentException e = assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, body);
        assertTrue(e.getMessage().contains(word), word + " is not in: " + e.getMessage());
      });
    }
  }

  @Test
  void log() throws Exception {
    List<String> got = Collections.synchronizedList(new ArrayList<>());
    List<Throwable> thrown = Collections.synchronizedList(new ArrayList<>());
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, e) -> thrown.add(e));
    try (Log log = new Log(LogLevel.DEBUG, (level, message) -> {
          got.add(level + " " + message);
          if (got.size() == 1) {
            throw new IllegalStateException("listener");
          }
        })) {
      for (int i = 0; i < 3; ++i) {
        try (ObjectCode code = World.compile(World.SOURCE); CudaDevice device = World.device()) {
          code.load(device);
        }
      }
      Thread.sleep(300);
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
    int count = got.size();
    assertTrue(count >= 2, got.toString());
    assertTrue(got.stream().allMatch(m -> m.matches("(?s)(DEBUG|INFO|WARNING|ERROR) .+")), got.toString());
    assertEquals(1, thrown.size());
    try (ObjectCode code = World.compile(World.SOURCE); CudaDevice device = World.device()) {
      code.load(device);
    }
    Thread.sleep(300);
    assertEquals(count, got.size());
    replacedWhileMessagesCome();
  }

  @Test
  void logGoesOnAfterAHandlerThatThrows() {
    List<String> got = Collections.synchronizedList(new ArrayList<>());
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, e) -> {
      throw new IllegalStateException("handler");
    });
    try (Log log = new Log(LogLevel.WARNING, (level, message) -> {
          got.add(message);
          throw new IllegalStateException("listener");
        })) {
      Log.write(LogLevel.WARNING, "one");
      Log.write(LogLevel.WARNING, "two");
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
    assertEquals(List.of("one", "two"), got);
  }

  @Test
  void logWrites() throws Exception {
    List<String> got = Collections.synchronizedList(new ArrayList<>());
    try (Log log = new Log(LogLevel.WARNING, (level, message) -> got.add(level + " " + message))) {
      assertTrue(Log.isEnabled(LogLevel.ERROR) && !Log.isEnabled(LogLevel.INFO));
      Log.write(LogLevel.INFO, "below the level");
      Log.write(LogLevel.WARNING, "von au\u00dfen");
    }
    assertEquals(List.of("WARNING von au\u00dfen"), got);
    assertFalse(Log.isEnabled(LogLevel.ERROR));
  }

  /** A logger of the platform that records what it receives. */
  private static final class RecordingLogger implements System.Logger {
    final List<String> got = Collections.synchronizedList(new ArrayList<>());

    @Override
    public String getName() {
      return "recording";
    }

    @Override
    public boolean isLoggable(Level level) {
      return true;
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
      got.add(level + " " + message);
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
      got.add(level + " " + (parameters == null || parameters.length == 0 ? format : "formatted"));
    }
  }

  @Test
  void logToSystemLogger() {
    RecordingLogger logger = new RecordingLogger();
    try (Log log = Log.toSystemLogger(LogLevel.DEBUG, logger)) {
      Log.write(LogLevel.DEBUG, "a {0} that is not a format");
      Log.write(LogLevel.INFO, "b");
      Log.write(LogLevel.WARNING, "c");
      Log.write(LogLevel.ERROR, "d");
    }
    assertEquals(List.of("DEBUG a {0} that is not a format", "INFO b", "WARNING c", "ERROR d"), logger.got);
  }

  /** By default it is the logger io.cucore, here that of java.logging. */
  @Test
  void logToLoggerOfThePlatform() {
    List<String> got = Collections.synchronizedList(new ArrayList<>());
    java.util.logging.Logger logger = java.util.logging.Logger.getLogger("io.cucore");
    java.util.logging.Handler handler = new java.util.logging.Handler() {
      @Override
      public void publish(java.util.logging.LogRecord record) {
        got.add(record.getLoggerName() + " " + record.getLevel().getName() + " " + record.getMessage());
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
    try (Log log = Log.toSystemLogger(LogLevel.WARNING)) {
      Log.write(LogLevel.INFO, "below the level");
      Log.write(LogLevel.WARNING, "shown");
    } finally {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
    }
    assertEquals(List.of("io.cucore WARNING shown"), got);
  }

  @Test
  void librarySymbols() {
    World.code();
    assertTrue(Cucore.librarySymbol(Library.NVRTC, "nvrtcVersion") != 0);
    NotFoundException e =
        assertFails(NotFoundException.class, Status.NOT_FOUND, () -> Cucore.librarySymbol(Library.NVRTC, "nvrtcNoSuch"));
    assertTrue(e.getMessage().contains("'nvrtcNoSuch' in NVRTC"), e.getMessage());
  }

  private void replacedWhileMessagesCome() throws Exception {
    Thread talking = new Thread(() -> {
      for (int i = 0; i < 10; ++i) {
        try (ObjectCode code = ObjectCode.fromBytes(CodeType.PTX, World.code().getBytes()); CudaDevice device = World.device()) {
          code.load(device);
        }
      }
    });
    talking.start();
    while (talking.isAlive()) {
      Log first = new Log(LogLevel.DEBUG, (level, message) -> {});
      try (Log second = new Log(LogLevel.DEBUG, (level, message) -> {})) {
        first.close();
      }
    }
    talking.join();
  }

  @Test
  void libraries() {
    try (CudaDevice device = World.device()) {
      LibraryInfo driver = Cucore.library(Library.DRIVER);
      assertTrue(driver.isAvailable() && driver.path().contains(Machine.driver()), driver.toString());
      assertTrue(driver.versionMajor() >= 12);
      assertEquals("", driver.headerFolders());
      World.code();
      LibraryInfo nvrtc = Cucore.library(Library.NVRTC);
      assertTrue(nvrtc.isAvailable() && nvrtc.path().contains("nvrtc") && nvrtc.reason().isEmpty(), nvrtc.toString());
      assertFails(InvalidStateException.class, Status.INVALID_STATE,
          () -> Cucore.setLibraryPath(Library.NVRTC, Path.of("/nowhere")));
      Cucore.selectDriver(device.isEmulated() ? "cpu" : "nvidia");
      Cucore.selectDriver(driver.path());
      assertFails(InvalidStateException.class, Status.INVALID_STATE,
          () -> Cucore.selectDriver(device.isEmulated() ? "nvidia" : "cpu"));
      assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT,
          () -> Cucore.setLibraryPath(Library.DRIVER, Path.of("/nowhere")));
    }
    String[] parts = Cucore.versionString().split("\\.");
    int number = Integer.parseInt(parts[0]) * 10000 + Integer.parseInt(parts[1]) * 100 + Integer.parseInt(parts[2]);
    assertEquals(number, Cucore.version());
    assertEquals("CUCORE_ERROR_COMPILATION", Cucore.statusName(Status.COMPILATION));
  }
}
