// SPDX-License-Identifier: Apache-2.0
// The native methods of io.cucore.Natives, without SWIG: they close objects, move memory without a
// copy on the Java heap, and launch.
#include <algorithm>
#include <cstring>
#include <memory>
#include <tuple>
#include <type_traits>
#include <vector>

#include "java_class.hpp"
#include "kernel_nodes.hpp"
#include "launch.hpp"
#include "lease.hpp"
#include "longs.hpp"
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

// Runs a body with the objects of leases, which other threads cannot close meanwhile; 0 is null.
template <class Type, class... Types, class Body, class... Leases>
auto with(JNIEnv* env, Body&& body, jlong lease, Leases... others)
    -> std::invoke_result_t<Body&, Type*, Types*...> {
  Use use;
  if (lease != 0 && !use.enter(lease))
    return raise_closed(env, CLASS_NAME<Type>), std::invoke_result_t<Body&, Type*, Types*...>();
  auto* const object = static_cast<Type*>(use.object());
  if constexpr (sizeof...(others) == 0)
    return guarded(env, [&] { return body(object); });
  else
    return with<Types...>(
        env, [&](Types*... more) { return body(object, more...); }, others...);
}

// Memory to copy a Java array through, in pieces: nothing may wait while the array itself is held.
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

// The elements of a Java array; nothing may wait while they are held.
template <class Body>
void with_elements(JNIEnv* env, jarray array, jint mode, Body body) {
  void* elements = env->GetPrimitiveArrayCritical(array, nullptr);
  if (!elements) throw std::bad_alloc();
  body(static_cast<char*>(elements));
  env->ReleasePrimitiveArrayCritical(array, elements, mode);
}

// A copy in pieces is refused as a whole.
void check_range(const cucore_buffer* buffer, jlong offset, jlong size) {
  const size_t whole = cucore_buffer_size(buffer);
  if (static_cast<size_t>(size) <= CHUNK) return;  // the call itself checks
  if (static_cast<size_t>(offset) > whole ||
      static_cast<size_t>(size) > whole - static_cast<size_t>(offset))
    throw cucore::bind::Failure(CUCORE_ERROR_INVALID_ARGUMENT,
                                "the array is larger than the rest of the buffer");
}

// Copies in pieces: piece(memory, bytes done, bytes of the piece). A copy of no bytes is also
// passed on, so that an offset outside is refused.
template <class Piece>
void in_pieces(const cucore_buffer* buffer, jlong offset, jlong size, Piece piece) {
  check_range(buffer, offset, size);
  Staging staging(static_cast<size_t>(size));
  size_t done = 0;
  do {
    const size_t part = std::min(staging.size(), static_cast<size_t>(size) - done);
    piece(staging.data(), done, part);
    done += part;
  } while (done < static_cast<size_t>(size));
}

// The objects of a launch until it returns: first those that every launch has, then buffers.
class LaunchObjects final : public cucore::bind::ObjectNumbers {
 public:
  struct Closed {
    size_t index;
  };

  explicit LaunchObjects(jlong record) : uses_(reinterpret_cast<UseRecord*>(record)) {}

  template <class Type>
  Type* add(jlong lease) {
    return static_cast<Type*>(uses_.add(lease));
  }

  void* handle(uint64_t number) override { return uses_.add(static_cast<jlong>(number)); }

  void begin() override {
    const size_t closed = uses_.begin();
    if (closed != Uses::NONE) throw Closed{closed};
  }

 private:
  Uses uses_;
};

// Calls body(objects of the leases..., objects). Returns the index of a closed object of the block,
// or -1. Raises the exception for another closed object.
template <class... Types, class Body, class... Leases>
jint with_launch_objects(JNIEnv* env, jlong record, Body body, Leases... leases) {
  static constexpr const char* NAMES[] = {CLASS_NAME<Types>...};
  jint closed = -1;
  guarded(env, [&] {
    LaunchObjects objects(record);
    try {
      // In the order of the leases, as elements of a braced list are.
      const std::tuple<Types*...> first{objects.add<Types>(leases)...};
      std::apply([&](Types*... object) { body(object..., objects); }, first);
    } catch (const LaunchObjects::Closed& which) {
      if (which.index < sizeof...(Types)) return raise_closed(env, NAMES[which.index]);
      closed = static_cast<jint>(which.index - sizeof...(Types));
    }
  });
  return closed;
}

