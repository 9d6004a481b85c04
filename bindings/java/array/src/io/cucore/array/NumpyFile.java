// SPDX-License-Identifier: Apache-2.0
package io.cucore.array;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** Files of NumPy: .npy with one array, .npz with several. They contain no objects of Python. */
public final class NumpyFile {
  private static final String ENDING = ".npy";

  private NumpyFile() {}

  /** Writes a .npy file. Waits for the elements.
   * @param file the file
   * @param array the array
   * @throws IOException the file cannot be written */
  public static void save(Path file, NdArray array) throws IOException {
    Calls.notNull(file, "file");
    Files.write(file, Calls.notNull(array, "array").toNpy());
  }

  /** Reads a .npy file.
   * @param file the file
   * @return the array
   * @throws IOException the file cannot be read */
  public static NdArray load(Path file) throws IOException {
    return Nd.fromNpy(Files.readAllBytes(Calls.notNull(file, "file")));
  }

  /** Writes a .npz file. Waits for the elements.
   * @param file the file
   * @param arrays the arrays by name, in this order
   * @throws IOException the file cannot be written */
  public static void saveAll(Path file, Map<String, NdArray> arrays) throws IOException {
    write(file, arrays, false);
  }

  /** Writes a .npz file whose arrays are compressed. Waits for the elements.
   * @param file the file
   * @param arrays the arrays by name, in this order
   * @throws IOException the file cannot be written */
  public static void saveCompressed(Path file, Map<String, NdArray> arrays) throws IOException {
    write(file, arrays, true);
  }

  /** Reads all arrays of a .npz file.
   * @param file the file
   * @return the arrays by name, in their order; close each of them
   * @throws IOException the file cannot be read, or it is not a .npz file */
  public static Map<String, NdArray> loadAll(Path file) throws IOException {
    Map<String, NdArray> arrays = new LinkedHashMap<>();
    try (InputStream in = Files.newInputStream(Calls.notNull(file, "file"));
        ZipInputStream zip = new ZipInputStream(in)) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        arrays.put(nameOf(entry), Nd.fromNpy(zip.readAllBytes()));
      }
    } catch (IOException | RuntimeException e) {
      arrays.values().forEach(NdArray::close);
      throw e;
    }
    if (arrays.isEmpty()) {
      throw new IOException(file + " contains no arrays; expected a .npz file");
    }
    return arrays;
  }

  private static String nameOf(ZipEntry entry) {
    String name = entry.getName();
    return name.endsWith(ENDING) ? name.substring(0, name.length() - ENDING.length()) : name;
  }

  private static void write(Path file, Map<String, NdArray> arrays, boolean compressed) throws IOException {
    Calls.notNull(file, "file");
    for (Map.Entry<String, NdArray> each : Calls.notNull(arrays, "arrays").entrySet()) {
      Calls.notNull(each.getKey(), "a name of arrays");
      Host.check(Calls.notNull(each.getValue(), "arrays." + each.getKey()).evaluate()); // before the file is replaced
    }
    try (OutputStream out = Files.newOutputStream(file);
        ZipOutputStream zip = new ZipOutputStream(out)) {
      zip.setLevel(compressed ? Deflater.DEFAULT_COMPRESSION : Deflater.NO_COMPRESSION);
      for (Map.Entry<String, NdArray> each : arrays.entrySet()) {
        put(zip, each.getKey() + ENDING, each.getValue().toNpy(), compressed);
      }
    }
  }

  /** Bytes that are stored have their size and checksum in front of them. */
  private static void put(ZipOutputStream zip, String name, byte[] bytes, boolean compressed) throws IOException {
    ZipEntry entry = new ZipEntry(name);
    if (!compressed) {
      CRC32 sum = new CRC32();
      sum.update(bytes);
      entry.setMethod(ZipEntry.STORED);
      entry.setSize(bytes.length);
      entry.setCrc(sum.getValue());
    }
    zip.putNextEntry(entry);
    zip.write(bytes);
    zip.closeEntry();
  }
}
