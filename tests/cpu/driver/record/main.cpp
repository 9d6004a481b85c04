// SPDX-License-Identifier: Apache-2.0
// Runs the rows on the driver of CUCORE_CPU_LIBRARY, in child processes, and writes or compares
// their lines.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <thread>

#include "compare.hpp"
#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

using Clock = std::chrono::steady_clock;
constexpr const char* NOT_RUN = "not run";
constexpr std::chrono::seconds LONGEST{20};  // of one row
constexpr std::chrono::seconds SLOW{2};      // rows that take longer are named

// The part of the memory that all processes share.
struct Slot {
  std::atomic<int> owner{0};  // the process that runs the row
  std::atomic<bool> done{false}, ended{false};
  std::atomic<int64_t> since{0}, took{0};  // nanoseconds
  char text[4096] = "";
};
constexpr size_t MOST_ROWS = 4096;
struct Board {
  std::atomic<size_t> next_shared{0}, next_own{0};
  Slot slots[MOST_ROWS];
};

bool own_process(Start start) { return start == Start::UNINITIALISED || start == Start::PROCESS; }

void open_driver() {
  const char* path = std::getenv("CUCORE_CPU_LIBRARY");
  void* library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    _exit(3);
  }
#define ENTRY(needs, name, base, version, params, args) \
  cu.name = reinterpret_cast<decltype(cu.name)>(dlsym(library, #name));
#define PER_THREAD(needs, name, impl, base, version, params, args)
#include "cpu/driver/entry_points.inc"
#undef ENTRY
#undef PER_THREAD
}

void capture_output() {
  char path[] = "/tmp/driver_record_XXXXXX";
  const int file = mkstemp(path);
  if (file < 0 || dup2(file, STDOUT_FILENO) < 0) _exit(3);
  unlink(path);
  close(file);
}

void pop_all() {
  CUcontext popped = nullptr;
  for (int i = 0; i < 100 && cu.cuCtxPopCurrent_v2(&popped) == CUDA_SUCCESS; ++i) {
  }
}

// The contexts of one child process.
class Contexts {
 public:
  void begin(Start start) {
    if (start == Start::CONTEXT) current_ = new_context();
    if (start != Start::SHARED) return;
    if (shared_ == nullptr)
      shared_ = new_context();
    else
      check(cu.cuCtxPushCurrent_v2(shared_), "cuCtxPushCurrent");
    current_ = shared_;
  }

  // Returns false if the row has left the process unusable for other rows.
  bool end(Start start) {
    if (start == Start::UNINITIALISED || start == Start::PROCESS) return false;
    pop_all();
    if (current_ == nullptr) return true;
    const bool alive = cu.cuCtxPushCurrent_v2(current_) == CUDA_SUCCESS;
    const bool sound = !alive || cu.cuCtxSynchronize() == CUDA_SUCCESS;
    pop_all();
    if (alive && sound && current_ != shared_) cu.cuCtxDestroy_v2(current_);
    current_ = nullptr;
    return sound;
  }

 private:
  CUcontext current_ = nullptr, shared_ = nullptr;
};

// Returns false if this process must not run another row.
bool run_row(const Row& row, Slot& slot, Contexts& contexts) {
  slot.since = Clock::now().time_since_epoch().count();
  slot.owner = getpid();
  Line line([&slot](const std::string& text) {
    std::strncpy(slot.text, text.c_str(), sizeof slot.text - 16);  // with room for an end
  });
  try {
    contexts.begin(row.start);
    row.run(line);
  } catch (const std::exception& error) {
    line.text("stopped", error.what());
  }
  const bool sound = contexts.end(row.start);
  slot.took = Clock::now().time_since_epoch().count() - slot.since;
  slot.done = true;
  return sound;
}

// The life of a child process: one row of its own, or rows until none is left.
[[noreturn]] void work(const std::vector<Row>& rows, const std::vector<size_t>& order,
                       std::atomic<size_t>& next, Board& board) {
  capture_output();
  open_driver();
  Contexts contexts;
  for (bool first = true;; first = false) {
    const size_t i = next++;
    if (i >= order.size()) break;
    const Row& row = rows[order[i]];
    if (first && row.start != Start::UNINITIALISED) cu.cuInit(0);
    if (!run_row(row, board.slots[order[i]], contexts)) break;
  }
  _exit(0);
}

class Runner {
 public:
  explicit Runner(const std::vector<Row>& rows) : rows_(rows) {
    void* memory =
        mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (rows.size() > MOST_ROWS) throw std::runtime_error("MOST_ROWS is too small");
    if (memory == MAP_FAILED) throw std::runtime_error("no memory for the results");
    board_ = new (memory) Board;
    for (size_t i = 0; i < rows.size(); ++i)
      (own_process(rows[i].start) ? own_ : shared_).push_back(i);
  }

  // Rows that have not begun after `limit` have the text "not run".
  std::vector<std::string> run(unsigned processes, std::chrono::seconds limit) {
    const Clock::time_point end = Clock::now() + limit;
    while (true) {
      if (Clock::now() > end) stop_starting();
      while (children_ < processes && start_one()) {
      }
      if (children_ == 0) break;
      reap();
      end_late_rows();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    std::vector<std::string> texts;
    for (size_t i = 0; i < rows_.size(); ++i) {
      const Slot& slot = board_->slots[i];
      texts.emplace_back(slot.owner == 0 ? NOT_RUN : slot.text);
      if (slot.took > std::chrono::nanoseconds(SLOW).count())
        std::fprintf(stderr, "%lld ms: %s\n", static_cast<long long>(slot.took / 1000000),
                     rows_[i].name.c_str());
    }
    return texts;
  }

 private:
  void stop_starting() {
    board_->next_shared = shared_.size();
    board_->next_own = started_own_ = own_.size();
  }

  bool start_one() {
    const bool shared = board_->next_shared < shared_.size();
    if (!shared && started_own_ >= own_.size()) return false;
    if (!shared) ++started_own_;
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("fork failed");
    if (child == 0)
      shared ? work(rows_, shared_, board_->next_shared, *board_)
             : work(rows_, own_, board_->next_own, *board_);
    ++children_;
    return true;
  }

  // Ends the text of a row that did not return.
  static void end(Slot& slot, const char* how) {
    const std::string separator = slot.text[0] == 0 ? "" : "; ";
    std::strncat(slot.text, (separator + how).c_str(), 15);
    slot.ended = true;
  }

  void reap() {
    int status = 0;
    for (pid_t ended = 0; (ended = waitpid(-1, &status, WNOHANG)) > 0; --children_) {
      if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
        throw std::runtime_error("no driver, see CUCORE_CPU_LIBRARY");
      for (size_t i = 0; i < rows_.size(); ++i) {
        Slot& slot = board_->slots[i];
        if (slot.owner != ended || slot.done) continue;
        if (!slot.ended) end(slot, "crash");
        slot.done = true;
      }
    }
  }

  void end_late_rows() {
    const int64_t now = Clock::now().time_since_epoch().count();
    const int64_t limit = std::chrono::nanoseconds(LONGEST).count();
    for (size_t i = 0; i < rows_.size(); ++i) {
      Slot& slot = board_->slots[i];
      if (slot.owner == 0 || slot.done || slot.ended || now - slot.since < limit) continue;
      end(slot, "hang");
      kill(slot.owner, SIGKILL);
    }
  }

  const std::vector<Row>& rows_;
  std::vector<size_t> shared_, own_;
  Board* board_ = nullptr;
  unsigned children_ = 0;
  size_t started_own_ = 0;
};

std::vector<Row> all_rows() {
  Rows rows("");
  for (auto add :
       {add_names,    add_device,      add_without_context, add_context, add_limits,  add_primary,
        add_memory,   add_host_memory, add_pointer,         add_copy,    add_boxes,   add_memset,
        add_stream,   add_event,       add_module,          add_queries, add_library, add_link,
        add_function, add_occupancy,   add_launch,          add_pool,    add_graphs,  add_captures,
        add_output,   add_faults,      add_large_stacks,    add_arrays,  add_virtual, add_tensors,
        add_fma})
    add(rows);
  return rows.all;
}

struct Options {
  std::string only, limit = "300", note, keep, write, record, differences;
};

int usage() {
  std::fprintf(stderr,
               "usage: driver_record [--only PART] [--limit SECONDS] [--note TEXT] [--keep FILE] "
               "[--write FILE] [--compare RECORD DIFFERENCES]\n");
  return 2;
}

bool read_options(Options& o, int argc, char** argv) {
  const std::map<std::string, std::vector<std::string*>> places = {
      {"--only", {&o.only}}, {"--limit", {&o.limit}}, {"--note", {&o.note}},
      {"--keep", {&o.keep}}, {"--write", {&o.write}}, {"--compare", {&o.record, &o.differences}}};
  for (int i = 1; i < argc;) {
    const auto option = places.find(argv[i++]);
    if (option == places.end()) return false;
    for (std::string* place : option->second) {
      if (i == argc) return false;
      *place = argv[i++];
    }
  }
  return true;
}

// Runs the rows; those of the file `keep` have its text.
Lines run_rows(const std::vector<Row>& rows, const Options& o) {
  std::map<std::string, std::string> texts;
  if (!o.keep.empty())
    for (auto& [name, text] : read_lines(o.keep)) texts.emplace(name, text);
  std::vector<Row> missing;
  for (const Row& row : rows)
    if (texts.find(row.name) == texts.end()) missing.push_back(row);
  const unsigned processes = std::max(2u, std::min(16u, std::thread::hardware_concurrency()));
  const std::chrono::seconds limit(std::atoi(o.limit.c_str()));
  const std::vector<std::string> made = Runner(missing).run(processes, limit);
  for (size_t i = 0; i < missing.size(); ++i) texts.emplace(missing[i].name, made[i]);
  Lines lines;
  for (const Row& row : rows) lines.emplace_back(row.name, texts[row.name]);
  return lines;
}

int run_program(int argc, char** argv) {
  Options o;
  if (!read_options(o, argc, argv)) return usage();
  std::vector<Row> rows = all_rows();
  std::erase_if(rows, [&](const Row& r) { return r.name.find(o.only) == std::string::npos; });
  Lines lines = run_rows(rows, o);
  if (!o.record.empty()) return compare(lines, o.record, o.differences, o.only.empty());
  std::erase_if(lines, [](const auto& line) { return line.second == NOT_RUN; });
  write_lines(lines, o.note, o.write.empty() ? "/dev/stdout" : o.write);
  return 0;
}

}  // namespace
}  // namespace cucore::cpu::record

int main(int argc, char** argv) try {
  return cucore::cpu::record::run_program(argc, argv);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
