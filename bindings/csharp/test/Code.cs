// SPDX-License-Identifier: Apache-2.0
// Scenarios about programs, object code, linking and storing.
using System;
using System.IO;
using System.Linq;
using System.Runtime.Serialization.Formatters.Binary;
using System.Text;
using Cucore;

public static class Code {
  public static void CompileAndLaunch() {
    using (CudaStream stream = World.Stream()) {
      World.CheckScale(stream, World.Kernel(World.Scale, "scale"), 3);
      string source = "template <typename T> __global__ void fill(T *p, T v) { p[threadIdx.x] = v; }";
      using (ObjectCode code = new CudaProgram(source).Compile(CodeType.Ptx, "fill<double>", "fill<int>"))
      using (CudaBuffer buffer = new CudaBuffer(World.Device, 32, stream)) {
        code.GetKernel("fill<double>").Launch(stream, new LaunchConfig(1, 4), buffer, 2.5);
        Check.Same(Enumerable.Repeat(2.5, 4), buffer.ToArray<double>(stream));
        Check.Same(new[] { "fill<double>", "fill<int>" }, code.Symbols.Select(s => s.Expression).OrderBy(s => s));
        Check.That(code.Symbols.All(s => s.Kind == SymbolKind.Kernel && s.Parameters.Count == 2));
      }
    }
  }

  // Returns the output of a kernel compiled with the options.
  private static int Value(string value, ProgramOptions options) {
    using (ObjectCode code = new CudaProgram("extern \"C\" __global__ void k(int *p) {\n#include \"a.h\"\n *p = " + value + "; }", options).Compile())
    using (CudaStream stream = World.Stream())
    using (CudaBuffer buffer = new CudaBuffer(World.Device, 4, stream)) {
      code.GetKernel("k").Launch(stream, new LaunchConfig(1, 1), buffer);
      return buffer.ToArray<int>(stream)[0];
    }
  }

  private static ProgramOptions WithHeader(string text = "") { return new ProgramOptions { Headers = { { "a.h", text } } }; }

  public static void Options() {
    Check.Equal(7, Value("A", WithHeader("const int A = 7;\n")));  // headers in memory
    ProgramOptions options = WithHeader();
    options.DefineMacros.Add("V=5");  // a list
    Check.Equal(5, Value("V", options));
    options.DefineMacros = new[] { "V=6" };
    Check.Equal(6, Value("V", options));
    options.Standard = "c++17";  // a text
    Check.Equal(1, Value("__cplusplus < 202002L", options));
    options.DeviceInt128 = true;  // a choice
    Check.Equal(1, Value("sizeof(__int128) == 16", options));
    // a number: fewer registers than the kernel would use
    ProgramOptions few = new ProgramOptions { Arch = "sm_90", MaxRegisterCount = 24 };
    string hungry = "__global__ void k(float *p) { float a[40]; for (int i = 0; i < 40; ++i) a[i] = p[i]; __syncthreads();"
        + " for (int i = 0; i < 40; ++i) p[i] = a[39 - i] * a[i] + a[(i * 7) % 40]; }";
    Check.That(Registers(hungry, few) <= 24 && Registers(hungry, new ProgramOptions { Arch = "sm_90" }) > 24, "registers");
    string unused = "__global__ void k() { int unused; }";
    using (ObjectCode code = new CudaProgram(unused).Compile()) Check.Equal(Severity.Warning, code.Diagnostics.Single().Severity);
    using (ObjectCode code = new CudaProgram(unused, new ProgramOptions { DiagSuppressions = { 177 } }).Compile())
      Check.Equal(0, code.Diagnostics.Count);  // numbers
  }

  private static int? Registers(string source, ProgramOptions options) {
    using (ObjectCode code = new CudaProgram(source, options).Compile(CodeType.Cubin)) return code.GetResources(code.Symbols[0]).Registers;
  }

  private static void Says(string words, Action call) {
    string message = "";
    try {
      call();
    } catch (CucoreException e) {
      message = e.Message;
    }
    Check.Contains(words, message);
    Check.That(!message.Contains("cucore_") && !message.Contains("NULL"));
  }

  public static void MessagesNameWhatUsersType() {
    using (CudaStream stream = World.Stream())
    using (CudaEvent plain = new CudaEvent(World.Device), timed = new CudaEvent(World.Device, new EventOptions { Timing = true })) {
      plain.Record(stream);
      Says("EventOptions.Timing", () => plain.Elapsed(plain));
      Says("CudaEvent.Record()", () => timed.Elapsed(timed));
      Says("LaunchConfig.Grid[0]", () => World.Kernel(World.Scale, "scale").Launch(stream, new LaunchConfig(0, 1), 1f, Arg.Address(0), 1));
      Says("ObjectCode.Load()", () => ObjectCode.FromBytes(CodeType.Bundle, new byte[64]));
      World.ResetDevice();
      Says("CudaDevice.Reset()", () => stream.Synchronize());
    }
  }

