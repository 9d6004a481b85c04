// SPDX-License-Identifier: Apache-2.0
/**
 * CUDA's object model for Java. The native libraries are resources of this module. Java 24 and later warn about their load
 * without {@code --enable-native-access=io.cucore}.
 */
module io.cucore {
  exports io.cucore;
  exports io.cucore.array;
  exports io.cucore.perf;
}
