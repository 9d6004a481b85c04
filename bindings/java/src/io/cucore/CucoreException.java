// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.Arrays;
import java.util.List;

/**
 * A call of the library failed. Each status has a class of its own below this one, so that a program
 * catches what it can do something about. Unchecked: few callers can do anything about a device.
 */
public class CucoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private static final int LINES = 20;

  /** The status. */
  private final int status;
  /** The whole output. */
  private final String log;
  /** The owner of nativeCode. */
  private final String origin;
  /** The number. */
  private final int nativeCode;
  /** Its name. */
  private final String nativeName;
  /** The log, message by message. */
  private final List<Diagnostic> diagnostics;

  CucoreException(Failure failure) {
    super(failure.message);
    status = failure.status;
    log = failure.log;
    origin = failure.origin;
    nativeCode = failure.nativeCode;
    nativeName = failure.nativeName;
    diagnostics = failure.diagnostics;
  }

  /** Called by the native library for a failed call. */
  static CucoreException make(
      int status,
      String message,
      String log,
      String origin,
      int nativeCode,
      String nativeName,
      int[] numbers,
      String[] texts) {
    List<Diagnostic> said = numbers == null ? List.of() : Diagnostic.list(numbers, texts);
    return Exceptions.of(new Failure(status, message, log, origin, nativeCode, nativeName, said));
  }

  static CucoreException closed(String type) {
    return Exceptions.of(new Failure(Status.INVALID_HANDLE, "the " + type + " has been closed"));
  }

  static CucoreException invalid(String message) {
    return Exceptions.of(new Failure(Status.INVALID_ARGUMENT, message));
  }

  /**
   * Returns the class and the message, as usual; below them the first lines of the log, if it is not
   * empty. An uncaught exception therefore prints the compiler's output.
   */
  @Override
  public String toString() {
    String said = super.toString();
    if (log.isBlank()) {
      return said;
    }
    String[] lines = log.strip().split("(\\s*\\R)+");
    int first = said.contains(lines[0]) ? 1 : 0; // the first error is in the message
    int end = Math.min(lines.length, first + LINES);
    String more = end == lines.length ? "" : "\n    ... " + (lines.length - end) + " more lines in log()";
    return said + "\n    " + String.join("\n    ", Arrays.asList(lines).subList(first, end)) + more;
  }

  /**
   * How the call ended.
   *
   * @return the status; UNKNOWN for one that is newer than this class
   */
  public Status status() {
    return Status.of(status);
  }

  /**
   * How the call ended, as the C API's number.
   *
   * @return the number
   */
  public int statusCode() {
    return status;
  }

  //: cucore_error_log
  // @return the output, or ""
  public String log() {
    return log;
  }

  /**
   * Returns the diagnostics in the log.
   *
   * @return the diagnostics in order, unmodifiable
   */
  public List<Diagnostic> diagnostics() {
    return diagnostics;
  }

  //: cucore_error_origin
  // @return "cuda", "nvrtc", "nvjitlink", "nvvm" or "cucore"
  public String origin() {
    return origin;
  }

  //: cucore_error_native_code
  // @return the number, 0 if the failure is the library's own
  public int nativeCode() {
    return nativeCode;
  }

  //: cucore_error_native_name
  // @return the name, or ""
  public String nativeName() {
    return nativeName;
  }
}
