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

  /** How the call ended, as the C API's number. */
  private final int status;
  //: fields
  private final String log; // The whole output of the compiler, the linker or the driver's PTX compiler -> the output, or ""
  private final String origin; // The component that returned {@link #nativeCode()} -> "cuda", "nvrtc", "nvjitlink", "nvvm" or "cucore"
  private final int nativeCode; // The number that the driver or the compiler returned -> the number, 0 if the failure is the library's own
  private final String nativeName; // The name of {@link #nativeCode()}, "CUDA_ERROR_INVALID_PTX" -> the name, or ""
  private final List<Diagnostic> diagnostics; // The diagnostics in the log -> the diagnostics in order, unmodifiable

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
   * empty. An uncaught exception therefore prints the compiler's output. The message of failed checks
   * has the first reports, so their log is left out.
   */
  @Override
  public String toString() {
    String said = super.toString();
    if (log.isBlank() || status() == Status.CHECKS) {
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
}
