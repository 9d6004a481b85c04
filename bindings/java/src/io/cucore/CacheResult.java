package io.cucore;

/** Object code, and where a {@link Cache} had it from. */
public final class CacheResult {
  private final ObjectCode code;
  private final CacheOutcome outcome;

  CacheResult(ObjectCode code, CacheOutcome outcome) {
    this.code = code;
    this.outcome = outcome;
  }

  /**
   * The object code: yours to close.
   *
   * @return the object code
   */
  public ObjectCode code() {
    return code;
  }

  /**
   * Where it came from.
   *
   * @return the outcome
   */
  public CacheOutcome outcome() {
    return outcome;
  }

  @Override
  public String toString() {
    return outcome + ": " + code;
  }
}
