// SPDX-License-Identifier: Apache-2.0
#include "core/compile/ltoir_definitions.hpp"

#include <algorithm>
#include <iterator>

#include "core/compile/link_job.hpp"
#include "core/compile/nvrtc_program.hpp"
#include "driver/nvjitlink.hpp"
#include "driver/nvrtc.hpp"
#include "driver/process_state.hpp"
#include "support/concat.hpp"
#include "support/join.hpp"
#include "support/log.hpp"

namespace cucore::core {
namespace {

using image::Bytes;
using image::CodeType;

bool is_identifier(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '$';
  });
}

Bytes to_bytes(const std::string& text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.c_str());
  return {begin, begin + text.size() + 1};
}

// PTX that refers to each name, in the oldest version and target that current linkers accept.
Bytes references(const std::vector<std::string>& names) {
  std::string ptx = ".version 7.0\n.target sm_75\n.address_size 64\n";
  std::vector<std::string> known;
  std::ranges::copy_if(names, std::back_inserter(known), is_identifier);
  for (const std::string& name : known) ptx += concat(".extern .func ", name, " ();\n");
  ptx += concat(".global .u64 libcucore_references[] = {", join(known, ", "), "};\n");
  return to_bytes(ptx);
}

// Makes LTO-IR that lacks a definition. nvJitLink makes everything local in complete LTO-IR,
// whatever refers to it; together with this one it does not.
Bytes compile_incomplete() {
  const auto& nvrtc = driver::nvrtc();
  const int linker = driver::nvjitlink().version;
  if (nvrtc.version / 1000 != linker / 1000 || nvrtc.version > linker) return {};
  NvrtcProgram program(
      "extern \"C\" __device__ void libcucore_undefined();\n"
      "extern \"C\" __device__ void libcucore_incomplete() { libcucore_undefined(); }\n",
      "incomplete", {}, {});
  std::vector<std::string> flags{"--gpu-architecture=compute_75", "--relocatable-device-code=true",
                                 "--dlink-time-opt"};
  if (nvrtc.version >= 12090) flags.emplace_back("--no-cache");
  program.compile(flags, "compile a program for the linker");
  return program.output(CodeType::LTOIR);
}

struct Cached {
  driver::ForkSafeMutex mutex;
  Bytes bytes;
};

Bytes incomplete() {
  static auto* cached = new Cached;
  std::lock_guard lock(cached->mutex);
  try {
    if (cached->bytes.empty()) cached->bytes = compile_incomplete();
  } catch (const Error& error) {
    log(LogLevel::INFO, "what LTOIR defines may stay unknown: " + error.message());
  }
  return cached->bytes;
}

}  // namespace

std::vector<std::string> defined_in_ltoir(std::span<const image::Definitions::Ltoir* const> ltoir,
                                          const std::vector<std::string>& names,
                                          const image::Arch& arch) {
  LinkerOptions options;
  options.flags = {"-r", "-O0"};  // relocatable: undefined symbols stay undefined
  const Bytes wanted = references(names), other = incomplete();
  LinkJob job{CodeType::CUBIN, arch, true, &options, {}, "find the definitions of LTOIR"};
  for (const auto* code : ltoir) job.inputs.push_back({code->type, "LTOIR", &code->bytes});
  if (!other.empty()) job.inputs.push_back({CodeType::LTOIR, "incomplete", &other});
  job.inputs.push_back({CodeType::PTX, "references", &wanted});
  try {
    image::Image linked;
    linked.type = CodeType::CUBIN;
    linked.bytes = link_with_nvjitlink(job).bytes;
    std::vector<std::string> found;
    for (const auto& each : image::read_definitions(linked, arch, false).strong)
      if (std::ranges::find(names, each.name) != names.end()) found.push_back(each.name);
    return found;
  } catch (const Error& error) {
    log(LogLevel::INFO, "what LTOIR defines is unknown: " + error.message());
    return {};
  }
}

}  // namespace cucore::core
