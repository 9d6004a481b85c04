// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.LinkedHashMap;
import java.util.Map;

/** What goes with the bytes of object code made elsewhere. */
public final class ObjectCodeOptions {
  static final ObjectCodeOptions NONE = builder().build();

  final String name;
  final String arch;
  private final Map<String, String> names;

  private ObjectCodeOptions(Builder builder) {
    name = builder.name;
    arch = builder.arch;
    names = new LinkedHashMap<>(builder.names);
  }

  @Override
  public String toString() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("name", name);
    all.put("arch", arch);
    all.put("expressions", names.isEmpty() ? null : names);
    return Said.fields(all);
  }

  /**
   * Begins with the defaults.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  String[] expressions() {
    return names.keySet().toArray(new String[0]);
  }

  String[] loweredNames() {
    return names.values().toArray(new String[0]);
  }

  /** Collects ObjectCodeOptions. Not for several threads at a time. */
  public static final class Builder {
    private String name;
    private String arch;
    private final Map<String, String> names = new LinkedHashMap<>();

    private Builder() {}

    /**
     * The name that messages show.
     *
     * @param value the name
     * @return this
     */
    public Builder name(String value) {
      name = Given.notNull(value, "name");
      return this;
    }

    /**
     * The architecture, where the bytes do not say it themselves.
     *
     * @param value "sm_90"
     * @return this
     */
    public Builder arch(String value) {
      arch = Given.notNull(value, "arch");
      return this;
    }

    /**
     * A name under which a kernel is to be found, and the name that it has in the code.
     *
     * @param expression as it is asked for, "saxpy&lt;float&gt;"
     * @param loweredName as it is in the code
     * @return this
     */
    public Builder expression(String expression, String loweredName) {
      names.put(Given.notNull(expression, "expression"), Given.notNull(loweredName, "loweredName"));
      return this;
    }

    @Override
    public String toString() {
      return build().toString();
    }

    /**
     * What has been set so far.
     *
     * @return the options, which never change
     */
    public ObjectCodeOptions build() {
      return new ObjectCodeOptions(this);
    }
  }
}
