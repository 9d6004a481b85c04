// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/**
 * Makes object code that a {@link Cache} does not have.
 *
 * @param <E> the checked exception that it throws; inferred where it throws none
 */
@FunctionalInterface
public interface CacheBuild<E extends Exception> {
  /**
   * Makes the object code. Runs on the thread that asked for it.
   *
   * @return the object code, not null; whoever asked gets this object
   * @throws E as it likes: whoever asked gets that too
   */
  ObjectCode build() throws E;
}
