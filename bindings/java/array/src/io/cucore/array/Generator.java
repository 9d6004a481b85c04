// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

/** A stream of random numbers, which its seed determines. Kernels compute the numbers that they need. */
public final class Generator extends Handle {
  private final long seed;

  /** Makes a generator.
   * @param seed any number */
  public Generator(long seed) {
    super(Natives.generatorCreate(Context.current(), seed));
    this.seed = seed;
  }

  /** Makes an array of random numbers.
   * @param distribution how they are distributed
   * @param dtype the type; {@link DType#DEFAULT}: that of the distribution
   * @param parameters of the distribution; none: its defaults
   * @param shape the sizes
   * @return the array */
  public NdArray random(Distribution distribution, DType dtype, Operand[] parameters, long... shape) {
    return new NdArray(Natives.random(this, Calls.notNull(distribution, "distribution").getValue(),
        Calls.notNull(dtype, "dtype").getValue(), parameters, shape));
  }

  /** Makes numbers from 0 to less than 1.
   * @param dtype the type
   * @param shape the sizes
   * @return the array */
  public NdArray uniform(DType dtype, long... shape) {
    return random(Distribution.UNIFORM, dtype, new Operand[0], shape);
  }

  /** Makes normal numbers with mean 0 and standard deviation 1.
   * @param dtype the type
   * @param shape the sizes
   * @return the array */
  public NdArray normal(DType dtype, long... shape) {
    return random(Distribution.NORMAL, dtype, new Operand[0], shape);
  }

  /** Makes integers.
   * @param low the least one
   * @param high more than the greatest one
   * @param shape the sizes
   * @return an array of INT64 */
  public NdArray integers(long low, long high, long... shape) {
    return random(Distribution.INTEGERS, DType.DEFAULT, new Operand[] {Scalar.of(low), Scalar.of(high)}, shape);
  }

  /** Returns what determines the next numbers.
   * @return four numbers for {@link #setState} */
  public long[] getState() {
    return Natives.generatorState(this);
  }

  /** Continues from a state.
   * @param state the four numbers of {@link #getState} */
  public void setState(long... state) {
    Natives.generatorSetState(this, state);
  }

  /** Returns the seed. */
  @Override
  public String toString() {
    return "Generator" + (lease == 0 ? " (closed)" : " of seed " + seed);
  }
}
