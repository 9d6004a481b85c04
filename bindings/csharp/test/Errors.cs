// SPDX-License-Identifier: Apache-2.0
// Scenarios about exceptions.
using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.Serialization.Formatters.Binary;
using Cucore;

public static class Errors {
  // Each status that this process can reach without a fault of the machine; more are in Processes.
  public static void ErrorClasses() {
    CudaDevice device = World.Device;
    using (CudaStream stream = World.Stream())
    using (CudaEvent untimed = new CudaEvent(device), timed = new CudaEvent(device, new EventOptions { Timing = true })) {
      Thrown<InvalidArgumentException>(Status.InvalidArgument, () => new CudaDevice(1000));
      Thrown<InvalidStateException>(Status.InvalidState, () => untimed.Elapsed(timed));
      Thrown<NotFoundException>(Status.NotFound, () => World.Code(World.Scale).GetKernel("nothing"));
      Thrown<UnsupportedException>(Status.Unsupported, () => World.Code(World.Scale).GetResources(World.Code(World.Scale).Symbols[0]));
      Thrown<IoException>(Status.Io, () => ObjectCode.FromFile(CodeType.Ptx, "/"));
      Thrown<CompilationException>(Status.Compilation, () => new CudaProgram("nonsense").Compile());
      Thrown<InvalidCodeException>(Status.InvalidCode, () => ObjectCode.FromBytes(CodeType.Cubin, new byte[64]));
      Thrown<LaunchException>(Status.Launch, () => World.Kernel(World.Big, "big").Launch(stream, new LaunchConfig(1, 1024), Arg.Address(0)));
      Thrown<OutOfDeviceMemoryException>(Status.OutOfDeviceMemory, () => new CudaBuffer(device, 1L << 60, stream));
      Thrown<SignatureException>(Status.Signature, () => ObjectCode.Load(World.Code(World.Scale).ToBytes(), new DeserializeOptions {
        SignaturePolicy = SignaturePolicy.Required, Keys = { new Key(KeyAlgorithm.HmacSha256, new byte[] { 1 }) } }));
      Thrown<LinkingException>(Status.Linking, LinkWithoutADefinition);
    }
  }

  private static void LinkWithoutADefinition() {
    ProgramOptions options = new ProgramOptions { RelocatableDeviceCode = true, Arch = "sm_90" };
    using (Linker linker = new Linker(new LinkerOptions { Arch = "sm_90" })) {
      linker.Add(new CudaProgram("extern __device__ int f(); __global__ void k(int *p) { *p = f(); }", options).Compile(CodeType.Cubin));
      linker.Link(CodeType.Cubin);
    }
  }

  private static void Thrown<T>(Status status, Action action) where T : CucoreException {
    T thrown = Check.Throws<T>(action);
    Check.Equal(status, thrown.Status);
    Check.That(thrown.Message.Length > 0 && thrown.StackTrace != null);
  }

  // One sealed class below one base per status, including those that nothing here provokes; a
  // number without a name is the base itself.
  public static void EachStatusHasAClass() {
    foreach (Status status in Enum.GetValues(typeof(Status)).Cast<Status>().Where(s => s != Status.Ok)) {
      CucoreException made = Make((int)status);
      Check.Equal(status + "Exception", made.GetType().Name);
      Check.That(made.GetType().IsSealed && made.GetType().BaseType == typeof(CucoreException));
      Check.Equal(status, made.Status);
    }
    Check.Equal(typeof(CucoreException), Make(777).GetType());
    Check.Equal(777, (int)Make(777).Status);
  }

  private static CucoreException Make(int status) {
    Type details = typeof(CucoreException).Assembly.GetType("Cucore.Failure");
    object failure = Activator.CreateInstance(details, BindingFlags.Instance | BindingFlags.NonPublic, null,
        new object[] { status, "message", "log", "cuda", 3, "NAME", new Diagnostic[0] }, null);
    MethodInfo of = typeof(CucoreException).GetMethod("Of", BindingFlags.Static | BindingFlags.NonPublic);
    return (CucoreException)of.Invoke(null, new[] { failure });
  }

  public static void ErrorDetails() {
    string source = "// größer\n__global__ void k() {\n  int size = undeclared;\n}\n#warning \"w\"\n";
    CompilationException e = Check.Throws<CompilationException>(() => new CudaProgram(source, new ProgramOptions { Name = "größe.cu" }).Compile());
    Check.Equal("nvrtc", e.Origin);
    Check.That(e.NativeCode != 0);
    Check.Contains("NVRTC_ERROR", e.NativeName);
    Check.Contains("undeclared", e.Log);
    Check.That(!e.Message.Contains("\n"), "the message is without the log");
    Diagnostic error = e.Diagnostics.First(d => d.Severity == Severity.Error);
    Check.Equal(3, error.Line);
    Check.Equal("größe.cu", error.File);
    Check.Contains("undeclared", error.Text);
    Check.That(e.Diagnostics.Any(d => d.Severity == Severity.Warning), "the warning");
    Check.Contains("größe.cu(3): error: ", error.ToString());
    Check.Contains(e.Log, e.ToString());
  }

  public static void ExceptionsSerialize() {
    CompilationException e = Check.Throws<CompilationException>(() => new CudaProgram("nonsense").Compile());
    MemoryStream stream = new MemoryStream();
    new BinaryFormatter().Serialize(stream, e);
    stream.Position = 0;
    CompilationException copy = (CompilationException)new BinaryFormatter().Deserialize(stream);
    Check.That(copy.Message == e.Message && copy.Log == e.Log && copy.Origin == e.Origin && copy.NativeCode == e.NativeCode);
    Check.Same(e.Diagnostics.Select(d => d.ToString()), copy.Diagnostics.Select(d => d.ToString()));
  }
}
