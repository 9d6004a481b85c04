package io.cucore;

/** What is known of a library that is opened at run time. */
public final class LibraryInfo {
  private final boolean available;
  private final String path;
  private final int versionMajor;
  private final int versionMinor;
  private final String reason;

  LibraryInfo(Library library) {
    available = CucoreNative.libraryAvailableNow(library);
    path = CucoreNative.libraryPathNow(library);
    long[] version = CucoreNative.libraryVersionNow(library);
    versionMajor = (int) version[0];
    versionMinor = (int) version[1];
    reason = CucoreNative.libraryReasonNow(library);
  }

  /**
   * Whether it is open and usable.
   *
   * @return true if it is
   */
  public boolean isAvailable() {
    return available;
  }

  /**
   * The file in use.
   *
   * @return its path, "" while unavailable
   */
  public String path() {
    return path;
  }

  /**
   * The first number of the version; the driver's is the highest CUDA version it serves.
   *
   * @return the number
   */
  public int versionMajor() {
    return versionMajor;
  }

  /**
   * The second number of the version.
   *
   * @return the number
   */
  public int versionMinor() {
    return versionMinor;
  }

  /**
   * Why it is unavailable, with every path tried.
   *
   * @return the reason, "" while available
   */
  public String reason() {
    return reason;
  }

  @Override
  public String toString() {
    return available ? path + ", version " + versionMajor + "." + versionMinor : reason;
  }
}
