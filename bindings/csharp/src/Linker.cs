// How linkers are made.
using System;

namespace Cucore {
public partial class Linker {
  //: cucore_linker_create
  public Linker(LinkerOptions options = null) : this(Make(options), true) {}

  private static IntPtr Make(LinkerOptions options) {
    using (NativeLinkerOptions native = options?.ToNative()) {
      IntPtr made = CucoreNativePINVOKE.new_Linker(NativeLinkerOptions.getCPtr(native));
      CucoreNativePINVOKE.Check();
      return made;
    }
  }

  /// <summary>Gives what Link would, and links only what has not been linked before; Cache.Link says where
  /// it came from, too.</summary>
  /// <param name="target">what to make of the inputs</param>
  /// <param name="cache">where to look first, and to keep it; null: nowhere</param>
  public ObjectCode Link(CodeType target, Cache cache) { return cache == null ? Link(target) : cache.Link(this, target).Code; }
}
}
