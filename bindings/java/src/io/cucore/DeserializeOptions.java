package io.cucore;

import java.util.ArrayList;
import java.util.List;

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

  /**
   * Begins with the defaults.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  Keys toNative() {
    Keys all = new Keys();
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
      maxCodeSize = bytes;
      return this;
    }

    /**
     * Whether a signature is asked for; default: it is not, but one by a known key must be right.
     *
     * @param value the policy
     * @return this
     */
    public Builder signaturePolicy(SignaturePolicy value) {
      policy = value;
      return this;
    }

    /**
     * Adds a key that verifies.
     *
     * @param value the key
     * @return this
     */
    public Builder key(SigningKey value) {
      keys.add(value);
      return this;
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
