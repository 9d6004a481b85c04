// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.LinkedHashMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Options by the names of their fields in the C API. */
abstract class Options {
  private final Map<String, Object> fields;

  /** The target of the fields. */
  interface Target {
    void setText(String name, String value);

    void setNumber(String name, long value);

    void addText(String name, String value);

    void addNumber(String name, long value);

    void addBytes(String name, byte[] value);

    void addKey(String name, KeyAlgorithm algorithm, byte[] value);
  }

  Options(Builder builder) {
    fields = new LinkedHashMap<>();
    builder.fields.forEach((name, value) -> fields.put(name, copy(value)));
  }

  private static Object copy(Object value) {
    return value instanceof List ? List.copyOf((List<?>) value) : value;
  }

  void apply(Target target) {
    fields.forEach((name, value) -> apply(target, name, value));
  }

  private static void apply(Target target, String name, Object value) {
    if (value instanceof String) {
      target.setText(name, (String) value);
    } else if (value instanceof Number) {
      target.setNumber(name, ((Number) value).longValue());
    } else if (value instanceof SigningKey) {
      ((SigningKey) value).addTo(target, name);
    } else if (value instanceof Boolean) {
      target.setNumber(name, ((Boolean) value ? Toggle.ON : Toggle.OFF).value());
    } else {
      ((List<?>) value).forEach(each -> add(target, name, each));
    }
  }

  private static void add(Target target, String name, Object value) {
    if (value instanceof String) {
      target.addText(name, (String) value);
    } else if (value instanceof Integer) {
      target.addNumber(name, (Integer) value);
    } else if (value instanceof SigningKey) {
      ((SigningKey) value).addTo(target, name);
    } else {
      target.addBytes(name, (byte[]) value);
    }
  }

  /** Returns the name of the builder's method. */
  private static String inJava(String name) {
    StringBuilder text = new StringBuilder();
    for (String word : name.split("_")) {
      text.append(text.length() == 0 ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
    }
    return text.toString();
  }

  private static String said(Map<String, Object> fields) {
    Map<String, Object> all = new LinkedHashMap<>();
    fields.forEach((name, value) -> all.put(inJava(name), value));
    return Said.fields(all);
  }

  @Override
  public String toString() {
    return said(fields);
  }

  /** Collects fields. */
  abstract static class Builder {
    private final Map<String, Object> fields = new LinkedHashMap<>();

    void set(String name, Object value) {
      fields.put(name, Given.notNull(value, inJava(name)));
    }

    // A yes or no that the library encodes as 1 or 0; other choices are toggles.
    void setFlag(String name, boolean value) {
      set(name, value ? 1 : 0);
    }

    void add(String name, byte[] value) {
      list(name).add(Given.notNull(value, inJava(name)).clone());
    }

    void add(String name, Object[] values) {
      list(name).addAll(List.of(Given.noneNull(values, inJava(name))));
    }

    void add(String name, int... values) {
      for (int value : Given.notNull(values, inJava(name))) {
        list(name).add(value);
      }
    }

    @Override
    public String toString() {
      return said(fields);
    }

    @SuppressWarnings("unchecked") // only add() stores lists there
    private List<Object> list(String name) {
      return (List<Object>) fields.computeIfAbsent(name, absent -> new ArrayList<>());
    }
  }
}
