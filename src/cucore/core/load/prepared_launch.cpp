// SPDX-License-Identifier: Apache-2.0
#include "core/load/prepared_launch.hpp"

#include <cstring>
#include <utility>

#include "core/load/launch_arguments.hpp"
#include "core/observe/observation.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::core {
namespace {

// The greatest alignment of a parameter.
constexpr size_t ALIGNMENT = 16;

size_t padded(size_t size) { return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

bool names_a_buffer(const cucore_argument& argument) {
  return is_buffer(argument) && argument.data != nullptr;
}

size_t value_size(const cucore_argument& argument) {
  return is_buffer(argument) ? sizeof(CUdeviceptr) : argument.size;
}

// The pointers are valid only while the launch is prepared.
cucore_launch_options without_pointers(cucore_launch_options options) {
  options.programmatic_event = options.completion_event = nullptr;
  options.access_window = nullptr;
  options.attributes = nullptr;
  options.attribute_count = 0;
  return options;
}

}  // namespace

PreparedLaunch::PreparedLaunch(Ref<const Kernel> kernel, Ref<const Stream> stream,
                               const cucore_launch_options& options,
                               const cucore_argument* arguments, size_t count,
                               const LaunchHandles& handles)
    : kernel_(std::move(kernel)),
      stream_(std::move(stream)),
      image_(kernel_->on(stream_->device())),
      options_(without_pointers(options)),
      attributes_(stream_->device(), options, handles),
      configuration_(stream_->device(), stream_->native(), options) {
  stream_->require_usable();
  configuration_.set(attributes_);
  allow_shared(*kernel_, stream_->device(), options.dynamic_shared);
  require_count(*kernel_, image_, count);
  size_t bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!names_a_buffer(arguments[i])) check_argument(*kernel_, image_, i, arguments[i]);
    bytes += padded(value_size(arguments[i]));
  }
  values_ = std::make_unique<std::byte[]>(bytes);
  slots_.reserve(count);
  pointers_.reserve(count);
  std::byte* value = values_.get();
  for (size_t i = 0; i < count; ++i) {
    Ref<const Buffer> buffer = buffer_of(i, arguments[i], handles.buffers);
    pointers_.push_back(value);
    slots_.push_back({value, value_size(arguments[i]), nullptr});
    write(slots_.back(), arguments[i], buffer);
    value += padded(value_size(arguments[i]));
  }
}

Ref<const Buffer> PreparedLaunch::buffer_of(size_t index, const cucore_argument& argument,
                                            const BufferHandles& handles) const {
  if (!names_a_buffer(argument)) return nullptr;
  return find_buffer(*kernel_, image_, stream_->device(), "the stream", index, argument.data,
                     handles);
}

// Swaps the buffers, so that the caller drops the previous one.
void PreparedLaunch::write(Slot& slot, const cucore_argument& argument, Ref<const Buffer>& buffer) {
  const CUdeviceptr address = buffer ? buffer->address() : 0;
  std::memcpy(slot.value, buffer ? static_cast<const void*>(&address) : argument.data, slot.size);
  buffer_count_ += static_cast<size_t>(bool(buffer)) - static_cast<size_t>(bool(slot.buffer));
  std::swap(slot.buffer, buffer);
}

void PreparedLaunch::check(size_t index, const cucore_argument& argument) const {
  if (index >= slots_.size())
    throw Error(Status::INVALID_ARGUMENT,
                concat("index is ", index, "; kernel ", kernel_->label(), " takes ",
                       counted(slots_.size(), "argument"), "; pass the index of an argument"));
  if (!names_a_buffer(argument)) check_argument(*kernel_, image_, index, argument);
  if (const size_t size = value_size(argument); !image_.parameters && size != slots_[index].size)
    throw Error(Status::INVALID_ARGUMENT,
                concat("argument ", index, " of kernel ", kernel_->label(), " has ",
                       counted(size, "byte"), ", ", slots_[index].size,
                       " when the launch was prepared; pass a value of the same type"));
}

void PreparedLaunch::update(size_t index, const cucore_argument& argument,
                            const BufferHandles& handles) {
  check(index, argument);
  // Dropped after the lock: the release of a buffer may call the driver.
  Ref<const Buffer> buffer = buffer_of(index, argument, handles);
  const std::lock_guard lock(mutex_);
  write(slots_[index], argument, buffer);
}

[[gnu::always_inline]] inline void PreparedLaunch::run_inline() const {
  const std::lock_guard lock(mutex_);
  if (buffer_count_ == 0)
    return start(*kernel_, image_, *stream_, configuration_.get(), pointers_.data(), nullptr);
  BufferArguments buffers(*kernel_, *stream_);
  for (size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].buffer) buffers.add(*slots_[i].buffer, i);
  start(*kernel_, image_, *stream_, configuration_.get(), pointers_.data(), &buffers);
}

void PreparedLaunch::run() const {
  if (attributes_.size() != 0) [[unlikely]]
    return run_with_attributes();
  run_inline();
}

// Another thread may change an argument while observers read the arguments.
struct PreparedLaunch::CopiedArguments {
  std::vector<std::byte> values;
  std::vector<cucore_argument> arguments;
};

// Returns false if the memory does not suffice.
bool PreparedLaunch::copy_arguments(CopiedArguments& copies) const noexcept {
  try {
    const std::lock_guard lock(mutex_);
    size_t bytes = 0;
    for (const Slot& slot : slots_) bytes += padded(slot.size);
    copies.values.resize(bytes);
    std::byte* value = copies.values.data();
    for (const Slot& slot : slots_) {
      std::memcpy(value, slot.value, slot.size);
      copies.arguments.push_back({value, slot.size});
      value += padded(slot.size);
    }
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void PreparedLaunch::run_observed() const {
  CopiedArguments copies;
  if (!copy_arguments(copies)) return run();
  observe({.kind = CUCORE_OPERATION_LAUNCH,
           .stream = stream_.get(),
           .kernel = kernel_.get(),
           .launch = &options_,
           .arguments = copies.arguments.data(),
           .argument_count = copies.arguments.size()},
          [&](Operation&) { run(); });
}

void PreparedLaunch::run_with_attributes() const {
  attributes_.require_stream(*stream_);
  run_inline();
  attributes_.note_launch(*stream_);
}

}  // namespace cucore::core
