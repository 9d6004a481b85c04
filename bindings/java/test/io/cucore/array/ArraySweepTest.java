// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.Cache;
import io.cucore.CacheOptions;
import io.cucore.CudaBuffer;
import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.InvalidArgumentException;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rules for every class and method of io.cucore.array: texts of objects, and the refusal of null. */
class ArraySweepTest {
  /** Arguments that may be null, in methods and in functions: method(parameter). */
  private static final List<String> NULLABLE = List.of("permute(axes)", "roll(axes)", "repeat(repeats) and a number", "searchsorted(sorter)",
      "toDlpack(consumer)");

  private final Map<Class<?>, Object> objects = new LinkedHashMap<>();
  private NdArray x;

  @BeforeEach
  void open() {
    CudaDevice device = CudaDevice.first();
    CudaStream stream = new CudaStream(device);
    x = NdArray.of(new float[] {1, 2, 3, 4}, 2, 2);
    for (Object each : new Object[] {device, stream, new CudaBuffer(device, 64, stream), new Cache(CacheOptions.builder().directory("").build()), x,
        new Context(device), new Generator(1), new Scope(), x.buffer(), Scalar.of(1), Slice.all(), Reduction.all(), ContextOptions.DEFAULT,
        PrintOptions.DEFAULT, Operation.of("add"), "x"}) {
      objects.put(each.getClass(), each);
    }
    objects.put(Operand.class, x);
    objects.put(ByteBuffer.class, ByteBuffer.allocate(64));
    objects.put(Path.class, Path.of("/nowhere/x.npy"));
    objects.put(Map.class, Map.of());
    objects.put(Object.class, new float[] {1});
    objects.put(int.class, 0);
    objects.put(long.class, 1L);
    objects.put(double.class, 1.0);
    objects.put(boolean.class, true);
    objects.put(float.class, 1f);
    objects.put(short.class, (short) 1);
    objects.put(byte.class, (byte) 1);
  }

  @AfterEach
  void close() throws Exception {
    List<Object> all = new ArrayList<>(objects.values());
    for (int i = all.size(); --i >= 0;) {
      if (all.get(i) instanceof AutoCloseable) {
        ((AutoCloseable) all.get(i)).close();
      }
    }
  }

