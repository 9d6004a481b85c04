// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** One parameter of a kernel: its position in the parameter block, and the values that it accepts. */
public final class Parameter {
  //: fields equal (long[] numbers, int index)
  private final long offset = numbers[NUMBERS * index]; // Its position -> bytes from the beginning of the block
  private final long size = numbers[NUMBERS * index + 1]; // How large it is -> bytes
  private final ParameterClass parameterClass = ParameterClass.of((int) numbers[NUMBERS * index + 2]); // The values that it accepts -> the class, UNKNOWN if the code was made without PTX or its PTX leaves it open

  /** How many numbers of {@code parametersNow} make one. */
  static final int NUMBERS = 3;

  static java.util.List<Parameter> list(long[] numbers) {
    return Facts.list(numbers.length / NUMBERS, i -> new Parameter(numbers, (int) i));
  }

  //: said Said.counted(size, "byte") + " at " + offset
}
