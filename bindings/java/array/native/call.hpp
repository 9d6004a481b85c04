// SPDX-License-Identifier: Apache-2.0
// One call of a native method of io.cucore.array: its objects are in use until it ends, and a
// failure becomes the exception of its status.
#pragma once

#include <cucore_array.h>
#include <jni.h>

#include <cstdint>
#include <forward_list>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "java_class.hpp"
#include "lease.hpp"
#include "need.hpp"
#include "raise.hpp"

namespace cucore::java::arrays {

using bind::ok;

// Finds the fields of the Java classes; returns false with an exception pending.
bool prepare_fields(JNIEnv* env);

class Call {
 public:
  explicit Call(JNIEnv* env) : env_(env) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // A null object is refused by the name of the parameter.
  cucore_array* array(jobject object, const char* name);
  cucore_array_context* context(jobject object);
  cucore_array_generator* generator(jobject object);
  cucore_array_operand operand(jobject object, const char* name);
  cucore_array_scalar number(jobject object, const char* name);
  std::string text(jstring text, const char* name);
  size_t count(jlong number, const char* name) const;

  // An object of io.cucore. Its handle has a reference until the call ends.
  template <class Handle>
  Handle* core(jobject object, const char* name) {
    require(object, name);
    void* const handle = retained(JavaClass<Handle>::NUMBER, JavaClass<Handle>::PATH,
                                  JavaClass<Handle>::GET_LEASE, object);
    references_.emplace_front(handle, let_go<Handle>);
    return static_cast<Handle*>(handle);
  }

  std::vector<cucore_array*> arrays(jobjectArray objects, const char* name);
  std::vector<cucore_array_operand> operands(jobjectArray objects, const char* name);
  std::vector<cucore_array_index> items(jobjectArray objects, const char* name);
  std::vector<int64_t> longs(jlongArray numbers, const char* name);
  template <class Number>
  std::vector<Number> ints(jintArray numbers, const char* name) {
    const std::vector<jint> given = ints_of(numbers, name);
    std::vector<Number> result;
    for (const jint each : given) result.push_back(static_cast<Number>(each));
    return result;
  }

  // C reads as many elements as another parameter determines.
  void check_length(size_t size, size_t expected, const char* name) const;
  void check_equal(size_t size, const char* name, size_t other_size, const char* other) const;

  // Memory for results; null if C takes none.
  static cucore_array** room(std::vector<cucore_array*>& results) {
    return results.empty() ? nullptr : results.data();
  }

  // A new object of arrays becomes a lease, which its Java object owns; one of io.cucore becomes
  // its Java object.
  jlong give(cucore_array* array);
  jlong give(cucore_array_context* context);
  jlong give(cucore_array_generator* generator);
  template <class Handle>
  jobject give(Handle* handle) {
    return given(JavaClass<Handle>::NUMBER, JavaClass<Handle>::PATH, handle);
  }
  jlongArray give(const std::vector<cucore_array*>& arrays);
  // The kind, the integer, and the bits of the real and the imaginary part.
  jlongArray give(const cucore_array_scalar& scalar);
  jlongArray give(const int64_t* numbers, size_t count);
  jlongArray give(const uint64_t* numbers, size_t count);
  jlongArray give_numbers(std::initializer_list<uint64_t> numbers);
  jstring give_text(const char* text);
  jstring give_text(const std::vector<char>& text) { return give_text(text.data()); }
  jbyteArray give_bytes(const std::vector<char>& bytes);

  // An array of objects: numbers as Long, and texts.
  jobjectArray give_record(std::initializer_list<jobject> values);
  template <class Number>
  jobject number_value(Number number) {
    return boxed(static_cast<jlong>(number));
  }
  jobject text_value(const char* text) { return give_text(text); }

 private:
  using Reference = std::unique_ptr<void, void (*)(void*)>;

  void* enter(jobject object, jfieldID field, const char* type);
  void require(jobject object, const std::string& name) const;
  template <class Element, class Read>
  std::vector<Element> each_of(jobjectArray objects, const char* name, Read read);
  cucore_array_index item(jobject object, const char* name);
  std::vector<jint> ints_of(jintArray numbers, const char* name);
  void* retained(jint type, const char* path, const char* get_lease, jobject object);
  jobject given(jint type, const char* path, void* handle);
  jobject boxed(jlong number);

  JNIEnv* env_;
  std::forward_list<Use> uses_;
  std::forward_list<Reference> references_;
};

// Runs a body with a Call; an exception is raised in Java, and the result is then 0. A body that
// finds no device memory has changed nothing, and runs again after a collection.
template <class Body>
auto calling(JNIEnv* env, Body&& body) {
  using Result = decltype(body(std::declval<Call&>()));
  return guarded(env, [&]() -> Result {
    Need need(env);
    try {
      while (true) {
        try {
          Call call(env);
          return body(call);
        } catch (const bind::Failure& failure) {
          if (failure.status() != CUCORE_ERROR_OUT_OF_DEVICE_MEMORY || !need.collect()) throw;
        }
      }
    } catch (const Pending&) {
      return Result();
    } catch (const std::length_error&) {  // more elements than memory has
      throw std::bad_alloc();
    }
  });
}

}  // namespace cucore::java::arrays

#define ARRAY_NATIVE(type, name) \
  extern "C" JNIEXPORT type JNICALL Java_io_cucore_array_Natives_##name
