// SPDX-License-Identifier: Apache-2.0
// Counters of interprocess events. A wait polls, because a process that ends does not wake the
// waiting threads.
#include "cpu/driver/shared_event.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace cucore::cpu {
namespace {

constexpr uint64_t EVENT_BYTES = 4096;
constexpr auto POLL = std::chrono::microseconds(50);
constexpr int POLLS_PER_CHECK = 400;  // checks the other process every 20 ms

// A process that has ended and that its parent has not collected counts as ended.
bool process_lives(int process) {
  char path[32], text[512] = {};
  std::snprintf(path, sizeof path, "/proc/%d/stat", process);
  std::FILE* file = std::fopen(path, "re");
  if (!file) return false;
  const size_t size = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  size_t close = size;  // the name in parentheses may contain any character
  while (close > 0 && text[close - 1] != ')') --close;
  return close + 1 < size && text[close + 1] != 'Z' && text[close + 1] != 'X';
}

}  // namespace

SharedEvent::SharedEvent(std::shared_ptr<SharedMemory> memory, Page* page)
    : memory_(std::move(memory)), page_(page) {}

SharedEvent::~SharedEvent() { munmap(page_, EVENT_BYTES); }

std::shared_ptr<SharedEvent> SharedEvent::create(int device) {
  auto memory = SharedMemory::create(SharedKind::EVENT, EVENT_BYTES, device);
  return memory ? open(std::move(memory)) : nullptr;
}

std::shared_ptr<SharedEvent> SharedEvent::open(std::shared_ptr<SharedMemory> memory) {
  if (memory->size() != EVENT_BYTES) return nullptr;
  std::byte* page = memory->map(EVENT_BYTES);
  if (!page) return nullptr;
  // The zeros of a new file are the initial state.
  return std::shared_ptr<SharedEvent>(
      new SharedEvent(std::move(memory), reinterpret_cast<Page*>(page)));
}

uint64_t SharedEvent::begin_record() {
  page_->process.store(getpid());
  return page_->recorded.fetch_add(1) + 1;
}

void SharedEvent::complete(uint64_t number) {
  uint64_t seen = page_->completed.load();
  while (seen < number && !page_->completed.compare_exchange_weak(seen, number)) {
  }
}

uint64_t SharedEvent::last() const { return page_->recorded.load(); }

bool SharedEvent::complete_until(uint64_t number) const {
  return page_->completed.load() >= number;
}

bool SharedEvent::done(uint64_t number) const {
  if (complete_until(number)) return true;
  const int process = page_->process.load();
  return process != getpid() && !process_lives(process);
}

void SharedEvent::wait(uint64_t number, const std::function<bool()>& given_up) const {
  for (int polls = 1; !complete_until(number) && !given_up(); ++polls) {
    if (polls % POLLS_PER_CHECK == 0 && done(number)) return;
    std::this_thread::sleep_for(POLL);
  }
}

}  // namespace cucore::cpu
