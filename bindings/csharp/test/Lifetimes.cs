// SPDX-License-Identifier: Apache-2.0
// Scenarios about closing, dropping and outliving objects.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading;
using Cucore;
using Cucore.Arrays;

public static class Lifetimes {
  internal static List<IDisposable> OneOfEach() {
    CudaStream stream = World.Stream();
    CudaProgram program = new CudaProgram(World.Scale);
    ObjectCode code = ObjectCode.Load(World.Code(World.Scale).ToBytes());
    return new List<IDisposable> { new CudaDevice(), stream, new CudaEvent(World.Device), new CudaBuffer(World.Device, 4, stream),
                                   CudaBuffer.Pinned(World.Device, 4), program, new Linker(), new CudaQueue(), new Cache(""), CudaFuture.FromStream(stream, new CudaQueue(), 1), code, code.GetKernel("scale"),
                                   Nd.Ones(DType.Float32, 2), new Context(World.Device), new Generator(7) };
  }

  public static void CloseTwice() {
    foreach (IDisposable each in OneOfEach()) {
      for (int i = 0; i < 3; ++i) each.Dispose();
      Check.That((bool)each.GetType().GetProperty("IsDisposed").GetValue(each));
    }
    World.Device.Synchronize();
  }

  // Every method and property of a closed object, and a closed object as an argument.
  public static void UseAfterClose() {
    int tried = 0;
    foreach (IDisposable each in OneOfEach()) {
      Check.That(!(bool)each.GetType().GetProperty("IsDisposed").GetValue(each));
      each.Dispose();
      foreach (MethodInfo method in each.GetType().GetMethods(BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly)) {
        if (IsAllowed(method.Name) || TakesSpans(method) || method.IsDefined(typeof(ObsoleteAttribute))) continue;
        MethodInfo closed = method.IsGenericMethod ? method.MakeGenericMethod(typeof(int)) : method;
        object[] arguments = closed.GetParameters().Select(p => Value(p.ParameterType)).ToArray();
        try {
          closed.Invoke(each, arguments);
        } catch (TargetInvocationException e) when (e.InnerException is ObjectDisposedException) {
          Check.Contains(each.GetType().Name, e.InnerException.Message);
          ++tried;
          continue;
        } catch (Exception e) {
          throw new Exception($"{each.GetType().Name}.{method}: {e}");
        }
        throw new Exception($"{each.GetType().Name}.{method} did not throw");
      }
    }
    Check.That(tried > 80, $"{tried} members");
    CudaStream stream = World.Stream();
    stream.Dispose();
    foreach (Action use in new Action[] {
        () => new CudaBuffer(World.Device, 4, stream),
        () => World.Kernel(World.Scale, "scale").Launch(stream, new LaunchConfig(1, 1), 1f, Arg.Address(0), 0) })
      Check.Contains("CudaStream", Check.Throws<ObjectDisposedException>(use).Message);
  }

  private static readonly string[] described = {
    "device 0", "stream 0x", "event 0x", "buffer of 4 bytes", "buffer of 4 bytes", "program for Nvrtc", "linker by", "queue, 0 pending",
    "cache in memory", "future 1", "default_program: Ptx", "kernel scale of 3 parameters",
    "[1. 1.]", "context of device 0", "generator of seed 7" };

  // All have a text, also after their disposal.
  public static void ToStringNeverThrows() {
    List<IDisposable> all = OneOfEach();
    for (int i = 0; i < all.Count; ++i) {
      Check.Contains(described[i], all[i].ToString());
      all[i].Dispose();
      Check.Contains(", disposed", all[i].ToString());
    }
    Check.Equal("grid (4, 1, 1), block (2, 3, 1), 8 bytes shared, cluster (2, 1, 1), cooperative",
                new LaunchConfig(4, (2, 3)) { DynamicShared = 8, Cluster = 2, Cooperative = true }.ToString());
    Check.Equal("grid (1, 1, 1), block (1, 1, 1), 1 byte shared", new LaunchConfig(1, 1) { DynamicShared = 1 }.ToString());
    Check.Equal("4 bytes, 0x7", ((Arg)7).ToString());
    Check.Equal("1 byte, 0x7", ((Arg)(byte)7).ToString());
    Check.Equal("HmacSha256 key of 1 byte", new Key(KeyAlgorithm.HmacSha256, new byte[1]).ToString());
    Check.Equal("ProgramOptions(Name=a.cu, Lineinfo=True, DefineMacros={A=1, B}, Headers={h.h})",
                new ProgramOptions { Name = "a.cu", Lineinfo = true, DefineMacros = { "A=1", "B" }, Headers = { { "h.h", "text" } } }.ToString());
    string signed = new SerializeOptions { SigningKey = new Key(KeyAlgorithm.HmacSha256, new byte[] { 66, 67 }) }.ToString();
    Check.Equal("SerializeOptions(SigningKey=HmacSha256 key of 2 bytes)", signed);
  }

