// SPDX-License-Identifier: Apache-2.0
// Many programs at once.
using System;
using System.Collections.Generic;
using System.Linq;

namespace Cucore {
/// <summary>One compile of many.</summary>
public sealed partial class BatchItem {
  private readonly string[] nameExpressions;

  /// <summary>What to compile; it may be in several items.</summary>
  public CudaProgram Program { get; }
  /// <summary>What to make of it.</summary>
  public CodeType Target { get; }
  /// <summary>Templates and overloads to instantiate.</summary>
  public IReadOnlyList<string> NameExpressions { get { return Array.AsReadOnly(nameExpressions); } }

  /// <summary>One compile, as CudaProgram.Compile does it.</summary>
  /// <param name="program">what to compile</param>
  /// <param name="target">what to make of it</param>
  /// <param name="nameExpressions">templates and overloads to instantiate</param>
  public BatchItem(CudaProgram program, CodeType target = CodeType.Ptx, params string[] nameExpressions) {
    Program = program ?? throw new ArgumentNullException(nameof(program));
    Target = target;
    this.nameExpressions = (string[])(nameExpressions ?? new string[0]).Clone();
  }

  internal void AddTo(NativeBatch batch) { batch.Add(Program, Target, nameExpressions); }
}

/// <summary>How to compile many programs at once.</summary>
public sealed class BatchOptions {
  /// <summary>Processes; 0: one a core.</summary>
  public int Workers { get; set; }
  /// <summary>Of each compile, in whole milliseconds; null: none.</summary>
  public TimeSpan? TimeLimit { get; set; }
  /// <summary>Where to look first, and to keep what is compiled; null: nowhere.</summary>
  public Cache Cache { get; set; }

  //: described
}

/// <summary>What became of one item: object code, or the exception of what went wrong.</summary>
public sealed class BatchResult {
  //: fields private ()
  /// <summary>The object code, yours to dispose of; null where the item failed.</summary>
  public ObjectCode Code { get; }
  /// <summary>The exception that compiling the item alone would have thrown; null where it did not fail.</summary>
  public CucoreException Error { get; }

  internal static BatchResult Of(NativeBatch batch, int index) {
    try {
      batch.Check(index);
      return new BatchResult(batch.Code(index), null);
    } catch (CucoreException e) {
      return new BatchResult(null, e);
    }
  }

  /// <summary>The object code, or why there is none.</summary>
  public override string ToString() { return Error == null ? Code.ToString() : Error.Message; }
}

public partial class CudaProgram {
  private static readonly BatchOptions noOptions = new BatchOptions();

  //: cucore_program_compile_batch
  /// <returns>a result for each item, in their order</returns>
  public static IReadOnlyList<BatchResult> CompileBatch(IEnumerable<BatchItem> items, BatchOptions options = null) {
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
