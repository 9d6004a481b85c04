// SPDX-License-Identifier: Apache-2.0
// Files of NumPy with several arrays.
using System;
using System.Collections.Generic;
using System.IO;
using System.IO.Compression;

namespace Cucore.Arrays {
/// <summary>Files of NumPy with several arrays: .npz. NdArray.Save and Load are for files with one array.</summary>
public static class NumpyFile {
  private const string Ending = ".npy";

  /// <summary>Writes arrays to a .npz file. Waits for the elements.</summary>
  /// <param name="path">the file, which is replaced</param>
  /// <param name="arrays">the arrays by name, in this order</param>
  /// <param name="compressed">whether the file is smaller, and takes longer to write. Mono compresses always</param>
  /// <exception cref="System.IO.IOException">the file cannot be written</exception>
  public static void SaveAll(string path, IEnumerable<KeyValuePair<string, NdArray>> arrays, bool compressed = false) {
    Calls.NotNull(path, nameof(path));
    List<KeyValuePair<string, NdArray>> all = new List<KeyValuePair<string, NdArray>>(Calls.NotNull(arrays, nameof(arrays)));
    HashSet<string> names = new HashSet<string>();
    foreach (KeyValuePair<string, NdArray> each in all) {
      if (!names.Add(Calls.NotNull(each.Key, nameof(arrays)))) throw new ArgumentException($"two arrays have the name \"{each.Key}\"", nameof(arrays));
      NdArray.HandleOf(each.Value, $"{nameof(arrays)}[{each.Key}]");
      each.Value.Evaluate().CheckIndices();  // before the file is replaced
    }
    using (FileStream file = File.Create(path))
    using (ZipArchive zip = new ZipArchive(file, ZipArchiveMode.Create)) {
      foreach (KeyValuePair<string, NdArray> each in all) {
        byte[] bytes = each.Value.ToNpy();
        ZipArchiveEntry entry = zip.CreateEntry(each.Key + Ending, compressed ? CompressionLevel.Optimal : CompressionLevel.NoCompression);
        using (Stream to = entry.Open()) to.Write(bytes, 0, bytes.Length);
      }
    }
  }

  /// <summary>Reads all arrays of a .npz file, compressed or not.</summary>
  /// <param name="path">the file</param>
  /// <returns>the arrays by name, which the caller disposes of</returns>
  /// <exception cref="System.IO.IOException">the file cannot be read</exception>
  /// <exception cref="System.IO.InvalidDataException">it is not a .npz file</exception>
  /// <exception cref="Cucore.DtypeException">no array has the type of the elements</exception>
  public static Dictionary<string, NdArray> LoadAll(string path) {
    Dictionary<string, NdArray> arrays = new Dictionary<string, NdArray>();
    try {
      using (FileStream file = File.OpenRead(Calls.NotNull(path, nameof(path))))
      using (ZipArchive zip = new ZipArchive(file, ZipArchiveMode.Read)) {
        foreach (ZipArchiveEntry entry in zip.Entries) arrays.Add(NameOf(entry), Read(entry));
      }
    } catch {
      foreach (NdArray each in arrays.Values) each.Dispose();
      throw;
    }
    return arrays;
  }

  private static string NameOf(ZipArchiveEntry entry) {
    string name = entry.FullName;
    return name.EndsWith(Ending, StringComparison.Ordinal) ? name.Substring(0, name.Length - Ending.Length) : name;
  }

  private static NdArray Read(ZipArchiveEntry entry) {
    using (MemoryStream all = new MemoryStream(checked((int)entry.Length)))
    using (Stream from = entry.Open()) {
      from.CopyTo(all);
      return NdArray.FromNpy(all.ToArray());
    }
  }
}
}
