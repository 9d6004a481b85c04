// SPDX-License-Identifier: Apache-2.0
package io.cucore;

final class PreparedLaunch {
  Kernel kernel; // for messages
  Signature signature;
  int count;

  //: cucore_prepared_launch_update
  // @param value converted to the type of the parameter, as by a launch
  public void update(int index, Object value) {
    LaunchBlock.update(open(), this, Given.notNegative(index, "index"), value);
  }

  //: said Said.of("PreparedLaunch", this::isClosed, () -> "of " + kernel.label())
}
