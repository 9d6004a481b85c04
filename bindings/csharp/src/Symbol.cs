// SPDX-License-Identifier: Apache-2.0
// The content of object code: its symbols, the parameters of its kernels, their resources.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;

namespace Cucore {
/// <summary>A parameter of a kernel: its position in the parameter block, and the values that it
/// accepts.</summary>
public struct Parameter {
  private const int Room = 32;  // most kernels have fewer

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

  // `read` fills an array of infos, passed as address and size in bytes, and returns their number;
  // -1: not known.
  internal static unsafe Parameter[]? Read(Func<IntPtr, long, long> read) {
    for (long room = Room;;) {
      Info[] infos = new Info[room];
      long count;
      fixed (Info* first = infos) count = read((IntPtr)first, room * sizeof(Info));
      if (count < 0) return null;
      if (count <= room) return infos.Take((int)count).Select(each => new Parameter((ParameterClass)each.Class, each.Offset, each.Size)).ToArray();
      room = count;
    }
  }

  /// <summary>"8 bytes at 16".</summary>
  public override string ToString() { return $"{Size} bytes at {Offset}"; }
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
  public IReadOnlyList<Parameter>? Parameters { get; } = Parameter.Read((data, size) => code.RawSymbolParameters(index, data, size));

  /// <summary>One without values.</summary>
  public Symbol() { Expression = LoweredName = ""; }

  /// <summary>The name as written if it is known, else that in the code.</summary>
  public override string ToString() { return Expression.Length != 0 ? Expression : LoweredName; }
}

/// <summary>The resources of a kernel, from its machine code; null if not recorded.</summary>
public sealed class KernelResources {
  //: fields internal (Func<int, int?> at)
  /// <summary>Registers per thread.</summary>
  public int? Registers { get; } = at(0);
  /// <summary>Static shared memory, bytes per block.</summary>
  public int? StaticShared { get; } = at(1);
  /// <summary>Bytes per thread, including spilled registers.</summary>
  public int? Stack { get; } = at(2);
  /// <summary>Threads per block, from __launch_bounds__.</summary>
  public int? MaxThreads { get; } = at(3);
  /// <summary>Bytes of the constant bank, including parameters.</summary>
  public int? Constant { get; } = at(4);
  /// <summary>Bytes of instructions.</summary>
  public int? CodeSize { get; } = at(5);

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
    return new KernelResources(which => {
      int number = RawSymbolResource(kernel.Index, which);
      return number < 0 ? (int?)null : number;
    });
  }

  private Symbol[] ReadSymbols() {
    Symbol[] all = new Symbol[RawSymbolCount];
    for (int i = 0; i < all.Length; ++i) all[i] = new Symbol(this, i);
    return all;
  }
}
}
