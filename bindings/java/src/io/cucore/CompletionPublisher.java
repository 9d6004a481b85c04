// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;

/**
 * Publishes the completions of a queue, each once. One subscriber at a time receives them, on a daemon
 * thread of its own, and a completion leaves the queue only after it was requested.
 */
final class CompletionPublisher implements Flow.Publisher<Completion> {
  private static final long WAIT_MS = 200;

  private final CudaQueue queue;
  private Delivery current;

  CompletionPublisher(CudaQueue queue) {
    this.queue = queue;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super Completion> subscriber) {
    Objects.requireNonNull(subscriber, "subscriber"); // the specification demands this exception
    Delivery delivery = new Delivery(subscriber);
    synchronized (this) {
      delivery.isRefused = current != null;
      if (!delivery.isRefused) {
        current = delivery;
      }
    }
    try {
      delivery.start();
    } catch (Throwable e) { // no thread is available
      leave(delivery);
      throw e;
    }
  }

  private synchronized void leave(Delivery delivery) {
    if (current == delivery) {
      current = null;
    }
  }

  private final class Delivery extends Thread implements Flow.Subscription {
    private final Flow.Subscriber<? super Completion> subscriber;
    boolean isRefused;
    private long demand;
    private boolean isCancelled;
    private RuntimeException failure;

    Delivery(Flow.Subscriber<? super Completion> subscriber) {
      super("cucore-publisher");
      this.subscriber = subscriber;
      setDaemon(true);
    }

    @Override
    public synchronized void request(long count) {
      if (count <= 0) {
        failure = new IllegalArgumentException("request is " + count + "; expected at least 1");
      } else {
        demand = demand + count < 0 ? Long.MAX_VALUE : demand + count;
      }
      notifyAll();
    }

    @Override
    public void cancel() {
      synchronized (this) {
        isCancelled = true;
        notifyAll();
      }
      leave(this);
    }

    /** A subscriber that throws has cancelled, by the specification; its thread's handler receives the exception. */
    @Override
    public void run() {
      try {
        subscriber.onSubscribe(this);
        if (isRefused) {
          end(new IllegalStateException("the queue has a subscriber; expected one at a time; cancel the other subscription first"));
          return;
        }
        while (deliverNext()) {
          // until the end
        }
      } finally {
        cancel();
      }
    }

    /** Returns false after the last signal. */
    private boolean deliverNext() {
      Completion next;
      try {
        boolean isWanted = awaitDemand();
        queue.waitFor(isWanted ? WAIT_MS : 0, TimeUnit.MILLISECONDS, 0); // takes nothing
        next = isWanted ? take() : null;
      } catch (InvalidStateException | InvalidHandleException e) {
        return end(null); // the queue has ended, or is closed
      } catch (CucoreException e) {
        return end(e);
      }
      if (next != null) {
        subscriber.onNext(next);
      }
      return isGoingOn();
    }

    private synchronized boolean awaitDemand() {
      if (demand == 0 && !isCancelled && failure == null) {
        try {
          wait(WAIT_MS);
        } catch (InterruptedException e) {
          isCancelled = true; // the subscriber interrupts its own thread to end it
        }
      }
      return demand != 0 && !isCancelled && failure == null;
    }

    /** Under the lock of cancel(): a cancelled subscriber takes nothing from the next one. */
    private synchronized Completion take() {
      if (isCancelled || failure != null) {
        return null;
      }
      java.util.List<Completion> one = queue.waitFor(0, TimeUnit.MILLISECONDS, 1);
      if (one.isEmpty()) {
        return null;
      }
      demand -= demand == Long.MAX_VALUE ? 0 : 1;
      return one.get(0);
    }

    private boolean isGoingOn() {
      RuntimeException found;
      synchronized (this) {
        if (isCancelled) {
          return false;
        }
        found = failure;
      }
      return found == null || end(found);
    }

    private boolean end(Throwable reason) {
      synchronized (this) {
        if (isCancelled) {
          return false;
        }
        isCancelled = true;
      }
      leave(this); // a subscriber may subscribe again inside the signal
      if (reason == null) {
        subscriber.onComplete();
      } else {
        subscriber.onError(reason);
      }
      return false;
    }
  }
}
