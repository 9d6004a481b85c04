// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static io.cucore.test.World.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.Arg;
import io.cucore.BatchItem;
import io.cucore.BatchOptions;
import io.cucore.Cache;
import io.cucore.CacheBuild;
import io.cucore.CacheOptions;
import io.cucore.CodeType;
import io.cucore.CompilationException;
import io.cucore.CucoreException;
import io.cucore.Box;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaEvent;
import io.cucore.CudaFuture;
import io.cucore.CudaMemoryPool;
import io.cucore.CudaQueue;
import io.cucore.CudaStream;
import io.cucore.DeserializeOptions;
import io.cucore.ExecutableOptions;
import io.cucore.Graph;
import io.cucore.GraphNode;
import io.cucore.InvalidArgumentException;
import io.cucore.KeyAlgorithm;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.Linker;
import io.cucore.LinkerOptions;
import io.cucore.Log;
import io.cucore.LogLevel;
import io.cucore.ObjectCode;
import io.cucore.ObjectCodeOptions;
import io.cucore.PreparedLaunch;
import io.cucore.Program;
import io.cucore.ProgramOptions;
import io.cucore.RemoteOptions;
import io.cucore.SerializeOptions;
import io.cucore.SigningKey;
import io.cucore.Status;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rules for every class and method: texts of objects, and the refusal of null. */
class SweepTest {
  /** Arguments that may be null: Class.method(parameter). */
  private static final List<String> NULLABLE = List.of(
      "CudaDevice.setPool(poolOrNull)", "CudaStream.setAccessWindow(window)", "Kernel.getParameters(device)", "Program.compile(cache)", "Linker.link(cache)", "Arg.of(buffer)",
      "PreparedLaunch.update(value)", "Builder.cache(value)", // of BatchOptions
      "CudaStream.capture(into)", "Builder.upload(value)"); // of ExecutableOptions

  private CudaDevice device;
  private CudaStream stream;
  private final Map<Class<?>, Object> objects = new LinkedHashMap<>();

  @BeforeEach
  void open() {
    device = World.device();
    stream = new CudaStream(device);
    CudaQueue queue = new CudaQueue();
    for (Object each : new Object[] {device, stream, queue, new CudaEvent(device), new CudaMemoryPool(device), new CudaBuffer(device, 16, stream),
        Program.ofCuda(World.SOURCE), new Linker(null), CudaFuture.fromStream(stream, queue, 7),
        ObjectCode.fromBytes(CodeType.PTX, World.code().getBytes()), World.code().kernel("nothing"),
        new Cache(CacheOptions.builder().directory("").build()), LaunchConfig.of(1, 1), LaunchConfig.builder(),
        ProgramOptions.builder(), LinkerOptions.builder(), CacheOptions.builder(), BatchOptions.builder(),
        RemoteOptions.builder(), ExecutableOptions.builder(), SerializeOptions.builder(), DeserializeOptions.builder(), ObjectCodeOptions.builder(),
        new SigningKey(KeyAlgorithm.HMAC_SHA256, "secret".getBytes(java.nio.charset.StandardCharsets.UTF_8)),
        Arg.of(1), ByteBuffer.allocate(4), Path.of("/nowhere"), Duration.ofSeconds(1), TimeUnit.SECONDS, "x",
        new byte[32], new int[0], new String[0], new Object[0], new ObjectCode[0], new SigningKey[0]}) {
      objects.put(each.getClass(), each);
    }
    Kernel nothing = (Kernel) objects.get(Kernel.class);
    Graph graph = new Graph(device);
    GraphNode node = graph.empty();
    objects.put(Graph.class, graph);
    objects.put(graph.executable().getClass(), graph.executable());
    objects.put(GraphNode.class, node);
    objects.put(Iterable.class, node);
    objects.put(PreparedLaunch.class, nothing.prepare(stream, LaunchConfig.of(1, 1)));
    objects.put(Box.class, Box.in((CudaBuffer) objects.get(CudaBuffer.class)));
    objects.put(Path.class, Path.of("/nowhere"));
    objects.put(ByteBuffer.class, ByteBuffer.allocate(4));
    objects.put(TimeUnit.class, TimeUnit.SECONDS);
    objects.put(Object.class, new byte[4]);
    objects.put(Collection.class, List.of());
    objects.put(Executor.class, (Executor) Runnable::run);
    objects.put(Log.Listener.class, (Log.Listener) (level, message) -> {});
    objects.put(CacheBuild.class, (CacheBuild<?>) () -> null);
    objects.put(System.Logger.class, System.getLogger("io.cucore"));
    objects.put(int.class, 1);
    objects.put(long.class, 1L);
    objects.put(boolean.class, true);
    objects.put(double.class, 1.0);
    objects.put(Runnable.class, (Runnable) () -> {});
  }

