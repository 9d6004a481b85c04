// SPDX-License-Identifier: Apache-2.0
// Random numbers.
using System;

namespace Cucore.Arrays {
/// <summary>A stream of random numbers, which its seed determines. Kernels compute the numbers that they need.</summary>
public sealed partial class Generator : IDisposable {
  private readonly ArrayHandle handle;
  private volatile bool isDisposed;

  /// <summary>Creates a generator.</summary>
  /// <param name="seed">any number</param>
  public Generator(ulong seed) {
    Calls.Check(ArrayNative.cucore_array_generator_create(Context.Current.Handle, seed, out IntPtr made, out IntPtr error), error);
    handle = new ArrayHandle(made, ArrayNative.cucore_array_generator_release);
  }

  private ArrayHandle Handle {
    get {
      if (isDisposed) throw new ObjectDisposedException(nameof(Generator));
      return handle;
    }
  }

  /// <summary>Releases the generator. Arrays of its numbers stay. A second call does nothing.</summary>
  public void Dispose() {
    isDisposed = true;
    handle.Dispose();
  }

  /// <summary>Whether Dispose was called.</summary>
  public bool IsDisposed { get { return isDisposed; } }

  /// <summary>The seed, the number of elements taken, 0 and 0: these determine the next numbers.</summary>
  /// <exception cref="Cucore.InvalidArgumentException">the last two numbers are not 0</exception>
  public ulong[] State {
    get {
      ulong[] state = new ulong[4];
      Calls.Check(ArrayNative.cucore_array_generator_state(Handle, state, out IntPtr error), error);
      return state;
    }
    set {
      ArrayHandle handle = Handle;
      if (Calls.NotNull(value, nameof(value)).Length != 4) throw new ArgumentException($"the state has {value.Length} numbers; expected 4", nameof(value));
      Calls.Check(ArrayNative.cucore_array_generator_set_state(handle, value, out IntPtr error), error);
    }
  }

  /// <summary>Makes an array of random numbers.</summary>
  /// <param name="distribution">how they are distributed</param>
  /// <param name="dtype">the type; DType.Default: that of the distribution</param>
  /// <param name="parameters">of the distribution; none: its defaults</param>
  /// <param name="shape">the sizes, the slowest first</param>
  /// <returns>the array</returns>
  /// <exception cref="Cucore.InvalidArgumentException">the number of parameters is wrong, or an interval is empty</exception>
  /// <exception cref="Cucore.DtypeException">the distribution has no numbers of this type</exception>
  public NdArray Random(Distribution distribution, DType dtype, NdArray[] parameters, params long[] shape) {
    using (Operands held = new Operands(Calls.NotNull(parameters, nameof(parameters)), isAlone: false)) {
      Calls.Check(ArrayNative.cucore_array_random(Handle, distribution, dtype, held.All, Calls.Count(parameters), Calls.NotNull(shape, nameof(shape)), Calls.Count(shape),
                                                  out IntPtr made, out IntPtr error), error);
      return new NdArray(made);
    }
  }

  /// <summary>Makes numbers from 0 to less than 1.</summary>
  /// <param name="dtype">the type</param>
  /// <param name="shape">the sizes, the slowest first</param>
  /// <returns>the array</returns>
  public NdArray Uniform(DType dtype, params long[] shape) { return Random(Distribution.Uniform, dtype, new NdArray[0], shape); }

  /// <summary>Makes normal numbers with mean 0 and standard deviation 1.</summary>
  /// <param name="dtype">the type</param>
  /// <param name="shape">the sizes, the slowest first</param>
  /// <returns>the array</returns>
  public NdArray Normal(DType dtype, params long[] shape) { return Random(Distribution.Normal, dtype, new NdArray[0], shape); }

  /// <summary>Makes integers.</summary>
  /// <param name="low">the least one</param>
  /// <param name="high">more than the greatest one</param>
  /// <param name="shape">the sizes, the slowest first</param>
  /// <returns>an array of int64</returns>
  public NdArray Integers(long low, long high, params long[] shape) { return Random(Distribution.Integers, DType.Default, new NdArray[] { low, high }, shape); }

  /// <summary>The class.</summary>
  public override string ToString() { return isDisposed ? "generator, disposed" : $"generator of seed {State[0]}"; }
}
}
