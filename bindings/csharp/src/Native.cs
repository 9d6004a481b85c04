// SPDX-License-Identifier: Apache-2.0
// Values that cross between C# and the native library: structs, texts, handles in use.
using System;
using System.Runtime.InteropServices;
using System.Text;

namespace Cucore {
[StructLayout(LayoutKind.Sequential)]
internal struct NativeBytes {
  public IntPtr Data;
  public UIntPtr Size;

  public byte[] Copy() {
    byte[] copy = new byte[checked((int)Size.ToUInt64())];
    if (copy.Length != 0) Marshal.Copy(Data, copy, 0, copy.Length);
    return copy;
  }
}

[StructLayout(LayoutKind.Sequential)]
internal struct NativePair {
  public long First;
  public long Second;

  public Version ToVersion() { return new Version(checked((int)First), checked((int)Second)); }
  public (int, int) ToInts() { return (checked((int)First), checked((int)Second)); }
}

internal static class Checked {
  internal static ReadOnlySpan<byte> NotNull(byte[] given, string parameter) { return given ?? throw new ArgumentNullException(parameter); }

  internal static UIntPtr Size(long given, string parameter) { return (UIntPtr)(ulong)NotNegative(given, parameter); }

  internal static long NotNegative(long given, string parameter) {
    if (given < 0) throw new ArgumentOutOfRangeException(Name(parameter), given, "it is negative");
    return given;
  }

  internal static Exception Null(string parameter) { return new ArgumentNullException(Name(parameter)); }

  // Converts a C parameter, "source_offset", to its name in C#.
  private static string Name(string parameter) {
    string[] words = parameter.Split(new[] { '_' }, StringSplitOptions.RemoveEmptyEntries);
    for (int i = 1; i < words.Length; ++i) words[i] = char.ToUpperInvariant(words[i][0]) + words[i].Substring(1);
    return string.Concat(words);
  }

  internal static uint Extent(int given, string parameter) { return (uint)NotNegative(given, parameter); }
}

/// <summary>Keeps a handle from being released by another thread, until disposed.</summary>
internal struct Use : IDisposable {
  private readonly SafeHandle? handle;

  public Use(SafeHandle handle) {
    bool added = false;
    handle.DangerousAddRef(ref added);
    this.handle = handle;
  }

  // A list whose constructor failed has some that were never set.
  public void Dispose() { handle?.DangerousRelease(); }
}

/// <summary>UTF-8 text in native memory during a call.</summary>
internal struct Utf8 : IDisposable {
  public readonly IntPtr Pointer;

  public Utf8(string? text) : this(text == null ? null : Bytes(Checked(text) + "\0", 1)) {}

  private Utf8(byte[]? bytes) {
    Pointer = bytes == null ? IntPtr.Zero : Marshal.AllocHGlobal(bytes.Length);
    if (bytes != null) Marshal.Copy(bytes, 0, Pointer, bytes.Length);
  }

  /// <summary>Each text with its NUL, one after another, and an empty one at the end.</summary>
  public static Utf8 List(string[]? texts) {
    if (texts == null || texts.Length == 0) return new Utf8((byte[]?)null);
    StringBuilder all = new StringBuilder();
    foreach (string text in texts) {
      if (string.IsNullOrEmpty(text)) throw new ArgumentException("a list of texts holds one that is null or empty");
      all.Append(Checked(text)).Append('\0');
    }
    return new Utf8(Bytes(all.Append('\0').ToString(), texts.Length + 1));
  }

  // A NUL inside would silently end the text early.
  private static byte[] Bytes(string text, int ends) {
    int found = 0;
    foreach (char c in text) found += c == '\0' ? 1 : 0;
    if (found != ends) throw new ArgumentException("a text holds a NUL character");
    return Encoding.UTF8.GetBytes(text);
  }

  /// <summary>Encodes a text as UTF-8, which cannot represent half of a surrogate pair.</summary>
  public static byte[] Encode(string? text, string parameter) {
    if (text == null) throw new ArgumentNullException(parameter);
    return Encoding.UTF8.GetBytes(Checked(text, parameter));
  }

  private static string Checked(string text, string? parameter = null) {
    for (int i = 0; i < text.Length; ++i) {
      if (!char.IsSurrogate(text[i])) continue;
      if (i + 1 == text.Length || !char.IsSurrogatePair(text[i], text[i + 1])) throw Lone(i, parameter);
      ++i;
    }
    return text;
  }

  private static ArgumentException Lone(int index, string? parameter) {
    return new ArgumentException($"{parameter ?? "a text"} has a lone surrogate at index {index}; expected well-formed UTF-16", parameter);
  }

  public static unsafe string Read(IntPtr text) {
    if (text == IntPtr.Zero) return "";
    byte* p = (byte*)text;
    int length = 0;
    while (p[length] != 0) ++length;
    return Encoding.UTF8.GetString(p, length);
  }

  public void Dispose() {
    if (Pointer != IntPtr.Zero) Marshal.FreeHGlobal(Pointer);
  }
}
}
