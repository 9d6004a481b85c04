// SPDX-License-Identifier: Apache-2.0
// The device of a stream, which every launch needs, and records in the default stream.
namespace Cucore {
public partial class CudaStream {
  internal int Ordinal = -1;  // its device's, once it was queried

  // Never changes, and every launch needs it.
  internal int DeviceOrdinal { get { return Ordinal >= 0 ? Ordinal : ReadOrdinal(); } }

  private int ReadOrdinal() {
    using (CudaDevice device = Device) return Ordinal = device.Ordinal;
  }
}

public partial class CudaEvent {
  /// <summary>Records the event in the legacy default stream of its device.</summary>
  public void Record() { Record(null); }
}
}
