using System;

namespace Cucore {
/// <summary>A call of the library failed.</summary>
public class CucoreException : Exception {
  /// <summary>How the call ended.</summary>
  public Status Status { get; private set; }
  /// <summary>The whole output of the compiler or the linker, "" where there is none.</summary>
  public string Log { get; private set; }

  internal CucoreException(int status, string message, string log) : base(message) {
    Status = (Status)status;
    Log = log;
  }

  internal static Exception Make(int status, string message, string log, string origin, int nativeCode,
                                 string nativeName) {
    return new CucoreException(status, message, log);
  }
}
}
