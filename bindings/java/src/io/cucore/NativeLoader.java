// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.CodeSource;
import java.util.Locale;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Finds and loads the native library once. The folder in the property cucore.library.path comes first.
 * The copy in the jar is second; {@link Unpacked} writes it into a folder of the user. The JVM's search
 * path is last.
 */
final class NativeLoader {
  /** The files that few programs need; each is unpacked before its first use. */
  static final String CPU_DEVICE = "libcucore-cpu.so";
  static final String REMOTES = "cucore-remote-";
  static final String WORKER = "cucore-worker";
  static final String ARRAYS = "libcucore-array";
  static final String PERF = "libcucore-perf";

  private static final String LIBRARY = System.mapLibraryName("cucorejni");
  private static boolean loaded;
  private static boolean hasArrays;
  private static boolean hasPerf;
  private static Unpacked unpacked; // null if the libraries are not those of the jar

  private NativeLoader() {}

  static synchronized void load() {
    if (loaded) {
      return;
    }
    String folder = System.getProperty("cucore.library.path");
    if (folder != null) {
      load(Paths.get(folder, LIBRARY).toAbsolutePath(), null);
    } else if (!loadFromJar()) {
      loadInstalled();
    }
    loaded = true;
    if (System.getenv("CUCORE_PROFILE") != null) {
      supply(PERF); // libcucore opens it by itself
    }
  }

  /** Loads the library of arrays, which programs without arrays do not need. */
  static synchronized void loadArrays() {
    if (!hasArrays) {
      loadFurther(ARRAYS, "cucore-arrayjni");
      hasArrays = true;
    }
  }

  /** Loads the library of measurements and profiles, which few programs need. */
  static synchronized void loadPerf() {
    if (!hasPerf) {
      loadFurther(PERF, "cucore-perfjni");
      hasPerf = true;
    }
  }

  private static void loadFurther(String files, String name) {
    load();
    supply(files);
    String library = System.mapLibraryName(name);
    String folder = System.getProperty("cucore.library.path");
    if (folder != null) {
      load(Paths.get(folder, library).toAbsolutePath(), null);
    } else if (unpacked != null) {
      load(unpacked.folder().resolve(library), unpacked.folder());
    } else {
      System.loadLibrary(name);
    }
  }

  /** Unpacks the files whose names begin with a text. If that fails, their user reports the missing file. */
  static void supply(String names) {
    try {
      unpack(names);
    } catch (IOException e) { // without the lock: another thread that loads holds the lock of a class that a message needs
      Log.write(LogLevel.WARNING, "cannot unpack " + names + ": " + e + "; set the property cucore.unpack.path"
          + " to a folder that is writable");
    }
  }

  private static synchronized void unpack(String names) throws IOException {
    load();
    if (unpacked != null) {
      unpacked.supply(names);
    }
  }

  /** Returns a name of the folders in the jar: linux-x86-64, linux-aarch64. */
  private static String platform() {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    return (os.startsWith("windows") ? "windows" : os)
        + "-"
        + (arch.equals("amd64") || arch.equals("x86_64") ? "x86-64" : arch);
  }

  /** Returns the user's own folder to unpack into, because code must not be in a folder that others can write to. */
  static Path home() {
    String cache = System.getenv("XDG_CACHE_HOME");
    return cache != null && Paths.get(cache).isAbsolute() ? Paths.get(cache, "cucore", "java")
        : Paths.get(System.getProperty("user.home"), ".cache", "cucore", "java").toAbsolutePath();
  }

  private static boolean loadFromJar() {
    try {
      Unpacked files = Unpacked.of("/native/" + platform() + "/");
      if (files == null) {
        return false;
      }
      load(files.folder().resolve(LIBRARY), files.folder());
      unpacked = files;
      return true;
    } catch (IOException e) {
      throw new UnsatisfiedLinkError(
          "the native library of cucore cannot be unpacked ("
              + e
              + "); set the property cucore.unpack.path to a folder that is writable");
    }
  }

  /** A JVM loads a file for one class loader only. A further class loader therefore loads a copy. */
  private static void load(Path library, Path folderOfCopies) {
    try {
      System.load(library.toString());
    } catch (UnsatisfiedLinkError e) {
      if (!Files.isRegularFile(library) || !loadCopy(library, folderOfCopies)) {
        throw e;
      }
    }
  }

  /** The copy is deleted at once; the process keeps its content. */
  private static boolean loadCopy(Path library, Path folderOfCopies) {
    try {
      Path folder = Files.createTempDirectory(folderOfCopies == null ? Paths.get(System.getProperty("java.io.tmpdir"))
          : folderOfCopies, ".loading");
      try {
        System.load(Files.copy(library, folder.resolve(library.getFileName())).toString());
        return true;
      } finally {
        Unpacked.delete(folder.toFile());
      }
    } catch (IOException | UnsatisfiedLinkError e) {
      return false; // the first failure has the reason
    }
  }

  private static void loadInstalled() {
    try {
      System.loadLibrary("cucorejni");
    } catch (UnsatisfiedLinkError e) {
      UnsatisfiedLinkError missing = new UnsatisfiedLinkError("the jar of cucore has no native library for " + platform()
          + "; expected one of: " + platforms() + "; set the property cucore.library.path to a folder with " + LIBRARY
          + " for this platform");
      missing.initCause(e);
      throw missing;
    }
  }

  /** Returns the file of the jar; null if the class comes from elsewhere, for example from a jar in a jar. */
  static File jar() {
    CodeSource source = NativeLoader.class.getProtectionDomain().getCodeSource();
    URL place = source == null ? null : source.getLocation();
    if (place == null || !place.getProtocol().equals("file")) {
      return null;
    }
    try {
      File file = new File(place.toURI());
      return file.isFile() ? file : null;
    } catch (URISyntaxException | IllegalArgumentException e) {
      return null;
    }
  }

  /** Lists the platforms of the jar, for the message. */
  private static String platforms() {
    TreeSet<String> names = new TreeSet<>();
    File file = jar();
    if (file == null) {
      return "unknown, because the class is not in a jar file";
    }
    try (JarFile jar = new JarFile(file)) {
      for (JarEntry each : java.util.Collections.list(jar.entries())) {
        String[] words = each.getName().split("/");
        if (words.length == 3 && words[0].equals("native") && words[2].equals("index")) {
          names.add(words[1]);
        }
      }
    } catch (IOException e) {
      return "unknown, because its jar cannot be read (" + e + ")";
    }
    return names.isEmpty() ? "none" : String.join(", ", names);
  }
}
