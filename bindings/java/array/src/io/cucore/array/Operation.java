// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import java.util.ArrayList;
import java.util.List;

/** An operation of the table: what it is, and calls of it that write into an array. */
public final class Operation {
  private static final int ANY = 0;

  private final int number;
  private final int operands;
  private final int results;
  private final int parameters;
  private final String name;
  private final String numpyName;
  private final String standardName;
  private final String description;

  /** Takes the fields of the struct of C, in its order. */
  private Operation(Object[] record) {
    number = asInt(record[0]);
    operands = asInt(record[2]);
    results = asInt(record[3]);
    parameters = asInt(record[4]);
    name = (String) record[5];
    numpyName = (String) record[6];
    standardName = (String) record[7];
    description = (String) record[8];
  }

  private static int asInt(Object number) {
    return ((Long) number).intValue();
  }

  /** Finds an operation.
   * @param name its name here, in NumPy, or in the Array API
   * @return the operation */
  public static Operation of(String name) {
    int number = Natives.opFind(name);
    return all().stream().filter(each -> each.number == number).findFirst().orElseThrow(AssertionError::new);
  }

  /** Returns all operations.
   * @return the table */
  public static List<Operation> all() {
    List<Operation> all = new ArrayList<>();
    for (long i = 0; i < Natives.opCount(); ++i) {
      all.add(new Operation(Natives.opAt(i)));
    }
    return all;
  }

  static DType commonType(Operand... operands) {
    return DType.of(Natives.resultDtype(ANY, Calls.notNull(operands, "operands"), null));
  }

  static DType commonType(DType... dtypes) {
    int[] numbers = new int[Calls.notNull(dtypes, "dtypes").length];
    for (int i = 0; i < numbers.length; ++i) {
      numbers[i] = Calls.notNull(dtypes[i], "dtypes[" + i + "]").getValue();
    }
    return DType.of(Natives.resultDtype(ANY, null, numbers));
  }

  /** Computes the operation of the elements.
   * @param operands arrays and numbers: the operands, then the parameters
   * @return a new array */
  public NdArray apply(Operand... operands) {
    return Calls.several(number, 1, checked(operands))[0];
  }

  /** Computes the operation of the elements in a type.
   * @param dtype of the computation and of the result
   * @param operands arrays and numbers: the operands, then the parameters
   * @return a new array */
  public NdArray applyAs(DType dtype, Operand... operands) {
    return Calls.apply(number, checked(operands), Calls.notNull(dtype, "dtype"), null, null, 1)[0];
  }

  /** Writes the result into an array.
   * @param out the array, which is converted to by NumPy's rule SAME_KIND
   * @param operands arrays and numbers: the operands, then the parameters */
  public void into(NdArray out, Operand... operands) {
    Calls.apply(number, checked(operands), DType.DEFAULT, Calls.notNull(out, "out"), null, 0);
  }

  /** Writes the result into those elements of an array for which a mask is true.
   * @param out the array
   * @param where the mask, which is broadcast to it
   * @param operands arrays and numbers: the operands, then the parameters */
  public void intoWhere(NdArray out, NdArray where, Operand... operands) {
    Calls.apply(number, checked(operands), DType.DEFAULT, Calls.notNull(out, "out"), Calls.notNull(where, "where"), 0);
  }

  private static Operand[] checked(Operand[] operands) {
    for (int i = 0; i < Calls.notNull(operands, "operands").length; ++i) {
      Calls.notNull(operands[i], "operands[" + i + "]");
    }
    return operands;
  }

  /** Finds the type of the result.
   * @param operands arrays and numbers
   * @return the type */
  public DType resultType(Operand... operands) {
    return DType.of(Natives.resultDtype(number, Calls.notNull(operands, "operands"), null));
  }

  /** Returns the name of the operation.
   * @return the name, as "add" */
  public String getName() {
    return name;
  }

  /** Returns the name of the function in NumPy.
   * @return "" if NumPy has no such function */
  public String getNumpyName() {
    return numpyName;
  }

  /** Returns the name of the function in the Array API.
   * @return "" if it has none */
  public String getStandardName() {
    return standardName;
  }

  /** Returns what the operation computes.
   * @return a short text */
  public String getDescription() {
    return description;
  }

  /** Returns the number of operands.
   * @return without the parameters */
  public int getOperands() {
    return operands;
  }

  /** Returns the number of results.
   * @return 1 for most operations */
  public int getResults() {
    return results;
  }

  /** Returns the number of parameters.
   * @return of numbers behind the operands */
  public int getParameters() {
    return parameters;
  }

  /** Returns the name and what the operation computes. */
  @Override
  public String toString() {
    return name + ": " + description;
  }
}