// Changes a kernel node of a graph or of an executable. A kernel of 0 leaves the one before.
template <class Graph>
jint change_kernel(JNIEnv* env, jlong record, jlong graph, cucore::bind::KernelChange change,
                   jlong kernel, jlong block, jint size) {
  const auto set = [&](Graph* in, LaunchObjects& objects) {
    cucore::bind::set_kernel(in, change, reinterpret_cast<const void*>(block),
                             static_cast<size_t>(size), &objects);
  };
  if (kernel == 0) return with_launch_objects<Graph>(env, record, set, graph);
  return with_launch_objects<Graph, cucore_kernel>(
      env, record,
      [&](auto* in, auto* of, LaunchObjects& objects) {
        change.kernel = of;
        set(in, objects);
      },
      graph, kernel);
}

}  // namespace

#define NATIVE(type, name) extern "C" JNIEXPORT type JNICALL Java_io_cucore_Natives_##name

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* vm, void*) {
  void* env = nullptr;
  if (vm->GetEnv(&env, JNI_VERSION_1_8) != JNI_OK) return JNI_ERR;
  return prepare_exceptions(static_cast<JNIEnv*>(env)) ? JNI_VERSION_1_8 : JNI_ERR;
}

NATIVE(void, close)(JNIEnv*, jclass, jlong lease) { Lease::close(lease); }

// This and the next one pass objects to and from the library of arrays, with the number of their
// type.
NATIVE(jlong, retained)(JNIEnv* env, jclass, jint type, jlong number) {
  const auto retain = [](auto* of) {
    cucore::bind::retain(of);
    return reinterpret_cast<jlong>(of);
  };
#define CUCORE_RETAINED(Class, handle, name) \
  if (type == JavaClass<handle>::NUMBER) return with<handle>(env, retain, number);
  CUCORE_HANDLES(CUCORE_RETAINED)
#undef CUCORE_RETAINED
  return 0;
}

NATIVE(jlong, leaseOf)(JNIEnv*, jclass, jint type, jlong address) {
#define CUCORE_LEASED(Class, handle, name) \
  if (type == JavaClass<handle>::NUMBER) return lease(reinterpret_cast<handle*>(address));
  CUCORE_HANDLES(CUCORE_LEASED)
#undef CUCORE_LEASED
  return 0;
}

NATIVE(jlong, addressOf)(JNIEnv* env, jclass, jobject direct) {
  return reinterpret_cast<jlong>(env->GetDirectBufferAddress(direct));
}

NATIVE(jlong, openRecord)(JNIEnv*, jclass) { return reinterpret_cast<jlong>(open_record()); }

NATIVE(void, closeRecord)(JNIEnv*, jclass, jlong record) {
  close_record(reinterpret_cast<UseRecord*>(record));
}

// This and the next five return the index of a closed object of the block, or -1.
NATIVE(jint, launchPacked)
(JNIEnv* env, jclass, jlong record, jlong kernel, jlong stream, jlong block, jint size) {
  return with_launch_objects<cucore_kernel, cucore_stream>(
      env, record,
      [&](auto* of, auto* in, LaunchObjects& objects) {
        cucore::bind::launch_packed(of, in, reinterpret_cast<const void*>(block),
                                    static_cast<size_t>(size), &objects);
      },
      kernel, stream);
}

NATIVE(jint, launch)
(JNIEnv* env, jclass, jlong record, jlong kernel, jlong stream, jlong block, jint size) {
  return with_launch_objects<cucore_kernel, cucore_stream>(
      env, record,
      [&](auto* of, auto* in, LaunchObjects& objects) {
        cucore::bind::launch(of, in, reinterpret_cast<const void*>(block),
                             static_cast<size_t>(size), &objects);
      },
      kernel, stream);
}

