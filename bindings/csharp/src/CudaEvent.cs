// How events are made.
namespace Cucore {
/// <summary>How to make an event.</summary>
public sealed class EventOptions {
  /// <summary>Whether CudaEvent.Elapsed works; costs a little on each record.</summary>
  public bool Timing { get; set; }
  /// <summary>Whether Synchronize sleeps instead of spinning.</summary>
  public bool BlockingSync { get; set; }
  /// <summary>Whether it may be shared with other processes; not with timing.</summary>
  public bool Interprocess { get; set; }

  /// <summary>What is set.</summary>
  public override string ToString() { return Describe.Properties(this); }
}

public partial class CudaEvent {
  private static readonly EventOptions defaults = new EventOptions();

  //: cucore_event_create options
  public CudaEvent(CudaDevice device, EventOptions options = null) : this(device, options ?? defaults, true) {}

  private CudaEvent(CudaDevice device, EventOptions options, bool given)
      : this(device, options.Timing, options.BlockingSync, options.Interprocess) {}
}
}
