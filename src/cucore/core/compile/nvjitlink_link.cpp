// SPDX-License-Identifier: Apache-2.0
// A link by nvJitLink: owns the handle and converts its results to values and errors.
#include "core/compile/link_job.hpp"
#include "core/completion/library_thread.hpp"
#include "driver/captured_output.hpp"
#include "driver/nvjitlink.hpp"
#include "support/concat.hpp"

namespace cucore::core {
namespace {

using image::CodeType;

nvJitLinkInputType linker_input_type(CodeType type) {
  switch (type) {
    case CodeType::CUBIN:
      return NVJITLINK_INPUT_CUBIN;
    case CodeType::PTX:
      return NVJITLINK_INPUT_PTX;
    case CodeType::LTOIR:
      return NVJITLINK_INPUT_LTOIR;
    case CodeType::FATBIN:
      return NVJITLINK_INPUT_FATBIN;
    case CodeType::OBJECT:
      return NVJITLINK_INPUT_OBJECT;
    case CodeType::LIBRARY:
      return NVJITLINK_INPUT_LIBRARY;
    default:
      return NVJITLINK_INPUT_ANY;
  }
}

std::vector<std::string> command_line(const LinkJob& job, int version) {
  std::vector<std::string> flags{"-arch=" + job.arch.text()};
  if (job.lto) flags.emplace_back("-lto");
  if (job.target == CodeType::PTX) flags.emplace_back("-ptx");
  // From 12.9 on nvJitLink would open the driver for its own cache, even without a GPU.
  if (!job.options->cache && version >= 12090) flags.emplace_back("-no-cache");
  flags.insert(flags.end(), job.options->flags.begin(), job.options->flags.end());
  return flags;
}

void add_lines(std::string& log, const std::string& more) {
  if (!log.empty() && !more.empty() && log.back() != '\n') log += '\n';
  log += more;
}

// nvJitLink prints marks for programs that parse it: "@E@error : ...".
std::string without_marks(std::string text) {
  constexpr size_t MARK = 3;
  for (size_t at = 0; at + MARK <= text.size();) {
    if (text[at] == '@' && text[at + 2] == '@') text.erase(at, MARK);
    const size_t end = text.find('\n', at);
    if (end == std::string::npos) break;
    at = end + 1;
  }
  return text;
}

class NvJitLinkRun {
 public:
  NvJitLinkRun(const LinkJob& job, const std::vector<std::string>& flags)
      : job_(job), table_(driver::nvjitlink()) {
    std::vector<const char*> arguments;
    for (const std::string& flag : flags) arguments.push_back(flag.c_str());
    const nvJitLinkResult result =
        table_.nvJitLinkCreate(&handle_, static_cast<uint32_t>(arguments.size()), arguments.data());
    if (result != NVJITLINK_SUCCESS) destroy_and_fail(result);
  }
  ~NvJitLinkRun() { destroy(); }
  NvJitLinkRun(const NvJitLinkRun&) = delete;
  NvJitLinkRun& operator=(const NvJitLinkRun&) = delete;

  void run() {
    for (const LinkInput& input : job_.inputs)
      check(table_.nvJitLinkAddData(handle_, linker_input_type(input.type), input.bytes->data(),
                                    input.bytes->size(), input.name.c_str()));
    check(table_.nvJitLinkComplete(handle_));
  }

  image::Bytes output() {
    const bool to_ptx = job_.target == CodeType::PTX;
    size_t size = 0;
    check(to_ptx ? table_.nvJitLinkGetLinkedPtxSize(handle_, &size)
                 : table_.nvJitLinkGetLinkedCubinSize(handle_, &size));
    image::Bytes bytes(size);
    check(to_ptx ? table_.nvJitLinkGetLinkedPtx(handle_, reinterpret_cast<char*>(bytes.data()))
                 : table_.nvJitLinkGetLinkedCubin(handle_, bytes.data()));
    return bytes;
  }

  // Errors first, then the remaining messages.
  std::string log() const {
    std::string log = without_marks(output_.text());
    add_lines(log, read(table_.nvJitLinkGetErrorLogSize, table_.nvJitLinkGetErrorLog));
    add_lines(log, read(table_.nvJitLinkGetInfoLogSize, table_.nvJitLinkGetInfoLog));
    return log;
  }

 private:
  template <class Size, class Get>
  std::string read(Size size_of, Get get) const {
    size_t size = 0;
    if (!handle_ || size_of(handle_, &size) != NVJITLINK_SUCCESS || size <= 1) return {};
    std::string log(size, '\0');
    if (get(handle_, log.data()) != NVJITLINK_SUCCESS) return {};
    log.resize(std::min(size, log.find('\0')));
    return log;
  }

  void check(nvJitLinkResult result) const {
    if (result == NVJITLINK_SUCCESS) return;
    const std::string whole = log();
    driver::check(result, with_first_error(job_.what, whole), whole);
  }

  void destroy() {
    if (handle_) table_.nvJitLinkDestroy(&handle_);
  }
  [[noreturn]] void destroy_and_fail(nvJitLinkResult result) {
    const std::string whole = log();
    destroy();
    driver::check(result, with_first_error(job_.what, whole), whole);
    throw Error(Status::INTERNAL, "nvJitLink failed with success");
  }

  const LinkJob& job_;
  const driver::NvJitLinkTable& table_;
  const driver::CapturedOutput output_;
  nvJitLinkHandle handle_ = nullptr;
};

}  // namespace

LinkResult link_with_nvjitlink(const LinkJob& job) {
  LinkResult result;
  result.flags = command_line(job, driver::nvjitlink().version);
  // After link-time optimisation nvJitLink 13.0 leaves a pointer behind in the thread. If a later
  // link in that thread reports an error, nvJitLink follows the pointer and crashes.
  run_on_library_thread("cucore-link", [&] {
    NvJitLinkRun run(job, result.flags);
    run.run();
    result.bytes = run.output();
    result.log = run.log();
  });
  return result;
}

std::string with_first_error(std::string what, const std::string& log) {
  size_t found = log.find("rror");
  if (found == std::string::npos) found = log.find("fatal");
  if (found == std::string::npos) found = 0;
  const size_t begin = log.rfind('\n', found);
  const size_t start = begin == std::string::npos ? 0 : begin + 1;
  const std::string line = log.substr(start, log.find('\n', found) - start);
  return line.empty() ? what : what + ": " + line;
}

}  // namespace cucore::core
