// SPDX-License-Identifier: Apache-2.0
package io.cucore.perf;

import io.cucore.CudaDevice;
import io.cucore.CudaStream;
import io.cucore.Kernel;
import io.cucore.LaunchConfig;
import io.cucore.ObjectCode;

/** Measures, profiles and analyses. */
public final class Perf {
  private Perf() {}

  /**
   * Measures how long a work takes on a device, with the default options.
   *
   * @param device the device
   * @param work the work
   * @return the measurement
   */
  public static Measurement measure(CudaDevice device, Work work) {
    return measure(device, work, new MeasurementOptions());
  }

  /**
   * Measures how long a work takes on a device.
   *
   * <p>The work is called until two successive times differ by less than 10 %. Then samples are taken until the criterion is
   * met. An exception of the work ends the measurement and is thrown again.
   *
   * @param device the device
   * @param work the work
   * @param options the options
   * @return the measurement
   */
  public static Measurement measure(CudaDevice device, Work work, MeasurementOptions options) {
    Frame.notNull(device, "device");
    Frame.notNull(work, "work");
    Frame.notNull(options, "options");
    try (Frame frame = new Frame()) {
      Memory out = frame.memory(Long.BYTES);
      frame.check(Natives.cucore_measurement_run(frame.object(device), Natives.work(), frame.work(work), options.write(frame).address, out.address, frame.error()));
      return new Measurement(out.getLong(0));
    }
  }

  /**
   * Measures a work that uses a stream of its own: that of the options, by default the legacy default stream.
   *
   * @param device the device
   * @param work the work
   * @param options the options
   * @return the measurement
   */
  public static Measurement measure(CudaDevice device, Runnable work, MeasurementOptions options) {
    Frame.notNull(work, "work");
    if (Frame.notNull(options, "options").stream() != null) {
      return measure(device, stream -> work.run(), options);
    }
    try (CudaStream stream = Frame.notNull(device, "device").defaultStream()) {
      return measure(device, unused -> work.run(), options.stream(stream));
    } finally {
      options.stream(null);
    }
  }

  /**
   * Measures launches of a kernel, all with the same arguments.
   *
   * @param device the device
   * @param kernel the kernel
   * @param config the launch
   * @param options the options of the measurement
   * @param arguments of the kernel
   * @return the measurement
   */
  public static Measurement measure(CudaDevice device, Kernel kernel, LaunchConfig config, MeasurementOptions options, Object... arguments) {
    Frame.notNull(kernel, "kernel");
    Frame.notNull(config, "config");
    Frame.notNull(options, "options");
    Frame.notNull(arguments, "arguments");
    try (Frame frame = new Frame()) {
      Memory out = frame.memory(Long.BYTES);
      Memory given = Arguments.write(frame, kernel.getName(), kernel.getParameters(Frame.notNull(device, "device")), arguments);
      frame.check(Natives.cucore_measurement_run_kernel(frame.object(kernel), Arguments.options(frame, config).address, given.address, arguments.length,
          options.write(frame).address, out.address, frame.error()));
      return new Measurement(out.getLong(0));
    }
  }

  /**
   * Compares two works, with their samples in turn.
   *
   * @param device the device
   * @param first the first work
   * @param second the second
   * @param options the options
   * @return the comparison, of the time of the first by that of the second
   */
  public static Pair compare(CudaDevice device, Work first, Work second, MeasurementOptions options) {
    Frame.notNull(device, "device");
    Frame.notNull(options, "options");
    try (Frame frame = new Frame()) {
      Memory a = work(frame, Frame.notNull(first, "first"));
      Memory b = work(frame, Frame.notNull(second, "second"));
      Memory made = frame.memory(2 * Long.BYTES);
      Memory out = frame.memory(Comparison.SIZE).putLong(0, Comparison.SIZE);
      frame.check(Natives.cucore_measurement_run_pair(frame.object(device), a.address, b.address, options.write(frame).address, made.address,
          made.address + Long.BYTES, out.address, frame.error()));
      return new Pair(out, new Measurement(made.getLong(0)), new Measurement(made.getLong(Long.BYTES)));
    }
  }

  private static Memory work(Frame frame, Work work) {
    Memory to = frame.memory(Layouts.WORK).putLong(Layouts.WORK_STRUCT_SIZE, Layouts.WORK);
    frame.work(to, Layouts.WORK_CALL, Layouts.WORK_USER_DATA, work);
    return to;
  }

  /**
   * Compares two measurements. The other form also removes drift between them.
   *
   * @param first the first
   * @param second the second
   * @return the comparison
   */
  public static Comparison compare(Measurement first, Measurement second) {
    try (Frame frame = new Frame()) {
      Memory out = frame.memory(Comparison.SIZE).putLong(0, Comparison.SIZE);
      frame.check(Natives.cucore_measurement_compare(Frame.notNull(first, "first").address(), Frame.notNull(second, "second").address(), out.address, frame.error()));
      return new Comparison(out);
    }
  }

