// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/output.hpp"

#include <cstdio>
#include <set>

namespace cucore::cpu {
namespace {

constexpr uint32_t TO_STDERR = uint32_t{1} << 31;

struct Outputs {
  std::mutex mutex;
  std::set<Output*> all;
};
Outputs& outputs() {
  static Outputs* const instance = new Outputs;  // never destroyed
  return *instance;
}

}  // namespace

Output::Output() {
  Outputs& known = outputs();
  std::lock_guard lock(known.mutex);
  known.all.insert(this);
}

Output::~Output() {
  Outputs& known = outputs();
  std::lock_guard lock(known.mutex);
  known.all.erase(this);
}

void Output::flush_all() {
  Outputs& known = outputs();
  std::lock_guard lock(known.mutex);
  for (Output* output : known.all) output->flush();
}

void Output::Texts::drop_oldest() {
  begin += sizes.front() & ~TO_STDERR;
  sizes.pop_front();
  if (begin < bytes.size() / 2) return;
  bytes.erase(0, begin);
  begin = 0;
}

bool Output::append(To to, std::string_view text, uint64_t capacity) {
  if (text.size() > capacity || text.size() >= TO_STDERR) return false;
  if (text.empty()) return true;
  std::lock_guard lock(mutex_);
  while (texts_.bytes.size() - texts_.begin + text.size() > capacity) texts_.drop_oldest();
  texts_.bytes += text;
  texts_.sizes.push_back(static_cast<uint32_t>(text.size()) | (to == To::STDERR ? TO_STDERR : 0));
  has_text_.store(true, std::memory_order_release);
  return true;
}

void Output::write() {
  std::lock_guard order(writing_);
  Texts texts;
  {
    std::lock_guard lock(mutex_);
    std::swap(texts, texts_);
  }
  const char* at = texts.bytes.data() + texts.begin;
  while (!texts.sizes.empty()) {
    const uint32_t target = texts.sizes.front() & TO_STDERR;
    size_t size = 0;
    for (; !texts.sizes.empty() && (texts.sizes.front() & TO_STDERR) == target;
         texts.sizes.pop_front())
      size += texts.sizes.front() & ~TO_STDERR;
    std::FILE* const file = target ? stderr : stdout;
    std::fwrite(at, 1, size, file);
    std::fflush(file);
    at += size;
  }
  // The lock is taken only here: a thread that flushes at the same time must wait until the text is
  // written.
  std::lock_guard lock(mutex_);
  has_text_.store(texts_.begin != texts_.bytes.size(), std::memory_order_relaxed);
}

}  // namespace cucore::cpu
