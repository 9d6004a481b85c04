// SPDX-License-Identifier: Apache-2.0
// Compiles that a language waits for in slices, inside its own compile(): in Java another thread
// handles signals.
#if !defined(SWIGJAVA)

/** A compile in another thread. */
struct Compiling {
  %extend {
    Compiling(Program *program, Cache *cache_or_null, cucore_code_type target, const char *const *names,
              size_t name_count) {
      return new Compiling(held(program), held(cache_or_null), target, names, name_count);
    }
    ~Compiling() { delete $self; }
    /** Returns whether the compile is over; returns after that time at the latest. */
    bool wait(int64_t milliseconds) { return $self->wait(milliseconds); }
    /** The object code, once; fails as the compile did. */
    ObjectCode *take(cucore_cache_outcome *outcome) { return $self->take(outcome); }
  }
};
#endif
