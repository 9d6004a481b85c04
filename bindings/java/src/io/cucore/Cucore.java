// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.nio.file.Path;

/** The library as a whole: its version, the driver, and the libraries that it opens. */
public final class Cucore {
  private Cucore() {}

  //: cucore_version
  // @return major * 10000 + minor * 100 + patch
  public static int version() {
    return (int) CucoreNative.versionNumberNow();
  }

  //: cucore_version_string
  // @return "0.1.0"
  public static String versionString() {
    return CucoreNative.versionStringNow();
  }

  //: cucore_status_name
  // @return "CUCORE_ERROR_COMPILATION"
  public static String statusName(Status status) {
    return CucoreNative.statusNameNow(Status.number(status, "status"));
  }

  //: cucore_library_query
  // @return the file, the version or the reason
  public static LibraryInfo library(Library library) {
    supply(library);
    return new LibraryInfo(library);
  }

  //: cucore_library_set_path
  public static void setLibraryPath(Library library, Path path) {
    CucoreNative.librarySetPathNow(library, Given.notNull(path, "path").toString());
  }

  //: cucore_library_symbol
  // @return the address
  public static long librarySymbol(Library library, String name) {
    supply(library);
    return CucoreNative.librarySymbolNow(library, Given.notNull(name, "name"));
  }

  //: cucore_driver_select
  public static void selectDriver(String nameOrPath) {
    Given.notNull(nameOrPath, "nameOrPath");
    NativeLoader.supply(NativeLoader.CPU_DEVICE);
    CucoreNative.driverSelectNow(nameOrPath);
  }

  /** Loads the library of arrays now. Otherwise, the first array loads it. */
  public static void loadArrays() {
    NativeLoader.loadArrays();
  }

  /** Loads the library of measurements and profiles now. Otherwise, the first class of io.cucore.perf loads it. */
  public static void loadPerf() {
    NativeLoader.loadPerf();
  }

  private static void supply(Library library) {
    if (library == Library.DRIVER) {
      NativeLoader.supply(NativeLoader.CPU_DEVICE);
    }
  }
}
