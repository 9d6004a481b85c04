// SPDX-License-Identifier: Apache-2.0
package io.cucore;

final class Kernel {
  static {
    NativeLoader.supply(NativeLoader.CPU_DEVICE);
  }

  String nameOfUser; // messages use it
  private volatile Signature[] signatures = {};

  String label() {
    String name = nameOfUser;
    return name == null ? getName() : name;
  }

  /** The parameters on the stream's device, which are read once. */
  Signature signature(CudaStream stream) {
    Signature known = known(stream.ordinal());
    return known == null ? readSignature(stream.ordinal(), stream.getDevice()) : known;
  }

  /** The parameters on a device, which is closed. */
  Signature signature(int ordinal, java.util.function.Supplier<CudaDevice> device) {
    Signature known = known(ordinal);
    return known == null ? readSignature(ordinal, device.get()) : known;
  }

  private Signature known(int ordinal) {
    Signature[] known = signatures;
    return ordinal < known.length ? known[ordinal] : null;
  }

  private synchronized Signature readSignature(int ordinal, CudaDevice device) {
    Signature[] all = java.util.Arrays.copyOf(signatures, Math.max(signatures.length, ordinal + 1));
    try (CudaDevice of = device) {
      all[ordinal] = Signature.of(this, of);
    }
    signatures = all;
    return all[ordinal];
  }

  //: cucore_kernel_launch
  // @param config grid and block
  public void launch(CudaStream stream, LaunchConfig config, Object... arguments) {
    long lease = open();
    Given.notNull(stream, "stream");
    Given.notNull(config, "config");
    Given.notNull(arguments, "arguments");
    if (!Lending.isNeeded(arguments)) {
      LaunchBlock.launch(lease, this, stream, config, arguments);
      return;
    }
    try (Lending lending = new Lending(stream, arguments)) {
      LaunchBlock.launch(lease, this, stream, config, lending.arguments());
      lending.record();
    }
  }

  //: cucore_prepared_launch_create
  // @param config grid and block
  // @return the prepared launch, of the stream
  public PreparedLaunch prepare(CudaStream stream, LaunchConfig config, Object... arguments) {
    long lease = open();
    Given.notNull(stream, "stream");
    Given.notNull(config, "config");
    Given.notNull(arguments, "arguments");
    label(); // messages of updates have it, also after a close
    return LaunchBlock.prepare(lease, this, stream, config, arguments);
  }

  //: cucore_kernel_launch_packed
  // @param config grid and block
  // @param parameters every parameter at its offset; see {@link #getParameters(CudaDevice)}
  public void launchPacked(CudaStream stream, LaunchConfig config, byte[] parameters) {
    long lease = open();
    Given.notNull(stream, "stream");
    Given.notNull(config, "config");
    LaunchBlock.launchPacked(lease, this, stream, config, Given.notNull(parameters, "parameters"));
  }

  //: cucore_kernel_parameters
  //: also cucore_kernel_parameter_at
  public java.util.List<Parameter> getParameters(CudaDevice device) {
    return Parameter.list(parametersNow(device));
  }

  //: cucore_kernel_max_potential_block_size
  // @return both sizes
  public BlockSize maxPotentialBlockSize(CudaDevice device, long dynamicShared, int blockSizeLimit) {
    return new BlockSize(maxPotentialBlockSizeNow(device, dynamicShared, blockSizeLimit));
  }

  //: cucore_kernel_max_active_clusters
  // @param config with a cluster
  // @return the number
  public int maxActiveClusters(CudaDevice device, LaunchConfig config) {
    return maxActiveClustersNow(device, Given.notNull(config, "config").withoutObjects());
  }

  //: said Said.of("Kernel", this::isClosed, this::getName)
}
