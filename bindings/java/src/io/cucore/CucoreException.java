package io.cucore;

/** A call of the library failed. Unchecked: few callers can do anything about a device. */
public class CucoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final int status;
  private final String log;
  private final String origin;
  private final int nativeCode;
  private final String nativeName;

  CucoreException(int status, String message, String log, String origin, int nativeCode, String nativeName) {
    super(message);
    this.status = status;
    this.log = log;
    this.origin = origin;
    this.nativeCode = nativeCode;
    this.nativeName = nativeName;
  }

  /** What the native library calls when a call has failed. */
  static CucoreException make(
      int status, String message, String log, String origin, int nativeCode, String nativeName) {
    return new CucoreException(status, message, log, origin, nativeCode, nativeName);
  }

  /** How the call ended.
   * @return the status */
  public Status status() {
    return Status.of(status);
  }

  /** The whole output of the compiler or the linker.
   * @return the output, "" where there is none */
  public String log() {
    return log;
  }
}
