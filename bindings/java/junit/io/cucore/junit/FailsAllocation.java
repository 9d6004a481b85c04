// SPDX-License-Identifier: Apache-2.0
package io.cucore.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/** The test must pass although allocations of memory fail. */
@Documented
@Inherited
@ExtendWith(ChecksExtension.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface FailsAllocation {
  /**
   * Returns the first allocation that fails.
   *
   * @return its number, from 1
   */
  int value();

  /**
   * Returns whether later allocations succeed. The library repeats a failed allocation, so most tests do not notice one
   * failure.
   *
   * @return true: only this allocation fails
   */
  boolean once() default false;
}
