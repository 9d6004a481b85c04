// SPDX-License-Identifier: Apache-2.0
// The settings of operations, of contexts and of texts.
namespace Cucore.Arrays {
/// <summary>How a reduction works.</summary>
public sealed class Reduction {
  /// <summary>The axes, also negative ones; null: all of them. An empty list reduces none.</summary>
  public int[]? Axes { get; set; }
  /// <summary>Whether reduced axes stay, with size 1.</summary>
  public bool KeepDims { get; set; }
  /// <summary>The type of the result; DType.Default: the rule.</summary>
  public DType DType { get; set; }
  /// <summary>Of Var and Std: the divisor is the count less this; 1 for a sample.</summary>
  public double Correction { get; set; }
  /// <summary>Of Norm; null: 2, the Euclidean norm.</summary>
  public double? Order { get; set; }

  /// <summary>The settings that differ from the defaults.</summary>
  public override string ToString() {
    return Describe.Properties("Reduction", Describe.Set("Axes", Axes), Describe.Set("KeepDims", KeepDims),
        Describe.Set("DType", DType), Describe.Set("Correction", Correction), Describe.Set("Order", Order));
  }
}

/// <summary>The result of an operation, and its type.</summary>
public sealed class OperationOptions {
  /// <summary>The array that is written, by NumPy's rule "same kind"; null: a new array.</summary>
  public NdArray? Out { get; set; }
  /// <summary>The mask of the elements of Out that are written; null: all.</summary>
  public NdArray? Where { get; set; }
  /// <summary>The type of the computation and of the result; DType.Default: the rule.</summary>
  public DType DType { get; set; }

  /// <summary>The settings that are given.</summary>
  public override string ToString() {
    return $"OperationOptions({(Out == null ? "" : "Out, ")}{(Where == null ? "" : "Where, ")}DType={DType})";
  }
}

/// <summary>The format of a text of an array.</summary>
public sealed class PrintOptions {
  /// <summary>Arrays of more elements are shown by their edges.</summary>
  public long Threshold { get; set; } = 1000;
  /// <summary>Digits after the point, at most.</summary>
  public int Precision { get; set; } = 8;
  /// <summary>Elements at each end of an axis.</summary>
  public int EdgeItems { get; set; } = 3;
  /// <summary>Characters in a line.</summary>
  public int LineWidth { get; set; } = 75;
  /// <summary>Whether small numbers are shown without an exponent.</summary>
  public bool SuppressSmall { get; set; }

  /// <summary>All settings.</summary>
  public override string ToString() {
    return Describe.Properties("PrintOptions", Describe.Set("Threshold", Threshold),
        Describe.Set("Precision", Precision), Describe.Set("EdgeItems", EdgeItems),
        Describe.Set("LineWidth", LineWidth), Describe.Set("SuppressSmall", SuppressSmall));
  }
}

/// <summary>The settings of a new context.</summary>
public sealed class ContextOptions {
  /// <summary>The stream that orders the work; null: one of its own.</summary>
  public CudaStream? Stream { get; set; }
  /// <summary>The cache of kernels; null: the cache of the user.</summary>
  public Cache? Cache { get; set; }
  /// <summary>When operations are computed.</summary>
  public Policy Policy { get; set; }
  /// <summary>How exactly they are computed.</summary>
  public MathMode Math { get; set; }
  /// <summary>The type of numbers with a fraction; DType.Default: DType.Float64.</summary>
  public DType DefaultFloat { get; set; }
  /// <summary>The bytes of arrays and temporary ones, at most; 0: no limit.</summary>
  public long MaxBytes { get; set; }
  /// <summary>Operations that wait, at most; 0: 2048.</summary>
  public int MaxPending { get; set; }
  /// <summary>Operations one after another, at most; 0: 64.</summary>
  public int MaxDepth { get; set; }
  /// <summary>Bytes that waiting operations alone keep, at most; 0: a quarter of the device memory, and at least 64 MiB.</summary>
  public long MaxRetainedBytes { get; set; }

  /// <summary>The settings that differ from the defaults.</summary>
  public override string ToString() {
    return Describe.Properties("ContextOptions", Describe.Set("Stream", Stream), Describe.Set("Cache", Cache),
        Describe.Set("Policy", Policy), Describe.Set("Math", Math), Describe.Set("DefaultFloat", DefaultFloat),
        Describe.Set("MaxBytes", MaxBytes), Describe.Set("MaxPending", MaxPending),
        Describe.Set("MaxDepth", MaxDepth), Describe.Set("MaxRetainedBytes", MaxRetainedBytes));
  }
}
}
