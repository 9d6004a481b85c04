// SPDX-License-Identifier: Apache-2.0
// The native methods of io.cucore.Natives, which SWIG has no part in: what closes objects, moves
// memory without a copy on the Java heap, and launches.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "launch.hpp"
#include "lease.hpp"
#include "raise.hpp"

namespace {

using namespace cucore::java;
using cucore::bind::ok;

constexpr size_t CHUNK = size_t{1} << 20;

template <class Type>
constexpr const char* CLASS_NAME = nullptr;
#define CUCORE_NAME(Class, type, name) \
  template <>                          \
  constexpr const char* CLASS_NAME<type> = #name;
CUCORE_HANDLES(CUCORE_NAME)
#undef CUCORE_NAME

// The object that a call needs, for its length.
template <class Type>
class Taken {
 public:
  Taken(JNIEnv* env, jlong lease) {
    if (lease != 0 && !use_.enter(lease)) {
      raise_closed(env, CLASS_NAME<Type>);
      failed_ = true;
    }
  }
  bool failed() const { return failed_; }
  Type* get() const { return static_cast<Type*>(use_.object()); }

 private:
  Use use_;
  bool failed_ = false;
};

// Memory to stage a Java array in, piece by piece: nothing may wait while the array itself is held.
class Staging {
 public:
  explicit Staging(size_t size) : size_(std::min(size, CHUNK)) {
    if (size_ > sizeof few_) many_.reset(new char[size_]);
  }
  size_t size() const { return size_; }
  char* data() { return many_ ? many_.get() : few_; }

 private:
  size_t size_;
  char few_[4096];
  std::unique_ptr<char[]> many_;
};

void copy_out(JNIEnv* env, jarray array, size_t at, char* to, size_t size) {
  void* elements = env->GetPrimitiveArrayCritical(array, nullptr);
  if (!elements) throw std::bad_alloc();
  std::memcpy(to, static_cast<char*>(elements) + at, size);
  env->ReleasePrimitiveArrayCritical(array, elements, JNI_ABORT);
}

void copy_in(JNIEnv* env, jarray array, size_t at, const char* from, size_t size) {
  void* elements = env->GetPrimitiveArrayCritical(array, nullptr);
  if (!elements) throw std::bad_alloc();
  std::memcpy(static_cast<char*>(elements) + at, from, size);
  env->ReleasePrimitiveArrayCritical(array, elements, 0);
}

// What goes in pieces is refused as a whole.
void check_range(const cucore_buffer* buffer, jlong offset, jlong size) {
  const size_t whole = cucore_buffer_size(buffer);
  if (static_cast<size_t>(size) <= CHUNK) return;  // the call itself checks
  if (static_cast<size_t>(offset) > whole ||
      static_cast<size_t>(size) > whole - static_cast<size_t>(offset))
    throw cucore::bind::Failure(CUCORE_ERROR_INVALID_ARGUMENT,
                                "the array is larger than the rest of the buffer");
}

// What a launch uses, a kernel, a stream and buffers, until it returns.
class LaunchObjects final : public cucore::bind::BufferNumbers {
 public:
  struct Closed {
    size_t index;  // 0 is the kernel, 1 the stream
  };
  static constexpr size_t FIRST_BUFFER = 2;

  LaunchObjects(jlong record, jlong kernel, jlong stream)
      : uses_(reinterpret_cast<UseRecord*>(record)),
        kernel_(static_cast<cucore_kernel*>(uses_.add(kernel))),
        stream_(static_cast<cucore_stream*>(uses_.add(stream))) {}

  const cucore_buffer* handle(uint64_t number) override {
    return static_cast<const cucore_buffer*>(uses_.add(static_cast<int64_t>(number)));
  }

  void begin() override {
    const size_t closed = uses_.begin();
    if (closed != Uses::NONE) throw Closed{closed};
  }

  const cucore_kernel* kernel() const { return kernel_; }
  const cucore_stream* stream() const { return stream_; }

