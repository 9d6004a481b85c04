// SPDX-License-Identifier: Apache-2.0
// Scenarios about the annotations of null, which newer compilers read from attributes.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using Cucore;

public static class Annotations {
  // The flags of the attribute: 2 may be null, 1 not. Without one, those of the class hold.
  private static byte Flag(ICustomAttributeProvider of, byte context) {
    object nullable = of.GetCustomAttributes(false).SingleOrDefault(a => a.GetType().Name == "NullableAttribute");
    return nullable == null ? context : ((byte[])nullable.GetType().GetField("NullableFlags").GetValue(nullable))[0];
  }

  private static byte Context(Type type) {
    object context = type.GetCustomAttributes(false).SingleOrDefault(a => a.GetType().Name == "NullableContextAttribute");
    return context == null ? (byte)0 : (byte)context.GetType().GetField("Flag").GetValue(context);
  }

  private static IEnumerable<Type> Classes() {
    return typeof(CudaDevice).Assembly.GetExportedTypes().Where(t => !t.IsEnum && !typeof(CucoreException).IsAssignableFrom(t));
  }

  public static void EveryTypeIsAnnotated() {
    foreach (Type type in typeof(CudaDevice).Assembly.GetExportedTypes().Where(t => !t.IsEnum)) Check.That(Context(type) == 1, $"{type} is annotated");
  }

  private static bool Takes(ParameterInfo parameter) { return !parameter.ParameterType.IsValueType && !parameter.ParameterType.IsByRef; }

  // Each parameter gets null, with valid other arguments. An annotated one accepts it, every other one names itself.
  public static void ParametersAcceptNullAsAnnotated() {
    Dictionary<Type, IDisposable> objects = Lifetimes.OneOfEach().GroupBy(o => o.GetType()).ToDictionary(g => g.Key, g => g.First());
    List<string> wrong = new List<string>();
    int tried = 0;
    foreach (Type type in Classes().Where(t => !t.IsGenericType)) {
      objects.TryGetValue(type, out IDisposable target);
      const BindingFlags Which = BindingFlags.Public | BindingFlags.DeclaredOnly | BindingFlags.Static | BindingFlags.Instance;
      IEnumerable<MethodBase> all = type.GetMethods(Which).Where(m => m.IsStatic || target != null).Concat<MethodBase>(type.GetConstructors());
      foreach (MethodBase method in all.Where(m => !Lifetimes.TakesSpans(m) && !excluded.Contains(m.Name) && !m.IsDefined(typeof(ObsoleteAttribute)))) {
        MethodBase closed = method.IsGenericMethod ? ((MethodInfo)method).MakeGenericMethod(typeof(int)) : method;
        foreach (ParameterInfo parameter in closed.GetParameters().Where(Takes)) {
          object[] arguments = closed.GetParameters().Select(p => p == parameter ? null : Lifetimes.Value(p.ParameterType)).ToArray();
          bool isNullable = Flag(parameter, Context(type)) == 2;
          ++tried;
          if (isNullable == IsRefused(closed, target, arguments, parameter.Name)) wrong.Add($"{type.Name}.{method}: {parameter.Name}");
        }
      }
    }
    Check.Equal("", string.Join(Environment.NewLine, wrong));
    Check.That(tried > 60, $"{tried} parameters");
  }

  private static readonly string[] excluded = { "GetObjectData", "Roof", "Profile", "Measure", "Compare" };  // for formatters; Profiles has those of Perf

  private static bool IsRefused(MethodBase method, object target, object[] arguments, string name) {
    try {
      if (method is ConstructorInfo constructor) constructor.Invoke(arguments); else method.Invoke(target, arguments);
      return false;
    } catch (TargetInvocationException e) {
      return e.InnerException is ArgumentNullException refused && refused.ParamName == name;
    }
  }

  // A result that may be null is annotated, others are not.
  public static void ResultsAreAnnotated() {
    string[] nullable = Classes().SelectMany(t => t.GetProperties().Where(p => p.DeclaringType == t && !p.PropertyType.IsValueType && Flag(p, Context(t)) == 2).Select(p => $"{t.Name}.{p.Name}")
        .Concat(t.GetMethods().Where(m => m.DeclaringType == t && !m.ReturnType.IsValueType && Flag(m.ReturnParameter, Context(t)) == 2).Select(m => $"{t.Name}.{m.Name}"))).Distinct().ToArray();
    foreach (string each in new[] { "Cache.Find", "Cache.Get", "Kernel.GetParameters", "Symbol.Parameters", "BatchResult.Code", "BatchResult.Error", "SerializeOptions.SigningKey", "ProgramOptions.Arch" })
      Check.That(nullable.Contains(each), each);
    foreach (string each in new[] { "Cache.Compile", "Kernel.Name", "ObjectCode.Data", "CudaStream.Device", "ProgramOptions.Headers" }) Check.That(!nullable.Contains(each), each);
  }
}
