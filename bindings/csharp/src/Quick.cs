// SPDX-License-Identifier: Apache-2.0
// What changes, and is asked often: calls without marshalling. SafeHandle's counting and Mono's code around it
// would cost as much again as the call.
using System;
using System.Runtime.InteropServices;

namespace Cucore {
internal static class Quick {
  [DllImport("cucorecs", EntryPoint = "CSharp_Cucore_ObjectCode_RawIsLoaded_get")]
  internal static extern uint IsLoaded(IntPtr code);
  [DllImport("cucorecs", EntryPoint = "CSharp_Cucore_CudaStream_RawQuery")]
  internal static extern uint QueryStream(IntPtr stream);
  [DllImport("cucorecs", EntryPoint = "CSharp_Cucore_CudaEvent_RawQuery")]
  internal static extern uint QueryEvent(IntPtr event_);
  [DllImport("cucorecs", EntryPoint = "CSharp_Cucore_CudaFuture_RawQuery")]
  internal static extern uint QueryFuture(IntPtr future);
}

public partial class ObjectCode {
  //: cucore_objectcode_is_loaded
  public bool IsLoaded {
    get {
      Handle held = owned;
      uint isLoaded = Quick.IsLoaded(held.Enter());  // nothing is thrown here: no need of a finally
      held.Leave();
      return isLoaded != 0;
    }
  }
}

public partial class CudaStream {
  //: cucore_stream_query
  public bool Query() {
    IntPtr stream = owned.Enter();
    try {
      bool isDone = Quick.QueryStream(stream) != 0;
      CucoreNativePINVOKE.Check();
      return isDone;
    } finally {
      owned.Leave();
    }
  }
}

public partial class CudaEvent {
  //: cucore_event_query
  public bool Query() {
    IntPtr event_ = owned.Enter();
    try {
      bool isDone = Quick.QueryEvent(event_) != 0;
      CucoreNativePINVOKE.Check();
      return isDone;
    } finally {
      owned.Leave();
    }
  }
}

public partial class CudaFuture {
  //: cucore_future_query
  public bool Query() {
    IntPtr future = owned.Enter();
    try {
      bool isDone = Quick.QueryFuture(future) != 0;
      CucoreNativePINVOKE.Check();
      return isDone;
    } finally {
      owned.Leave();
    }
  }
}
}
