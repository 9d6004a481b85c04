// SPDX-License-Identifier: Apache-2.0
#include "core/load/access_window.hpp"

#include "core/objects/context_scope.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::core {
namespace {

// `problem` follows the field: " is 2; ...".
[[noreturn]] void refuse_window(const char* field, const std::string& problem) {
  throw Error(Status::INVALID_ARGUMENT, concat("cucore_access_window.", field, problem));
}

CUaccessProperty property_of(cucore_access_property value, const char* field,
                             cucore_access_property most) {
  if (static_cast<uint32_t>(value) > static_cast<uint32_t>(most))
    refuse_window(field,
                  concat(" is ", static_cast<int32_t>(value),
                         "; expected a cucore_access_property, 0 to ", static_cast<int32_t>(most)));
  return static_cast<CUaccessProperty>(value);
}

void check_fields(const Device& device, const cucore_access_window& window) {
  const uint32_t most = device.limits().access_window;
  if (most == 0)
    throw Error(Status::UNSUPPORTED, concat(device.label(), " (", device.arch(),
                                            ") has no access windows, which came with sm_80"));
  if (!window.buffer) refuse_window("buffer", " is NULL; set the buffer of the window");
  if (window.size == 0 || window.size > most)
    refuse_window("size", concat(" is ", window.size, "; ", device.label(), " allows 1 to ",
                                 counted(most, "byte")));
  if (!(window.hit_ratio >= 0 && window.hit_ratio <= 1))
    refuse_window("hit_ratio", concat(" is ", window.hit_ratio, "; expected 0 to 1"));
  if (window.reserved != 0)
    refuse_window("reserved", concat(" is ", window.reserved, "; expected 0"));
}

// Returns the address of the first byte.
CUdeviceptr begin_of(const Device& device, const cucore_access_window& window,
                     const Buffer& buffer) {
  buffer.require_usable();
  if (&buffer.device() != &device)
    refuse_window("buffer", concat(" belongs to ", buffer.device().label(), "; expected one of ",
                                   device.label()));
  if (window.offset > buffer.size() || window.size > buffer.size() - window.offset)
    refuse_window("offset", concat(" is ", window.offset, ", and the window has ",
                                   counted(window.size, "byte"), "; the buffer has ",
                                   counted(buffer.size(), "byte")));
  return buffer.address() + window.offset;
}

}  // namespace

CUaccessPolicyWindow access_policy(const Device& device, const cucore_access_window& window,
                                   const BufferHandles& buffers) {
  check_fields(device, window);
  const HandleReference<const Buffer> reference(window.buffer, buffers);
  if (!reference.object())
    throw Error(Status::INVALID_HANDLE,
                "cucore_access_window.buffer is a released buffer or a handle of another type; "
                "expected a cucore_buffer");
  CUaccessPolicyWindow policy{};
  policy.base_ptr = reinterpret_cast<void*>(begin_of(device, window, *reference.object()));
  policy.num_bytes = window.size;
  policy.hitRatio = window.hit_ratio;
  policy.hitProp = property_of(window.hit, "hit", CUCORE_ACCESS_PROPERTY_PERSISTING);
  policy.missProp = property_of(window.miss, "miss", CUCORE_ACCESS_PROPERTY_STREAMING);
  return policy;
}

void set_access_window(const Stream& stream, const cucore_access_window* window,
                       const BufferHandles& buffers) {
  constexpr int SINCE = 11000;
  CUstreamAttrValue value{};
  stream.require_usable();
  if (window) value.accessPolicyWindow = access_policy(stream.device(), *window, buffers);
  const auto set =
      driver::require(driver::cuda().cuStreamSetAttribute, "cuStreamSetAttribute", SINCE);
  const ContextScope scope(*stream.context(), "stream");
  driver::check(set(stream.native(), CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value),
                [&] { return concat("set the access window of ", stream.label()); });
}

}  // namespace cucore::core
