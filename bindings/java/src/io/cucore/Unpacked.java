// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The jar's native files of one platform, in a folder of the user. The name of the folder is a digest
 * of its content, so versions do not mix.
 *
 * <p>A start compares sizes and times. An unpacked file has a time that follows from its checksum, so
 * a file that was changed later has another one. The checksum itself is computed in two cases: the time
 * differs, or others can write to the folder.
 */
final class Unpacked {
  private static final long FIRST_STAMP = 1262304000; // 2010, and at most 2^28 seconds later
  private static final int STAMP_DIGITS = 7;
  private static final int KIND = 0170000;
  private static final int REGULAR = 0100000;
  private static final int WRITABLE_BY_OTHERS = 022;

  private final String base;
  private final List<Entry> entries;
  private Path folder;
  private boolean isPrivate;

  private Unpacked(String base, List<Entry> entries) {
    this.base = base;
    this.entries = entries;
  }

  /** One file of the index. */
  private static final class Entry {
    final String sum;
    final long size;
    final String name;

    Entry(String line) {
      String[] words = line.split(" ");
      sum = words[0];
      size = Long.parseLong(words[1]);
      name = words[2];
    }

    boolean isNeededAtStart() {
      return name.startsWith("libcucore") && !name.equals(NativeLoader.CPU_DEVICE) && !name.startsWith(NativeLoader.ARRAYS)
          && !name.startsWith(NativeLoader.PERF);
    }

    FileTime stamp() {
      return FileTime.from(FIRST_STAMP + Long.parseLong(sum.substring(0, STAMP_DIGITS), 16), TimeUnit.SECONDS);
    }
  }

  /** Returns the files below a path of the jar, of which the libraries are unpacked; null if it has none. */
  static Unpacked of(String base) throws IOException {
    byte[] index = index(base.substring(1) + "index");
    if (index == null) {
      return null;
    }
    String[] lines = new String(index, StandardCharsets.UTF_8).split("\n");
    List<Entry> entries = new ArrayList<>();
    for (int i = 1; i < lines.length; ++i) {
      entries.add(new Entry(lines[i]));
    }
    Unpacked files = new Unpacked(base, entries);
    files.open(lines[0]);
    return files;
  }

  /** Reads from the jar itself: the resources of a class loader cost a start some milliseconds. */
  private static byte[] index(String name) throws IOException {
    File jar = NativeLoader.jar();
    if (jar != null) {
      try (ZipFile zip = new ZipFile(jar)) {
        ZipEntry entry = zip.getEntry(name);
        return entry == null ? null : zip.getInputStream(entry).readAllBytes();
      }
    }
    try (InputStream in = Unpacked.class.getResourceAsStream("/" + name)) {
      return in == null ? null : in.readAllBytes();
    }
  }

  Path folder() {
    return folder;
  }

  void supply(String names) throws IOException {
    for (Entry each : entries) {
      if (each.name.startsWith(names) && !isCurrent(each)) {
        unpack(each);
      }
    }
  }

  private void open(String name) throws IOException {
    String chosen = System.getProperty("cucore.unpack.path");
    if (chosen != null) {
      openIn(Paths.get(chosen).toAbsolutePath(), name);
      return;
    }
    Path home = NativeLoader.home();
    try {
      openIn(home, name);
    } catch (IOException | SecurityException e) {
      openInTemporaryRoot(name, new IOException(home + ": " + e));
    }
  }

  /** Used only if the user has no writable home; removed with the process. */
  private void openInTemporaryRoot(String name, IOException reason) throws IOException {
    try {
      Path root = Files.createTempDirectory("cucore-java-");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(root.toFile())));
      openIn(root, name);
    } catch (IOException | SecurityException e) {
      reason.addSuppressed(e);
      throw new IOException(reason.getMessage() + "; " + System.getProperty("java.io.tmpdir") + ": " + e, reason);
    }
  }

  private void openIn(Path root, String name) throws IOException {
    folder = root.resolve(name);
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(root);
      Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    isPrivate = isPrivate(attributes(root)) && isPrivate(attributes(folder));
    for (Entry each : entries) {
      if (each.isNeededAtStart() && !isCurrent(each)) {
        unpack(each);
      }
    }
  }

  private static Map<String, Object> attributes(Path path) throws IOException {
    return Files.readAttributes(path, "unix:uid,mode,size,lastModifiedTime");
  }

  /** Returns whether only this user and the administrator can write. */
  private static boolean isPrivate(Map<String, Object> attributes) throws IOException {
    Object owner = attributes.get("uid");
    boolean isOwn = owner.equals(0) || owner.equals(Files.getAttribute(Paths.get("/proc/self"), "unix:uid"));
    return isOwn && ((Integer) attributes.get("mode") & WRITABLE_BY_OTHERS) == 0;
  }

  private boolean isCurrent(Entry entry) throws IOException {
    Path file = folder.resolve(entry.name);
    Map<String, Object> facts;
    try {
      facts = attributes(file);
    } catch (NoSuchFileException e) {
      return false;
    }
    if (((Integer) facts.get("mode") & KIND) != REGULAR || !facts.get("size").equals(entry.size)) {
      return false;
    }
    if (isPrivate && isPrivate(facts) && facts.get("lastModifiedTime").equals(entry.stamp())) {
      return true;
    }
    return sum(Files.readAllBytes(file)).equals(entry.sum) && restamp(file, entry);
  }

  /** The next start then compares the time alone. A folder of the administrator stays unchanged. */
  private static boolean restamp(Path file, Entry entry) {
    try {
      Files.setLastModifiedTime(file, entry.stamp());
    } catch (IOException e) {
      // the next start computes the checksum again
    }
    return true;
  }

  /** Writes a file aside and moves it: another process sees all of it or nothing. Processes that have the old one open keep it. */
  private void unpack(Entry entry) throws IOException {
    Path fresh = Files.createTempFile(folder, ".unpacking", "");
    try {
      try (InputStream in = Unpacked.class.getResourceAsStream(base + entry.name);
          OutputStream out = Files.newOutputStream(fresh)) {
        in.transferTo(out);
      }
      if (!entry.name.contains(".so")) {
        Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rwx------"));
      }
      Files.setLastModifiedTime(fresh, entry.stamp());
      Files.move(fresh, folder.resolve(entry.name), StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  static void delete(File folder) {
    File[] files = folder.listFiles();
    if (files != null) {
      for (File file : files) {
        delete(file);
      }
    }
    folder.delete();
  }

  private static String sum(byte[] bytes) {
    try {
      StringBuilder text = new StringBuilder();
      for (byte each : MessageDigest.getInstance("SHA-256").digest(bytes)) {
        text.append(Character.forDigit(each >> 4 & 0xf, 16)).append(Character.forDigit(each & 0xf, 16));
      }
      return text.toString();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e); // every Java has it
    }
  }
}
