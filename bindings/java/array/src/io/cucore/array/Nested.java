// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import io.cucore.Status;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Arrays of arrays of Java, as one array. */
final class Nested {
  private Nested() {}

  static NdArray toArray(Object nested) {
    List<Long> sizes = new ArrayList<>();
    Class<?> element = nested.getClass();
    for (Object at = nested; element.isArray(); element = element.getComponentType()) {
      int length = at == null ? 0 : Array.getLength(at);
      sizes.add((long) length);
      at = length == 0 || element.getComponentType().isPrimitive() ? null : Array.get(at, 0);
    }
    DType dtype = HostTypes.of(element);
    if (dtype == null) {
      Calls.refuse(Status.INVALID_ARGUMENT, "nested is a " + nested.getClass().getSimpleName() + "; expected arrays of a primitive type");
    }
    long[] shape = sizes.stream().mapToLong(each -> each).toArray();
    Object flat = Array.newInstance(element, Host.length(Host.count(shape)));
    fill(nested, flat, 0, shape, 0);
    return Host.toArray(flat, dtype, shape);
  }

  private static int fill(Object from, Object flat, int at, long[] shape, int axis) {
    int length = from == null ? -1 : Array.getLength(from);
    if (length != shape[axis]) {
      Calls.refuse(Status.INVALID_ARGUMENT, "nested has " + (length < 0 ? "null" : length + " elements") + " on axis " + axis
          + "; expected " + shape[axis] + ", as in the first one");
    }
    if (axis == shape.length - 1) {
      System.arraycopy(from, 0, flat, at, length);
      return at + length;
    }
    int next = at;
    for (int i = 0; i < length; ++i) {
      next = fill(Array.get(from, i), flat, next, shape, axis + 1);
    }
    return next;
  }

  /** Copies the elements to new arrays of Java. Waits. */
  static Object ofArray(NdArray x) {
    long[] shape = x.getShape();
    Class<?> element = HostTypes.of(x.getDType());
    if (element == null || shape.length == 0) {
      Calls.refuse(Status.INVALID_ARGUMENT, "the array has the type " + x.getDType() + " and " + shape.length
          + " axes; expected a type that Java has, as by as(), and at least one axis");
    }
    Object flat = Array.newInstance(element, Host.length(x.getSize()));
    Natives.read(x, flat, 0, x.getBytes());
    int[] sizes = Arrays.stream(shape).mapToInt(Host::length).toArray();
    Object nested = Array.newInstance(element, sizes);
    distribute(flat, nested, 0, sizes, 0);
    return nested;
  }

  private static int distribute(Object flat, Object to, int at, int[] sizes, int axis) {
    if (axis == sizes.length - 1) {
      System.arraycopy(flat, at, to, 0, sizes[axis]);
      return at + sizes[axis];
    }
    int next = at;
    for (int i = 0; i < sizes[axis]; ++i) {
      next = distribute(flat, Array.get(to, i), next, sizes, axis + 1);
    }
    return next;
  }
}
