// SPDX-License-Identifier: Apache-2.0
// New arrays, and elements that cross to and from the arrays of Java.
#include <cstring>
#include <memory>
#include <new>

#include "call.hpp"
#include "elements.hpp"
#include "text.hpp"

namespace cucore::java::arrays {
namespace {

cucore_array_dtype dtype_of(jint number) { return static_cast<cucore_array_dtype>(number); }

// Copies between a primitive array of Java and memory; nothing waits meanwhile.
template <class Body>
void with_held(JNIEnv* env, jobject array, jint mode, Body body) {
  const auto elements = static_cast<jarray>(array);
  void* const data = env->GetPrimitiveArrayCritical(elements, nullptr);
  if (!data) throw std::bad_alloc();
  body(data);
  env->ReleasePrimitiveArrayCritical(elements, data, mode);
}

// Elements of Java in memory that stays where it is: those of a direct buffer, or a copy.
class HostElements {
 public:
  HostElements(JNIEnv* env, jobject source, jlong offset, jlong size) {
    if (void* const direct = env->GetDirectBufferAddress(source)) {
      data_ = static_cast<char*>(direct) + offset;
      return;
    }
    copy_.reset(new char[static_cast<size_t>(size) + 1]);
    data_ = copy_.get();
    if (size != 0)
      with_held(env, source, JNI_ABORT, [&](const void* from) {
        std::memcpy(copy_.get(), static_cast<const char*>(from) + offset,
                    static_cast<size_t>(size));
      });
  }
  const void* data() const { return data_; }

 private:
  std::unique_ptr<char[]> copy_;
  const char* data_;
};

// The result of a call that returns its size first. The size may grow between two calls.
template <class Function, class... Arguments>
std::vector<char> sized(Function* function, Arguments... arguments) {
  std::vector<char> bytes;
  size_t size = 0;
  do {
    bytes.resize(size);
    cucore_error* error = nullptr;
    const cucore_status status =
        function(arguments..., bytes.empty() ? nullptr : bytes.data(), bytes.size(), &size, &error);
    if (status != CUCORE_OK && status != CUCORE_ERROR_BUFFER_TOO_SMALL)
      throw bind::Failure(status, error);
    cucore_error_release(error);
  } while (bytes.size() < size);
  bytes.resize(size);
  return bytes;
}

}  // namespace
}  // namespace cucore::java::arrays

using namespace cucore::java::arrays;

ARRAY_NATIVE(jlong, empty)(JNIEnv* env, jclass, jobject context, jint dtype, jlongArray shape) {
  return calling(env, [&](Call& call) {
    const auto sizes = call.longs(shape, "shape");
    return give_array(cucore_array_empty, call.context(context), dtype_of(dtype), sizes.data(),
                      sizes.size());
  });
}

ARRAY_NATIVE(jlong, full)
(JNIEnv* env, jclass, jobject context, jint dtype, jlongArray shape, jobject value) {
  return calling(env, [&](Call& call) {
    const auto sizes = call.longs(shape, "shape");
    const cucore_array_scalar number = call.number(value, "value");
    return give_array(cucore_array_full, call.context(context), dtype_of(dtype), sizes.data(),
                      sizes.size(), &number);
  });
}

ARRAY_NATIVE(jlong, arange)
(JNIEnv* env, jclass, jobject context, jint dtype, jobject start, jobject step, jlong count) {
  return calling(env, [&](Call& call) {
    const cucore_array_scalar first = call.number(start, "start"), by = call.number(step, "step");
    return give_array(cucore_array_arange, call.context(context), dtype_of(dtype), &first, &by,
                      count);
  });
}

ARRAY_NATIVE(jlong, linspace)
(JNIEnv* env, jclass, jobject context, jint dtype, jobject start, jobject stop, jlong count,
 jboolean endpoint) {
  return calling(env, [&](Call& call) {
    const cucore_array_scalar first = call.number(start, "start"), last = call.number(stop, "stop");
    return give_array(cucore_array_linspace, call.context(context), dtype_of(dtype), &first, &last,
                      count, int32_t{endpoint});
  });
}

ARRAY_NATIVE(jlong, eye)
(JNIEnv* env, jclass, jobject context, jint dtype, jlong rows, jlong columns, jlong diagonal) {
  return calling(env, [&](Call& call) {
    return give_array(cucore_array_eye, call.context(context), dtype_of(dtype), rows, columns,
                      diagonal);
  });
}

