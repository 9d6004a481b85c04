// Launches with few arguments: what most kernels have, without an array for the collector.
namespace Cucore {
public partial class Kernel {
  /// <summary>Launches with 1 argument, without making an array of them.</summary>
  public unsafe void Launch(CudaStream stream, in LaunchConfig config, in Arg a) {
    if (!(a.IsSmall)) {
      Launch(stream, config, new[] { a });
      return;
    }
    byte* block = stackalloc byte[LaunchConfig.HeadSize + 1 * Arg.SmallSize];
    byte* to = LaunchConfig.Write(config, block, 1);
    to = a.WriteSmall(to, 0);
    Launch(stream, block, (int)(to - block));
  }

  /// <summary>Launches with 2 arguments, without making an array of them.</summary>
  public unsafe void Launch(CudaStream stream, in LaunchConfig config, in Arg a, in Arg b) {
    if (!(a.IsSmall && b.IsSmall)) {
      Launch(stream, config, new[] { a, b });
      return;
    }
    byte* block = stackalloc byte[LaunchConfig.HeadSize + 2 * Arg.SmallSize];
    byte* to = LaunchConfig.Write(config, block, 2);
    to = a.WriteSmall(to, 0);
    to = b.WriteSmall(to, 1);
    Launch(stream, block, (int)(to - block));
  }

  /// <summary>Launches with 3 arguments, without making an array of them.</summary>
  public unsafe void Launch(CudaStream stream, in LaunchConfig config, in Arg a, in Arg b, in Arg c) {
    if (!(a.IsSmall && b.IsSmall && c.IsSmall)) {
      Launch(stream, config, new[] { a, b, c });
      return;
    }
    byte* block = stackalloc byte[LaunchConfig.HeadSize + 3 * Arg.SmallSize];
    byte* to = LaunchConfig.Write(config, block, 3);
    to = a.WriteSmall(to, 0);
    to = b.WriteSmall(to, 1);
    to = c.WriteSmall(to, 2);
    Launch(stream, block, (int)(to - block));
  }

  /// <summary>Launches with 4 arguments, without making an array of them.</summary>
  public unsafe void Launch(CudaStream stream, in LaunchConfig config, in Arg a, in Arg b, in Arg c, in Arg d) {
    if (!(a.IsSmall && b.IsSmall && c.IsSmall && d.IsSmall)) {
      Launch(stream, config, new[] { a, b, c, d });
      return;
    }
    byte* block = stackalloc byte[LaunchConfig.HeadSize + 4 * Arg.SmallSize];
    byte* to = LaunchConfig.Write(config, block, 4);
    to = a.WriteSmall(to, 0);
    to = b.WriteSmall(to, 1);
    to = c.WriteSmall(to, 2);
    to = d.WriteSmall(to, 3);
    Launch(stream, block, (int)(to - block));
  }

  /// <summary>Launches with 5 arguments, without making an array of them.</summary>
  public unsafe void Launch(CudaStream stream, in LaunchConfig config, in Arg a, in Arg b, in Arg c, in Arg d, in Arg e) {
    if (!(a.IsSmall && b.IsSmall && c.IsSmall && d.IsSmall && e.IsSmall)) {
      Launch(stream, config, new[] { a, b, c, d, e });
      return;
    }
    byte* block = stackalloc byte[LaunchConfig.HeadSize + 5 * Arg.SmallSize];
    byte* to = LaunchConfig.Write(config, block, 5);
    to = a.WriteSmall(to, 0);
    to = b.WriteSmall(to, 1);
    to = c.WriteSmall(to, 2);
    to = d.WriteSmall(to, 3);
    to = e.WriteSmall(to, 4);
    Launch(stream, block, (int)(to - block));
  }

  /// <summary>Launches with 6 arguments, without making an array of them.</summary>
  public unsafe void Launch(CudaStream stream, in LaunchConfig config, in Arg a, in Arg b, in Arg c, in Arg d, in Arg e, in Arg f) {
    if (!(a.IsSmall && b.IsSmall && c.IsSmall && d.IsSmall && e.IsSmall && f.IsSmall)) {
      Launch(stream, config, new[] { a, b, c, d, e, f });
      return;
    }
    byte* block = stackalloc byte[LaunchConfig.HeadSize + 6 * Arg.SmallSize];
    byte* to = LaunchConfig.Write(config, block, 6);
    to = a.WriteSmall(to, 0);
    to = b.WriteSmall(to, 1);
    to = c.WriteSmall(to, 2);
    to = d.WriteSmall(to, 3);
    to = e.WriteSmall(to, 4);
    to = f.WriteSmall(to, 5);
    Launch(stream, block, (int)(to - block));
  }
}
}
