// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** What is known of a library that is opened at run time. */
public final class LibraryInfo {
  //: fields
  private final boolean isAvailable; // Whether it is open and usable -> true if it is
  private final String path; // The file in use -> its path, "" while unavailable
  private final int versionMajor; // The first number of the version; the driver's is the highest CUDA version it serves -> the number
  private final int versionMinor; // The second number of the version -> the number
  private final String reason; // Why it is unavailable, with every path tried -> the reason, "" while available

  LibraryInfo(Library library) {
    isAvailable = CucoreNative.libraryAvailableNow(library);
    path = CucoreNative.libraryPathNow(library);
    long[] version = CucoreNative.libraryVersionNow(library);
    versionMajor = (int) version[0];
    versionMinor = (int) version[1];
    reason = CucoreNative.libraryReasonNow(library);
  }

  @Override
  public String toString() {
    return isAvailable ? path + ", version " + versionMajor + "." + versionMinor : reason;
  }
}
