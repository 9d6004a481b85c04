// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.concurrent.Callable;

/** One get-or-build: stores the built object, so that the caller receives that same object. */
final class CacheBuilding implements Callable<ObjectCode> {
  private final CacheBuild<?> build;
  private ObjectCode made;

  CacheBuilding(CacheBuild<?> build) {
    this.build = Given.notNull(build, "build");
  }

  @Override
  public ObjectCode call() throws Exception {
    made = build.build();
    if (made == null) {
      throw CucoreException.invalid("build has given null, and no object code");
    }
    return made;
  }

  /** One object for the caller, and one close. */
  CacheResult given(ObjectCode found, CacheOutcome outcome) {
    if (made == null) {
      return new CacheResult(found, outcome);
    }
    found.close();
    return new CacheResult(made, outcome);
  }
}
