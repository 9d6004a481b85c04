package io.cucore;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** How to reach a remote of a {@link Cache}. */
public final class RemoteOptions {
  static final RemoteOptions DEFAULTS = builder().build();

  final boolean readOnly;
  final long connectTimeoutMillis;
  final long timeoutMillis;

  private RemoteOptions(Builder builder) {
    readOnly = builder.readOnly;
    connectTimeoutMillis = builder.connectTimeoutMillis;
    timeoutMillis = builder.timeoutMillis;
  }

  @Override
  public String toString() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("readOnly", readOnly ? true : null);
    all.put("connectTimeoutMillis", connectTimeoutMillis == 0 ? null : connectTimeoutMillis);
    all.put("timeoutMillis", timeoutMillis == 0 ? null : timeoutMillis);
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

  /** Collects RemoteOptions. Not for several threads at a time. */
  public static final class Builder {
    private boolean readOnly;
    private long connectTimeoutMillis;
    private long timeoutMillis;

    private Builder() {}

    /**
     * Whether nothing is sent to it; default: what is built here is.
     *
     * @param value true to send nothing
     * @return this
     */
    public Builder readOnly(boolean value) {
      readOnly = value;
      return this;
    }

    /**
     * How long connecting may take; default: 100 ms.
     *
     * @param value the time, in whole milliseconds; zero: the default
     * @return this
     */
    public Builder connectTimeout(Duration value) {
      connectTimeoutMillis = BatchOptions.millis(value, "connectTimeout");
      return this;
    }

    /**
     * How long one request may take; default: one second.
     *
     * @param value the time, in whole milliseconds; zero: the default
     * @return this
     */
    public Builder timeout(Duration value) {
      timeoutMillis = BatchOptions.millis(value, "timeout");
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
    public RemoteOptions build() {
      return new RemoteOptions(this);
    }
  }
}
