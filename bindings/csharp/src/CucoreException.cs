// SPDX-License-Identifier: Apache-2.0
// The base of the exceptions; the class of each status is generated from cucore.h.
using System;
using System.Collections.Generic;
using System.Runtime.Serialization;

namespace Cucore {
/// <summary>The native library's report of a failed call.</summary>
[Serializable]
internal sealed class Failure {
  //: fields internal (int status)
  internal readonly Status Status = (Status)status;
  internal readonly string Message;
  internal readonly string Log;
  internal readonly string Origin;
  internal readonly int NativeCode;
  internal readonly string NativeName;
  internal readonly Diagnostic[] Diagnostics;

  internal Failure(Status status, string message) : this((int)status, message, "", "cucore", 0, "", new Diagnostic[0]) {}
}

/// <summary>A call of the library failed. Each status has a class under this one.</summary>
[Serializable]
public partial class CucoreException : Exception {
  private readonly Failure failure;

  /// <summary>How the call ended.</summary>
  public Status Status { get { return failure.Status; } }
  //: cucore_error_message
  public override string Message { get { return base.Message; } }
  //: cucore_error_log
  public string Log { get { return failure.Log; } }
  //: cucore_error_origin
  public string Origin { get { return failure.Origin; } }
  //: cucore_error_native_code
  public int NativeCode { get { return failure.NativeCode; } }
  //: cucore_error_native_name
  public string NativeName { get { return failure.NativeName; } }
  //: also cucore_error_diagnostic_at
  //: also cucore_error_diagnostic_count
  /// <summary>The messages in the log, parsed: file, line, severity, text.</summary>
  public IReadOnlyList<Diagnostic> Diagnostics { get { return failure.Diagnostics; } }

  internal CucoreException(Failure failure) : base(failure.Message) { this.failure = failure; }

  /// <summary>Creates it from serialized data.</summary>
  protected CucoreException(SerializationInfo info, StreamingContext context) : base(info, context) {
    failure = (Failure)info.GetValue("Cucore.Failure", typeof(Failure));
  }

  /// <summary>Serializes it.</summary>
  public override void GetObjectData(SerializationInfo info, StreamingContext context) {
    base.GetObjectData(info, context);
    info.AddValue("Cucore.Failure", failure);
  }

  /// <summary>The class, the message, the trace, and the log if it exists. The message of failed checks has the first
  /// reports, so their log is left out.</summary>
  public override string ToString() { return string.IsNullOrEmpty(Log) || Status == Status.Checks ? base.ToString() : base.ToString() + Environment.NewLine + Log; }
}
}