  @AfterEach
  void close() throws Exception {
    for (Object each : objects.values()) {
      if (each instanceof AutoCloseable) {
        ((AutoCloseable) each).close();
      }
    }
  }

  private static List<Class<?>> publicClasses() throws Exception {
    Path jar = Path.of(CudaDevice.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<Class<?>> all = new ArrayList<>();
    try (JarFile file = new JarFile(jar.toFile())) {
      List<String> names = file.stream().map(e -> e.getName()).filter(n -> n.matches("io/cucore/[^/]*\\.class"))
          .filter(n -> !n.contains("package-info")).collect(Collectors.toList());
      for (String name : names) {
        Class<?> each = Class.forName(name.replace('/', '.').replace(".class", ""));
        if (Modifier.isPublic(each.getModifiers())) {
          all.add(each);
        }
      }
    }
    assertTrue(all.size() > 70, "only " + all.size());
    return all;
  }

  @Test
  void everyClassSaysWhatItIs() throws Exception {
    for (Class<?> each : publicClasses()) {
      boolean holdsNothing = each.isInterface() || each.getConstructors().length == 0 && Arrays.stream(each.getMethods())
          .allMatch(m -> m.getDeclaringClass() == Object.class || Modifier.isStatic(m.getModifiers()));
      assertTrue(holdsNothing || each.getMethod("toString").getDeclaringClass() != Object.class, each + " has no toString");
    }
    assertEquals("CudaDevice 0 (" + device.getName() + ")", device.toString());
    assertEquals("CudaStream 0x" + Long.toHexString(stream.getNativeHandle()) + " of device 0", stream.toString());
    assertTrue(objects.get(CudaEvent.class).toString().matches("CudaEvent 0x[0-9a-f]+ of device 0"));
    try (CudaEvent timed = CudaEvent.timed(device)) {
      assertTrue(timed.toString().endsWith(", timed"), timed.toString());
    }
    assertEquals("Program for NVRTC", objects.get(Program.class).toString());
    assertTrue(objects.get(Linker.class).toString().matches("Linker by (NVJITLINK|DRIVER)"), "" + objects.get(Linker.class));
    stream.synchronize();
    CudaFuture future = (CudaFuture) objects.get(CudaFuture.class);
    future.waitFor(-1, TimeUnit.SECONDS);
    assertEquals("CudaFuture 7 (complete)", future.toString());
    assertEquals("CudaQueue (pending=0, waiting=1, completed=1)", objects.get(CudaQueue.class).toString());
    assertEquals("Kernel nothing", objects.get(Kernel.class).toString());
    assertEquals("Graph of 1 node", objects.get(Graph.class).toString());
    assertEquals("freeOnLaunch=true", ExecutableOptions.builder().freeOnLaunch(true).toString());
    assertEquals("PreparedLaunch of nothing", objects.get(PreparedLaunch.class).toString());
    assertEquals("defaults", BatchOptions.builder().build().toString());
    assertEquals("name=x, arch=sm_80, lineinfo=true", ProgramOptions.builder().name("x").arch("sm_80").lineinfo(true).toString());
    String keyed = CacheOptions.builder().signingKey((SigningKey) objects.get(SigningKey.class)).build().toString();
    assertEquals("signingKey=HMAC_SHA256 key of 6 bytes", keyed);
    try (CudaBuffer buffer = new CudaBuffer(device, 1, stream)) {
      assertEquals("CudaBuffer of 1 byte", buffer.toString());
    }
    assertEquals("argument of 1 byte", Arg.of((byte) 7).toString());
    try (Program program = Program.ofCuda("extern \"C\" __global__ void take(char value) {}");
        ObjectCode code = program.compile(CodeType.PTX);
        Kernel take = code.kernel("take")) {
      assertEquals("[1 byte at 0]", take.getParameters(null).toString());
    }
    try (Program program = Program.ofCuda("")) {
      assertEquals("Program for NVRTC to PTX [a, b]", BatchItem.of(program, CodeType.PTX, "a", "b").toString());
    }
    try (Log log = new Log(LogLevel.ERROR, (level, message) -> {})) {
      assertEquals("Log of ERROR and above", log.toString());
      log.close();
      assertEquals("Log (closed)", log.toString());
    }
  }

  /** Methods without parameters that do or make something; all others are accessors. */
  private static final List<String> ACTIONS = List.of("build", "serialize", "query", "detach", "completion", "publisher", "defaultStream",
      "verify", "synchronize", "empty", "executable", "clone", "dot", "capture", "end", "body", "iterator", "close", "hashCode", "toString");

  /** An accessor is getX(), isX() or hasX(). Those of values have a short name as well, for the same method. */
  @Test
  void accessorsHaveOneStyle() throws Exception {
    int found = 0;
    for (Class<?> each : publicClasses()) {
      for (Method method : each.getDeclaredMethods()) {
        String name = method.getName();
        boolean isFact = Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers()) && !method.isSynthetic()
            && method.getParameterCount() == 0 && method.getReturnType() != void.class;
        if (!isFact || each.isInterface() || ACTIONS.contains(name) || name.matches("(get|is|has|as)[A-Z].*")) {
          continue;
        }
        Method getter = each.getMethod("get" + Character.toUpperCase(name.charAt(0)) + name.substring(1)); // or throws
        assertEquals(method.getGenericReturnType(), getter.getGenericReturnType(), method.toString());
        ++found;
      }
    }
    assertTrue(found > 90, "only " + found);
    assertEquals(device.getMemory().getTotal(), device.getMemory().total());
    assertEquals(Status.NOT_FOUND.getValue(), Status.NOT_FOUND.value());
    InvalidArgumentException e = assertThrows(InvalidArgumentException.class, () -> new CudaDevice(-1));
    assertEquals(Status.INVALID_ARGUMENT, e.getStatus());
    assertEquals(e.status(), e.getStatus());
  }

