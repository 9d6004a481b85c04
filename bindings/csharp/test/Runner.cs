// SPDX-License-Identifier: Apache-2.0
// Runs the public methods of one class of tests: Scenarios.exe CLASS [METHOD].
using System;
using System.Linq;
using System.Reflection;

internal static class Runner {
  private static int Main(string[] args) {
    if (args.Length == 2 && args[0] == "child") return Processes.Child(args[1]);
    Type type = typeof(Runner).Assembly.GetType(args[0], true);
    MethodInfo[] methods = type.GetMethods(BindingFlags.Public | BindingFlags.Static)
        .Where(m => m.ReturnType == typeof(void) && (args.Length < 2 || m.Name == args[1])).ToArray();
    int skipped = 0, failed = 0;
    foreach (MethodInfo method in methods) {
      string result = Run(method);
      skipped += result == "skipped" ? 1 : 0;
      failed += result == "FAILED" ? 1 : 0;
    }
    Console.WriteLine($"{methods.Length - skipped - failed} passed, {skipped} skipped, {failed} failed");
    return failed == 0 && methods.Length != 0 ? 0 : 1;
  }

  private static string Run(MethodInfo method) {
    try {
      ((Action)Delegate.CreateDelegate(typeof(Action), method))();
      return Said("ok", method.Name);
    } catch (Skipped e) {
      return Said("skipped", $"{method.Name}: {e.Message}");
    } catch (Exception e) {
      string all = e.ToString();  // thousands of tasks have thousands of traces
      return Said("FAILED", $"{method.Name}: {all.Substring(0, Math.Min(all.Length, 4000))}");
    }
  }

  private static string Said(string result, string what) {
    Console.WriteLine($"{result,-7} {what}");
    return result;
  }
}
