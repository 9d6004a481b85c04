package io.cucore;

import java.util.LinkedHashMap;
import java.util.Map;

/** How to write object code to bytes. */
public final class SerializeOptions {
  static final SerializeOptions DEFAULTS = builder().build();

  final Toggle compression;
  final SigningKey key;

  private SerializeOptions(Builder builder) {
    compression = builder.compression;
    key = builder.key;
  }

  @Override
  public String toString() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("compression", compression == Toggle.DEFAULT ? null : compression);
    all.put("signingKey", key);
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

  /** Collects SerializeOptions. Not for several threads at a time. */
  public static final class Builder {
    private Toggle compression = Toggle.DEFAULT;
    private SigningKey key;

    private Builder() {}

    /**
     * Whether the code is compressed with zstd; default: it is not.
     *
     * @param value the choice
     * @return this
     */
    public Builder compression(boolean value) {
      compression = value ? Toggle.ON : Toggle.OFF;
      return this;
    }

    /**
     * The key that signs; default: unsigned.
     *
     * @param value the key
     * @return this
     */
    public Builder signingKey(SigningKey value) {
      key = Given.notNull(value, "signingKey");
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
    public SerializeOptions build() {
      return new SerializeOptions(this);
    }
  }
}
