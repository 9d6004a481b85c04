// SPDX-License-Identifier: Apache-2.0
/**
 * N-dimensional arrays with the semantics of NumPy. Operations wait until their results are needed; one
 * generated kernel then computes many of them.
 */
package io.cucore.array;