// Writes the lease of the prepared launch to the array.
NATIVE(jint, prepare)
(JNIEnv* env, jclass, jlong record, jlong kernel, jlong stream, jlong block, jint size,
 jlongArray prepared) {
  return with_launch_objects<cucore_kernel, cucore_stream>(
      env, record,
      [&](auto* of, auto* in, LaunchObjects& objects) {
        const jlong made = lease(cucore::bind::prepare(of, in, reinterpret_cast<const void*>(block),
                                                       static_cast<size_t>(size), &objects));
        env->SetLongArrayRegion(prepared, 0, 1, &made);
      },
      kernel, stream);
}

NATIVE(jint, update)
(JNIEnv* env, jclass, jlong record, jlong prepared, jint index, jlong block, jint size) {
  return with_launch_objects<cucore_prepared_launch>(
      env, record,
      [&](auto* of, LaunchObjects& objects) {
        cucore::bind::update(of, static_cast<size_t>(index), reinterpret_cast<const void*>(block),
                             static_cast<size_t>(size), &objects);
      },
      prepared);
}

// Writes the node to the array.
NATIVE(jint, addKernel)
(JNIEnv* env, jclass, jlong record, jlong graph, jlong kernel, jlongArray after, jlong block,
 jint size, jlongArray node) {
  const auto add = [&](auto* to, auto* of, LaunchObjects& objects) {
    const auto made = static_cast<jlong>(
        cucore::bind::add_kernel(to, to_nodes(env, after), of, reinterpret_cast<const void*>(block),
                                 static_cast<size_t>(size), &objects));
    env->SetLongArrayRegion(node, 0, 1, &made);
  };
  return with_launch_objects<cucore_graph, cucore_kernel>(env, record, add, graph, kernel);
}

NATIVE(jint, setKernel)
(JNIEnv* env, jclass, jlong record, jboolean is_executable, jlong graph, jlong node, jlong kernel,
 jboolean has_options, jboolean has_arguments, jlong block, jint size) {
  const cucore::bind::KernelChange change = {static_cast<cucore_node>(node), nullptr,
                                             has_options == JNI_TRUE, has_arguments == JNI_TRUE};
  return is_executable == JNI_TRUE
             ? change_kernel<cucore_executable>(env, record, graph, change, kernel, block, size)
             : change_kernel<cucore_graph>(env, record, graph, change, kernel, block, size);
}

// Copies to or from native memory, or a Java array, of which `start` is then an offset in bytes.
NATIVE(void, copy)
(JNIEnv* env, jclass, jboolean is_write, jlong buffer, jlong stream, jlong offset, jarray array,
 jlong start, jlong size) {
  const auto copy = [&](auto* device, auto* in) {
    const auto transfer = [&](char* memory, size_t done, size_t part) {
      const size_t at = static_cast<size_t>(offset) + done;
      if (is_write)
        ok(cucore_buffer_write, device, at, memory, part, in);
      else
        ok(cucore_buffer_read, device, at, memory, part, in);
    };
    if (!array) return transfer(reinterpret_cast<char*>(start), 0, static_cast<size_t>(size));
    in_pieces(device, offset, size, [&](char* memory, size_t done, size_t part) {
      if (!is_write) transfer(memory, done, part);
      if (part != 0)
        with_elements(env, array, is_write ? JNI_ABORT : 0, [&](char* elements) {
          char* const host = elements + start + done;
          std::memcpy(is_write ? memory : host, is_write ? host : memory, part);
        });
      if (is_write) transfer(memory, done, part);
    });
  };
  with<cucore_buffer, cucore_stream>(env, copy, buffer, stream);
}

NATIVE(jobject, viewOfBuffer)(JNIEnv* env, jclass, jlong buffer) {
  const auto view = [&](auto* of) -> jobject {
    void* memory = cucore_buffer_host_pointer(of);
    return memory ? env->NewDirectByteBuffer(memory, static_cast<jlong>(cucore_buffer_size(of)))
                  : nullptr;
  };
  return with<cucore_buffer>(env, view, buffer);
}

NATIVE(jobject, viewOfCode)(JNIEnv* env, jclass, jlong code) {
  const auto view = [&](auto* of) -> jobject {
    size_t size = 0;
    const void* bytes = cucore_objectcode_data(of, &size);
    return bytes ? env->NewDirectByteBuffer(const_cast<void*>(bytes), static_cast<jlong>(size))
                 : nullptr;
  };
  return with<cucore_objectcode>(env, view, code);
}
