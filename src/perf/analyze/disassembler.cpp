// SPDX-License-Identifier: Apache-2.0
#include "perf/analyze/disassembler.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>
#include <vector>

#include "support/concat.hpp"
#include "support/environment.hpp"

namespace cucore::perf {
namespace {

constexpr const char* TOOL = "nvdisasm";
constexpr size_t LONGEST_OUTPUT = size_t{1} << 30;

class File {
 public:
  explicit File(int number = -1) : number_(number) {}
  File(File&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~File() { close(); }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }
  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

// Returns "" without the tool.
std::string find_tool() {
  std::vector<std::string> folders;
  const std::string path = environment("PATH");
  for (size_t at = 0; at < path.size();) {
    const size_t end = std::min(path.find(':', at), path.size());
    folders.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  if (const std::string home = environment("CUDA_HOME"); !home.empty())
    folders.push_back(concat(home, "/bin"));
  folders.emplace_back("/usr/local/cuda/bin");
  for (const std::string& folder : folders) {
    std::string file = concat(folder, "/", TOOL);
    if (folder.starts_with('/') && access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

// A file in memory, which a process that this one starts can open by its number.
File file_of(std::span<const std::byte> bytes) {
  File file(memfd_create("cucore-cubin", MFD_CLOEXEC));
  while (file && !bytes.empty()) {
    const ssize_t written = write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return File();
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return file;
}

class Actions {
 public:
  Actions() { posix_spawn_file_actions_init(&actions_); }
  ~Actions() { posix_spawn_file_actions_destroy(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  void open_null(int number, int mode) {
    posix_spawn_file_actions_addopen(&actions_, number, "/dev/null", mode, 0);
  }
  void copy(const File& file, int number) {
    posix_spawn_file_actions_adddup2(&actions_, file.number(), number);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

std::string output_of(const File& file) {
  std::string text;
  char part[65536];
  while (text.size() < LONGEST_OUTPUT) {
    const ssize_t size = read(file.number(), part, sizeof part);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    text.append(part, static_cast<size_t>(size));
  }
  return text;
}

// A process that this one has started. The destructor waits for its end.
class Child {
 public:
  Child() = default;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (id_ != 0) (void)end();
  }
  pid_t* id() { return &id_; }
  // Waits, and returns whether the process ended with 0.
  bool end() {
    const pid_t process = std::exchange(id_, 0);
    int status = 0;
    while (waitpid(process, &status, 0) < 0)
      if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  pid_t id_ = 0;
};

Disassembly without(std::string reason) {
  Disassembly none;
  none.missing = std::move(reason);
  return none;
}

bool is_space(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && (is_space(text.back()) || text.back() == ';')) text.remove_suffix(1);
  return text;
}

// `/*00a0*/  IMAD R2, R3, R4, R5 ;` has the address a0.
void add_instruction(std::map<uint64_t, std::string>& code, std::string_view line) {
  if (!line.starts_with("/*")) return;
  uint64_t address = 0;
  const auto [end, failure] =
      std::from_chars(line.data() + 2, line.data() + line.size(), address, 16);
  const auto rest = line.substr(static_cast<size_t>(end - line.data()));
  if (failure != std::errc() || !rest.starts_with("*/")) return;
  const std::string_view text = trimmed(rest.substr(2));
  if (!text.empty()) code.try_emplace(address, text);
}

}  // namespace

Disassembly read_disassembly(std::string_view text) {
  constexpr std::string_view CODE = ".text.";
  Disassembly found;
  std::map<uint64_t, std::string>* kernel = nullptr;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(text.substr(at, end - at));
    at = end + 1;
    if (line.starts_with(".section"))
      kernel = nullptr;
    else if (line.starts_with(CODE) && line.ends_with(':'))
      kernel = &found.kernels[std::string(line.substr(CODE.size(), line.size() - CODE.size() - 1))];
    else if (kernel)
      add_instruction(*kernel, line);
  }
  return found;
}

Disassembly disassemble(std::span<const std::byte> cubin) {
  std::string tool = find_tool();
  if (tool.empty())
    return without(
        "nvdisasm of the CUDA toolkit is in no folder of PATH, in bin of CUDA_HOME, or in "
        "/usr/local/cuda/bin");
  const File code = file_of(cubin);
  int ends[2] = {-1, -1};
  if (!code || pipe2(ends, O_CLOEXEC) != 0)
    return without(concat("nvdisasm cannot read the code: ", std::strerror(errno)));
  Child tool_process;  // ends after its output is closed
  const File output(ends[0]);
  File input(ends[1]);
  constexpr int CODE_OF_TOOL = 3;
  Actions actions;
  actions.open_null(0, O_RDONLY);
  actions.open_null(2, O_WRONLY);
  actions.copy(input, 1);
  actions.copy(code, CODE_OF_TOOL);
  std::string mode = "-c", path = concat("/dev/fd/", CODE_OF_TOOL);
  char* arguments[] = {tool.data(), mode.data(), path.data(), nullptr};
  if (const int failure = posix_spawn(tool_process.id(), tool.c_str(), actions.get(), nullptr,
                                      arguments, environ)) {
    *tool_process.id() = 0;
    return without(concat(tool, " does not start: ", std::strerror(failure)));
  }
  input.close();
  const std::string text = output_of(output);
  if (!tool_process.end()) return without(concat(tool, " cannot read the code"));
  return read_disassembly(text);
}

}  // namespace cucore::perf
