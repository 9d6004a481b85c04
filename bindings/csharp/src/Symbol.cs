// SPDX-License-Identifier: Apache-2.0
// The content of object code: its symbols, the parameters of its kernels, their resources.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Cucore {
/// <summary>A parameter of a kernel: its position in the parameter block, and the values that it
/// accepts.</summary>
public struct Parameter {
  //: fields private (ParameterClass parameterClass)
  /// <summary>In bytes, from the beginning of the block.</summary>
  public long Offset { get; }
  /// <summary>In bytes.</summary>
  public long Size { get; }
  /// <summary>The values that it accepts; Unknown without PTX.</summary>
  public ParameterClass Class { get; } = parameterClass;

  internal Parameter(NativePair pair) : this(ParameterClass.Unknown, pair.First, pair.Second) {}

  internal int Form { get { return Arg.Form(Class, Size); } }

  // cucore_parameter_info
  [StructLayout(LayoutKind.Sequential)]
  private struct Info {
    internal long StructSize, Offset, Size;
    internal int Class, Reserved;
  }

  internal static unsafe Parameter[] List(NativeBytes infos) {
    Parameter[] all = new Parameter[(int)infos.Size.ToUInt64() / sizeof(Info)];
    for (int i = 0; i < all.Length; ++i) {
      Info* each = (Info*)infos.Data + i;
      all[i] = new Parameter((ParameterClass)each->Class, each->Offset, each->Size);
    }
    return all;
  }

  /// <summary>"8 bytes at 16".</summary>
  public override string ToString() { return $"{Describe.Bytes(Size)} at {Offset}"; }
}

/// <summary>One symbol of object code.</summary>
public sealed class Symbol {
  //: fields internal (ObjectCode code, int index)
  /// <summary>Its index among the symbols.</summary>
  public int Index { get; } = index;
  /// <summary>The name as written, "saxpy&lt;float&gt;"; "" if unknown.</summary>
  public string Expression { get; } = code.RawSymbolExpression(index);
  /// <summary>The name in the code, "_Z5saxpyIfEvT_PKS0_PS0_m".</summary>
  public string LoweredName { get; } = code.RawSymbolLoweredName(index);
  /// <summary>Its kind.</summary>
  public SymbolKind Kind { get; } = code.RawSymbolKind(index);
  /// <summary>Of data, in bytes.</summary>
  public long Size { get; } = code.RawSymbolSize(index);
  /// <summary>Of a kernel; null if the code does not record them.</summary>
  public IReadOnlyList<Parameter>? Parameters { get; } = code.RawSymbolParameterCount(index) < 0 ? null : code.RawSymbolParameters(index);

  /// <summary>One without values.</summary>
  public Symbol() { Expression = LoweredName = ""; }

  /// <summary>The name as written if it is known, else that in the code.</summary>
  public override string ToString() { return Expression.Length != 0 ? Expression : LoweredName; }
}

/// <summary>The resources of a kernel, from its machine code; null if not recorded.</summary>
public sealed class KernelResources {
  //: fields internal (ObjectCode code, int kernel)
  /// <summary>Registers per thread.</summary>
  public int? Registers { get; } = Recorded(code.RawSymbolResourcesRegisters(kernel));
  /// <summary>Static shared memory, bytes per block.</summary>
  public int? StaticShared { get; } = Recorded(code.RawSymbolResourcesStaticShared(kernel));
  /// <summary>Bytes per thread, including spilled registers.</summary>
  public int? Stack { get; } = Recorded(code.RawSymbolResourcesStack(kernel));
  /// <summary>Threads per block, from __launch_bounds__.</summary>
  public int? MaxThreads { get; } = Recorded(code.RawSymbolResourcesMaxThreads(kernel));
  /// <summary>Bytes of the constant bank, including parameters.</summary>
  public int? Constant { get; } = Recorded(code.RawSymbolResourcesConstant(kernel));
  /// <summary>Bytes of instructions.</summary>
  public int? CodeSize { get; } = Recorded(code.RawSymbolResourcesCodeSize(kernel));

  private static int? Recorded(int number) { return number < 0 ? (int?)null : number; }

  //: described
}

public partial class ObjectCode {
  private IReadOnlyList<Symbol> symbols;  // the content of the code never changes

  //: also cucore_objectcode_symbol_at
  //: also cucore_objectcode_symbol_count
  //: also cucore_objectcode_symbol_parameters
  //: also cucore_objectcode_symbol_parameter_at
  /// <summary>The symbols of the code: kernels first, in the order of the code. No driver is needed.</summary>
  public IReadOnlyList<Symbol> Symbols {
    get {
      using (new Use(swigCPtr)) return symbols ?? (symbols = ReadSymbols());
    }
  }

  //: cucore_objectcode_symbol_resources
  /// <param name="kernel">one of Symbols</param>
  public KernelResources GetResources(Symbol kernel) {
    if (kernel == null) throw new ArgumentNullException(nameof(kernel));
    return new KernelResources(this, kernel.Index);
  }

  private Symbol[] ReadSymbols() {
    Symbol[] all = new Symbol[RawSymbolCount];
    for (int i = 0; i < all.Length; ++i) all[i] = new Symbol(this, i);
    return all;
  }
}
}
