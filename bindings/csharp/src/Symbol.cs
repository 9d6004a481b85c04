// SPDX-License-Identifier: Apache-2.0
// What is in object code: its symbols, the parameters of its kernels, what they need.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;

namespace Cucore {
/// <summary>A parameter of a kernel: its place in the parameter block, and the values that it accepts.</summary>
public struct Parameter {
  private const int Room = 32;  // most kernels have fewer

  //: fields private (ParameterClass parameterClass)
  /// <summary>In bytes, from the beginning of the block.</summary>
  public long Offset { get; }
  /// <summary>In bytes.</summary>
  public long Size { get; }
  /// <summary>Which values it accepts; Unknown without PTX.</summary>
  public ParameterClass Class { get; } = parameterClass;

  internal Parameter(NativePair pair) : this(ParameterClass.Unknown, pair.First, pair.Second) {}

  internal int Form { get { return Arg.Form(Class, Size); } }

  // cucore_parameter_info
  [StructLayout(LayoutKind.Sequential)]
  private struct Info {
    internal long StructSize, Offset, Size;
    internal int Class, Reserved;
  }

  // `read` fills an array of infos, given as address and size in bytes, and returns how many there are; -1: not known.
  internal static unsafe Parameter[] Read(Func<IntPtr, long, long> read) {
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
  /// <summary>Its place among the symbols.</summary>
  public int Index { get; } = index;
  /// <summary>The name as written, "saxpy&lt;float&gt;"; "" where unknown.</summary>
  public string Expression { get; } = code.RawSymbolExpression(index);
  /// <summary>The name in the code, "_Z5saxpyIfEvT_PKS0_PS0_m".</summary>
  public string LoweredName { get; } = code.RawSymbolLoweredName(index);
  /// <summary>What it is.</summary>
  public SymbolKind Kind { get; } = code.RawSymbolKind(index);
  /// <summary>Of data, in bytes.</summary>
  public long Size { get; } = code.RawSymbolSize(index);
  /// <summary>Of a kernel; null where the code does not say.</summary>
  public IReadOnlyList<Parameter> Parameters { get; } = Parameter.Read((data, size) => code.RawSymbolParameters(index, data, size));

  /// <summary>One without values.</summary>
  public Symbol() {}

  /// <summary>The name as written where it is known, else that in the code.</summary>
  public override string ToString() { return Expression.Length != 0 ? Expression : LoweredName; }
}

/// <summary>What a kernel needs, as its machine code says; null where it does not.</summary>
public sealed class KernelResources {
  //: fields internal (Func<int, int?> at)
  /// <summary>Registers of a thread.</summary>
  public int? Registers { get; } = at(0);
  /// <summary>Static shared memory, bytes of a block.</summary>
  public int? StaticShared { get; } = at(1);
  /// <summary>Bytes of a thread, where spilled registers are too.</summary>
  public int? Stack { get; } = at(2);
  /// <summary>Threads of a block, from __launch_bounds__.</summary>
  public int? MaxThreads { get; } = at(3);
  /// <summary>Bytes of the constant bank, the parameters included.</summary>
  public int? Constant { get; } = at(4);
  /// <summary>Bytes of instructions.</summary>
  public int? CodeSize { get; } = at(5);

  //: described
}

public partial class ObjectCode {
  private IReadOnlyList<Symbol> symbols;  // what is in the code never changes

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