 private:
  Uses uses_;
  cucore_kernel* const kernel_;
  cucore_stream* const stream_;
};

void let_go_of_buffer(void* buffer) { cucore_buffer_release(static_cast<cucore_buffer*>(buffer)); }
void let_go_of_code(void* code) {
  cucore_objectcode_release(static_cast<cucore_objectcode*>(code));
}

// Reads parameters with one call if they are few, else with two.
template <class Read>
jlongArray parameters_of(JNIEnv* env, Read read) {
  jlongArray result = nullptr;
  guarded(env, [&] {
    std::vector<cucore_parameter_info> infos(32, cucore_parameter_info CUCORE_PARAMETER_INFO_INIT);
    size_t count = 0;
    cucore_error* error = nullptr;
    cucore_status status = read(infos.data(), infos.size(), &count, &error);
    if (status == CUCORE_ERROR_BUFFER_TOO_SMALL) {
      cucore_error_release(error);
      error = nullptr;
      infos.resize(count, cucore_parameter_info CUCORE_PARAMETER_INFO_INIT);
      status = read(infos.data(), infos.size(), &count, &error);
    }
    if (status != CUCORE_OK) throw cucore::bind::Failure(status, error);
    std::vector<jlong> numbers;
    for (size_t i = 0; i < count; ++i)
      numbers.insert(numbers.end(),
                     {static_cast<jlong>(infos[i].offset), static_cast<jlong>(infos[i].size),
                      static_cast<jlong>(infos[i].parameter_class)});
    result = env->NewLongArray(static_cast<jsize>(numbers.size()));
    if (result)
      env->SetLongArrayRegion(result, 0, static_cast<jsize>(numbers.size()), numbers.data());
  });
  return result;
}

}  // namespace

#define NATIVE(type, name) extern "C" JNIEXPORT type JNICALL Java_io_cucore_Natives_##name

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* vm, void*) {
  void* env = nullptr;
  if (vm->GetEnv(&env, JNI_VERSION_1_8) != JNI_OK) return JNI_ERR;
  return prepare_exceptions(static_cast<JNIEnv*>(env)) ? JNI_VERSION_1_8 : JNI_ERR;
}

NATIVE(void, close)(JNIEnv*, jclass, jlong lease) { Lease::close(lease); }

NATIVE(jlong, addressOf)(JNIEnv* env, jclass, jobject direct) {
  return reinterpret_cast<jlong>(env->GetDirectBufferAddress(direct));
}

NATIVE(jlong, openRecord)(JNIEnv*, jclass) { return reinterpret_cast<jlong>(open_record()); }

NATIVE(void, closeRecord)(JNIEnv*, jclass, jlong record) {
  close_record(reinterpret_cast<UseRecord*>(record));
}

// Returns which of the block's buffers is closed, or -1.
NATIVE(jint, launch)
(JNIEnv* env, jclass, jlong record, jlong kernel, jlong stream, jlong block, jint size) {
  jint closed = -1;
  guarded(env, [&] {
    LaunchObjects objects(record, kernel, stream);
    try {
      cucore::bind::launch(objects.kernel(), objects.stream(), reinterpret_cast<const void*>(block),
                           static_cast<size_t>(size), &objects);
    } catch (const LaunchObjects::Closed& which) {
      if (which.index < LaunchObjects::FIRST_BUFFER)
        return raise_closed(
            env, which.index == 0 ? CLASS_NAME<cucore_kernel> : CLASS_NAME<cucore_stream>);
      closed = static_cast<jint>(which.index - LaunchObjects::FIRST_BUFFER);
    }
  });
  return closed;
}

// Offset, size and class of each parameter, one after the other.
NATIVE(jlongArray, parameters)(JNIEnv* env, jclass, jlong kernel, jlong device) {
  const Taken<cucore_kernel> of(env, kernel);
  if (of.failed()) return nullptr;
  const Taken<cucore_device> on(env, device);
  if (on.failed()) return nullptr;
  return parameters_of(
      env, [&](cucore_parameter_info* out, size_t capacity, size_t* count, cucore_error** error) {
        return cucore_kernel_parameters(of.get(), on.get(), out, capacity, count, error);
      });
}

NATIVE(jlongArray, symbolParameters)(JNIEnv* env, jclass, jlong code, jlong symbol) {
  const Taken<cucore_objectcode> of(env, code);
  if (of.failed()) return nullptr;
  return parameters_of(
      env, [&](cucore_parameter_info* out, size_t capacity, size_t* count, cucore_error** error) {
        return cucore_objectcode_symbol_parameters(of.get(), static_cast<size_t>(symbol), out,
                                                   capacity, count, error);
      });
}

