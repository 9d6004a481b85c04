// SPDX-License-Identifier: Apache-2.0
#include "launch_more.hpp"

#include <cstring>
#include <memory>

#include "convert.hpp"
#include "handles.hpp"

namespace cucore::bind {
namespace {

bool is_given(PyObject* value) { return value && value != Py_None; }

bool read_event(PyObject* value, cucore_event*& out, Object& kept) {
  if (!is_given(value)) return true;
  const auto* event = static_cast<cucore_event*>(handle_of(value, Type::Event));
  if (!event) return false;
  out = cucore_event_retain(event);
  kept = Object::borrowed(value);
  return true;
}

bool read_attribute(PyObject* id, PyObject* value, cucore_launch_attribute& out) {
  if (!to_integer(id, "attributes", out.id)) return false;
  if (!PyBytes_Check(value) || PyBytes_GET_SIZE(value) > Py_ssize_t{sizeof out.value}) {
    PyErr_Format(PyExc_TypeError, "attributes: values are bytes, at most %zu, not %R",
                 sizeof out.value, value);
    return false;
  }
  std::memcpy(out.value, PyBytes_AS_STRING(value), static_cast<size_t>(PyBytes_GET_SIZE(value)));
  return true;
}

bool read_attributes(PyObject* given, LaunchMore& more) {
  if (!is_given(given)) return true;
  if (!PyDict_Check(given)) {
    PyErr_Format(PyExc_TypeError, "attributes: a dict of numbers and bytes is needed, not %s",
                 Py_TYPE(given)->tp_name);
    return false;
  }
  more.attributes_object = Object(PyDict_Copy(given));
  PyObject *id = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(more.attributes_object.get(), &at, &id, &value);) {
    more.attributes.emplace_back();
    if (!read_attribute(id, value, more.attributes.back())) return false;
  }
  return bool(more.attributes_object);
}

bool read_ratio(PyObject* value, float& out) {
  const double ratio = PyFloat_AsDouble(value);
  out = static_cast<float>(ratio);
  return ratio != -1 || !PyErr_Occurred();
}

bool read_property(PyObject* value, const char* what, cucore_access_property& out) {
  int32_t number = 0;
  if (!to_integer(value, what, number)) return false;
  out = static_cast<cucore_access_property>(number);
  return true;
}

bool read_retained_window(PyObject* given, LaunchMore& more) {
  if (!is_given(given)) return true;
  if (!read_window(given, more.window)) return false;
  more.buffer = cucore_buffer_retain(more.window.buffer);
  more.window_object = Object::borrowed(given);
  return true;
}

}  // namespace

LaunchMore::~LaunchMore() {
  cucore_event_release(programmatic_event);
  cucore_event_release(completion_event);
  cucore_buffer_release(buffer);
}

bool PointedTo::is_empty() const {
  return !is_given(programmatic_event) && !is_given(completion_event) && !is_given(access_window) &&
         !is_given(attributes);
}

LaunchMore* make_more(const PointedTo& given, cucore_launch_options& options) try {
  auto more = std::make_unique<LaunchMore>();
  if (!read_event(given.programmatic_event, more->programmatic_event, more->programmatic_object) ||
      !read_event(given.completion_event, more->completion_event, more->completion_object) ||
      !read_retained_window(given.access_window, *more) ||
      !read_attributes(given.attributes, *more))
    return nullptr;
  options.programmatic_event = more->programmatic_event;
  options.completion_event = more->completion_event;
  if (more->buffer) options.access_window = &more->window;
  options.attributes = more->attributes.data();
  options.attribute_count = more->attributes.size();
  return more.release();
} catch (const std::bad_alloc&) {
  PyErr_NoMemory();
  return nullptr;
}

bool read_window(PyObject* value, cucore_access_window& out) {
  out = {};
  if (!PyTuple_Check(value) || PyTuple_GET_SIZE(value) != 6) {
    PyErr_Format(PyExc_TypeError, "an AccessWindow is needed, not %s", Py_TYPE(value)->tp_name);
    return false;
  }
  const auto item = [value](Py_ssize_t at) { return PyTuple_GET_ITEM(value, at); };
  const auto* buffer = static_cast<cucore_buffer*>(handle_of(item(0), Type::Buffer));
  if (!buffer || !to_integer(item(1), "offset", out.offset)) return false;
  out.buffer = buffer;
  const size_t all = cucore_buffer_size(buffer);
  if (item(2) == Py_None)
    out.size = out.offset < all ? all - out.offset : 0;
  else if (!to_integer(item(2), "size", out.size))
    return false;
  return read_ratio(item(3), out.hit_ratio) && read_property(item(4), "hit", out.hit) &&
         read_property(item(5), "miss", out.miss);
}

}  // namespace cucore::bind
