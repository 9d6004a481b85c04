// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.lang.ref.SoftReference;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A record in the layout of the C struct with the same members. Each member is at a multiple of its
 * alignment, and the size is a multiple of the largest alignment. Java has records from release 16, so
 * this class reads them by reflection.
 */
final class Struct {
  private static final Map<Class<?>, Integer> SIZES = Map.of(byte.class, Byte.BYTES, boolean.class, 1, short.class, Short.BYTES,
      char.class, Character.BYTES, int.class, Integer.BYTES, float.class, Float.BYTES, long.class, Long.BYTES, double.class, Double.BYTES);
  /** Softly, because a class would otherwise keep this one and its class loader alive. */
  private static final ClassValue<SoftReference<Struct>> KNOWN = new ClassValue<>() {
    @Override
    protected SoftReference<Struct> computeValue(Class<?> type) {
      return new SoftReference<>(new Struct(type));
    }
  };

  private final List<Member> members = new ArrayList<>();
  private int size;
  private int alignment = 1;

  /** A record's bytes as an argument. */
  static final class Value {
    final String label;
    final byte[] bytes;

    Value(String label, byte[] bytes) {
      this.label = label;
      this.bytes = bytes;
    }
  }

  private static final class Member {
    final Method accessor;
    final int offset;
    final Struct nested; // null: a number

    Member(Method accessor, int offset, Struct nested) {
      this.accessor = accessor;
      this.offset = offset;
      this.nested = nested;
    }
  }

  private Struct(Class<?> type) {
    Object[] components = components(type);
    if (components.length == 0) {
      throw CucoreException.invalid(label(type) + " has no components; expected at least one");
    }
    for (Object each : components) {
      add(type, (Method) call(each, "getAccessor"));
    }
    size = aligned(size, alignment);
  }

  static Value valueOf(Object record) {
    Class<?> type = Given.notNull(record, "record").getClass();
    if (!isRecord(type)) {
      throw CucoreException.invalid("record is a " + type.getTypeName() + "; expected a record");
    }
    Struct struct = of(type);
    ByteBuffer bytes = ByteBuffer.allocate(struct.size).order(ByteOrder.nativeOrder());
    struct.put(record, bytes, 0);
    return new Value("the " + label(type), bytes.array());
  }

  static boolean isRecord(Class<?> type) {
    Class<?> parent = type.getSuperclass();
    return parent != null && parent.getName().equals("java.lang.Record");
  }

  private static Struct of(Class<?> type) {
    Struct known = KNOWN.get(type).get();
    if (known == null) {
      KNOWN.remove(type);
      known = new Struct(type);
    }
    return known;
  }

  private void add(Class<?> owner, Method accessor) {
    Class<?> type = accessor.getReturnType();
    Struct nested = isRecord(type) ? of(type) : null;
    Integer number = SIZES.get(type);
    if (nested == null && number == null) {
      throw CucoreException.invalid("component " + accessor.getName() + " of " + label(owner) + " is a " + type.getTypeName()
          + "; expected a number, a char, a boolean or a record; "
          + (type.isArray() ? "declare a component for each element"
              : type == CudaBuffer.class ? "pass its address as a long, and call recordUse() after the launch"
              : "pass the bytes of the struct by Arg.of(byte[])"));
    }
    int most = nested == null ? number : nested.alignment;
    int at = aligned(size, most);
    members.add(new Member(open(accessor), at, nested));
    alignment = Math.max(alignment, most);
    size = at + (nested == null ? number : nested.size);
  }

  private static int aligned(int position, int alignment) {
    return (position + alignment - 1) / alignment * alignment;
  }

  /** The record itself may be private. */
  private static Method open(Method accessor) {
    try {
      accessor.setAccessible(true);
      return accessor;
    } catch (RuntimeException e) { // InaccessibleObjectException
      throw CucoreException.invalid(label(accessor.getDeclaringClass()) + " is in a package that its module does not open;"
          + " open it to io.cucore, or make the record and its package public");
    }
  }

  private void put(Object record, ByteBuffer bytes, int base) {
    for (Member each : members) {
      Object value = call(record, each.accessor);
      int at = base + each.offset;
      if (each.nested == null) {
        put(bytes, at, value);
      } else if (value == null) {
        throw CucoreException.invalid("component " + each.accessor.getName() + " of " + label(record.getClass()) + " is null");
      } else {
        each.nested.put(value, bytes, at);
      }
    }
  }

  private static void put(ByteBuffer bytes, int at, Object value) {
    long bits = Conversion.bits(value);
    switch (Conversion.sizeOf(value)) {
      case Byte.BYTES:
        bytes.put(at, (byte) bits);
        break;
      case Short.BYTES:
        bytes.putShort(at, (short) bits);
        break;
      case Integer.BYTES:
        bytes.putInt(at, (int) bits);
        break;
      default:
        bytes.putLong(at, bits);
    }
  }

  private static String label(Class<?> type) {
    return "record " + type.getSimpleName();
  }

  private static Object[] components(Class<?> type) {
    try {
      return (Object[]) Class.class.getMethod("getRecordComponents").invoke(type);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e); // a JVM with records has it
    }
  }

  private static Object call(Object component, String method) {
    try {
      return component.getClass().getMethod(method).invoke(component);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e); // java.lang.reflect.RecordComponent has it
    }
  }

  private static Object call(Object record, Method accessor) {
    try {
      return accessor.invoke(record);
    } catch (java.lang.reflect.InvocationTargetException e) {
      throw CucoreException.invalid("accessor " + accessor.getName() + " of " + label(record.getClass()) + " throws " + e.getCause());
    } catch (IllegalAccessException e) {
      throw new AssertionError(e); // it is accessible
    }
  }
}
