// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Finds and loads the native library once. The folder in the property cucore.library.path comes first.
 * The copy in the jar is second; it is unpacked into a folder of the user. The JVM's search path is last.
 *
 * <p>The name of the folder is a digest of its content, so versions do not mix. A file in it is used
 * only if its checksum matches the one in the jar.
 */
final class NativeLoader {
  private static final String LIBRARY = System.mapLibraryName("cucorejni");
  private static boolean loaded;

  private NativeLoader() {}

  static synchronized void load() {
    if (loaded) {
      return;
    }
    String folder = System.getProperty("cucore.library.path");
    if (folder != null) {
      System.load(Paths.get(folder, LIBRARY).toAbsolutePath().toString());
    } else if (!loadFromJar()) {
      System.loadLibrary("cucorejni");
    }
    loaded = true;
  }

  /** Returns a name of the folders in the jar: linux-x86-64, linux-aarch64. */
  static String platform() {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    return (os.startsWith("windows") ? "windows" : os)
        + "-"
        + (arch.equals("amd64") || arch.equals("x86_64") ? "x86-64" : arch);
  }

  private static boolean loadFromJar() {
    String base = "/native/" + platform() + "/";
    byte[] index = resource(base + "index");
    if (index == null) {
      return false;
    }
    try {
      System.load(unpacked(base, index).resolve(LIBRARY).toString());
      return true;
    } catch (IOException e) {
      throw new UnsatisfiedLinkError(
          "the native library of cucore cannot be unpacked ("
              + e
              + "); set the property cucore.unpack.path to a folder that is writable");
    }
  }

  private static Path unpacked(String base, byte[] index) throws IOException {
    Map<String, String> sums = read(index);
    IOException failure = null;
    for (Path root : roots()) {
      try {
        Path folder = root.resolve(sum(index).substring(0, 16));
        if (!isWhole(folder, sums)) {
          unpack(base, sums, root, folder);
        }
        return folder;
      } catch (IOException | SecurityException e) {
        failure = new IOException(root + ": " + e, failure);
      }
    }
    throw failure;
  }

  /** The user's own folders first, because code must not be in a folder that others can write to. */
  private static List<Path> roots() throws IOException {
    List<Path> roots = new ArrayList<>();
    String chosen = System.getProperty("cucore.unpack.path");
    if (chosen != null) {
      roots.add(Paths.get(chosen).toAbsolutePath());
      return roots;
    }
    String cache = System.getenv("XDG_CACHE_HOME");
    if (cache != null && Paths.get(cache).isAbsolute()) {
      roots.add(Paths.get(cache, "cucore", "java"));
    } else {
      roots.add(Paths.get(System.getProperty("user.home"), ".cache", "cucore", "java").toAbsolutePath());
    }
    roots.add(TemporaryRoot.PATH);
    return roots;
  }

  /** Created only if the user has no writable home; removed with the process. */
  private static final class TemporaryRoot {
    static final Path PATH = Paths.get(System.getProperty("java.io.tmpdir"),
        "cucore-java-" + ProcessHandle.current().pid() + "-" + Long.toHexString(System.nanoTime()));

    static void deleteAtExit() {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(PATH)));
    }
  }

  private static Map<String, String> read(byte[] index) {
    Map<String, String> sums = new LinkedHashMap<>();
    for (String line : new String(index, StandardCharsets.UTF_8).split("\n")) {
      String[] words = line.split("  ", 2);
      sums.put(words[1], words[0]);
    }
    return sums;
  }

  private static boolean isWhole(Path folder, Map<String, String> sums) throws IOException {
    for (Map.Entry<String, String> each : sums.entrySet()) {
      Path file = folder.resolve(each.getKey());
      if (!Files.isRegularFile(file) || !sum(Files.readAllBytes(file)).equals(each.getValue())) {
        return false;
      }
    }
    return true;
  }

  /** Unpacks into a separate folder first, then moves it: another process sees all or nothing. */
  private static void unpack(String base, Map<String, String> sums, Path root, Path folder)
      throws IOException {
    makePrivate(root);
    Path fresh = Files.createTempDirectory(root, ".unpacking");
    try {
      for (String name : sums.keySet()) {
        try (InputStream in = NativeLoader.class.getResourceAsStream(base + name)) {
          Files.copy(in, fresh.resolve(name));
        }
        if (!name.contains(".so")) {
          Files.setPosixFilePermissions(fresh.resolve(name), PosixFilePermissions.fromString("rwxr-xr-x"));
        }
      }
      put(fresh, folder, sums);
    } finally {
      delete(fresh);
    }
  }

  private static void put(Path fresh, Path folder, Map<String, String> sums) throws IOException {
    try {
      Files.move(fresh, folder, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      if (isWhole(folder, sums)) {
        return; // another process was faster
      }
      // The present files are damaged; processes that have them open keep the old ones.
      for (String name : sums.keySet()) {
        Files.createDirectories(folder);
        Files.move(fresh.resolve(name), folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
      }
    }
  }

  private static void makePrivate(Path root) throws IOException {
    if (root.equals(TemporaryRoot.PATH)) {
      Files.createDirectory(root, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      TemporaryRoot.deleteAtExit();
    } else {
      Files.createDirectories(root);
    }
  }

  private static void delete(Path folder) {
    File[] files = folder.toFile().listFiles();
    if (files != null) {
      for (File file : files) {
        delete(file.toPath());
      }
    }
    folder.toFile().delete();
  }

  private static byte[] resource(String name) {
    try (InputStream in = NativeLoader.class.getResourceAsStream(name)) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      return null;
    }
  }

  private static String sum(byte[] bytes) {
    try {
      StringBuilder text = new StringBuilder();
      for (byte each : MessageDigest.getInstance("SHA-256").digest(bytes)) {
        text.append(String.format("%02x", each));
      }
      return text.toString();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e); // every Java has it
    }
  }
}
