// SPDX-License-Identifier: Apache-2.0
// Programs from text and from bytes.
using System;
using System.Runtime.InteropServices;

namespace Cucore {
public partial class CudaProgram {
  //: cucore_program_create
  /// <param name="source">CUDA C++, or the language of type</param>
  public CudaProgram(string source, ProgramOptions? options = null, SourceType type = SourceType.CudaCpp)
      : this(type, Utf8.Encode(source, nameof(source)), options) {}

  //: cucore_program_create
  public CudaProgram(SourceType type, byte[] source, ProgramOptions? options = null) : this(type, Checked.NotNull(source, nameof(source)), options) {}

  private static unsafe IntPtr Make(SourceType type, ReadOnlySpan<byte> source, ProgramOptions? options) {
    using (NativeProgramOptions? native = options?.ToNative())
    fixed (byte* first = &MemoryMarshal.GetReference(source)) {
      IntPtr made = CucoreNativePINVOKE.new_CudaProgram((int)type, (IntPtr)first, (UIntPtr)source.Length, NativeProgramOptions.getCPtr(native));
      CucoreNativePINVOKE.Check();
      return made;
    }
  }

  //: cucore_program_create
  public CudaProgram(SourceType type, ReadOnlySpan<byte> source, ProgramOptions? options = null) : this(Make(type, source, options), true) {}

  //: cucore_program_compile
  public ObjectCode Compile(CodeType target = CodeType.Ptx, params string[]? nameExpressions) {
    return Waits.Finish(new NativeCompiling(this, null, target, nameExpressions)).Code;
  }

  /// <summary>Returns the result of Compile, and compiles only programs that were not compiled
  /// before. Cache.Compile also returns the place where it was found.</summary>
  /// <param name="target">the kind of code to make</param>
  /// <param name="cache">the cache for lookups and results; null: none</param>
  /// <param name="nameExpressions">templates and overloads of CUDA C++ to instantiate</param>
  public ObjectCode Compile(CodeType target, Cache? cache, params string[]? nameExpressions) {
    return cache == null ? Compile(target, nameExpressions) : cache.Compile(this, target, nameExpressions).Code;
  }
}
}
