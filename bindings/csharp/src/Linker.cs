// How linkers are made.
using System;

namespace Cucore {
public partial class Linker {
  //: cucore_linker_create options
  public Linker(LinkerOptions options = null) : this(Make(options), true) {}

  private static IntPtr Make(LinkerOptions options) {
    using (NativeLinkerOptions native = options?.ToNative()) {
      IntPtr made = CucoreNativePINVOKE.new_Linker(NativeLinkerOptions.getCPtr(native));
      CucoreNativePINVOKE.Check();
      return made;
    }
  }
}
}