  @Test
  void closedObjectsSayThatTheyAre() throws Exception {
    int closed = 0;
    for (Object each : objects.values()) {
      if (each instanceof AutoCloseable) {
        assertNotEquals("", each.toString());
        assertFalse(each.toString().contains("closed"), each.toString());
        ((AutoCloseable) each).close();
        assertEquals(each.getClass().getSimpleName() + " (closed)", each.toString());
        ++closed;
      }
    }
    assertEquals(15, closed);
  }

  /** One thread closes an object while another reads its text. */
  @Test
  void saysSomethingWhileItIsClosed() throws Exception {
    for (int i = 0; i < 300; ++i) {
      CudaEvent event = CudaEvent.timed(device);
      Thread closing = new Thread(event::close);
      closing.start();
      while (closing.isAlive()) {
        assertTrue(event.toString().startsWith("CudaEvent"), event.toString());
      }
      closing.join();
      assertEquals("CudaEvent (closed)", event.toString());
    }
  }

  private Object[] validArguments(Executable method) {
    return Arrays.stream(method.getParameterTypes()).map(this::valid).toArray();
  }

  private Object valid(Class<?> type) {
    Object value = objects.get(type);
    return value != null ? value : type.isEnum() ? type.getEnumConstants()[0] : null;
  }

  private static boolean mayBeNull(Class<?> owner, Executable method, Parameter parameter) {
    String name = method instanceof Constructor ? "new" : method.getName();
    return parameter.getType().isPrimitive() || parameter.getType().getSimpleName().endsWith("Options")
        || parameter.getName().equals("after") || NULLABLE.contains(owner.getSimpleName() + "." + name + "(" + parameter.getName() + ")");
  }

