package io.cucore;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** How to compile many programs at once. */
public final class BatchOptions {
  static final BatchOptions DEFAULTS = builder().build();

  final long workers;
  final long timeLimitMillis;
  final Cache cache;

  private BatchOptions(Builder builder) {
    workers = builder.workers;
    timeLimitMillis = builder.timeLimitMillis;
    cache = builder.cache;
  }

  @Override
  public String toString() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("workers", workers == 0 ? null : workers);
    all.put("timeLimit", timeLimitMillis == 0 ? null : Duration.ofMillis(timeLimitMillis));
    all.put("cache", cache);
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

  /** In whole milliseconds, as 32 bits hold them; less than one would be taken for no limit at all. */
  static long millis(Duration time, String name) {
    Given.notNull(time, name);
    boolean isTooLong = time.compareTo(Duration.ofMillis(0xffffffffL)) > 0;
    if (time.isNegative() || isTooLong || !time.isZero() && time.toMillis() == 0) {
      throw CucoreException.invalid(name + " cannot be " + time);
    }
    return time.toMillis();
  }

  /** Collects BatchOptions. Not for several threads at a time. */
  public static final class Builder {
    private long workers;
    private long timeLimitMillis;
    private Cache cache;

    private Builder() {}

    /**
     * How many processes compile; default: one a core.
     *
     * @param value the number; 0: one a core
     * @return this
     */
    public Builder workers(int value) {
      workers = Given.notNegative(value, "workers");
      return this;
    }

    /**
     * How long one compile may take; default: as long as it likes.
     *
     * @param value the time, a millisecond at least; zero: no limit
     * @return this
     */
    public Builder timeLimit(Duration value) {
      timeLimitMillis = millis(value, "timeLimit");
      return this;
    }

    /**
     * Where to look first, and to keep what is compiled; default: nowhere.
     *
     * @param value the cache, or null
     * @return this
     */
    public Builder cache(Cache value) {
      cache = value;
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
    public BatchOptions build() {
      return new BatchOptions(this);
    }
  }
}
