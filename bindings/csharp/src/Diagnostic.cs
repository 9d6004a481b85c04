// SPDX-License-Identifier: Apache-2.0
// One message of a compiler or linker.
using System;
using System.Runtime.InteropServices;

namespace Cucore {
/// <summary>One message of a compiler or linker.</summary>
[Serializable]
public sealed class Diagnostic {
  //: fields internal ()
  /// <summary>Its severity.</summary>
  public Severity Severity { get; }
  /// <summary>The file, "" if it is not reported.</summary>
  public string File { get; }
  /// <summary>The line, from 1; 0 if it is not reported.</summary>
  public int Line { get; }
  /// <summary>The column, from 1; 0 if it is not reported.</summary>
  public int Column { get; }
  /// <summary>The message without the file, the line and the severity.</summary>
  public string Text { get; }

  // cucore_diagnostic_info
  [StructLayout(LayoutKind.Sequential)]
  private struct Native {
    internal UIntPtr StructSize;
    internal int Severity, Line, Column, Reserved;
    internal IntPtr File, Text;
  }

  internal static unsafe Diagnostic[] Read(IntPtr infos, int count) {
    Diagnostic[] all = new Diagnostic[count];
    for (int i = 0; i < count; ++i) {
      Native* each = (Native*)infos + i;
      all[i] = new Diagnostic((Severity)each->Severity, Utf8.Read(each->File), each->Line, each->Column, Utf8.Read(each->Text));
    }
    return all;
  }

  /// <summary>The format of compilers: "saxpy.cu(3): error: ...".</summary>
  public override string ToString() {
    string place = File.Length == 0 ? "" : Line == 0 ? $"{File}: " : $"{File}({Line}): ";
    return $"{place}{Severity.ToString().ToLowerInvariant()}: {Text}";
  }
}
}
