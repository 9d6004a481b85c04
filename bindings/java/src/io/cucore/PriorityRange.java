package io.cucore;

/** The range of stream priorities. */
public final class PriorityRange {
  private final int least;
  private final int greatest;

  PriorityRange(long[] both) {
    least = (int) both[0];
    greatest = (int) both[1];
  }

  /**
   * The default.
   *
   * @return the priority that goes last
   */
  public int least() {
    return least;
  }

  /**
   * A lower number, which goes first.
   *
   * @return the priority that goes first
   */
  public int greatest() {
    return greatest;
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof PriorityRange)) {
      return false;
    }
    PriorityRange that = (PriorityRange) other;
    return least == that.least && greatest == that.greatest;
  }

  @Override
  public int hashCode() {
    return java.util.Objects.hash(least, greatest);
  }

  @Override
  public String toString() {
    return least + " to " + greatest;
  }
}
