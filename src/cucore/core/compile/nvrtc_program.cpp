// SPDX-License-Identifier: Apache-2.0
#include "core/compile/nvrtc_program.hpp"

#include <atomic>

#include "driver/captured_output.hpp"
#include "support/concat.hpp"
#include "support/descriptors.hpp"

namespace cucore::core {

using driver::check;

namespace {

constexpr std::string_view FOLDER = "/.cucore/";

std::vector<const char*> pointers(const std::vector<std::string>& strings) {
  std::vector<const char*> out;
  out.reserve(strings.size());
  for (const std::string& s : strings) out.push_back(s.c_str());
  return out;
}

// Returns the first line of the log that is an error, for the message.
std::string first_error(const std::string& log) {
  const size_t found = log.find("error");
  if (found == std::string::npos) return log.substr(0, log.find('\n'));
  const size_t begin = log.rfind('\n', found);
  const size_t start = begin == std::string::npos ? 0 : begin + 1;
  return log.substr(start, log.find('\n', found) - start);
}

// "sm_75, sm_80"
std::string known_architectures() {
  std::string names;
  for (const int number : nvrtc_architectures())
    names += concat(names.empty() ? "sm_" : ", sm_", number);
  return names;
}

}  // namespace

std::string compiler_name(const std::string& name) {
  return name.find('/') == std::string::npos ? std::string(FOLDER) + name : name;
}

std::vector<int> nvrtc_architectures() {
  const auto& rtc = driver::nvrtc();
  int count = 0;
  check(rtc.nvrtcGetNumSupportedArchs(&count), "ask NVRTC for its architectures");
  std::vector<int> numbers(static_cast<size_t>(count));
  check(rtc.nvrtcGetSupportedArchs(numbers.data()), "ask NVRTC for its architectures");
  return numbers;
}

std::string readable_log(std::string log) {
  for (size_t at = 0; (at = log.find(FOLDER, at)) != std::string::npos;)
    log.erase(at, FOLDER.size());
  return log;
}

NvrtcProgram::NvrtcProgram(const std::string& source, const std::string& name,
                           const std::vector<std::string>& header_names,
                           const std::vector<std::string>& header_sources)
    : rtc_(driver::nvrtc()) {
  const auto names = pointers(header_names), sources = pointers(header_sources);
  check(rtc_.nvrtcCreateProgram(&program_, source.c_str(), name.c_str(),
                                static_cast<int>(names.size()), sources.data(), names.data()),
        "create an NVRTC program");
}

NvrtcProgram::~NvrtcProgram() { rtc_.nvrtcDestroyProgram(&program_); }

void NvrtcProgram::add_expression(const std::string& expression) {
  check(rtc_.nvrtcAddNameExpression(program_, expression.c_str()),
        concat("register the name expression ", expression));
}

void NvrtcProgram::compile(const std::vector<std::string>& flags, const std::string& what) {
  const auto arguments = pointers(flags);
  // The first compile loads a separate library of NVRTC.
  static std::atomic<bool> has_compiled{false};
  if (!has_compiled.load(std::memory_order_relaxed)) require_descriptors(what);
  const driver::CapturedOutput output;
  const nvrtcResult result =
      rtc_.nvrtcCompileProgram(program_, static_cast<int>(arguments.size()), arguments.data());
  printed_ = output.text();
  if (result == NVRTC_SUCCESS) {
    has_compiled.store(true, std::memory_order_relaxed);
    return;
  }
  std::string whole = log();
  // Without descriptors the compiler does not find headers, and its log would blame the headers.
  if (const std::string why = descriptor_shortage(); !why.empty())
    throw Error(Status::IO, concat("cannot ", what, ": ", why), std::move(whole));
  std::string message = what;
  if (const std::string line = first_error(whole); !line.empty()) message += ": " + line;
  if (message.find("--gpu-architecture") != std::string::npos)
    message += "; expected one of " + known_architectures();
  check(result, message, std::move(whole));
}

std::string NvrtcProgram::log() const {
  size_t size = 0;
  if (rtc_.nvrtcGetProgramLogSize(program_, &size) != NVRTC_SUCCESS || size <= 1) return printed_;
  std::string log(size, '\0');
  if (rtc_.nvrtcGetProgramLog(program_, log.data()) != NVRTC_SUCCESS) return printed_;
  log.resize(log.find('\0') == std::string::npos ? size : log.find('\0'));
  return readable_log(log + printed_);
}

std::string NvrtcProgram::lowered_name(const std::string& expression) const {
  const char* lowered = nullptr;
  check(rtc_.nvrtcGetLoweredName(program_, expression.c_str(), &lowered),
        concat("find the name expression ", expression));
  return lowered;
}

image::Bytes NvrtcProgram::output(image::CodeType target) const {
  using Size = decltype(rtc_.nvrtcGetPTXSize);
  using Get = decltype(rtc_.nvrtcGetPTX);
  Size size_of = rtc_.nvrtcGetPTXSize;
  Get get = rtc_.nvrtcGetPTX;
  if (target == image::CodeType::CUBIN) {
    size_of = rtc_.nvrtcGetCUBINSize;
    get = rtc_.nvrtcGetCUBIN;
  } else if (target == image::CodeType::LTOIR) {
    size_of = driver::require_nvrtc(rtc_.nvrtcGetLTOIRSize, "nvrtcGetLTOIRSize", 12000);
    get = driver::require_nvrtc(rtc_.nvrtcGetLTOIR, "nvrtcGetLTOIR", 12000);
  }
  const std::string what = concat("take the ", image::code_type_name(target), " from NVRTC");
  size_t size = 0;
  check(size_of(program_, &size), what);
  image::Bytes bytes(size);
  check(get(program_, reinterpret_cast<char*>(bytes.data())), what);
  return bytes;
}

image::Bytes NvrtcProgram::ptx_beside() const {
  image::Bytes ptx = output(image::CodeType::PTX);
  if (ptx.size() <= 1) ptx.clear();
  return ptx;
}

}  // namespace cucore::core
