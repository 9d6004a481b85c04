package io.cucore;

import java.nio.file.Path;

/** What belongs to the library as a whole. */
public final class Cucore {
  private Cucore() {}

  /**
   * The version of the library in use.
   *
   * @return major * 10000 + minor * 100 + patch
   */
  public static int version() {
    return (int) CucoreNative.version_number();
  }

  /**
   * The version of the library in use as text.
   *
   * @return "0.1.0"
   */
  public static String versionString() {
    return CucoreNative.version_string();
  }

  /**
   * The name of a status in the C API.
   *
   * @param status which one
   * @return "CUCORE_ERROR_COMPILATION"
   */
  public static String statusName(Status status) {
    return CucoreNative.status_name(Status.number(status, "status"));
  }

  /**
   * Opens a library if it is not open yet and tells what it is, or why it cannot be used.
   *
   * @param library which one
   * @return what is known of it
   */
  public static LibraryInfo library(Library library) {
    return new LibraryInfo(library);
  }

  /**
   * Names the file of a library, or the folder that holds it, before its first use.
   *
   * @param library which one, but for the driver
   * @param path a file or a folder; it need not exist yet
   * @throws InvalidStateException the library is already open
   * @throws InvalidArgumentException library is the driver: see {@link #selectDriver(String)}
   */
  public static void setLibraryPath(Library library, Path path) {
    CucoreNative.librarySetPath(library, Given.notNull(path, "path").toString());
  }

  /**
   * The address of a function of a library, for a foreign-function interface. Opens the library if it is not open yet.
   * The address stays valid until the process ends.
   *
   * @param library which one
   * @param name the exported name, "cublasCreate_v2"
   * @return the address
   * @throws LibraryMissingException the library cannot be opened; every path tried is listed
   * @throws NotFoundException the library has no such function; the message has the version
   */
  public static long librarySymbol(Library library, String name) {
    return CucoreNative.librarySymbol(library, Given.notNull(name, "name"));
  }

  /**
   * Chooses the driver, before its first use; beats the environment variable CUCORE_DRIVER.
   *
   * @param nameOrPath "nvidia", "cpu", "auto", or the path of a driver library
   * @throws InvalidArgumentException neither a known name nor a path
   * @throws InvalidStateException the driver is already in use
   */
  public static void selectDriver(String nameOrPath) {
    CucoreNative.driverSelect(Given.notNull(nameOrPath, "nameOrPath"));
  }
}
