// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** One parameter of a kernel: where it lies in the parameter block, and what it accepts. */
public final class Parameter {
  //: fields equal (long[] numbers, int index)
  private final long offset = numbers[NUMBERS * index]; // Where it begins -> bytes from the beginning of the block
  private final long size = numbers[NUMBERS * index + 1]; // How large it is -> bytes
  private final ParameterClass parameterClass = ParameterClass.of((int) numbers[NUMBERS * index + 2]); // Which values it accepts -> the class, UNKNOWN if the code was made from no PTX or its PTX leaves it open

  /** How many numbers of {@code parametersNow} make one. */
  static final int NUMBERS = 3;

  static java.util.List<Parameter> list(long[] numbers) {
    return Facts.list(numbers.length / NUMBERS, i -> new Parameter(numbers, (int) i));
  }

  //: said size + " bytes at " + offset
}
