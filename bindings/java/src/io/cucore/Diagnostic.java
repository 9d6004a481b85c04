package io.cucore;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** One thing that a compiler or a linker said. */
public final class Diagnostic implements Serializable {
  private static final long serialVersionUID = 1L;

  /** How bad it is. */
  private final Severity severity;
  /** From 1, or 0. */
  private final int line;
  /** From 1, or 0. */
  private final int column;
  /** The file, or "". */
  private final String file;
  /** What was said. */
  private final String text;

  Diagnostic(Severity severity, int line, int column, String file, String text) {
    this.severity = severity;
    this.line = line;
    this.column = column;
    this.file = file;
    this.text = text;
  }

  /** Three numbers and two texts each: severity, line, column; file, text. */
  static List<Diagnostic> list(int[] numbers, String[] texts) {
    List<Diagnostic> all = new ArrayList<>();
    for (int i = 0; i < texts.length / 2; ++i) {
      Severity severity = Severity.of(numbers[3 * i]);
      all.add(
          new Diagnostic(
              severity, numbers[3 * i + 1], numbers[3 * i + 2], texts[2 * i], texts[2 * i + 1]));
    }
    // Not List.copyOf: exceptions hold this list, and must be serializable.
    return Collections.unmodifiableList(all);
  }

  /**
   * How bad it is.
   *
   * @return the severity
   */
  public Severity severity() {
    return severity;
  }

  /**
   * The line, from 1.
   *
   * @return the line, 0 where it is not said
   */
  public int line() {
    return line;
  }

  /**
   * The column, from 1.
   *
   * @return the column, 0 where it is not said
   */
  public int column() {
    return column;
  }

  /**
   * The file.
   *
   * @return its name, "" where it is not said
   */
  public String file() {
    return file;
  }

  /**
   * What was said, without the file, the line and the severity.
   *
   * @return the text
   */
  public String text() {
    return text;
  }

  @Override
  public String toString() {
    String place = file.isEmpty() ? "" : file + (line > 0 ? "(" + line + ")" : "") + ": ";
    return place + severity.name().toLowerCase(java.util.Locale.ROOT) + ": " + text;
  }
}
