// SPDX-License-Identifier: Apache-2.0
// The assertions of the tests.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;

internal static class Check {
  private static Exception Failure(string file, int line, string what) {
    return new Exception($"{System.IO.Path.GetFileName(file)}:{line}: {what}");
  }

  internal static void That(bool condition, string what = "what is tested", [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) {
    if (!condition) throw Failure(file, line, $"{what}: not so");
  }

  internal static void Equal<T>(T expected, T got, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) {
    if (!EqualityComparer<T>.Default.Equals(expected, got)) throw Failure(file, line, $"wanted {expected}, got {got}");
  }

  internal static void Same<T>(IEnumerable<T> expected, IEnumerable<T> got, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) {
    if (!expected.SequenceEqual(got)) throw Failure(file, line, "the sequences differ");
  }

  internal static void Contains(string part, string text, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) {
    if (text.IndexOf(part, StringComparison.Ordinal) < 0) throw Failure(file, line, $"\"{text}\" does not contain \"{part}\"");
  }

  // Requires exactly this class: another class is another status.
  internal static T Throws<T>(Action action, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) where T : Exception {
    try {
      action();
    } catch (Exception e) when (e.GetType() == typeof(T)) {
      return (T)e;
    } catch (Exception e) {
      throw Failure(file, line, $"wanted {typeof(T).Name}, got {e}");
    }
    throw Failure(file, line, $"wanted {typeof(T).Name}, nothing was thrown");
  }
}
