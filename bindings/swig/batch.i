// SPDX-License-Identifier: Apache-2.0
// Section "Batch" of cucore.h, built item by item. The progress report is left out, because threads
// of the library call it, and code of a language never runs there.

/** Compiles of many programs at once. */
struct Batch {
  %extend {
    Batch() { return new Batch; }
    ~Batch() { delete $self; }
    /** Adds a compile. */
    void add(Program *program, cucore_code_type target, const char *const *names, size_t name_count) {
      $self->add(program, target, names, name_count);
    }
    //: cucore_program_compile_batch
    void run(int64_t workers, int64_t time_limit_ms, Cache *cache_or_null) {
      $self->run(workers, time_limit_ms, held(cache_or_null));
    }
    /** The object code of an item; null if it failed. */
    ObjectCode *code(size_t index) { return $self->code(index); }
    /** Fails as the item did. */
    void check(size_t index) { $self->check(index); }
  }
};