  /** Null causes one exception everywhere, which names the argument. */
  @Test
  void nullIsRefusedByName() throws Exception {
    int tried = 0;
    for (Class<?> each : publicClasses()) {
      boolean own = each.isEnum() || Throwable.class.isAssignableFrom(each) || each.isInterface();
      if (own) {
        continue;
      }
      List<Executable> all = new ArrayList<>(List.of(each.getConstructors()));
      for (Method method : each.getMethods()) {
        boolean isStatic = Modifier.isStatic(method.getModifiers());
        boolean used = method.getDeclaringClass() == each && !method.isSynthetic() && !method.getName().equals("equals");
        if (used && (isStatic || objects.containsKey(each))) {
          all.add(method);
        }
      }
      for (Executable method : all) {
        tried += refusesNulls(each, method);
      }
    }
    System.out.println("null was refused in " + tried + " places");
    assertTrue(tried > 90, "tried only " + tried);
    assertNullInside();
  }

  private int refusesNulls(Class<?> owner, Executable method) throws Exception {
    int tried = 0;
    Parameter[] parameters = method.getParameters();
    for (int i = 0; i < parameters.length; ++i) {
      if (mayBeNull(owner, method, parameters[i])) {
        continue;
      }
      Object[] arguments = validArguments(method);
      arguments[i] = null;
      String where = owner.getSimpleName() + "." + method.getName() + " " + parameters[i];
      try {
        if (method instanceof Constructor) {
          ((Constructor<?>) method).newInstance(arguments);
        } else {
          ((Method) method).invoke(objects.get(owner), arguments);
        }
        throw new AssertionError(where + " takes null");
      } catch (InvocationTargetException e) {
        assertEquals(InvalidArgumentException.class, e.getCause().getClass(), () -> where + ": " + e.getCause());
        assertNames(owner, method, parameters[i], e.getCause().getMessage());
      }
      ++tried;
    }
    return tried;
  }

  /** A builder's methods have the names of their settings. */
  private static void assertNames(Class<?> owner, Executable method, Parameter parameter, String message) {
    boolean sets = owner.getSimpleName().equals("Builder") && parameter.getName().startsWith("value");
    String name = sets ? method.getName() : parameter.getName();
    String remedy = name.equals("stream") ? "; create one by new CudaStream(device)" : "";
    assertEquals(name + " is null" + remedy, message, owner.getSimpleName() + "." + method.getName());
  }

  private void assertNullInside() {
    Program program = (Program) objects.get(Program.class);
    Cache cache = (Cache) objects.get(Cache.class);
    Map<String, org.junit.jupiter.api.function.Executable> inside = new LinkedHashMap<>();
    inside.put("nameExpressions[1]", () -> program.compile(CodeType.PTX, "a", null));
    inside.put("nameExpressions[0] ", () -> cache.compile(program, CodeType.PTX, (String) null));
    inside.put("images[1]", () -> ObjectCode.bundle(World.code(), null));
    inside.put("items[0]", () -> Program.compileBatch(Arrays.asList((BatchItem) null)));
    inside.put("defineMacros[1]", () -> ProgramOptions.builder().defineMacros("A", null));
    inside.put("keys[0]", () -> CacheOptions.builder().keys((SigningKey) null));
    inside.forEach((name, body) -> assertRefused(name.strip() + " is null", body));
  }

  private static void assertRefused(String message, org.junit.jupiter.api.function.Executable body) {
    assertEquals(message, assertFails(InvalidArgumentException.class, Status.INVALID_ARGUMENT, body).getMessage());
  }

