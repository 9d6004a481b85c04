// SPDX-License-Identifier: Apache-2.0
package io.cucore.perf;

import io.cucore.CudaBuffer;
import io.cucore.LaunchConfig;
import io.cucore.Parameter;
import io.cucore.ParameterClass;
import io.cucore.Status;
import java.util.List;

/** The options and arguments of a launch in native memory, for calls that do not launch by the core. */
final class Arguments {
  private static final long OBJECT = -1;

  private Arguments() {}

  static Memory options(Frame frame, LaunchConfig config) {
    Memory to = frame.memory(Layouts.LAUNCH_OPTIONS).putLong(Layouts.LAUNCH_OPTIONS_STRUCT_SIZE, Layouts.LAUNCH_OPTIONS);
    put(to, Layouts.LAUNCH_OPTIONS_GRID, config.getGrid());
    put(to, Layouts.LAUNCH_OPTIONS_BLOCK, config.getBlock());
    put(to, Layouts.LAUNCH_OPTIONS_CLUSTER, config.getCluster());
    return to.putInt(Layouts.LAUNCH_OPTIONS_DYNAMIC_SHARED, config.getDynamicShared());
  }

  private static void put(Memory to, int at, int[] extent) {
    for (int i = 0; i < extent.length; ++i) {
      to.putInt(at + i * Integer.BYTES, extent[i]);
    }
  }

  static Memory write(Frame frame, String kernel, List<Parameter> parameters, Object[] values) {
    if (parameters.size() != values.length) {
      Frame.refuse(Status.INVALID_ARGUMENT, kernel + " has " + parameters.size() + " parameters, but got " + values.length + " arguments");
    }
    Memory all = frame.memory(values.length * Layouts.ARGUMENT);
    for (int i = 0; i < values.length; ++i) {
      int at = i * Layouts.ARGUMENT;
      if (values[i] == null || values[i] instanceof CudaBuffer) {
        all.putLong(at + Layouts.ARGUMENT_DATA, frame.object((CudaBuffer) values[i])).putLong(at + Layouts.ARGUMENT_SIZE, OBJECT);
        continue;
      }
      Parameter parameter = parameters.get(i);
      Memory value = frame.memory((int) Math.max(parameter.size(), Long.BYTES));
      if (!convert(value, parameter, values[i])) {
        Frame.refuse(Status.INVALID_ARGUMENT, kernel + " argument " + (i + 1) + " of " + values.length + ": a " + values[i].getClass().getSimpleName()
            + " does not fit a parameter of the class " + parameter.parameterClass() + " and " + parameter.size() + " bytes");
      }
      all.putLong(at + Layouts.ARGUMENT_DATA, value.address).putLong(at + Layouts.ARGUMENT_SIZE, parameter.size());
    }
    return all;
  }

  private static boolean convert(Memory to, Parameter parameter, Object value) {
    long size = parameter.size();
    boolean isReal = value instanceof Float || value instanceof Double;
    if (value instanceof byte[]) {
      return ((byte[]) value).length == size && to.putBytes((byte[]) value) != null;
    }
    if (value instanceof Boolean) {
      return size == 1 && to.putInt(0, (Boolean) value ? 1 : 0) != null;
    }
    if (!(value instanceof Number) || parameter.parameterClass() == ParameterClass.AGGREGATE) {
      return false;
    }
    Number number = (Number) value;
    if (parameter.parameterClass() == ParameterClass.FLOAT || (isReal && parameter.parameterClass() == ParameterClass.UNKNOWN)) {
      return size == Double.BYTES ? to.putDouble(0, number.doubleValue()) != null
          : size == Float.BYTES && to.putInt(0, Float.floatToRawIntBits(number.floatValue())) != null;
    }
    long whole = number.longValue();
    long shifted = size >= Long.BYTES ? 0 : whole >> (8 * size - 1); // 0 and -1 fit a signed number, 1 an unsigned one
    return !isReal && size <= Long.BYTES && shifted >= -1 && shifted <= 1 && to.putLong(0, whole) != null;
  }
}
