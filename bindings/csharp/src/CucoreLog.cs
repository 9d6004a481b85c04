// SPDX-License-Identifier: Apache-2.0
// The library's messages, which a separate thread passes to a receiver.
using System;
using System.Threading;

namespace Cucore {
internal partial class NativeLogReceiver {
  internal static NativeLogReceiver Make(LogLevel least) { return new NativeLogReceiver(least); }
}

/// <summary>The library's messages. Without a receiver nothing is ever printed.</summary>
public static class CucoreLog {
  //: also cucore_log_set_callback
  /// <summary>Sends messages to a receiver, until the result is disposed of or another receiver is
  /// set. A separate thread calls it, one message after another, and it may use the library. Its
  /// exceptions are dropped. The end of the process waits up to a second for the messages that are
  /// left.</summary>
  /// <param name="least">messages below this level are dropped</param>
  /// <param name="receiver">gets each message</param>
  /// <returns>an object whose Dispose ends the calls of the receiver</returns>
  /// <exception cref="InvalidArgumentException">least is not a level</exception>
  public static IDisposable Subscribe(LogLevel least, Action<LogLevel, string> receiver) {
    if (receiver == null) throw new ArgumentNullException(nameof(receiver));
    return new Subscription(NativeLogReceiver.Make(least), receiver);
  }

  /// <summary>The name of the category for loggers of other frameworks.</summary>
  public const string Category = "Cucore";

  //: also cucore_log_set_callback
  /// <summary>Sends messages to a logger with the shape of ILogger, as Subscribe does. The levels are
  /// those of Microsoft.Extensions.Logging.LogLevel: 1 Debug, 2 Information, 3 Warning, 4 Error. A
  /// change of the enabled levels takes effect at the next message.</summary>
  /// <param name="isEnabled">returns whether the logger takes messages of a level</param>
  /// <param name="log">gets the level and the text of each message of an enabled level</param>
  /// <returns>an object whose Dispose ends the calls</returns>
  public static IDisposable Forward(Func<int, bool> isEnabled, Action<int, string> log) {
    if (isEnabled == null) throw new ArgumentNullException(nameof(isEnabled));
    if (log == null) throw new ArgumentNullException(nameof(log));
    return Subscribe(LogLevel.Debug, (level, message) => {
      if (isEnabled((int)level)) log((int)level, message);
    });
  }

  //: cucore_log_write
  public static void Write(LogLevel level, string message) {
    CucoreNative.RawLogWrite(level, message ?? throw new ArgumentNullException(nameof(message)));
  }

  //: cucore_log_enabled
  /// <returns>true if one does</returns>
  public static bool IsEnabled(LogLevel level) { return CucoreNative.RawLogEnabled(level); }

  private sealed class Subscription : IDisposable {
    private const int PollMilliseconds = 200;
    private const int EndMilliseconds = 1000;
    private readonly NativeLogReceiver native;
    private readonly Action<LogLevel, string> receiver;
    private readonly Thread thread;

    internal Subscription(NativeLogReceiver native, Action<LogLevel, string> receiver) {
      this.native = native;
      this.receiver = receiver;
      // A background thread does not keep the process alive.
      thread = new Thread(Receive) { IsBackground = true, Name = "cucore log" };
      thread.Start();
      AppDomain.CurrentDomain.ProcessExit += EndWithProcess;
    }

    private void Receive() {
      for (bool more = true; more;) {
        more = !native.Stopped;
        while (native.Next(more ? PollMilliseconds : 0)) Deliver(native.Level, native.Message);
      }
      native.Dispose();
      AppDomain.CurrentDomain.ProcessExit -= EndWithProcess;
    }

    // Mono may abort a process that ends while this thread returns from a native call: see Waits.cs.
    private void EndWithProcess(object sender, EventArgs e) { Stop(EndMilliseconds); }

    private void Deliver(LogLevel level, string message) {
      try {
        receiver(level, message);
      } catch (Exception) {
        // An uncaught exception would end the process.
      }
    }

    public void Dispose() { Stop(System.Threading.Timeout.Infinite); }

    private void Stop(int milliseconds) {
      try {
        native.Stop();
      } catch (ObjectDisposedException) {
        // The thread has already ended.
      }
      if (Thread.CurrentThread != thread) thread.Join(milliseconds);
    }
  }
}
}
