// SPDX-License-Identifier: Apache-2.0
// How linkers are made.
namespace Cucore {
public partial class Linker {
  /// <summary>Returns the result of Link, and links only inputs that were not linked before.
  /// Cache.Link also returns the place where it was found.</summary>
  /// <param name="target">the kind of code to make</param>
  /// <param name="cache">the cache for lookups and results; null: none</param>
  public ObjectCode Link(CodeType target, Cache? cache) { return cache == null ? Link(target) : cache.Link(this, target).Code; }
}
}
