// SPDX-License-Identifier: Apache-2.0
// Recognises images and selects the PTX.
#include "cpu/driver/image.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>

#include "cpu/driver/cubin.hpp"
#include "cpu/driver/fatbin.hpp"
#include "cpu/driver/known_code.hpp"

namespace cucore::cpu {
namespace {

// A version above 9.0, which 13.0 drivers do not support, is accepted. A new instruction fails only
// when it executes.
constexpr int NEWEST_MAJOR = 9;
constexpr uint64_t MAX_FILE_BYTES = uint64_t{1} << 31;
// The place of the pointer in a wrapper, and the size of what the driver reads of one.
constexpr size_t WRAPPED_AT = 8, WRAPPER_SIZE = WRAPPED_AT + sizeof(void*);
constexpr unsigned char ELF[] = {0x7f, 'E', 'L', 'F'};
constexpr unsigned char LTO_IR[] = {0xed, 0x43, 0x4e, 0x7f};
constexpr unsigned char ARCHIVE[] = {'!', '<', 'a', 'r'};

bool starts_with(const void* image, size_t size, const unsigned char (&magic)[4]) {
  return size >= 4 && std::memcmp(image, magic, 4) == 0;
}

PtxText refused(CUresult code, std::string log) { return {code, {}, std::move(log)}; }
PtxText for_linker(std::string log) {
  return {CUDA_ERROR_NO_BINARY_FOR_GPU, {}, std::move(log), true};
}

// The scanner skips comments, because a copyright notice may contain ".version".
class HeaderScanner {
 public:
  explicit HeaderScanner(std::string_view text) : text_(text) {}
  std::string_view word() {
    skip();
    size_t start = at_;
    while (at_ < text_.size() && !std::isspace(static_cast<unsigned char>(text_[at_])) &&
           text_[at_] != ',' && text_.substr(at_, 2) != "//" && text_.substr(at_, 2) != "/*")
      ++at_;
    if (start == at_ && at_ < text_.size()) ++at_;
    return text_.substr(start, at_ - start);
  }
  int line() const { return line_; }
  bool end() const { return at_ >= text_.size(); }

