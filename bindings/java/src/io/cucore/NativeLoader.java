package io.cucore;

import java.nio.file.Paths;

/** Finds and loads the native library. */
final class NativeLoader {
  private static final String NAME = "cucorejni";

  private NativeLoader() {}

  static void load() {
    String folder = System.getProperty("cucore.library.path");
    if (folder != null) {
      System.load(Paths.get(folder, System.mapLibraryName(NAME)).toAbsolutePath().toString());
    } else {
      System.loadLibrary(NAME);
    }
  }
}
