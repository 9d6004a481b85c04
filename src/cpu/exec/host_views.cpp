// SPDX-License-Identifier: Apache-2.0
// Protection of pages, and the handlers of the signals that it causes. After an access, its page
// closes again: the processor stops behind the instruction, by its trap flag.
#include "cpu/exec/host_views.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <map>
#include <mutex>
#include <vector>

#include "cpu/exec/memory_state.hpp"

#if defined(__x86_64__)
#include <ucontext.h>
#endif

namespace cucore::cpu {

struct HostView {
  uint64_t base = 0, bytes = 0;
  bool is_closed = false;
  unsigned steps = 0;                // that are left
  std::vector<uint64_t> open_pages;  // of a closed view
};

namespace {

// A loop over closed memory takes microseconds per access. After this number of accesses to a view,
// its pages remain open until the next close().
constexpr unsigned MOST_STEPS = 256;

uint64_t page_of(uint64_t address) { return address / MEMORY_PAGE * MEMORY_PAGE; }

bool protect(uint64_t address, uint64_t bytes, int protection) {
  return mprotect(reinterpret_cast<void*>(address), bytes, protection) == 0;
}

}  // namespace

// No thread accesses a view while it holds the mutex.
struct HostViews::State {
  std::mutex mutex;
  std::map<uint64_t, HostView> views;
  std::atomic<size_t> count{0};
  std::atomic<Observer> observer{nullptr};
  bool has_handlers = false, may_step = false;
  struct sigaction before_fault {
  }, before_trap{};

