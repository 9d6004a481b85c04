// SPDX-License-Identifier: Apache-2.0
// Rows of the driver's linker.
#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

const std::string HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n";
const std::string CALLER = HEADER + ".extern .func f();\n.visible .entry k() { call f; ret; }\n";
const std::string CALLEE = HEADER + ".visible .func f() { ret; }\n";

// A link with a log of errors.
class Link {
 public:
  explicit Link(Line& line) : line_(line) {
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    values_[0] = log_;
    values_[1] = reinterpret_cast<void*>(sizeof log_);
    line_("create", cu.cuLinkCreate_v2(2, options, values_, &state_));
  }
  void add(const std::string& text, const char* name, CUjitInputType type = CU_JIT_INPUT_PTX) {
    std::string copy = text;
    line_("add", cu.cuLinkAddData_v2(state_, type, copy.data(), copy.size() + 1, name, 0, nullptr,
                                     nullptr));
  }
  void complete() {
    auto* image = unset<void*>();
    auto size = unset<size_t>();
    const CUresult result = cu.cuLinkComplete(state_, &image, &size);
    line_("complete", result).handle("image", image);
    if (result != CUDA_SUCCESS) return;
    CUmodule module = nullptr;
    line_("load", cu.cuModuleLoadData(&module, image));
  }
  void destroy() { line_("destroy", cu.cuLinkDestroy(state_)); }
  // Only the linker's own texts are those of NVIDIA's.
  void log() {
    const std::string text = std::string(log_).substr(0, std::string(log_).find('\n'));
    const bool is_of_linker = text.find("Undefined reference") != std::string::npos ||
                              text.find("Multiple definition") != std::string::npos;
    line_.text("log", text.empty() ? "empty" : is_of_linker ? text : "set");
    if (is_of_linker) line_.value("written", reinterpret_cast<uintptr_t>(values_[1]));
  }

 private:
  Line& line_;
  CUlinkState state_ = nullptr;
  char log_[1024] = "";
  void* values_[2] = {};
};

const struct {
  const char* name;
  std::string a, b;
} LINKS[] = {
    {"two texts", CALLER, CALLEE},
    {"one text twice", CALLEE, CALLEE},
    {"undefined", CALLER, HEADER},
    {"invalid", CALLER, HEADER + ".visible .entry j() { nonsense.u32 a, b; }\n"},
    {"other prototype", CALLER, HEADER + ".visible .func f(.param .b32 p) { ret; }\n"},
    {"later version", CALLER, ".version 99.0\n.target sm_90\n"},
    {"later architecture", CALLER, ".version 8.6\n.target sm_100\n.address_size 64\n"},
    {"not PTX", CALLER, "some text"},
};

void link_pair(Line& line, const std::string& a, const std::string& b) {
  Link link(line);
  link.add(a, "a.ptx");
  link.add(b, "b.ptx");
  link.complete();
  link.log();
  link.destroy();
}

void add_orders(Rows& rows) {
  rows.add(Start::CONTEXT, "add after complete", [](Line& line) {
    Link link(line);
    link.add(CALLEE, "a.ptx");
    link.complete();
    link.add(CALLER, "b.ptx");
    link.complete();
    link.destroy();
  });
  rows.add(Start::CONTEXT, "nothing", [](Line& line) {
    Link link(line);
    link.complete();
    link.destroy();
  });
  rows.add(Start::CONTEXT, "without a name", [](Line& line) {
    Link link(line);
    link.add(CALLER, nullptr);
    link.complete();
    link.log();
    link.destroy();
  });
  rows.add(Start::CONTEXT, "text as CUBIN", [](Line& line) {
    Link link(line);
    link.add(CALLER, "a", CU_JIT_INPUT_CUBIN);
    link.add(CALLER, "a", CU_JIT_INPUT_FATBINARY);
    link.add(CALLER, "a", CU_JIT_INPUT_OBJECT);
    link.add(CALLER, "a", CU_JIT_INPUT_LIBRARY);
    link.destroy();
  });
  rows.add(Start::EMPTY, "without a context", [](Line& line) {
    CUlinkState state = nullptr;
    line(cu.cuLinkCreate_v2(0, nullptr, nullptr, &state));
  });
}

}  // namespace

void add_link(Rows& rows) {
  rows.subject("link");
  for (const auto& pair : LINKS)
    rows.add(Start::CONTEXT, pair.name, [&pair](Line& line) { link_pair(line, pair.a, pair.b); });
  add_orders(rows);
}

}  // namespace cucore::cpu::record
