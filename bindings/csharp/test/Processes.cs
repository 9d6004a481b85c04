// SPDX-License-Identifier: Apache-2.0
// Scenarios that need a separate process: this program again, with another environment.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Reflection;
using System.Threading;
using Cucore;

public static class Processes {
  // A child is a method of this class, or "Class.Method".
  internal static string Run(string child, int code = 0, params string[] environment) {
    ProcessStartInfo start = new ProcessStartInfo(Process.GetCurrentProcess().MainModule.FileName,
        $"\"{Assembly.GetExecutingAssembly().Location}\" child {child}") {
      UseShellExecute = false, RedirectStandardOutput = true, RedirectStandardError = true };
    foreach (string each in environment) start.EnvironmentVariables[each.Split('=')[0]] = each.Split('=')[1];
    using (Process process = Process.Start(start)) {
      string output, errors = null;
      Thread reader = new Thread(() => errors = process.StandardError.ReadToEnd());
      reader.Start();
      bool ended = false;
      using (new Timer(state => ended = EndHanging(process), null, Longest, Timeout.InfiniteTimeSpan)) {
        output = process.StandardOutput.ReadToEnd();
        reader.Join();
      }
      Check.That(!ended, $"{child} hung: {output}{errors}");
      process.WaitForExit();
      Check.That(process.ExitCode == code, $"{child}: {process.ExitCode}, {output}{errors}");
      return output + errors;
    }
  }

  private static readonly TimeSpan Longest = TimeSpan.FromSeconds(60);

  // The output then shows its threads, which Mono prints for the signal QUIT.
  private static bool EndHanging(Process process) {
    Process.Start("kill", $"-QUIT {process.Id}").WaitForExit();
    Thread.Sleep(3000);
    Process.Start("kill", $"-KILL {process.Id}").WaitForExit();
    return true;
  }

  public static void Exit() { Check.Equal("", Run("OpenEverything")); }
  public static void ExitWithCode() { Check.Equal("", Run("ExitInside", 3)); }

  // A kernel never ends, a thread waits for it, and its objects are left to the finalizers.
  public static void ExitDuringWaits() {
    foreach (string wait in new[] { "Stream", "Event", "Device", "Future", "Queue", "AwaitedQueue", "Timeout", "Task" }) {
      DateTime exit = new DateTime(long.Parse(Run($"ExitIn{wait}", 3)), DateTimeKind.Utc);
      double seconds = (DateTime.UtcNow - exit).TotalSeconds;
      Check.That(seconds < 10, $"the end of the process during the wait for a {wait} within 10 s, not {seconds:0.0}");
    }
  }

  // The receiver of the log gets the messages that are left. It cannot hold up the end, and it can be its cause.
  public static void ExitDuringMessages() {
    Check.Equal(string.Join("", Enumerable.Range(0, LastMessages)), Run("ExitInMessages", 3));
    foreach (string receiver in new[] { "SlowReceiver", "Receiver" }) {
      Stopwatch watch = Stopwatch.StartNew();
      Check.Equal("", Run($"ExitIn{receiver}", 3));
      Check.That(watch.Elapsed.TotalSeconds < 10, $"the end of the process in a {receiver} within 10 s, not {watch.Elapsed}");
    }
  }

  public static void AppDomains() { Check.Equal("", Run("UnloadDomain")); }
  public static void NoDevice() { Check.Equal("NoDevice 0", Run("Open", 0, Machine.IsCpu ? "CUCORE_CPU_DEVICES=0" : "CUDA_VISIBLE_DEVICES=-1").Trim()); }
  public static void NoCompiler() { Check.Contains("LibraryMissing", Run("Compile", 0, "CUCORE_NVRTC=/nowhere/libnvrtc.so")); }
  public static void NoDriver() { Check.Contains("LibraryMissing", Run("Open", 0, "CUCORE_DRIVER=/nowhere/libcuda.so")); }

  // An uncaught exception shows the compiler's log.
  public static void Uncaught() {
    string said = Run("Fail", 1);
    foreach (string part in new[] { "CompilationException", "broken.cu(2): error", "undeclared" }) Check.Contains(part, said);
  }

  private static void Fail() {
    Thread thread = new Thread(() => new CudaProgram("\nint x = undeclared;", new ProgramOptions { Name = "broken.cu" }).Compile());
    thread.Start();
    thread.Join();
  }

  internal static int Child(string name) {
    try {
      string[] path = name.Split('.');
      Type type = path.Length == 1 ? typeof(Processes) : typeof(Processes).Assembly.GetType(path[0], true);
      type.GetMethod(path[path.Length - 1], BindingFlags.Static | BindingFlags.NonPublic).Invoke(null, null);
    } catch (TargetInvocationException e) when (e.InnerException is CucoreException inner) {
      Console.WriteLine($"{inner.Status} {CudaDevice.Count}");
    }
    return 0;
  }

