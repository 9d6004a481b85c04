// SPDX-License-Identifier: Apache-2.0
/** The calls in C, each repeated `count` times. */
final class CCalls {
  private CCalls() {}

  static native void open(String ptx);

  static native long property(int times);

  static native long isLoaded(int times);

  static native void launch(int times);

  static native void launchBuffers(int times);

  static native void event(int times);

  static native void synchronize();
}
