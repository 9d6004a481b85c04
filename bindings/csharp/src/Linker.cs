// SPDX-License-Identifier: Apache-2.0
// How linkers are made.
namespace Cucore {
public partial class Linker {
  /// <summary>Gives what Link would, and links only what has not been linked before; Cache.Link says where
  /// it came from, too.</summary>
  /// <param name="target">what to make of the inputs</param>
  /// <param name="cache">where to look first, and to keep it; null: nowhere</param>
  public ObjectCode Link(CodeType target, Cache cache) { return cache == null ? Link(target) : cache.Link(this, target).Code; }
}
}
