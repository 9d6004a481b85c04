// SPDX-License-Identifier: Apache-2.0
// Section "Buffer" of cucore.h: the memory is the first parameter here, and optional ones are last.
%extend Buffer {
  //: cucore_buffer_write
  void write(const void *data, size_t size, OptionalStream *stream = nullptr, size_t offset = 0) {
    ok(cucore_buffer_write, held($self), offset, data, size, Order(held($self), stream));
  }
  //: cucore_buffer_read
  void read(void *data, size_t size, OptionalStream *stream = nullptr, size_t offset = 0) {
    ok(cucore_buffer_read, held($self), offset, data, size, Order(held($self), stream));
  }
  //: cucore_buffer_copy
  void copy_from(Buffer *source, size_t length, OptionalStream *stream = nullptr, size_t offset = 0,
                 size_t source_offset = 0) {
    ok(cucore_buffer_copy, held($self), offset, held(source), source_offset, length, Order(held($self), stream));
  }
  //: cucore_buffer_fill
  void fill(const void *data, size_t size, size_t length, OptionalStream *stream = nullptr, size_t offset = 0) {
    ok(cucore_buffer_fill, held($self), offset, length, data, size, Order(held($self), stream));
  }
#if !defined(SWIGPYTHON)
  //: cucore_buffer_retain
  Buffer *share() { return cucore_buffer_retain($self); }
#endif
}
