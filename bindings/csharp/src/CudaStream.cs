// How streams are made.
namespace Cucore {
/// <summary>How to make a stream.</summary>
public sealed class StreamOptions {
  /// <summary>False: it synchronises with the legacy default stream. Null is the default, true.</summary>
  public bool? Nonblocking { get; set; }
  /// <summary>See CudaDevice.StreamPriorities; 0 is the default.</summary>
  public int Priority { get; set; }

  /// <summary>What is set.</summary>
  public override string ToString() { return Describe.Properties(this); }
}

public partial class CudaStream {
  //: cucore_stream_create options
  public CudaStream(CudaDevice device, StreamOptions options = null)
      : this(device, Fields.ToToggle(options?.Nonblocking), options == null ? 0 : options.Priority) {}

  internal int Ordinal = -1;  // its device's, once it was asked for

  // Never changes, and every launch needs it.
  internal int DeviceOrdinal { get { return Ordinal >= 0 ? Ordinal : ReadOrdinal(); } }

  private int ReadOrdinal() {
    using (CudaDevice device = Device) return Ordinal = device.Ordinal;
  }
}
}
