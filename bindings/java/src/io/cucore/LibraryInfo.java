// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** The state of a library that is opened at run time. */
public final class LibraryInfo {
  //: fields (Library library)
  private final boolean isAvailable = CucoreNative.libraryAvailableNow(library); // Whether it is open and usable -> true if it is
  private final String path = CucoreNative.libraryPathNow(library); // The file in use -> its path, "" while unavailable
  private final int versionMajor = (int) CucoreNative.libraryVersionNow(library)[0]; // The first number of the version; the driver's is the highest CUDA version it serves -> the number
  private final int versionMinor = (int) CucoreNative.libraryVersionNow(library)[1]; // The second number of the version -> the number
  private final String reason = CucoreNative.libraryReasonNow(library); // Why it is unavailable, with every path tried -> the reason, "" while available
  private final String headerFolders = CucoreNative.libraryHeaderFoldersNow(library); // Of NVRTC: the folders of the toolkit's headers that compiles search, with ':' between them -> the folders

  //: said isAvailable ? path + ", version " + versionMajor + "." + versionMinor : reason
}