  public static void WrongOptions() {
    Check.Contains("ProgramOptions.UseLibdevice", Check.Throws<InvalidArgumentException>(() => new CudaProgram("", new ProgramOptions { UseLibdevice = true })).Message);
    Check.Throws<InvalidArgumentException>(() => new CudaProgram("", new ProgramOptions { SplitCompile = -7 }));
    Check.Throws<ArgumentException>(() => new CudaProgram("", new ProgramOptions { Name = "a\0b" }));
    Check.Throws<InvalidArgumentException>(() => new CudaProgram("", new ProgramOptions { DefineMacros = new string[] { null } }));
    Check.Throws<InvalidArgumentException>(() => new CudaProgram("", new ProgramOptions { Headers = { { "a.h", null } } }));
    Check.Throws<ArgumentNullException>(() => new CudaProgram(null));
    Check.Throws<InvalidArgumentException>(() => new CudaProgram("", null, (SourceType)9));
  }

  public static void NvvmIr() {
    string ir = "target triple = \"nvptx64-nvidia-cuda\"\n"
        + "define void @k() { ret void }\n!nvvm.annotations = !{!0}\n!0 = !{void ()* @k, !\"kernel\", i32 1}\n"
        + "!nvvmir.version = !{!1}\n!1 = !{i32 2, i32 0}\n";
    ProgramOptions options = new ProgramOptions { Arch = "compute_80", ExtraSources = { { "other", Encoding.ASCII.GetBytes("nonsense") } } };
    if (!CucoreLibrary.Query(Library.Nvvm).Available) return;  // part of the toolkit
    Check.Throws<CompilationException>(() => new CudaProgram(SourceType.NvvmIr, Encoding.ASCII.GetBytes(ir), options).Compile());
    Check.Equal(Backend.Nvvm, new CudaProgram(ir, null, SourceType.NvvmIr).Backend);
  }

  public static void Serialize() {
    ObjectCode code = new CudaProgram("template <int N> __global__ void k(int *p) { *p = N; }").Compile(CodeType.Ptx, "k<3>");
    byte[] bytes = code.ToBytes();
    ObjectCode again = ObjectCode.Load(bytes);
    Check.Same(bytes, again.ToBytes());
    Check.That(again.GetKernel("k<3>").Name == code.GetKernel("k<3>").Name && again.Type == code.Type && again.Arch == code.Arch);
    byte[] packed = code.ToBytes(new SerializeOptions { Compression = true });
    Check.That(!packed.SequenceEqual(bytes), "compressed bytes are others");
    Check.Same(bytes, ObjectCode.Load(packed).ToBytes());
    for (int i = 0; i < 64; ++i) {
      byte[] damaged = (byte[])bytes.Clone();
      damaged[i] ^= 0x10;
      Check.Throws<InvalidCodeException>(() => ObjectCode.Load(damaged));
    }
    Check.Throws<InvalidCodeException>(() => ObjectCode.Load(new byte[0]));
    Check.Throws<InvalidCodeException>(() => ObjectCode.Load(bytes, new DeserializeOptions { MaxCodeSize = 10 }));
    MemoryStream stream = new MemoryStream();
    new BinaryFormatter().Serialize(stream, code);
    stream.Position = 0;
    Check.Same(bytes, ((ObjectCode)new BinaryFormatter().Deserialize(stream)).ToBytes());
  }

  public static void Signatures() {
    Key key = new Key(KeyAlgorithm.HmacSha256, Encoding.ASCII.GetBytes("secret")), other = new Key(KeyAlgorithm.HmacSha256, new byte[] { 9 });
    byte[] signed = World.Code(World.Scale).ToBytes(new SerializeOptions { SigningKey = key });
    ObjectCode valid = ObjectCode.Load(signed, new DeserializeOptions { SignaturePolicy = SignaturePolicy.Required, Keys = { other, key } });
    Check.Equal(SignatureState.Valid, valid.Signature);
    Check.Equal(16, valid.SignatureKey.Length);
    Check.Equal(SignatureState.UnknownKey, ObjectCode.Load(signed).Signature);
    DeserializeOptions strict = new DeserializeOptions { SignaturePolicy = SignaturePolicy.Required, Keys = { other } };
    Check.Throws<SignatureException>(() => ObjectCode.Load(signed, strict));
  }