  /**
   * Returns measurements as a text.
   *
   * @param format TEXT, JSON, CSV or GNUPLOT
   * @param measurements at least one
   * @return the text
   */
  public static String write(ReportFormat format, Measurement... measurements) {
    int number = Frame.notNull(format, "format").getValue();
    Frame.notNull(measurements, "measurements");
    try (Frame frame = new Frame()) {
      Memory list = frame.memory(measurements.length * Long.BYTES);
      for (int i = 0; i < measurements.length; ++i) {
        list.putLong(i * Long.BYTES, Frame.notNull(measurements[i], "measurements[" + i + "]").address());
      }
      return Frame.text((buffer, capacity, size, error) -> Natives.cucore_measurement_write(list.address, measurements.length, number, buffer, capacity, size, error));
    }
  }

  /**
   * Begins a profile with the default options.
   *
   * @return the profile, which its close() ends
   */
  public static Profile profile() {
    return profile(new ProfilerOptions());
  }

  /**
   * Begins a profile.
   *
   * @param options the options of the profiler
   * @return the profile, which its close() ends
   */
  public static Profile profile(ProfilerOptions options) {
    return new Profile(new Profiler(options));
  }

  /**
   * Profiles a block of work.
   *
   * @param work the work
   * @return the report
   */
  public static Report profile(Runnable work) {
    Frame.notNull(work, "work");
    Profile profile = profile();
    try (profile) {
      work.run();
    }
    return profile.report();
  }

  /**
   * Analyses all kernels of object code, with the default options.
   *
   * @param code the code
   * @return the analysis
   */
  public static Analysis analyze(ObjectCode code) {
    return analyze(code, new AnalysisOptions());
  }

  /**
   * Analyses all kernels of object code: CUBIN, PTX, fat binaries and bundles of them. It needs no device.
   *
   * @param code the code, which stays open while kernels of the analysis are modelled
   * @param options the options
   * @return the analysis
   */
  public static Analysis analyze(ObjectCode code, AnalysisOptions options) {
    Frame.notNull(options, "options");
    try (Frame frame = new Frame()) {
      Memory out = frame.memory(Long.BYTES);
      frame.check(Natives.cucore_analysis_create(frame.object(Frame.notNull(code, "code")), options.write(frame).address, out.address, frame.error()));
      return new Analysis(out.getLong(0), code);
    }
  }

  /**
   * Computes how many blocks of a kernel one multiprocessor of an architecture runs at a time.
   *
   * @param arch the architecture, "sm_90"
   * @param threads per block
   * @param registers per thread
   * @param shared bytes of shared memory per block
   * @return the occupancy
   */
  public static Occupancy occupancy(String arch, int threads, int registers, int shared) {
    try (Frame frame = new Frame()) {
      Memory needs = frame.memory(Layouts.OCCUPANCY_NEEDS).putLong(Layouts.OCCUPANCY_NEEDS_STRUCT_SIZE, Layouts.OCCUPANCY_NEEDS)
          .putInt(Layouts.OCCUPANCY_NEEDS_REGISTERS, registers).putInt(Layouts.OCCUPANCY_NEEDS_THREADS, threads).putInt(Layouts.OCCUPANCY_NEEDS_SHARED, shared);
      Memory out = frame.memory(Occupancy.SIZE).putLong(0, Occupancy.SIZE);
      frame.check(Natives.cucore_occupancy_query(frame.text(Frame.notNull(arch, "arch")), needs.address, out.address, frame.error()));
      return new Occupancy(out);
    }
  }

  /**
   * Opens the roof of a device. If none is kept, the device is measured, for two seconds at most by default.
   *
   * @param device the device
   * @param options the options
   * @return the roof
   */
  public static Roof roof(CudaDevice device, RoofOptions options) {
    Frame.notNull(options, "options");
    try (Frame frame = new Frame()) {
      Memory out = frame.memory(Long.BYTES);
      frame.check(Natives.cucore_roof_open(frame.object(Frame.notNull(device, "device")), options.write(frame).address, out.address, frame.error()));
      return new Roof(out.getLong(0));
    }
  }

  /**
   * Returns in how many passes the metrics of a preset are read. The call needs CUPTI of CUDA 13, and no GPU.
   *
   * @param chip the name of the GPU's chip, "GH100"
   * @param preset "quick", "balanced", "flops", "memory", "roof" or "all"
   * @return the number of passes
   */
  public static int presetPasses(String chip, String preset) {
    try (Frame frame = new Frame()) {
      Memory out = frame.memory(Integer.BYTES);
      frame.check(Natives.cucore_preset_passes(frame.text(Frame.notNull(chip, "chip")), frame.text(Frame.notNull(preset, "preset")), out.address, frame.error()));
      return out.getInt(0);
    }
  }

  /**
   * Returns the version of the library.
   *
   * @return major * 10000 + minor * 100 + patch
   */
  public static int version() {
    return Natives.cucore_perf_version();
  }

  /** Starts the profile that the environment variable CUCORE_PROFILE names. The first use of the driver does the same. */
  public static void startFromEnvironment() {
    try (Frame frame = new Frame()) {
      frame.check(Natives.cucore_perf_start_from_environment(frame.error()));
    }
  }
}