  // Every public class has a text beyond the name of its type.
  public static void EverythingHasAToString() {
    foreach (Type type in typeof(CudaDevice).Assembly.GetExportedTypes()) {
      if (type.IsEnum || type.IsAbstract && type.IsSealed) continue;
      Type says = type.GetMethod("ToString", Type.EmptyTypes).DeclaringType;
      Check.That(says != typeof(object) && says != typeof(ValueType), $"{type}: ToString");
    }
  }

  // A set must be able to remove a disposed object.
  private static bool IsAllowed(string name) {
    return name == "Dispose" || name == "ToString" || name == "get_IsDisposed" || name == "Equals" || name == "GetHashCode"
        || name == "DisposeAsync";
  }

  internal static bool TakesSpans(MethodBase method) { return method.GetParameters().Any(p => p.ParameterType.Name.Contains("Span`")); }

  internal static object Value(Type type) {
    if (type.IsByRef) type = type.GetElementType();
    if (type == typeof(Arg)) return (Arg)1;
    if (type == typeof(CudaStream)) return World.Device.GetDefaultStream();
    if (type == typeof(CudaDevice)) return World.Device;
    if (type == typeof(CudaBuffer)) return CudaBuffer.Pinned(World.Device, 4);
    if (type == typeof(Box)) return new Box(CudaBuffer.Pinned(World.Device, 4));
    if (type == typeof(CudaEvent)) return new CudaEvent(World.Device);
    if (type == typeof(ObjectCode)) return World.Code(World.Scale);
    if (type == typeof(int)) return 1;
    if (type == typeof(CudaQueue)) return new CudaQueue();
    if (type == typeof(Action)) return new Action(() => {});
    if (type == typeof(Func<ObjectCode>)) return new Func<ObjectCode>(() => null);
    if (type == typeof(Func<int, bool>)) return new Func<int, bool>(level => false);
    if (type == typeof(CudaProgram)) return new CudaProgram(World.Scale);
    if (type == typeof(Linker)) return new Linker();
    if (type == typeof(Symbol)) return World.Code(World.Scale).Symbols[0];
    if (type == typeof(LaunchConfig)) return new LaunchConfig(1, 1);
    if (type == typeof(NdArray)) return Nd.Ones(DType.Float32, 2);
    if (type == typeof(Context)) return new Context(World.Device);
    if (type == typeof(Reduction)) return new Reduction();
    if (type == typeof(ContextOptions)) return new ContextOptions();
    if (type == typeof(string)) return "scale";
    if (type.IsArray) return Array.CreateInstance(type.GetElementType(), 0);
    if (type == typeof(System.Runtime.Serialization.SerializationInfo))
      return new System.Runtime.Serialization.SerializationInfo(typeof(ObjectCode), new System.Runtime.Serialization.FormatterConverter());
    return type.IsValueType ? Activator.CreateInstance(type) : null;
  }

  public static void ChildrenOutliveParents() {
    Kernel kernel;
    CudaBuffer buffer;
    CudaStream stream;
    using (CudaDevice device = new CudaDevice())
    using (CudaProgram program = new CudaProgram(World.Scale))
    using (ObjectCode code = program.Compile())
    using (CudaStream first = new CudaStream(device)) {
      kernel = code.GetKernel("scale");
      buffer = new CudaBuffer(device, 16, first);
      stream = new CudaStream(device);
      stream.WaitStream(first);
    }
    World.Collect();
    buffer.Write(new[] { 1f, 2f, 3f, 4f }, stream);
    kernel.Launch(stream, new LaunchConfig(1, 4), 2f, buffer, 4);
    Check.Same(new[] { 2f, 4f, 6f, 8f }, buffer.ToArray<float>(stream));
    Check.Equal(0, stream.Device.Ordinal);
    stream.Synchronize();
    buffer.Dispose();
  }

