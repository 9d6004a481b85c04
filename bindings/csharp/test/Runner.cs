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
    int failed = methods.Count(method => !Passes(method));
    Console.WriteLine($"{methods.Length - failed} passed, {failed} failed");
    return failed == 0 && methods.Length != 0 ? 0 : 1;
  }

  private static bool Passes(MethodInfo method) {
    try {
      ((Action)Delegate.CreateDelegate(typeof(Action), method))();
      Console.WriteLine("ok      " + method.Name);
      return true;
    } catch (Exception e) {
      Console.WriteLine($"FAILED  {method.Name}: {e}");
      return false;
    }
  }
}