 private:
  void skip() {
    while (at_ < text_.size()) {
      if (text_.substr(at_, 2) == "//") {
        advance_to(text_.find('\n', at_));
      } else if (text_.substr(at_, 2) == "/*") {
        size_t close = text_.find("*/", at_ + 2);
        advance_to(close == std::string_view::npos ? close : close + 2);
      } else if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
        advance_to(at_ + 1);
      } else {
        return;
      }
    }
  }
  void advance_to(size_t to) {
    for (to = std::min(to, text_.size()); at_ < to; ++at_) line_ += text_[at_] == '\n';
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
};

bool target_runs(const PtxHeader& h, int sm) {
  if (h.suffix == 'a') return h.target == sm;
  if (h.suffix == 'f') return h.target <= sm && h.target / 10 == sm / 10;
  return h.target <= sm;
}

PtxText checked(std::string text, int sm) {
  PtxHeader h = read_ptx_header(text);
  char message[200];
  if (h.version / 100 > NEWEST_MAJOR) {
    std::snprintf(message, sizeof message,
                  "ptxas application ptx input, line 1; fatal   : Unsupported .version %d.%d; "
                  "current version is '%d.x'\n",
                  h.version / 100, h.version % 100, NEWEST_MAJOR);
    return refused(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, message);
  }
  if (!target_runs(h, sm)) {
    std::snprintf(message, sizeof message,
                  "ptxas application ptx input, line %d; fatal   : .target sm_%d%s cannot run on "
                  "this device, which is sm_%d; compile for compute_%d or older\n",
                  h.line, h.target, std::string(h.suffix ? 1 : 0, h.suffix).c_str(), sm, sm);
    return refused(CUDA_ERROR_INVALID_PTX, message);
  }
  return {CUDA_SUCCESS, std::move(text), {}};
}

PtxText from_fatbin(const void* image, size_t size, int sm) {
  FatbinResult result = extract_ptx(image, size, static_cast<unsigned>(sm));
  switch (result.status) {
    case FatbinStatus::OK:
      return checked(std::move(result.ptx), sm);
    case FatbinStatus::MALFORMED:
      return refused(CUDA_ERROR_INVALID_IMAGE, "fat binary: " + result.message + "\n");
    default:
      return refused(CUDA_ERROR_NO_BINARY_FOR_GPU,
                     "fat binary: " + result.message +
                         "; the CPU device runs PTX only: compile for compute_XX\n");
  }
}

// Machine code cannot run here, but its PTX may be known.
PtxText from_cubin(const void* image, size_t size, int sm) {
  const auto cubin = cubin_in(image, size);
  if (!cubin.empty()) {
    std::optional<std::string> ptx = KnownCode::instance().find(cubin);
    if (!ptx) ptx = debug_ptx(cubin);
    if (ptx && looks_like_ptx(*ptx)) return checked(std::move(*ptx), sm);
  }
  return refused(CUDA_ERROR_NO_BINARY_FOR_GPU,
                 "the image is a CUBIN, machine code of a GPU; the CPU device runs PTX only: "
                 "compile for compute_XX instead of sm_XX, or compile with the libraries of "
                 "cucpu/compat\n");
}

bool is_wrapper(const void* image, size_t size) {
  uint32_t magic = 0;
  if (size < sizeof magic) return false;
  std::memcpy(&magic, image, sizeof magic);
  return magic == FATBIN_WRAPPER_MAGIC;
}

PtxText from_whole_fatbin(const void* image, int sm) {
  const auto size = fatbin_size(image);
  return size ? from_fatbin(image, *size, sm) : refused(CUDA_ERROR_INVALID_IMAGE, {});
}

// A wrapper that led to another one could lead to itself.
PtxText from_wrapper(const void* wrapper, int sm) {
  const void* inner = nullptr;
  std::memcpy(&inner, static_cast<const char*>(wrapper) + WRAPPED_AT, sizeof inner);
  uint32_t magic = 0;
  if (inner) std::memcpy(&magic, inner, sizeof magic);
  if (magic == FATBIN_MAGIC) return from_whole_fatbin(inner, sm);
  return refused(CUDA_ERROR_INVALID_IMAGE,
                 "the image is a wrapper that does not point to a fat binary\n");
}

PtxText from_bytes(const void* image, size_t size, int sm) {
  if (is_wrapper(image, size))
    return refused(CUDA_ERROR_INVALID_IMAGE,
                   "the image is a wrapper that points to a fat binary, and does not contain it\n");
  if (starts_with(image, size, ELF)) {
    if (is_host_elf(image, size))
      return for_linker("the image is an object of the host; link it\n");
    return from_cubin(image, size, sm);
  }
  if (starts_with(image, size, LTO_IR))
    return for_linker("the image is LTO-IR; link it to PTX first (nvJitLink -lto -ptx)\n");
  if (starts_with(image, size, ARCHIVE)) return for_linker("the image is an archive; link it\n");
  if (is_fatbin(image, size)) return from_fatbin(image, size, sm);
  std::string_view text(static_cast<const char*>(image), size);
  text = text.substr(0, text.find('\0'));
  if (!looks_like_ptx(text))
    return refused(CUDA_ERROR_INVALID_IMAGE, "the image is neither PTX nor a fat binary\n");
  return checked(std::string(text), sm);
}

}  // namespace

PtxHeader read_ptx_header(const std::string& text) {
  PtxHeader h;
  HeaderScanner scan(text);
  while (!scan.end() && (h.version == 0 || h.target == 0)) {
    std::string_view word = scan.word();
    int major = 0, minor = 0;
    if (word == ".version" &&
        std::sscanf(std::string(scan.word()).c_str(), "%4d.%4d", &major, &minor) == 2) {
      h.version = major * 100 + minor;
    } else if (word == ".target") {
      h.line = scan.line();
      std::sscanf(std::string(scan.word()).c_str(), "sm_%d%c", &h.target, &h.suffix);
    } else if (word == ".entry" || word == ".func") {
      break;
    }
  }
  return h;
}

PtxText ptx_of_image(const void* image, int sm) {
  if (!image) return refused(CUDA_ERROR_INVALID_VALUE, {});
  uint32_t first = 0;
  std::memcpy(&first, image, 1);
  // The wrapper and the fat binary begin with bytes that never occur in text.
  if (first == (FATBIN_WRAPPER_MAGIC & 0xff) || first == (FATBIN_MAGIC & 0xff)) {
    uint32_t magic = 0;
    std::memcpy(&magic, image, 4);
    if (magic == FATBIN_WRAPPER_MAGIC) return from_wrapper(image, sm);
    if (magic == FATBIN_MAGIC) return from_whole_fatbin(image, sm);
  }
  if (const auto copy = copy_cubin(image); !copy.empty())
    return from_bytes(copy.data(), copy.size(), sm);
  // Only text ends with a zero.
  const auto* text = static_cast<const char*>(image);
  const bool is_elf = std::strncmp(text, reinterpret_cast<const char*>(ELF), sizeof ELF) == 0;
  const size_t known = std::strlen(text);
  if (is_elf && !is_host_elf(image, known)) return from_bytes(image, sizeof ELF, sm);
  return from_bytes(image, known, sm);
}

PtxText ptx_of_bytes(const void* image, size_t size, int sm) { return from_bytes(image, size, sm); }

PtxText ptx_of_memory(const void* image, size_t size, int sm) {
  const bool wraps = size >= WRAPPER_SIZE && is_wrapper(image, size);
  return wraps ? from_wrapper(image, sm) : from_bytes(image, size, sm);
}

CUresult read_image_file(const char* path, std::string& bytes) {
  // The results for other paths than those of files are those of the real driver.
  std::error_code failed;
  if (*path == 0) return CUDA_ERROR_INVALID_VALUE;
  if (std::filesystem::is_directory(path, failed)) return CUDA_ERROR_OUT_OF_MEMORY;
  if (!std::filesystem::exists(path, failed)) return CUDA_ERROR_FILE_NOT_FOUND;
  if (!std::filesystem::is_regular_file(path, failed)) return CUDA_ERROR_INVALID_IMAGE;
  const auto size = std::filesystem::file_size(path, failed);
  if (failed) return CUDA_ERROR_FILE_NOT_FOUND;
  if (size > MAX_FILE_BYTES) return CUDA_ERROR_INVALID_IMAGE;
  std::ifstream file(path, std::ios::binary);
  if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
  bytes.assign(std::istreambuf_iterator<char>(file), {});
  return bytes.empty() ? CUDA_ERROR_INVALID_IMAGE : CUDA_SUCCESS;
}

PtxText ptx_of_file(const char* path, int sm) {
  std::string bytes;
  const CUresult code = read_image_file(path, bytes);
  return code == CUDA_SUCCESS ? from_bytes(bytes.data(), bytes.size(), sm) : refused(code, {});
}

}  // namespace cucore::cpu
