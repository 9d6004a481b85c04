// SPDX-License-Identifier: Apache-2.0
/**
 * Measures, profiles and analyses kernels, on a GPU and on the CPU device. {@link io.cucore.perf.Perf} has the calls to
 * begin with. The native library is loaded with the first class of the package.
 */
package io.cucore.perf;