ARRAY_NATIVE(jlong, fromHost)
(JNIEnv* env, jclass, jobject context, jint dtype, jobject source, jlong offset, jlong size,
 jlongArray shape) {
  return calling(env, [&](Call& call) {
    const auto sizes = call.longs(shape, "shape");
    const HostElements elements(env, source, offset, size);
    return give_array(cucore_array_from_host, call.context(context), dtype_of(dtype),
                      elements.data(), sizes.data(), sizes.size(), nullptr);
  });
}

ARRAY_NATIVE(void, write)(JNIEnv* env, jclass, jobject array, jobject source, jlong size) {
  calling(env, [&](Call& call) {
    const HostElements elements(env, source, 0, size);
    ok(cucore_array_write, call.array(array, "array"), elements.data(), static_cast<size_t>(size));
  });
}

ARRAY_NATIVE(void, read)(JNIEnv* env, jclass, jobject array, jobject target, jlong size) {
  calling(env, [&](Call& call) {
    cucore_array* const of = call.array(array, "array");
    const auto bytes = static_cast<size_t>(size);
    const std::unique_ptr<char[]> staging(new char[bytes + 1]);
    ok(cucore_array_read, of, staging.get(), bytes);
    if (bytes != 0)
      with_held(env, target, 0, [&](void* to) { std::memcpy(to, staging.get(), bytes); });
  });
}

// The kind, the integer, and the bits of the real and the imaginary part.
ARRAY_NATIVE(jlongArray, item)(JNIEnv* env, jclass, jobject array) {
  return calling(env, [&](Call& call) {
    const auto item = made<cucore_array_scalar>(cucore_array_item, call.array(array, "array"));
    jlong numbers[4] = {static_cast<jlong>(item.kind), item.integer};
    std::memcpy(&numbers[2], &item.real, sizeof item.real);
    std::memcpy(&numbers[3], &item.imag, sizeof item.imag);
    jlongArray result = env->NewLongArray(4);
    if (result) env->SetLongArrayRegion(result, 0, 4, numbers);
    return result;
  });
}

ARRAY_NATIVE(void, evaluate)(JNIEnv* env, jclass, jobjectArray arrays) {
  calling(env, [&](Call& call) {
    const auto all = call.arrays(arrays, "arrays");
    ok(cucore_array_evaluate, all.data(), all.size());
  });
}

ARRAY_NATIVE(jstring, explain)(JNIEnv* env, jclass, jobjectArray arrays, jint what) {
  return calling(env, [&](Call& call) {
    const auto all = call.arrays(arrays, "arrays");
    const auto text =
        sized(cucore_array_explain, const_cast<const cucore_array* const*>(all.data()), all.size(),
              static_cast<cucore_array_explanation>(what));
    return cucore::java::to_java(env, text.data());
  });
}

ARRAY_NATIVE(jstring, print)(JNIEnv* env, jclass, jobject array) {
  return calling(env, [&](Call& call) {
    const cucore_array* const of = call.array(array, "array");
    const auto text =
        sized(cucore_array_print, of, static_cast<const cucore_array_print_options*>(nullptr));
    return cucore::java::to_java(env, text.data());
  });
}

ARRAY_NATIVE(jbyteArray, toNpy)(JNIEnv* env, jclass, jobject array) {
  return calling(env, [&](Call& call) {
    const cucore_array* const of = call.array(array, "array");
    const auto bytes = sized(cucore_array_to_npy, of);
    jbyteArray result = env->NewByteArray(static_cast<jsize>(bytes.size()));
    if (result)
      env->SetByteArrayRegion(result, 0, static_cast<jsize>(bytes.size()),
                              reinterpret_cast<const jbyte*>(bytes.data()));
    return result;
  });
}

ARRAY_NATIVE(jlong, fromNpy)(JNIEnv* env, jclass, jobject context, jbyteArray data) {
  return calling(env, [&](Call& call) -> jlong {
    cucore::java::Elements bytes;
    if (!bytes.take(env, data, JNI_ABORT)) return 0;
    return give_array(cucore_array_from_npy, call.context(context),
                      static_cast<const void*>(bytes.data()), bytes.size());
  });
}

ARRAY_NATIVE(void, setName)(JNIEnv* env, jclass, jobject array, jstring name) {
  calling(env, [&](Call& call) {
    std::string text;
    cucore_array* const of = call.array(array, "array");
    if (cucore::java::from_java(env, name, text)) ok(cucore_array_set_name, of, text.c_str());
  });
}