  private static ObjectCode Part(string source) {
    return new CudaProgram(source, new ProgramOptions { RelocatableDeviceCode = true, Arch = "sm_90" }).Compile(CodeType.Cubin);
  }

  public static void LoneSurrogates() {
    var texts = new[] { ("\ud83d", 0), ("a\ud83d", 1), ("\ude00x", 0), ("// \ud83d\ud83d\ude00", 3), ("// \ud83d\ude00\ude00", 5) };
    foreach (var pair in texts) {
      string text = pair.Item1;
      int index = pair.Item2;
      string words = $"has a lone surrogate at index {index}";
      ArgumentException e = Check.Throws<ArgumentException>(() => new CudaProgram(text));
      Check.Contains("source " + words, e.Message);
      Check.Equal("source", e.ParamName);
      Check.Contains(words, Check.Throws<ArgumentException>(() => new CudaProgram("", new ProgramOptions { Name = text })).Message);
      Check.Contains(words, Check.Throws<ArgumentException>(
          () => new CudaProgram("", new ProgramOptions { Headers = { { "a.h", text } } })).Message);
      Check.Contains(words, Check.Throws<ArgumentException>(() => World.Code(World.Scale).GetKernel(text)).Message);
      Check.Contains(words, Check.Throws<ArgumentException>(() => new CudaProgram("").Compile(CodeType.Ptx, "x", text)).Message);
    }
    new CudaProgram("// \ud83d\ude00 \ufffd\n").Compile().Dispose();
  }

  public static void LinkAndBundle() {
    ObjectCode a = Part("__device__ int f() { return 41; }");
    ObjectCode b = Part("extern __device__ int f(); extern \"C\" __global__ void k(int *p) { *p = f() + 1; }");
    using (Linker linker = new Linker(new LinkerOptions { Arch = "sm_90", Name = "both" })) {
      Check.Throws<InvalidStateException>(() => linker.Link(CodeType.Cubin));
      linker.Add(a);
      linker.Add(b);
      Check.Equal(Backend.Nvjitlink, linker.Backend);
      ObjectCode linked = linker.Link(CodeType.Cubin);
      Check.That(linked.Name == "both" && linker.Log != null);
      Check.That(linked.GetResources(linked.Symbols.First(s => s.LoweredName == "k")).Registers > 0);
    }
    ObjectCode ptx = new CudaProgram(World.Scale, new ProgramOptions { Arch = "compute_75" }).Compile();
    ObjectCode cubin = new CudaProgram(World.Scale, new ProgramOptions { Arch = "sm_90" }).Compile(CodeType.Cubin);
    ObjectCode bundle = ObjectCode.Bundle(cubin, ptx);
    Check.That(bundle.Type == CodeType.Bundle && bundle.ImageCount == 2);
    Check.Same(new[] { "compute_75", "sm_90" }, ObjectCode.Load(bundle.ToBytes()).GetImages().Select(i => i.Arch).OrderBy(s => s));
    using (CudaStream stream = World.Stream()) World.CheckScale(stream, bundle.GetKernel("scale"), 2);
    Check.Throws<ArgumentException>(() => ObjectCode.Bundle(a, null));
    Check.Contains("images[2] is the same CUBIN for sm_90 as images[0]",
        Check.Throws<InvalidArgumentException>(() => ObjectCode.Bundle(cubin, ptx, cubin)).Message);
  }

  public static void FromBytesAndFiles() {
    byte[] ptx = World.Code(World.Scale).Data;
    ObjectCodeOptions named = new ObjectCodeOptions { Name = "mine", LoweredNames = { { "nice", "scale" } } };
    Check.Equal("scale", ObjectCode.FromBytes(CodeType.Ptx, ptx, named).GetKernel("nice").Name);
    string path = Path.Combine(Path.GetTempPath(), "größe" + System.Diagnostics.Process.GetCurrentProcess().Id + ".ptx");
    File.WriteAllBytes(path, ptx);
    try {
      ObjectCode code = ObjectCode.FromFile(CodeType.Ptx, path);
      using (ObjectCode detected = ObjectCode.FromFile(path)) Check.Equal(CodeType.Ptx, detected.Type);
      Check.Same(ptx, code.Data);
      Check.Equal(Path.GetFileName(path), code.Name);
    } finally {
      File.Delete(path);
    }
    Check.Throws<NotFoundException>(() => ObjectCode.FromFile(CodeType.Ptx, path));
    ObjectCode global = new CudaProgram("__device__ int counter[4];").Compile();
    string lowered = global.Symbols.Single(s => s.Kind == SymbolKind.Global).LoweredName;
    Check.That(global.FindGlobal(lowered, World.Device).Size == 16 && global.FindGlobal(lowered, World.Device).Address != 0);
  }
}
