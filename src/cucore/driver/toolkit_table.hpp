// SPDX-License-Identifier: Apache-2.0
// One of the toolkit's libraries as a table that is filled on first use and never freed.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "driver/library_search.hpp"
#include "driver/process_state.hpp"
#include "support/error.hpp"
#include "support/loaded_file.hpp"
#include "support/log.hpp"

namespace cucore::driver {

// Prevents a library from changing state of the process: it prints nothing there and sets no signal
// handlers.
void tame(const OpenedLibrary& library);

enum class Need { REQUIRED, OPTIONAL };

// Finds the functions of an open library one by one, and records the first required one that is
// missing.
class EntryFinder {
 public:
  using Lookup = void* (*)(void* handle, const char* name);

  explicit EntryFinder(
      const OpenedLibrary& library,
      Lookup lookup = [](void* handle, const char* name) { return dlsym(handle, name); })
      : handle_(library.handle), lookup_(lookup) {}

  void* find(const char* name, Need need) {
    void* found = lookup_(handle_, name);
    if (!found && need == Need::REQUIRED && lacking_.empty()) lacking_ = name;
    return found;
  }

  // Returns "", or the reason that the library is refused.
  std::string refusal() const { return lacking_.empty() ? "" : "lacks " + lacking_; }

 private:
  void* const handle_;
  const Lookup lookup_;
  std::string lacking_;
};

template <class Table>
class ToolkitTable {
 public:
  // Fills a table from an open library. Returns "", or the reason that this library is refused.
  using Fill = std::string (*)(const OpenedLibrary& library, Table& table);

  ToolkitTable(const ToolkitLibrary& library, Fill fill) : library_(library), fill_(fill) {}

  // Returns the table, or throws LIBRARY_MISSING; after a failure the next call tries again.
  const Table& get() {
    if (const Table* table = published_.load(std::memory_order_acquire)) return *table;
    std::lock_guard lock(mutex_);
    if (const Table* table = published_.load(std::memory_order_acquire)) return *table;
    return open();
  }

  const char* title() const { return library_.title; }

  // Returns the open library, for dlsym(); fails as get() does.
  void* handle() {
    get();
    return handle_;
  }

  void set_path(std::string_view path) {
    std::lock_guard lock(mutex_);
    if (const Table* table = published_.load(std::memory_order_acquire))
      throw Error(Status::INVALID_STATE, std::string("cannot set the path of ") + library_.title +
                                             ": " + table->path + " is in use already");
    user_path_ = absolute_path(std::string(path));
  }

 private:
  const Table& open() {
    auto table = std::make_unique<Table>();
    const OpenedLibrary opened =
        find_toolkit_library(library_, user_path_, [&](const OpenedLibrary& found) {
          *table = Table{};
          table->path = found.path;
          return fill_(found, *table);
        });
    if (library_.is_called) tame(opened);
    handle_ = opened.handle;
    if (log_enabled(LogLevel::DEBUG))
      log(LogLevel::DEBUG, std::string("opened ") + library_.title + " " + table->path);
    published_.store(table.get(), std::memory_order_release);
    return *table.release();  // lives until the process ends
  }

  const ToolkitLibrary& library_;
  const Fill fill_;
  ForkSafeMutex mutex_;
  std::string user_path_;
  void* handle_ = nullptr;  // set before the table is published
  std::atomic<const Table*> published_{nullptr};
};

}  // namespace cucore::driver