  private static List<Class<?>> publicClasses() throws Exception {
    Path jar = Path.of(NdArray.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<Class<?>> all = new ArrayList<>();
    try (JarFile file = new JarFile(jar.toFile())) {
      List<String> names = file.stream().map(e -> e.getName()).filter(n -> n.matches("io/cucore/array/[^/]*\\.class"))
          .filter(n -> !n.contains("package-info")).collect(Collectors.toList());
      for (String name : names) {
        Class<?> each = Class.forName(name.replace('/', '.').replace(".class", ""));
        if (Modifier.isPublic(each.getModifiers())) {
          all.add(each);
        }
      }
    }
    assertTrue(all.size() > 15, "only " + all);
    return all;
  }

  /** Public methods of a class and of the classes that it is made of. */
  private static List<Executable> members(Class<?> of) {
    List<Executable> all = new ArrayList<>(List.of(of.getConstructors()));
    for (Class<?> each = of; each != null && each.getPackage() == NdArray.class.getPackage(); each = each.getSuperclass()) {
      Arrays.stream(each.getDeclaredMethods()).filter(m -> Modifier.isPublic(m.getModifiers()) && !m.isSynthetic() && !m.getName().equals("equals"))
          .forEach(all::add);
    }
    return all;
  }

  @Test
  void everyClassSaysWhatItIs() throws Exception {
    for (Class<?> each : publicClasses()) {
      boolean holdsNothing = each.getConstructors().length == 0 && members(each).stream().allMatch(m -> Modifier.isStatic(m.getModifiers()));
      boolean says = holdsNothing || Modifier.isAbstract(each.getModifiers()) || each.getMethod("toString").getDeclaringClass() != Object.class;
      assertTrue(says, each + " has no toString");
    }
    for (Object each : objects.values()) {
      assertNotEquals("", each.toString());
    }
  }

  @Test
  void closedObjectsSayThatTheyAre() throws Exception {
    List<Class<?>> closable = List.of(NdArray.class, Context.class, Generator.class, Scope.class);
    for (Class<?> each : closable) {
      assertEquals(false, each.getMethod("isClosed").invoke(objects.get(each)));
      ((AutoCloseable) objects.get(each)).close();
      assertEquals(true, each.getMethod("isClosed").invoke(objects.get(each)));
      assertEquals(each.getSimpleName() + " (closed)", objects.get(each).toString());
    }
    ((AutoCloseable) objects.get(ArrayMemory.class)).close();
    assertTrue(objects.get(ArrayMemory.class).toString().endsWith("CudaBuffer (closed)"), objects.get(ArrayMemory.class).toString());
  }

  private Object valid(Class<?> type) {
    if (type.isEnum()) {
      return type.getEnumConstants()[1];
    }
    if (!type.isArray()) {
      return objects.get(type);
    }
    Object array = Array.newInstance(type.getComponentType(), 1);
    Array.set(array, 0, valid(type.getComponentType()));
    return array;
  }

  private static boolean mayBeNull(Executable method, Parameter parameter) {
    String name = method.getName() + "(" + parameter.getName() + ")";
    boolean withNumber = Arrays.stream(method.getParameterTypes()).anyMatch(type -> type == long.class);
    return parameter.getType().isPrimitive() || NULLABLE.contains(name) || withNumber && NULLABLE.contains(name + " and a number");
  }

  /** Null causes one exception everywhere, which names the argument. */
  @Test
  void nullIsRefusedByName() throws Exception {
    List<String> wrong = new ArrayList<>();
    int tried = 0;
    for (Class<?> each : publicClasses()) {
      if (each.isEnum()) {
        continue;
      }
      for (Executable method : members(each)) {
        Parameter[] parameters = method.getParameters();
        for (int i = 0; i < parameters.length; ++i) {
          if (!mayBeNull(method, parameters[i])) {
            refusal(each, method, i, wrong);
            ++tried;
          }
        }
      }
    }
    assertEquals(List.of(), wrong);
    assertTrue(tried > 600, "tried only " + tried);
  }

  private void refusal(Class<?> owner, Executable method, int at, List<String> wrong) throws Exception {
    Object[] arguments = Arrays.stream(method.getParameterTypes()).map(this::valid).toArray();
    arguments[at] = null;
    String name = method.getParameters()[at].getName();
    String where = owner.getSimpleName() + "." + method.getName() + Arrays.toString(method.getParameterTypes()) + " " + name;
    try {
      if (method instanceof Constructor) {
        ((Constructor<?>) method).newInstance(arguments);
      } else {
        ((Method) method).invoke(Modifier.isStatic(method.getModifiers()) ? null : objects.get(owner), arguments);
      }
      wrong.add(where + " takes null");
    } catch (InvocationTargetException e) {
      boolean good = e.getCause() instanceof InvalidArgumentException && e.getCause().getMessage().equals(name + " is null");
      if (!good) {
        wrong.add(where + ": " + e.getCause());
      }
    }
  }

  /** Null inside of lists has a place in the message. */
  @Test
  void nullInsideIsRefusedByPlace() {
    assertRefused("arrays[1] is null", () -> Nd.evaluate(x, null));
    assertRefused("arrays[0] is null", () -> Nd.explain(Explanation.PLAN, (NdArray) null));
    assertRefused("items[1] is null", () -> x.set(1, Slice.all(), null));
    assertRefused("operands[1] is null", () -> Operation.of("add").into(x, x, null));
    assertRefused("dtypes[0] is null", () -> Nd.resultType((DType) null));
    assertRefused("operands[0] is null", () -> Nd.resultType((Operand) null));
    assertRefused("parameters[1] is null", () -> ((Generator) objects.get(Generator.class)).random(Distribution.UNIFORM, DType.FLOAT32,
        new Operand[] {Scalar.of(1), null}, 2));
  }

  private static void assertRefused(String message, org.junit.jupiter.api.function.Executable body) {
    InvalidArgumentException e = org.junit.jupiter.api.Assertions.assertThrows(InvalidArgumentException.class, body);
    assertEquals(message, e.getMessage());
  }
}
