// SPDX-License-Identifier: Apache-2.0
package io.cucore.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/** The test fails if memory or objects of the driver that it made are alive at its end. */
@Documented
@Inherited
@ExtendWith(ChecksExtension.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface NoLeaks {
}
