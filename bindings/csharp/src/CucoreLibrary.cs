// SPDX-License-Identifier: Apache-2.0
// The library as a whole: its version, the driver, and the libraries that it opens.
using System;

namespace Cucore {
/// <summary>A library that is opened at run time, on first use.</summary>
public sealed class LibraryInfo {
  //: fields internal (Library library)
  /// <summary>Whether it is open and usable.</summary>
  public bool Available { get; } = CucoreNative.RawLibraryAvailable(library);
  /// <summary>The file in use, "" while unavailable.</summary>
  public string Path { get; } = CucoreNative.RawLibraryPath(library);
  /// <summary>Its version; the driver's is the highest CUDA version that it supports.</summary>
  public Version Version { get; } = CucoreNative.RawLibraryVersion(library).ToVersion();
  /// <summary>The reason that it is unavailable, with every path tried; else "".</summary>
  public string Reason { get; } = CucoreNative.RawLibraryReason(library);
  /// <summary>Of NVRTC: the folders of the toolkit's headers that compiles search, with ':' between them.</summary>
  public string HeaderFolders { get; } = CucoreNative.RawLibraryHeaderFolders(library);

  /// <summary>One without values.</summary>
  public LibraryInfo() {
    Path = Reason = HeaderFolders = "";
    Version = new Version();
  }

  /// <summary>The file and the version, or the reason.</summary>
  public override string ToString() { return Available ? $"{Path} {Version}" : Reason; }
}

/// <summary>The native library: its version, the driver and the compilers that it opens.</summary>
public static class CucoreLibrary {
  //: cucore_version
  public static int VersionNumber { get { return (int)CucoreNative.RawVersionNumber(); } }
  //: cucore_version_string
  public static string VersionText { get { return CucoreNative.RawVersionString(); } }

  //: cucore_status_name
  public static string NameOf(Status status) { return CucoreNative.RawStatusName((int)status); }

  //: cucore_library_query
  public static LibraryInfo Query(Library library) { return new LibraryInfo(library); }

  //: cucore_library_set_path
  public static void SetPath(Library library, string path) { CucoreNative.RawLibrarySetPath(library, path ?? throw new ArgumentNullException(nameof(path))); }

  //: cucore_library_symbol
  /// <returns>the address: see Marshal.GetDelegateForFunctionPointer</returns>
  public static IntPtr GetSymbol(Library library, string name) {
    return new IntPtr((long)CucoreNative.RawLibrarySymbol(library, name ?? throw new ArgumentNullException(nameof(name))));
  }

  //: cucore_driver_select
  public static void SelectDriver(string nameOrPath) { CucoreNative.RawDriverSelect(nameOrPath ?? throw new ArgumentNullException(nameof(nameOrPath))); }
}
}
