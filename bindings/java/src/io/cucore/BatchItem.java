// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.Arrays;

/** One compile of many. It never changes. */
public final class BatchItem {
  //: fields
  private final Program program; // The program to compile -> the program
  private final CodeType target; // The kind of code to make -> the kind of code
  private final String[] nameExpressions; // Templates and overloads to instantiate -> a copy

  private BatchItem(Program program, CodeType target, String[] nameExpressions) {
    this.program = Given.notNull(program, "program");
    this.target = Given.notNull(target, "target");
    this.nameExpressions = Given.noneNull(nameExpressions, "nameExpressions").clone();
  }

  /**
   * One compile, as {@link Program#compile(CodeType, String...)} does it.
   *
   * @param program what to compile; it may be in several items
   * @param target what to make of it
   * @param nameExpressions templates and overloads to instantiate
   * @return the item
   */
  public static BatchItem of(Program program, CodeType target, String... nameExpressions) {
    return new BatchItem(program, target, nameExpressions);
  }

  //: said program + " to " + target + (nameExpressions.length == 0 ? "" : " " + Arrays.toString(nameExpressions))
}
