// How a kernel is launched: grid, block and the rest.
namespace Cucore {
/// <summary>Up to three extents; an int is one in x alone, a tuple of two or three gives the others.</summary>
public readonly struct Dim3 {
  /// <summary>The first extent.</summary>
  public uint X { get; }
  /// <summary>The second; 0 is 1.</summary>
  public uint Y { get; }
  /// <summary>The third; 0 is 1.</summary>
  public uint Z { get; }

  /// <summary>Extents; those that are not given are 1.</summary>
  public Dim3(uint x, uint y = 1, uint z = 1) {
    X = x;
    Y = y;
    Z = z;
  }

  /// <summary>An extent in x.</summary>
  public static implicit operator Dim3(int x) { return new Dim3(checked((uint)x)); }
  /// <summary>Extents in x and y.</summary>
  public static implicit operator Dim3((int X, int Y) both) { return new Dim3(checked((uint)both.X), checked((uint)both.Y)); }
  /// <summary>Extents in x, y and z.</summary>
  public static implicit operator Dim3((int X, int Y, int Z) all) {
    return new Dim3(checked((uint)all.X), checked((uint)all.Y), checked((uint)all.Z));
  }

  /// <summary>"(4, 1, 1)".</summary>
  public override string ToString() { return $"({X}, {Y}, {Z})"; }
}

/// <summary>How to launch a kernel: new LaunchConfig(grid, block) { DynamicShared = 1024 }.</summary>
public struct LaunchConfig {
  internal const int HeadSize = 56;

  /// <summary>Blocks, also with a cluster.</summary>
  public Dim3 Grid { get; set; }
  /// <summary>Threads a block.</summary>
  public Dim3 Block { get; set; }
  /// <summary>Blocks a cluster; by default none, or what the kernel was compiled with.</summary>
  public Dim3 Cluster { get; set; }
  /// <summary>Bytes a block; above 48 KiB the kernel's attribute is raised.</summary>
  public int DynamicShared { get; set; }
  /// <summary>Whether all blocks run at once and may synchronise.</summary>
  public bool Cooperative { get; set; }
  /// <summary>Whether it may start before the kernel before it ends.</summary>
  public bool ProgrammaticSerialization { get; set; }
  /// <summary>0: the stream's.</summary>
  public int Priority { get; set; }

  /// <summary>A grid of blocks of threads.</summary>
  public LaunchConfig(Dim3 grid, Dim3 block) : this() {
    Grid = grid;
    Block = block;
  }

  // LaunchHead of cpp/launch.hpp
  internal unsafe byte* Write(byte* to, int argumentCount) {
    uint* head = (uint*)to;
    head[0] = Grid.X;
    head[1] = Grid.Y;
    head[2] = Grid.Z;
    head[3] = Block.X;
    head[4] = Block.Y;
    head[5] = Block.Z;
    head[6] = Cluster.X;
    head[7] = Cluster.Y;
    head[8] = Cluster.Z;
    head[9] = checked((uint)DynamicShared);
    head[10] = Cooperative ? 1u : 0;
    head[11] = ProgrammaticSerialization ? 1u : 0;
    head[12] = (uint)Priority;
    head[13] = (uint)argumentCount;
    return to + HeadSize;
  }
}
}
