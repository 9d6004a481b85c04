// SPDX-License-Identifier: Apache-2.0
// Attributes of NUnit for tests that the CPU device checks. It is source, because NUnit 2.6 and 3 pass a test in different
// types: define CUCORE_NUNIT2 for NUnit 2.6.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using NUnit.Framework;
#if CUCORE_NUNIT2
using Test = NUnit.Framework.TestDetails;
#else
using Test = NUnit.Framework.Interfaces.ITest;
#endif

namespace Cucore.NUnit {
/// <summary>The base of the attributes. Those of one test share its checks, and a process checks one test at a
/// time.</summary>
[AttributeUsage(AttributeTargets.Method | AttributeTargets.Class)]
public abstract class ChecksAttribute : TestActionAttribute {
  private static Checks checks;
  private static int depth;  // attributes of the running test

  /// <summary>Each test, also if a class has the attribute.</summary>
  public override ActionTargets Targets { get { return ActionTargets.Test; } }

  /// <summary>Starts the checks of the test.</summary>
  /// <param name="test">the test</param>
  public override void BeforeTest(Test test) {
    if (depth++ != 0) return;
    try {
      checks = new Checks(Options(AttributesOf(test)));
    } catch {
      depth = 0;
      throw;
    }
  }

  /// <summary>Ends the checks, and fails the test if there are reports.</summary>
  /// <param name="test">the test</param>
  public override void AfterTest(Test test) {
    if (depth == 0 || --depth != 0) return;
    using (Checks ended = checks) {
      checks = null;
      try {
        ended.Verify();
      } catch (ChecksException found) {
        throw new AssertionException(found.Message, found);
      }
      foreach (FailsAllocationAttribute failing in AttributesOf(test).OfType<FailsAllocationAttribute>())
        if (ended.FaultCount == 0)
          throw new AssertionException($"no fault was injected: the test has fewer than {failing.Number} allocations");
    }
  }

  internal abstract void AddTo(ChecksOptions options, List<string> kinds);

  private static ChecksOptions Options(IEnumerable<ChecksAttribute> attributes) {
    ChecksOptions options = new ChecksOptions();
    List<string> kinds = new List<string>();
    foreach (ChecksAttribute each in attributes) each.AddTo(options, kinds);
    options.Kinds = kinds.Count == 0 ? "none" : string.Join(",", kinds);
    return options;
  }

  private static List<ChecksAttribute> AttributesOf(Test test) {
#if CUCORE_NUNIT2
    MethodInfo method = test.Method;
#else
    MethodInfo method = test.Method.MethodInfo;
#endif
    Type fixture = test.Fixture == null ? method.ReflectedType : test.Fixture.GetType();  // a static class has no object
    return method.GetCustomAttributes(typeof(ChecksAttribute), true)
        .Concat(fixture.GetCustomAttributes(typeof(ChecksAttribute), true)).Cast<ChecksAttribute>().ToList();
  }
}

/// <summary>The test fails if the checks of the CPU device have reports.</summary>
public sealed class NoCheckReportsAttribute : ChecksAttribute {
  private readonly string kinds;

  /// <summary>All checks but leak.</summary>
  public NoCheckReportsAttribute() : this("all") {}

  /// <summary>Some of the checks.</summary>
  /// <param name="kinds">a list of memory, init, race, barrier, host and leak, or all</param>
  public NoCheckReportsAttribute(string kinds) { this.kinds = kinds; }

  /// <summary>Lines "KIND KERNEL FILE:LINE" of reports to drop.</summary>
  public string Suppressions { get; set; }

  /// <summary>"parallel", "sequential" or "random:SEED".</summary>
  public string Schedule { get; set; }

  internal override void AddTo(ChecksOptions options, List<string> all) {
    all.Add(kinds);
    options.Suppressions = Suppressions;
    options.Schedule = Schedule;
  }
}

/// <summary>The test fails if memory or objects of the driver that it made are alive at its end.</summary>
public sealed class NoLeaksAttribute : ChecksAttribute {
  internal override void AddTo(ChecksOptions options, List<string> all) { all.Add("leak"); }
}

/// <summary>The test must pass although allocations of memory fail.</summary>
public sealed class FailsAllocationAttribute : ChecksAttribute {
  /// <summary>The allocation with this number and all later ones fail.</summary>
  /// <param name="number">from 1</param>
  public FailsAllocationAttribute(int number) { Number = number; }

  /// <summary>The first allocation that fails, from 1.</summary>
  public int Number { get; }

  /// <summary>Later allocations succeed. The library repeats a failed allocation, so most tests do not notice one
  /// failure.</summary>
  public bool Once { get; set; }

  internal override void AddTo(ChecksOptions options, List<string> all) {
    options.Faults = $"allocation@{Number}{(Once ? "" : "+")}=2";
  }
}
}