  private static readonly List<object> open = new List<object>();

  // Opens all kinds of objects, with work in the stream and a log receiver.
  private static void OpenEverything() {
    open.Add(CucoreLog.Subscribe(LogLevel.Debug, (level, message) => {}));
    CudaStream stream = World.Stream();
    CudaBuffer buffer = new CudaBuffer(World.Device, 1 << 20, stream);
    Kernel kernel = World.Kernel(World.Scale, "scale");
    for (int i = 0; i < 20; ++i) kernel.Launch(stream, new LaunchConfig(1024, 256), 1f, buffer, 1 << 18);
    open.AddRange(new object[] { stream, buffer, kernel, new CudaEvent(World.Device), new Linker(), kernel, new CudaProgram("") });
    open.Add(stream.SynchronizeAsync());  // pending
  }

  private static void ExitInside() {
    OpenEverything();
    // Mono 6.8 may abort if a thread returns from a native call of any library at that moment, so it seldom does.
    new Thread(() => { for (;; Thread.Sleep(1)) World.Device.Synchronize(); }) { IsBackground = true }.Start();
    Environment.Exit(3);
  }

  private const int LastMessages = 200;

  private static void ExitInMessages() {
    open.Add(CucoreLog.Subscribe(LogLevel.Warning, (level, message) => Console.Write(message)));
    for (int i = 0; i < LastMessages; ++i) CucoreLog.Write(LogLevel.Warning, $"{i}");
    Environment.Exit(3);
  }

  private static void ExitInSlowReceiver() {
    using (ManualResetEvent begun = new ManualResetEvent(false)) {
      open.Add(CucoreLog.Subscribe(LogLevel.Warning, (level, message) => { begun.Set(); Thread.Sleep(Timeout.Infinite); }));
      CucoreLog.Write(LogLevel.Warning, "the last one");
      begun.WaitOne();
      Environment.Exit(3);
    }
  }

  private static void ExitInReceiver() {
    open.Add(CucoreLog.Subscribe(LogLevel.Warning, (level, message) => Environment.Exit(3)));
    CucoreLog.Write(LogLevel.Warning, "the last one");
    Thread.Sleep(Timeout.Infinite);
  }

  private static void ExitInStream() { ExitIn(stream => stream.Synchronize()); }
  private static void ExitInEvent() { ExitIn(stream => { CudaEvent end = new CudaEvent(World.Device); end.Record(stream); end.Synchronize(); }); }
  private static void ExitInDevice() { ExitIn(stream => World.Device.Synchronize()); }
  private static void ExitInFuture() { ExitIn(stream => CudaFuture.FromStream(stream, new CudaQueue(), 1).Wait()); }
  private static void ExitInQueue() { ExitIn(stream => new CudaQueue().Wait()); }
  private static void ExitInAwaitedQueue() { ExitIn(stream => new CudaQueue().WaitAsync().Wait()); }
  private static void ExitInTimeout() { ExitIn(stream => stream.Synchronize(TimeSpan.FromHours(1))); }
  private static void ExitInTask() { ExitIn(stream => stream.SynchronizeAsync().Wait()); }

  private static void ExitIn(Action<CudaStream> wait) {
    CudaStream stream = World.Stream();
    open.Add(World.Busy(stream));
    using (ManualResetEvent begun = new ManualResetEvent(false)) {
      new Thread(() => { begun.Set(); wait(stream); }).Start();
      begun.WaitOne();
      Thread.Sleep(300);
      Console.Write(DateTime.UtcNow.Ticks);
      Environment.Exit(3);
    }
  }

  private static void Open() { new CudaDevice(); }
  private static void Compile() { new CudaProgram("").Compile(); }

  private static void CompileCached() {
    using (Cache cache = new Cache())
    using (CudaProgram program = Caches.Named(World.Scale, "shared.cu")) Console.Write(cache.Compile(program).Outcome);
  }

  private static void CompileMany() { CudaProgram.CompileBatch(new[] { new BatchItem(new CudaProgram(World.Scale)) }); }

  private static void UnloadDomain() {
    InDomain();
    for (int i = 0; i < 2; ++i) {
      AppDomain domain = AppDomain.CreateDomain("other");
      domain.DoCallBack(InDomain);
      InDomain();  // a failure here belongs to this domain, while the other one exists and after it
      AppDomain.Unload(domain);
      InDomain();
    }
  }

  private static void InDomain() {
    OpenEverything();
    try { new CudaDevice(1000); } catch (InvalidArgumentException) { return; }
    throw new Exception("nothing was thrown");
  }
}
