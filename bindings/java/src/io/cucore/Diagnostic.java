// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.io.Serializable;
import java.util.List;

/** One message of a compiler or linker. */
public final class Diagnostic implements Serializable {
  private static final long serialVersionUID = 1L;

  //: fields ()
  private final Severity severity; // How bad it is -> the severity
  private final int line; // The line, from 1 -> the line, 0 if it is not reported
  private final int column; // The column, from 1 -> the column, 0 if it is not reported
  private final String file; // The file -> its name, "" if it is not reported
  private final String text; // The message, without the file, the line and the severity -> the text

  /** Three numbers and two texts each: severity, line, column; file, text. */
  static List<Diagnostic> list(int[] numbers, String[] texts) {
    return Facts.list(texts.length / 2, each -> {
      int i = (int) each;
      return new Diagnostic(Severity.of(numbers[3 * i]), numbers[3 * i + 1], numbers[3 * i + 2], texts[2 * i], texts[2 * i + 1]);
    });
  }

  @Override
  public String toString() {
    String place = file.isEmpty() ? "" : file + (line > 0 ? "(" + line + ")" : "") + ": ";
    return place + severity.name().toLowerCase(java.util.Locale.ROOT) + ": " + text;
  }
}
