// SPDX-License-Identifier: Apache-2.0
// One thread of the soak: rounds of random calls, any of which may fail. Calls that succeed must
// have the right result, and every round releases its objects.
#pragma once

#include <string>

#include "soak_world.hpp"

namespace gpu_test {

class SoakThread {
 public:
  SoakThread(SoakWorld& world, unsigned seed)
      : world_(world), caller_(world.driver), random_(seed) {}

  void one_round();
  const std::string& wrong() const { return caller_.wrong(); }

 private:
  struct Words {
    capi_test::Buffer buffer;
    uint32_t count = 0, value = 0;
  };
  using Round = void (SoakThread::*)();
  struct Choice {
    Round round;
    unsigned weight;
  };
  static const Choice CHOICES[];

  // Rounds.
  void compute();
  void copy_about();
  void use_what_is_left();
  void record_events();
  void await();
  void detach();
  void make_streams();
  void compile();
  void store();
  void link();
  void capture();

  // Parts of rounds.
  Words make_words(const cucore_stream* stream);
  capi_test::Buffer make_buffer(size_t size, const cucore_stream* stream);
  bool fill(const Words& words, const cucore_stream* stream);
  void order(const cucore_stream* later, const cucore_stream* earlier);
  // Adds the launched value to `words.value`.
  void add(Words& words, const cucore_stream* stream);
  void check(const Words& words, const cucore_stream* stream, uint32_t step = 0);
  void run_scaling(const cucore_objectcode* code, uint32_t factor);
  capi_test::Future make_future(const cucore_stream* stream, cucore_queue* queue, uint64_t token);
  void expect_outcome(const cucore_future* future, cucore_status status);
  void expect_completion(const cucore_queue* queue, uint64_t token);

  uint32_t below(uint32_t bound) { return random_() % bound; }
  const cucore_stream* any_stream() { return world_.any_stream(random_); }

  SoakWorld& world_;
  Caller caller_;
  Random random_;
};

}  // namespace gpu_test
