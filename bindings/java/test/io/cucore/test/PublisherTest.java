// SPDX-License-Identifier: Apache-2.0
package io.cucore.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cucore.Completion;
import io.cucore.CudaDevice;
import io.cucore.CudaFuture;
import io.cucore.CudaQueue;
import io.cucore.CudaStream;
import io.cucore.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The publisher of a queue, by the rules of the specification of Reactive Streams; their numbers are in the comments. */
class PublisherTest {
  private CudaDevice device;
  private CudaStream stream;
  private CudaQueue queue;

  @BeforeEach
  void open() {
    device = World.device();
    stream = new CudaStream(device);
    queue = new CudaQueue();
  }

  @AfterEach
  void close() {
    queue.close();
    stream.close();
    device.close();
  }

  /** Records each signal as a text. */
  private static class Recorder implements Flow.Subscriber<Completion> {
    final BlockingQueue<String> signals = new LinkedBlockingQueue<>();
    volatile Flow.Subscription subscription;
    final long first;

    Recorder(long first) {
      this.first = first;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription = given;
      signals.add("subscribed");
      if (first != 0) {
        given.request(first);
      }
    }

    @Override
    public void onNext(Completion item) {
      signals.add(Long.toString(item.token()));
    }

    @Override
    public void onError(Throwable e) {
      signals.add(e.getClass().getSimpleName() + ": " + e.getMessage());
    }

    @Override
    public void onComplete() {
      signals.add("complete");
    }

    String next() throws InterruptedException {
      return signals.poll(20, TimeUnit.SECONDS);
    }

    void expect(String... all) throws InterruptedException {
      for (String each : all) {
        assertEquals(each, next());
      }
    }

    void expectSilence() throws InterruptedException {
      assertNull(signals.poll(300, TimeUnit.MILLISECONDS));
    }
  }

  private void complete(int from, int count) {
    for (int i = from; i < from + count; ++i) {
      CudaFuture.fromStream(stream, queue, i).close();
    }
    stream.synchronize();
    while (queue.getInfo().pending() != 0) {
      Thread.yield(); // the queue receives the last one after the stream has ended
    }
  }

  private Recorder subscribed(long first) throws InterruptedException {
    Recorder recorder = new Recorder(first);
    queue.publisher().subscribe(recorder);
    recorder.expect("subscribed");
    return recorder;
  }

  /** 1.1, 1.3, 2.1, 3.8: as many as were requested, in order. */
  @Test
  void demandIsHonoured() throws Exception {
    complete(0, 5);
    Recorder recorder = subscribed(0);
    recorder.expectSilence();
    recorder.subscription.request(2);
    recorder.expect("0", "1");
    recorder.expectSilence();
    assertTrue(queue.getInfo().waiting() == 3);
    recorder.subscription.request(1);
    recorder.subscription.request(Long.MAX_VALUE); // 3.17: without a limit
    recorder.subscription.request(Long.MAX_VALUE);
    recorder.expect("2", "3", "4");
    complete(5, 1);
    recorder.expect("5");
    assertSame(queue.publisher(), queue.publisher());
  }

  /** 1.5: the end of the queue, after its last completion, also without demand. */
  @Test
  void completes() throws Exception {
    complete(0, 2);
    Recorder recorder = subscribed(1);
    recorder.expect("0");
    queue.end();
    recorder.expectSilence();
    recorder.subscription.request(1);
    recorder.expect("1", "complete");
    Recorder idle = subscribed(0);
    idle.expect("complete");
    queue.close();
    assertThrows(io.cucore.InvalidHandleException.class, queue::publisher);
  }

  @Test
  void completesWhenClosed() throws Exception {
    Recorder recorder = subscribed(1);
    queue.close();
    recorder.expect("complete");
    recorder.subscription.request(1); // 3.6: no effect after the end
    recorder.subscription.cancel();
    recorder.expectSilence();
  }

  /** 3.9: an error with the reason, and the end. */
  @Test
  void demandBelowOne() throws Exception {
    for (long wrong : new long[] {0, -1, Long.MIN_VALUE}) {
      Recorder recorder = subscribed(1);
      recorder.subscription.request(wrong);
      recorder.expect("IllegalArgumentException: request is " + wrong + "; expected at least 1");
      complete(7, 1);
      recorder.expectSilence();
      assertEquals(1, queue.waitFor(1, TimeUnit.SECONDS, 1).size());
    }
  }

