// SPDX-License-Identifier: Apache-2.0
package io.cucore.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/** The test fails if the checks of the CPU device have reports. */
@Documented
@Inherited
@ExtendWith(ChecksExtension.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface NoCheckReports {
  /**
   * Returns the checks to run.
   *
   * @return "all" for all but leak, or a list of memory, init, race, barrier, host and leak
   */
  String value() default "all";

  /**
   * Returns the reports to drop.
   *
   * @return lines "KIND KERNEL FILE:LINE"
   */
  String[] suppressions() default {};

  /**
   * Returns the order of blocks and warps.
   *
   * @return "parallel", "sequential" or "random:SEED"; "" for the order of the environment
   */
  String schedule() default "";
}
