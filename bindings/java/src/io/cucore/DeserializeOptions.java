package io.cucore;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What to ask of bytes that are read. */
public final class DeserializeOptions {
  static final DeserializeOptions DEFAULTS = builder().build();

  final long maxCodeSize;
  final SignaturePolicy policy;
  private final List<SigningKey> keys;

  private DeserializeOptions(Builder builder) {
    maxCodeSize = builder.maxCodeSize;
    policy = builder.policy;
    keys = List.copyOf(builder.keys);
  }

  @Override
  public String toString() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("maxCodeSize", maxCodeSize == 0 ? null : maxCodeSize);
    all.put("signaturePolicy", policy == SignaturePolicy.NONE ? null : policy);
    all.put("keys", keys.isEmpty() ? null : keys);
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

  NativeKeys toNative() {
    NativeKeys all = new NativeKeys();
    keys.forEach(key -> key.addTo(all));
    return all;
  }

  /** Collects DeserializeOptions. Not for several threads at a time. */
  public static final class Builder {
    private long maxCodeSize;
    private SignaturePolicy policy = SignaturePolicy.NONE;
    private final List<SigningKey> keys = new ArrayList<>();

    private Builder() {}

    /**
     * Refuses images above a size.
     *
     * @param bytes the most; 0: 1 GiB
     * @return this
     */
    public Builder maxCodeSize(long bytes) {
      maxCodeSize = Given.notNegative(bytes, "maxCodeSize");
      return this;
    }

    /**
     * Whether a signature is asked for; default: it is not, but one by a known key must be right.
     *
     * @param value the policy
     * @return this
     */
    public Builder signaturePolicy(SignaturePolicy value) {
      policy = Given.notNull(value, "signaturePolicy");
      return this;
    }

    /**
     * Adds a key that verifies.
     *
     * @param value the key
     * @return this
     */
    public Builder key(SigningKey value) {
      keys.add(Given.notNull(value, "key"));
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
    public DeserializeOptions build() {
      return new DeserializeOptions(this);
    }
  }
}