  HostView* find(uint64_t address);
  bool install();
  bool is_installed() const;
  bool admit(const HostAccess& access);
  bool let_pass(uint64_t address, bool& steps);
  static bool open(HostView& view);
  void close_again(uint64_t page);
};

namespace {

HostViews::State* g_state = nullptr;  // set before the handlers exist

#if defined(__x86_64__)

constexpr uint64_t TRAP_FLAG = 0x100;  // of the processor
constexpr uint64_t WRITES = 2;         // of the error code of a page fault

// The pages that the thread's current instruction uses.
struct Steps {
  static constexpr uint32_t MOST = 4;
  uint64_t pages[MOST];
  uint32_t count;
};
Steps& steps_of_thread() {
  [[gnu::tls_model("initial-exec")]] thread_local Steps steps;  // see origin_of_thread()
  return steps;
}

// A debugger would stop at each step.
bool is_traced() {
  std::FILE* const file = std::fopen("/proc/self/status", "re");
  if (!file) return false;
  int tracer = 0;
  char line[256];
  while (std::fgets(line, sizeof line, file))
    if (std::sscanf(line, "TracerPid: %d", &tracer) == 1) break;
  std::fclose(file);
  return tracer != 0;
}

// The handler from before receives what does not concern the views.
void pass_on(int signal, siginfo_t* info, void* context, const struct sigaction& before) {
  if (before.sa_flags & SA_SIGINFO) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
    return before.sa_handler(signal);
  const bool repeats = signal == SIGSEGV && info->si_code > 0;
  if (before.sa_handler == SIG_IGN && !repeats) return;
  struct sigaction ending {};
  ending.sa_handler = SIG_DFL;
  sigaction(signal, &ending, nullptr);
  if (!repeats) ::raise(signal);  // after the return
}

void on_trap(int signal, siginfo_t* info, void* context) {
  Steps& steps = steps_of_thread();
  if (steps.count == 0) return pass_on(signal, info, context, g_state->before_trap);
  const int error = errno;
  for (uint32_t i = 0; i < steps.count; ++i) g_state->close_again(steps.pages[i]);
  steps.count = 0;
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~greg_t{TRAP_FLAG};
  errno = error;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto address = reinterpret_cast<uint64_t>(info->si_addr);
  const HostAccess access{address, uint64_t(registers[REG_RIP]),
                          (uint64_t(registers[REG_ERR]) & WRITES) != 0};
  bool steps = steps_of_thread().count < Steps::MOST;
  if (info->si_code <= 0 || !g_state->admit(access) || !g_state->let_pass(address, steps))
    return pass_on(signal, info, context, g_state->before_fault);
  if (steps) {
    Steps& mine = steps_of_thread();
    mine.pages[mine.count++] = page_of(address);
    registers[REG_EFL] |= greg_t{TRAP_FLAG};
  }
  errno = error;
}

// No other handler runs on the thread while this one does. The stack is that of the handler from
// before.
bool set_handler(int signal, void (*handler)(int, siginfo_t*, void*), struct sigaction& before) {
  if (sigaction(signal, nullptr, &before) != 0) return false;
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | (before.sa_flags & SA_ONSTACK);
  sigfillset(&action.sa_mask);
  return sigaction(signal, &action, nullptr) == 0;
}

#endif

}  // namespace

// The handlers stay for the life of the process.
bool HostViews::State::install() {
#if defined(__x86_64__)
  if (has_handlers) return true;
  may_step = !is_traced() && set_handler(SIGTRAP, on_trap, before_trap);
  has_handlers = set_handler(SIGSEGV, on_fault, before_fault);
#endif
  return has_handlers;
}

bool HostViews::State::is_installed() const {
#if defined(__x86_64__)
  struct sigaction now {};
  return sigaction(SIGSEGV, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
         now.sa_sigaction == on_fault;
#else
  return false;
#endif
}

HostView* HostViews::State::find(uint64_t address) {
  auto it = views.upper_bound(address);
  if (it == views.begin()) return nullptr;
  HostView& view = std::prev(it)->second;
  return address - view.base < view.bytes ? &view : nullptr;
}

// Returns false for addresses of no view.
bool HostViews::State::admit(const HostAccess& access) {
  bool is_closed = false;
  {
    std::lock_guard lock(mutex);
    const HostView* const view = find(access.address);
    if (!view) return false;
    is_closed = view->is_closed;
  }
  const Observer observe = observer.load(std::memory_order_acquire);
  if (is_closed && observe) observe(access);
  return true;
}

bool HostViews::State::open(HostView& view) {
  view.is_closed = false;
  view.open_pages.clear();
  return protect(view.base, view.bytes, PROT_READ | PROT_WRITE);
}

// Opens the page. `steps`: whether to close it behind the instruction.
bool HostViews::State::let_pass(uint64_t address, bool& steps) {
  std::lock_guard lock(mutex);
  HostView* const view = find(address);
  if (!view) return false;
  // The system has a limit of mappings, which single pages split. The whole view needs fewer.
  if (!protect(page_of(address), MEMORY_PAGE, PROT_READ | PROT_WRITE)) {
    steps = false;
    return open(*view);
  }
  steps &= may_step && view->is_closed && view->steps != 0;
  if (steps)
    --view->steps;
  else if (view->is_closed)
    view->open_pages.push_back(page_of(address));
  return true;
}

void HostViews::State::close_again(uint64_t page) {
  std::lock_guard lock(mutex);
  const HostView* const view = find(page);
  if (!view || !view->is_closed || std::ranges::count(view->open_pages, page)) return;
  protect(page, MEMORY_PAGE, PROT_NONE);
}

HostViews::HostViews() : state_(std::make_unique<State>()) { g_state = state_.get(); }

HostViews& HostViews::instance() {
  static HostViews* const views = new HostViews;  // never destroyed
  return *views;
}

void HostViews::observe(Observer observer) { state_->observer.store(observer); }

std::byte* HostViews::add(std::byte* outer, uint64_t bytes) {
  const int file = memfd_create("cucore-cpu-managed", MFD_CLOEXEC);
  if (file < 0) return nullptr;
  void* inner = MAP_FAILED;
  std::lock_guard lock(state_->mutex);
  if (ftruncate(file, off_t(bytes)) == 0 && state_->install())
    inner = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (inner != MAP_FAILED &&
      mmap(outer, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
    munmap(inner, bytes);
    inner = MAP_FAILED;
  }
  ::close(file);
  if (inner == MAP_FAILED) return nullptr;
  const auto base = reinterpret_cast<uint64_t>(outer);
  state_->views[base] = {base, bytes, false, 0, {}};
  state_->count.store(state_->views.size());
  return static_cast<std::byte*>(inner);
}

void HostViews::remove(std::byte* outer) {
  std::lock_guard lock(state_->mutex);
  state_->views.erase(reinterpret_cast<uint64_t>(outer));
  state_->count.store(state_->views.size());
}

void HostViews::close() {
  if (state_->count.load() == 0) return;
  std::lock_guard lock(state_->mutex);
  const auto is_open = [](auto& entry) {
    return !entry.second.is_closed || !entry.second.open_pages.empty();
  };
  if (std::ranges::none_of(state_->views, is_open) || !state_->is_installed()) return;
  for (auto& [base, view] : state_->views) {
    if (view.is_closed && view.open_pages.empty()) continue;
    view.is_closed = protect(base, view.bytes, PROT_NONE);
    view.steps = MOST_STEPS;
    view.open_pages.clear();
  }
}

void HostViews::open() {
  if (state_->count.load() == 0) return;
  std::lock_guard lock(state_->mutex);
  for (auto& [base, view] : state_->views)
    if (view.is_closed) (void)State::open(view);
}

}  // namespace cucore::cpu
