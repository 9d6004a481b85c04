// SPDX-License-Identifier: Apache-2.0
// Many programs at once.
using System;
using System.Collections.Generic;
using System.Linq;

namespace Cucore {
/// <summary>One compile of many.</summary>
public sealed partial class BatchItem {
  private readonly string[] nameExpressions;

  /// <summary>The program to compile; it may be in several items.</summary>
  public CudaProgram Program { get; }
  /// <summary>The kind of code to make.</summary>
  public CodeType Target { get; }
  /// <summary>Templates and overloads to instantiate.</summary>
  public IReadOnlyList<string> NameExpressions { get { return Array.AsReadOnly(nameExpressions); } }

  /// <summary>One compile, as CudaProgram.Compile does it.</summary>
  /// <param name="program">the program to compile</param>
  /// <param name="target">the kind of code to make</param>
  /// <param name="nameExpressions">templates and overloads to instantiate</param>
  public BatchItem(CudaProgram program, CodeType target = CodeType.Ptx, params string[]? nameExpressions) {
    Program = program ?? throw new ArgumentNullException(nameof(program));
    Target = target;
    this.nameExpressions = (string[])(nameExpressions ?? new string[0]).Clone();
  }

  internal void AddTo(NativeBatch batch) { batch.Add(Program, Target, nameExpressions); }
}

/// <summary>Options for the compile of many programs.</summary>
public sealed class BatchOptions {
  /// <summary>Processes; 0: one per core.</summary>
  public int Workers { get; set; }
  /// <summary>Limit per compile, in whole milliseconds; null: none.</summary>
  public TimeSpan? TimeLimit { get; set; }
  /// <summary>The cache for lookups and results; null: none.</summary>
  public Cache? Cache { get; set; }

  //: described
}

/// <summary>The result of one item: object code, or the exception of its failure.</summary>
public sealed class BatchResult {
  //: fields private ()
  /// <summary>The object code, which the caller disposes of; null if the item failed.</summary>
  public ObjectCode? Code { get; }
  /// <summary>The exception that a compile of the item alone would have thrown; null without a
  /// failure.</summary>
  public CucoreException? Error { get; }

  internal static BatchResult Of(NativeBatch batch, int index) {
    try {
      batch.Check(index);
      return new BatchResult(batch.Code(index), null);
    } catch (CucoreException e) {
      return new BatchResult(null, e);
    }
  }

  /// <summary>The object code, or the reason that none exists.</summary>
  public override string ToString() { return Error == null ? $"{Code}" : Error.Message; }
}

public partial class CudaProgram {
  private static readonly BatchOptions noOptions = new BatchOptions();

  //: cucore_program_compile_batch
  /// <returns>a result for each item, in their order</returns>
  public static IReadOnlyList<BatchResult> CompileBatch(IEnumerable<BatchItem> items, BatchOptions? options = null) {
    BatchItem[] all = (items ?? throw new ArgumentNullException(nameof(items))).ToArray();
    BatchOptions how = options ?? noOptions;
    using (NativeBatch batch = new NativeBatch()) {
      foreach (BatchItem each in all) (each ?? throw new ArgumentException("an item is null", nameof(items))).AddTo(batch);
      batch.RawRun(how.Workers, Timeout.Milliseconds(how.TimeLimit, nameof(how.TimeLimit)), how.Cache);
      return all.Select((each, index) => BatchResult.Of(batch, index)).ToArray();
    }
  }
}
}
