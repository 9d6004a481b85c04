// SPDX-License-Identifier: Apache-2.0
package io.cucore.junit;

import io.cucore.Checks;
import io.cucore.ChecksException;
import io.cucore.ChecksOptions;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Runs each annotated test under the checks of the CPU device, one at a time. */
public final class ChecksExtension implements InvocationInterceptor {
  private static final Object ONE_AT_A_TIME = new Object();

  /** Creates an extension, which has no state. */
  public ChecksExtension() {}

  @Override
  public void interceptTestMethod(Invocation<Void> test, ReflectiveInvocationContext<Method> invocation,
      ExtensionContext context) throws Throwable {
    run(test, context);
  }

  @Override
  public void interceptTestTemplateMethod(Invocation<Void> test, ReflectiveInvocationContext<Method> invocation,
      ExtensionContext context) throws Throwable {
    run(test, context);
  }

  private static void run(Invocation<Void> test, ExtensionContext context) throws Throwable {
    Optional<NoCheckReports> reports = find(context, NoCheckReports.class);
    Optional<FailsAllocation> failure = find(context, FailsAllocation.class);
    boolean leaks = find(context, NoLeaks.class).isPresent();
    if (reports.isEmpty() && failure.isEmpty() && !leaks) {
      test.proceed();
      return;
    }
    ChecksOptions options = options(reports, failure, leaks);
    synchronized (ONE_AT_A_TIME) {
      try (Checks checks = new Checks(options)) {
        test.proceed();
        verify(checks, failure);
      }
    }
  }

  private static void verify(Checks checks, Optional<FailsAllocation> failure) {
    try {
      checks.verify();
    } catch (ChecksException found) {
      throw new AssertionError(found.getMessage(), found);
    }
    if (failure.isPresent() && checks.getFaultCount() == 0) {
      throw new AssertionError("no fault was injected: the test has fewer than " + failure.get().value() + " allocations");
    }
  }

  private static ChecksOptions options(Optional<NoCheckReports> reports, Optional<FailsAllocation> failure, boolean leaks) {
    List<String> kinds = new ArrayList<>();
    reports.ifPresent(r -> kinds.add(r.value()));
    if (leaks) {
      kinds.add("leak");
    }
    ChecksOptions.Builder options = ChecksOptions.builder().kinds(kinds.isEmpty() ? "none" : String.join(",", kinds));
    reports.ifPresent(r -> options.schedule(r.schedule()).suppressions(String.join("\n", r.suppressions())));
    failure.ifPresent(f -> options.faults("allocation@" + f.value() + (f.once() ? "=2" : "+=2")));
    return options.build();
  }

  // The annotation of the method, else that of its class.
  private static <A extends Annotation> Optional<A> find(ExtensionContext context, Class<A> type) {
    Optional<A> own = AnnotationSupport.findAnnotation(context.getElement(), type);
    return own.isPresent() ? own : AnnotationSupport.findAnnotation(context.getTestClass(), type);
  }
}