NATIVE(void, writeMemory)
(JNIEnv* env, jclass, jlong buffer, jlong stream, jlong offset, jlong source, jlong size) {
  const Taken<cucore_buffer> to(env, buffer);
  if (to.failed()) return;
  const Taken<cucore_stream> in(env, stream);
  if (in.failed()) return;
  guarded(env, [&] {
    ok(cucore_buffer_write, to.get(), static_cast<size_t>(offset),
       reinterpret_cast<const void*>(source), static_cast<size_t>(size), in.get());
  });
}

NATIVE(void, readMemory)
(JNIEnv* env, jclass, jlong buffer, jlong stream, jlong offset, jlong destination, jlong size) {
  const Taken<cucore_buffer> from(env, buffer);
  if (from.failed()) return;
  const Taken<cucore_stream> in(env, stream);
  if (in.failed()) return;
  guarded(env, [&] {
    ok(cucore_buffer_read, from.get(), static_cast<size_t>(offset),
       reinterpret_cast<void*>(destination), static_cast<size_t>(size), in.get());
  });
}

// One piece of no bytes goes through too: an offset outside is refused then as well.
NATIVE(void, writeArray)
(JNIEnv* env, jclass, jlong buffer, jlong stream, jlong offset, jarray source, jlong first,
 jlong size) {
  const Taken<cucore_buffer> to(env, buffer);
  if (to.failed()) return;
  const Taken<cucore_stream> in(env, stream);
  if (in.failed()) return;
  guarded(env, [&] {
    check_range(to.get(), offset, size);
    Staging staging(static_cast<size_t>(size));
    jlong done = 0;
    do {
      const size_t part = std::min<size_t>(staging.size(), static_cast<size_t>(size - done));
      if (part != 0) copy_out(env, source, static_cast<size_t>(first + done), staging.data(), part);
      ok(cucore_buffer_write, to.get(), static_cast<size_t>(offset + done), staging.data(), part,
         in.get());
      done += static_cast<jlong>(part);
    } while (done < size);
  });
}

NATIVE(void, readArray)
(JNIEnv* env, jclass, jlong buffer, jlong stream, jlong offset, jarray destination, jlong first,
 jlong size) {
  const Taken<cucore_buffer> from(env, buffer);
  if (from.failed()) return;
  const Taken<cucore_stream> in(env, stream);
  if (in.failed()) return;
  guarded(env, [&] {
    check_range(from.get(), offset, size);
    Staging staging(static_cast<size_t>(size));
    jlong done = 0;
    do {
      const size_t part = std::min<size_t>(staging.size(), static_cast<size_t>(size - done));
      ok(cucore_buffer_read, from.get(), static_cast<size_t>(offset + done), staging.data(), part,
         in.get());
      if (part != 0)
        copy_in(env, destination, static_cast<size_t>(first + done), staging.data(), part);
      done += static_cast<jlong>(part);
    } while (done < size);
  });
}

// Another lease on the same object, for a view that outlives the Java object.
NATIVE(jlong, shareBuffer)(JNIEnv* env, jclass, jlong buffer) {
  const Taken<cucore_buffer> of(env, buffer);
  return of.failed() ? 0 : Lease::open(cucore_buffer_retain(of.get()), let_go_of_buffer);
}

NATIVE(jobject, viewOfBuffer)(JNIEnv* env, jclass, jlong buffer) {
  const Taken<cucore_buffer> of(env, buffer);
  void* memory = of.failed() ? nullptr : cucore_buffer_host_pointer(of.get());
  return memory ? env->NewDirectByteBuffer(memory, static_cast<jlong>(cucore_buffer_size(of.get())))
                : nullptr;
}

NATIVE(jlong, shareCode)(JNIEnv* env, jclass, jlong code) {
  const Taken<cucore_objectcode> of(env, code);
  return of.failed() ? 0 : Lease::open(cucore_objectcode_retain(of.get()), let_go_of_code);
}

NATIVE(jobject, viewOfCode)(JNIEnv* env, jclass, jlong code) {
  const Taken<cucore_objectcode> of(env, code);
  if (of.failed()) return nullptr;
  size_t size = 0;
  const void* bytes = cucore_objectcode_data(of.get(), &size);
  return bytes ? env->NewDirectByteBuffer(const_cast<void*>(bytes), static_cast<jlong>(size))
               : nullptr;
}