  @Test
  void negativeSizesAreRefusedByName() {
    CudaBuffer x = (CudaBuffer) objects.get(CudaBuffer.class);
    CudaQueue queue = (CudaQueue) objects.get(CudaQueue.class);
    Kernel kernel = (Kernel) objects.get(Kernel.class);
    Cache cache = (Cache) objects.get(Cache.class);
    assertRefused("index is -1, below 0", () -> ((PreparedLaunch) objects.get(PreparedLaunch.class)).update(-1, 0));
    assertRefused("length is -1, below 0", () -> new CudaBuffer(device, -1, stream));
    assertRefused("length is -2, below 0", () -> CudaBuffer.pinned(device, -2));
    assertRefused("length is -3, below 0", () -> CudaBuffer.managed(device, -3));
    assertRefused("length is -4, below 0", () -> CudaBuffer.fromNative(device, 0, -4));
    assertRefused("offset is -1, below 0", () -> x.write(new byte[1], stream, -1));
    assertRefused("offset is -1, below 0", () -> x.read(new byte[1], stream, -1));
    assertRefused("offset is -1, below 0", () -> x.write(ByteBuffer.allocateDirect(1), stream, -1));
    assertRefused("offset is -1, below 0", () -> x.fill(1, stream, -1, 4));
    assertRefused("length is -4, below 0", () -> x.fill(1, stream, 0, -4));
    assertRefused("length is -1, below 0", () -> x.copyFrom(x, -1, stream));
    assertRefused("sourceOffset is -1, below 0", () -> x.copyFrom(x, 1, stream, 0, -1));
    assertRefused("most is -1, below 0", () -> queue.waitFor(0, TimeUnit.SECONDS, -1));
    assertRefused("maxBytes is -1, below 0", () -> cache.trim(-1));
    assertRefused("workers is -1, below 0", () -> BatchOptions.builder().workers(-1));
    assertRefused("maxCodeSize is -1, below 0", () -> DeserializeOptions.builder().maxCodeSize(-1));
    assertRefused("grid is -1, below 0", () -> LaunchConfig.of(-1, 1));
    assertRefused("block is -1, below 0", () -> LaunchConfig.builder().block(1, -1));
    assertRefused("cluster is -1, below 0", () -> LaunchConfig.builder().cluster(1, 1, -1));
    assertRefused("dynamicShared is -1, below 0", () -> LaunchConfig.builder().dynamicShared(-1));
    assertRefused("dynamicShared is -1, below 0", () -> kernel.occupancy(device, 128, -1));
    assertRefused("index is -1, below 0", () -> World.code().image(-1));
    Graph graph = (Graph) objects.get(Graph.class);
    GraphNode node = (GraphNode) objects.get(GraphNode.class);
    assertRefused("offset is -1, below 0", () -> graph.copy(node, x, x, 1, -1, 0));
    assertRefused("sourceOffset is -2, below 0", () -> graph.setCopy(node, x, x, 1, 0, -2));
    assertRefused("length is -3, below 0", () -> graph.fill(node, x, 1, 0, -3));
    assertRefused("offset is -4, below 0", () -> graph.setFill(node, x, 1, -4, 4));
    assertRefused("index is -1, below 0", () -> node.body(-1));
  }

  /** The text of an uncaught exception. */
  @Test
  void uncaughtFailuresShowTheLog() {
    CompilationException e = assertThrows(CompilationException.class, () -> World.compile("__global__ void k() { oops; }\n"));
    StringWriter printed = new StringWriter();
    e.printStackTrace(new PrintWriter(printed, true));
    String said = "identifier \"oops\" is undefined";
    assertTrue(e.log().contains(said), e.log());
    assertFalse(e.getMessage().contains(e.log().strip()));
    assertEquals(1, printed.toString().split("\\Q" + said + "\\E", -1).length - 1, printed.toString());
    assertTrue(e.toString().startsWith(CompilationException.class.getName() + ": " + e.getMessage() + "\n    "), e.toString());
    StringBuilder many = new StringBuilder();
    for (int i = 0; i < 60; ++i) {
      many.append("int a").append(i).append(" = oops").append(i).append(";\n");
    }
    CompilationException longer = assertThrows(CompilationException.class, () -> World.compile(many.toString()));
    String[] lines = longer.toString().split("\n");
    assertEquals(22, lines.length, longer.toString());
    assertTrue(lines[21].matches("    \\.\\.\\. \\d+ more lines in log\\(\\)"), lines[21]);
    CucoreException short1 = assertThrows(CucoreException.class, () -> new CudaDevice(-1));
    assertEquals(InvalidArgumentException.class.getName() + ": " + short1.getMessage(), short1.toString());
  }
}
