// SPDX-License-Identifier: Apache-2.0
// The options of a LaunchConfig that point to something: events, an access window, attributes.
#pragma once

#include <Python.h>
#include <cucore.h>

#include <vector>

#include "object.hpp"

namespace cucore::bind {

// The targets of the options. The handles have references of their own, so that a close() of the
// objects does not affect the launches.
struct LaunchMore {
  LaunchMore() = default;
  ~LaunchMore();
  LaunchMore(const LaunchMore&) = delete;
  LaunchMore& operator=(const LaunchMore&) = delete;

  cucore_event* programmatic_event = nullptr;
  cucore_event* completion_event = nullptr;
  cucore_buffer* buffer = nullptr;
  cucore_access_window window{};
  std::vector<cucore_launch_attribute> attributes;

  // As Python has them; null: not given.
  Object programmatic_object, completion_object, window_object, attributes_object;
};

// The arguments of LaunchConfig() that point to something. Null or None: not given.
struct PointedTo {
  PyObject *programmatic_event, *completion_event, *access_window, *attributes;

  bool is_empty() const;
};

// Returns null, with the exception set, if an argument has a wrong type. The options then point
// into the result.
LaunchMore* make_more(const PointedTo& given, cucore_launch_options& options);

// Reads (buffer, offset, size, hit_ratio, hit, miss); the buffer is not retained.
bool read_window(PyObject* value, cucore_access_window& out);

}  // namespace cucore::bind
