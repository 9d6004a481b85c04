// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/**
 * Receives the library's messages until it is closed or another one is made. The listener is called
 * from a daemon thread of its own, one message at a time, never from a thread of the library.
 */
public final class Log implements AutoCloseable {
  private static final int WAIT_MS = 200;

  private final NativeLogReceiver receiver;
  private final LogLevel least;
  private final Listener listener;
  private final Thread thread;

  /** Receives the messages. */
  @FunctionalInterface
  public interface Listener {
    /**
     * Takes one message. An exception goes to the thread's handler of uncaught exceptions, and
     * does not stop further messages.
     *
     * @param level how much it matters
     * @param message the text
     */
    void message(LogLevel level, String message);
  }

  //: also cucore_log_set_callback
  /**
   * Begins to receive.
   *
   * @param least messages below this level are dropped
   * @param listener takes the others
   * @throws InvalidArgumentException least is not a level
   */
  public Log(LogLevel least, Listener listener) {
    this.listener = Given.notNull(listener, "listener");
    this.least = least;
    receiver = new NativeLogReceiver(least);
    thread = new Thread(this::run, "cucore-log");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Passes the messages to the logger "io.cucore" of the platform, which java.logging or the program's own
   * logging system provides.
   *
   * @param least messages below this level are dropped
   * @return the log, to be closed
   * @throws InvalidArgumentException least is not a level
   */
  public static Log toSystemLogger(LogLevel least) {
    Given.notNull(least, "least");
    return toSystemLogger(least, System.getLogger("io.cucore"));
  }

  /**
   * Passes the messages to a logger of the platform. DEBUG, INFO, WARNING and ERROR have the same names there.
   *
   * @param least messages below this level are dropped
   * @param logger takes the others
   * @return the log, to be closed
   * @throws InvalidArgumentException least is not a level
   */
  public static Log toSystemLogger(LogLevel least, System.Logger logger) {
    Given.notNull(logger, "logger");
    return new Log(least, (level, message) -> logger.log(levelOf(level), message));
  }

  private static System.Logger.Level levelOf(LogLevel level) {
    switch (level) {
      case DEBUG:
        return System.Logger.Level.DEBUG;
      case INFO:
        return System.Logger.Level.INFO;
      case WARNING:
        return System.Logger.Level.WARNING;
      default:
        return System.Logger.Level.ERROR;
    }
  }

  //: cucore_log_write
  public static void write(LogLevel level, String message) {
    CucoreNative.logWriteNow(level, Given.notNull(message, "message"));
  }

  //: cucore_log_enabled
  // @return true if one does
  public static boolean isEnabled(LogLevel level) {
    return CucoreNative.logEnabledNow(level);
  }

  private void run() {
    try (NativeLogReceiver from = receiver) {
      for (boolean goesOn = true; goesOn;) {
        goesOn = !from.getStopped();
        while (from.next(goesOn ? WAIT_MS : 0)) {
          tell(from.getLevel(), from.getMessage());
        }
      }
    }
  }

  private void tell(LogLevel level, String message) {
    try {
      listener.message(level, message);
    } catch (Throwable e) {
      report(e);
    }
  }

  private void report(Throwable e) {
    try {
      thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
    } catch (Throwable ignored) {
      // as the virtual machine does with exceptions of a handler
    }
  }

  /** Ends the messages. Those that have arrived are delivered before this returns, unless the listener itself calls it. */
  @Override
  public void close() {
    if (!receiver.isClosed()) {
      try {
        receiver.stop();
      } catch (InvalidHandleException e) {
        return; // the thread has just ended by itself
      }
    }
    join();
  }

  @Override
  public String toString() {
    return Said.of("Log", receiver::isClosed, () -> "of " + least + " and above");
  }

  private void join() {
    if (Thread.currentThread() == thread) {
      return;
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
