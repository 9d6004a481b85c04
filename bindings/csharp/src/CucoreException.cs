// SPDX-License-Identifier: Apache-2.0
// The base of the exceptions; the class of each status is generated from cucore.h.
using System;
using System.Collections.Generic;
using System.Runtime.Serialization;

namespace Cucore {
/// <summary>The native library's report of a failed call.</summary>
internal sealed class Failure {
  //: fields internal (int status)
  internal readonly Status Status = (Status)status;
  internal readonly string Message;
  internal readonly string Log;
  internal readonly string Origin;
  internal readonly int NativeCode;
  internal readonly string NativeName;
  internal readonly Diagnostic[] Diagnostics;
}

/// <summary>A call of the library failed. Each status has a class under this one.</summary>
[Serializable]
public partial class CucoreException : Exception {
  private readonly Diagnostic[] diagnostics;

  /// <summary>How the call ended.</summary>
  public Status Status { get; }
  //: cucore_error_message
  public override string Message { get { return base.Message; } }
  //: cucore_error_log
  public string Log { get; }
  //: cucore_error_origin
  public string Origin { get; }
  //: cucore_error_native_code
  public int NativeCode { get; }
  //: cucore_error_native_name
  public string NativeName { get; }
  //: also cucore_error_diagnostic_at
  //: also cucore_error_diagnostic_count
  /// <summary>The messages in the log, parsed: file, line, severity, text.</summary>
  public IReadOnlyList<Diagnostic> Diagnostics { get { return diagnostics; } }

  internal CucoreException(Failure failure) : base(failure.Message) {
    Status = failure.Status;
    Log = failure.Log;
    Origin = failure.Origin;
    NativeCode = failure.NativeCode;
    NativeName = failure.NativeName;
    diagnostics = failure.Diagnostics;
  }

  /// <summary>Creates it from serialized data.</summary>
  protected CucoreException(SerializationInfo info, StreamingContext context) : base(info, context) {
    Status = (Status)info.GetInt32("Cucore.Status");
    Log = info.GetString("Cucore.Log");
    Origin = info.GetString("Cucore.Origin");
    NativeCode = info.GetInt32("Cucore.NativeCode");
    NativeName = info.GetString("Cucore.NativeName");
    diagnostics = (Diagnostic[])info.GetValue("Cucore.Diagnostics", typeof(Diagnostic[]));
  }

  /// <summary>Serializes it.</summary>
  public override void GetObjectData(SerializationInfo info, StreamingContext context) {
    base.GetObjectData(info, context);
    info.AddValue("Cucore.Status", (int)Status);
    info.AddValue("Cucore.Log", Log);
    info.AddValue("Cucore.Origin", Origin);
    info.AddValue("Cucore.NativeCode", NativeCode);
    info.AddValue("Cucore.NativeName", NativeName);
    info.AddValue("Cucore.Diagnostics", diagnostics, typeof(Diagnostic[]));
  }

  /// <summary>The class, the message, the trace, and the log if it exists.</summary>
  public override string ToString() { return string.IsNullOrEmpty(Log) ? base.ToString() : base.ToString() + Environment.NewLine + Log; }
}
}
