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
}

/// <summary>UTF-8 text in native memory for the length of a call.</summary>
internal struct Utf8 : IDisposable {
  public readonly IntPtr Pointer;

  public Utf8(string text) : this(text == null ? null : Encoding.UTF8.GetBytes(text + "\0")) {}

  private Utf8(byte[] bytes) {
    Pointer = bytes == null ? IntPtr.Zero : Marshal.AllocHGlobal(bytes.Length);
    if (bytes != null) Marshal.Copy(bytes, 0, Pointer, bytes.Length);
  }

  /// <summary>Each text with its NUL, one after another, and an empty one at the end.</summary>
  public static Utf8 List(string[] texts) {
    return new Utf8(texts == null ? null : Encoding.UTF8.GetBytes(string.Concat(Array.ConvertAll(texts, t => t + "\0")) + "\0"));
  }

  public static unsafe string Read(IntPtr text) {
    if (text == IntPtr.Zero) return null;
    byte* p = (byte*)text;
    int length = 0;
    while (p[length] != 0) ++length;
    return Encoding.UTF8.GetString(p, length);
  }

  public void Dispose() { Marshal.FreeHGlobal(Pointer); }
}
}
