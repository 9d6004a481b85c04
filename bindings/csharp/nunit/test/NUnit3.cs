// SPDX-License-Identifier: Apache-2.0
// Stands for NUnit 3: the types that the attributes and the marked tests use, and a runner that calls them in its order.
// Each member has the name and the type that the documentation of NUnit 3 states.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Xml.Linq;
using NUnit.Framework;
using NUnit.Framework.Interfaces;

namespace NUnit.Framework.Interfaces {
public interface IMethodInfo {
  string Name { get; }
  MethodInfo MethodInfo { get; }
}

public interface ITest {
  string Name { get; }
  IMethodInfo Method { get; }
  object Fixture { get; }  // null for a static class
}
}

namespace NUnit.Framework {
[Flags] public enum ActionTargets { Default = 0, Test = 1, Suite = 2 }

public interface ITestAction {
  void BeforeTest(ITest test);
  void AfterTest(ITest test);
  ActionTargets Targets { get; }
}

[AttributeUsage(AttributeTargets.Class | AttributeTargets.Interface | AttributeTargets.Method | AttributeTargets.Assembly, AllowMultiple = true, Inherited = true)]
public abstract class TestActionAttribute : Attribute, ITestAction {
  public virtual void BeforeTest(ITest test) {}
  public virtual void AfterTest(ITest test) {}
  public virtual ActionTargets Targets { get { return ActionTargets.Default; } }
}

[AttributeUsage(AttributeTargets.Method)] public class TestAttribute : Attribute {}
[AttributeUsage(AttributeTargets.Class)] public class TestFixtureAttribute : Attribute {}

public class AssertionException : Exception {
  public AssertionException(string message) : base(message) {}
  public AssertionException(string message, Exception inner) : base(message, inner) {}
}

public abstract class Assert {
  public static void Fail() { throw new AssertionException(""); }
}
}

namespace NUnit.ConsoleRunner {
internal sealed class TestOf : ITest, IMethodInfo {
  private readonly List<Exception> failures = new List<Exception>();
  private ITestAction[] actions;

  internal TestOf(Type type, MethodInfo method) {
    MethodInfo = method;
    Fixture = type.IsAbstract ? null : Activator.CreateInstance(type);
    actions = type.GetCustomAttributes(true).Concat(method.GetCustomAttributes(true)).OfType<ITestAction>().ToArray();
    if (actions.Any(action => action.Targets != ActionTargets.Test)) throw new NotSupportedException("actions of suites");
  }

  public MethodInfo MethodInfo { get; }
  public object Fixture { get; }
  public string Name { get { return MethodInfo.Name; } }
  public IMethodInfo Method { get { return this; } }

  // AfterTest follows also if BeforeTest or the test failed.
  private void Run(int next) {
    if (next == actions.Length) {
      Record(() => MethodInfo.Invoke(Fixture, null));
      return;
    }
    Record(() => {
      actions[next].BeforeTest(this);
      Run(next + 1);
    });
    Record(() => actions[next].AfterTest(this));
  }

  private void Record(Action action) {
    try {
      action();
    } catch (TargetInvocationException e) {
      failures.Add(e.InnerException);
    } catch (Exception e) {
      failures.Add(e);
    }
  }

  internal XElement Result() {
    Run(0);
    return new XElement("test-case", new XAttribute("name", $"{MethodInfo.DeclaringType}.{Name}"),
                        new XAttribute("result", failures.Count == 0 ? "Success" : "Failure"), failures.Select(each => each.ToString()));
  }
}

public static class Runner {
  // Has the arguments of the console runner of NUnit 2.6: PROGRAM ... -xml:FILE.
  public static int Main(string[] arguments) {
    XElement results = new XElement("test-results",
        from type in Assembly.LoadFrom(arguments[0]).GetTypes() where type.IsDefined(typeof(TestFixtureAttribute), true)
        from method in type.GetMethods() where method.IsDefined(typeof(TestAttribute), true)
        select new TestOf(type, method).Result());
    results.Save(arguments.Single(argument => argument.StartsWith("-xml:", StringComparison.Ordinal)).Substring(5));
    return 0;
  }
}
}
