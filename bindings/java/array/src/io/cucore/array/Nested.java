// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import io.cucore.Status;
import java.lang.reflect.Array;
import java.util.ArrayList;
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
    Object flat = Array.newInstance(element, Math.toIntExact(Host.count(shape)));
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
}