  /** 3.5, 3.7, 3.12: cancelling is idempotent and ends the signals; nothing is lost for the next one. */
  @Test
  void cancelled() throws Exception {
    Recorder first = subscribed(3);
    complete(0, 1);
    first.expect("0");
    first.subscription.cancel();
    first.subscription.cancel();
    first.subscription.request(1);
    complete(1, 2);
    first.expectSilence();
    Recorder second = subscribed(9);
    second.expect("1", "2");
    second.subscription.cancel();
    complete(3, 1);
    assertEquals(3, queue.waitFor(20, TimeUnit.SECONDS, 1).get(0).token());
  }

  /** Cancelled and subscribed while completions arrive: each is received once. */
  @Test
  void nothingIsLostByCancelling() throws Exception {
    int count = 2000;
    AtomicInteger sum = new AtomicInteger();
    Thread making = new Thread(() -> complete(1, count));
    making.start();
    int received = 0;
    while (received < count) {
      Recorder each = new Recorder(3) {
        @Override
        public void onNext(Completion item) {
          sum.addAndGet((int) item.token());
          super.onNext(item);
          if (signals.size() == 3) { // of subscribed and two completions
            subscription.cancel();
          }
        }
      };
      queue.publisher().subscribe(each);
      for (String signal = each.next(); signal != null; signal = each.signals.poll(10, TimeUnit.MILLISECONDS)) {
        received += Character.isDigit(signal.charAt(0)) ? 1 : 0;
      }
      each.subscription.cancel();
      for (String signal = each.signals.poll(10, TimeUnit.MILLISECONDS); signal != null; signal = each.signals.poll()) {
        received += Character.isDigit(signal.charAt(0)) ? 1 : 0;
      }
      if (received > 60) { // the rest at once
        break;
      }
    }
    making.join();
    Recorder last = new Recorder(Long.MAX_VALUE) {
      @Override
      public void onNext(Completion item) {
        sum.addAndGet((int) item.token());
        super.onNext(item);
      }
    };
    queue.publisher().subscribe(last);
    last.expect("subscribed");
    queue.end();
    while (!"complete".equals(last.next())) {
      // the rest
    }
    assertEquals(count * (count + 1) / 2, sum.get());
  }

  /** 1.9: null is refused at once; 1.10, 1.11: a second subscriber receives a subscription, then the error. */
  @Test
  void oneAtATime() throws Exception {
    assertThrows(NullPointerException.class, () -> queue.publisher().subscribe(null));
    Recorder first = subscribed(1);
    Recorder second = subscribed(1);
    second.expect("IllegalStateException: the queue has a subscriber; expected one at a time; cancel the other subscription first");
    complete(4, 1);
    first.expect("4");
    second.expectSilence();
  }

  /** 3.3: a request inside onNext does not recurse. */
  @Test
  void requestsInside() throws Exception {
    int count = 5000;
    complete(0, count);
    AtomicInteger depth = new AtomicInteger();
    List<Integer> deepest = new ArrayList<>(List.of(0));
    Recorder recorder = new Recorder(1) {
      @Override
      public void onNext(Completion item) {
        deepest.set(0, Math.max(deepest.get(0), depth.incrementAndGet()));
        subscription.request(1);
        super.onNext(item);
        depth.decrementAndGet();
      }
    };
    queue.publisher().subscribe(recorder);
    recorder.expect("subscribed");
    for (int i = 0; i < count; ++i) {
      recorder.expect(Integer.toString(i));
    }
    assertEquals(1, deepest.get(0));
  }

  /** 2.13: a subscriber that throws has cancelled; the next one receives the rest. */
  @Test
  void subscriberThatThrows() throws Exception {
    BlockingQueue<String> reported = new LinkedBlockingQueue<>();
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, e) -> reported.add(thread.getName() + ": " + e.getMessage()));
    try {
      complete(0, 2);
      queue.publisher().subscribe(new Recorder(5) {
        @Override
        public void onNext(Completion item) {
          throw new IllegalStateException("thrown by a subscriber");
        }
      });
      assertEquals("cucore-publisher: thrown by a subscriber", reported.poll(20, TimeUnit.SECONDS));
      subscribed(5).expect("1");
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
  }

  /** The status of each, and a processor of the JDK behind it. */
  @Test
  void behindAProcessor() throws Exception {
    try (SubmissionPublisher<Completion> processor = new SubmissionPublisher<>()) {
      Recorder end = new Recorder(9);
      processor.subscribe(end);
      queue.publisher().subscribe(new Flow.Subscriber<>() {
        @Override
        public void onSubscribe(Flow.Subscription given) {
          given.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(Completion item) {
          assertEquals(Status.OK, item.status());
          processor.submit(item);
        }

        @Override
        public void onError(Throwable e) {
          processor.closeExceptionally(e);
        }

        @Override
        public void onComplete() {
          processor.close();
        }
      });
      complete(0, 3);
      queue.end();
      end.expect("subscribed", "0", "1", "2", "complete");
    }
  }
}