  [MethodImpl(MethodImplOptions.NoInlining)]
  private static void Forget(int count) {
    for (int i = 0; i < count; ++i) {
      CudaStream stream = World.Stream();
      new CudaEvent(World.Device).Record(stream);
      new CudaBuffer(World.Device, 256, stream);
      CudaBuffer.Pinned(World.Device, 64);
    }
  }

  // The collector's thread releases objects while others work.
  public static void FinalizerThread() {
    World.Together(4, which => {
      using (CudaStream stream = World.Stream())
        for (int i = 0; i < 20; ++i) {
          if (which == 0) World.Collect(); else Forget(20);
          World.CheckScale(stream, World.Kernel(World.Scale, "scale"), i, 64);
        }
    });
    World.Collect();
  }

  // Adds one to x by an executable that nothing refers to afterwards. Only the returned node refers to its graph.
  [MethodImpl(MethodImplOptions.NoInlining)]
  private static GraphNode ForgetAGraph(CudaStream stream, Kernel add, CudaBuffer x) {
    Graph graph = new Graph(World.Device);
    GraphNode node = graph.Kernel(add, new LaunchConfig(1, 1), x, 1f);
    graph.Executable().Launch(stream);
    return node;
  }

  private static long GraphsAlive(Checks checks) {
    checks.Query();
    return (long)(checks.CallCount("cuGraphCreate") - checks.CallCount("cuGraphDestroy")
        + checks.CallCount("cuGraphInstantiateWithParams") - checks.CallCount("cuGraphExecDestroy"));
  }

  public static unsafe void FinalizerThreadOfGraphs() {
    if (!Machine.IsCpu) throw new Skipped("counts the calls of the CPU device");
    using (Kernel add = World.GraphCode.GetKernel("add"))
    using (CudaBuffer x = CudaBuffer.Managed(World.Device, 4))
    using (Checks checks = new Checks(new ChecksOptions { Kinds = "none" })) {
      *(float*)x.HostPointer = 0;
      for (int i = 0; i < 10; ++i)
        World.Together(2, which => {  // the collector reads the stacks of live threads, so these end
          using (CudaStream stream = World.Stream()) {
            List<GraphNode> views = new List<GraphNode>();
            lock (x) {  // their kernels add to one number
              for (int k = 0; k < 10; ++k) views.Add(ForgetAGraph(stream, add, x));
              stream.Synchronize();
            }
            World.Collect();
            foreach (GraphNode view in views) Check.Equal(NodeKind.Kernel, view.Kind);
          }
        });
      Check.Equal(200f, *(float*)x.HostPointer);
      for (int i = 0; i < 1000 && GraphsAlive(checks) != 0; ++i) {
        World.Collect();
        Thread.Sleep(10);
      }
      Check.Equal(0L, GraphsAlive(checks));
      Check.Equal(200UL, checks.CallCount("cuGraphDestroy"));
      Check.Equal(200UL, checks.CallCount("cuGraphExecDestroy"));
    }
  }

  internal static long ResidentKib() {
    string line = File.ReadLines("/proc/self/status").First(l => l.StartsWith("VmRSS:"));
    return long.Parse(new string(line.Where(char.IsDigit).ToArray()));
  }

  private static void MakeAndDrop(int count, CudaStream stream) {
    for (int i = 0; i < count; ++i) {
      new CudaEvent(World.Device);  // forgotten
      using (new CudaBuffer(World.Device, 64, stream)) {}
      if (i % 10 == 0) using (World.Stream()) {}
      if (i % 1000 == 999) World.Collect();
    }
  }

  public static void MemoryIsFlat() {
    using (CudaStream stream = World.Stream()) {
      MakeAndDrop(10000, stream);
      World.Collect();
      long before = ResidentKib();
      MakeAndDrop(90000, stream);
      World.Collect();
      long grown = ResidentKib() - before;
      Console.WriteLine($"resident memory: {before} KiB, grown by {grown} KiB");
      Check.That(grown < 10 * 1024, $"{grown} KiB more");
    }
  }

  public static void FailuresLeakNothing() {
    Action fail = () => {
      for (int i = 0; i < 20000; ++i)
        try { new CudaDevice(1000); } catch (InvalidArgumentException) {}
    };
    fail();
    long before = ResidentKib();
    fail();
    fail();
    Check.That(ResidentKib() - before < 8 * 1024, $"{ResidentKib() - before} KiB more");
  }
}
