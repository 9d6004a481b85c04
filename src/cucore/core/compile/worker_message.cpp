// SPDX-License-Identifier: Apache-2.0
#include "core/compile/worker_message.hpp"

#include <cstring>

namespace cucore::core {
namespace {

enum Kind : uint32_t { JOB = 1, RESULT, ERROR };

class Packer {
 public:
  explicit Packer(Kind kind) { put(static_cast<uint32_t>(kind)); }
  Packer& put(uint32_t number) {
    out_.append(reinterpret_cast<const char*>(&number), sizeof number);
    return *this;
  }
  Packer& put(std::string_view text) {
    put(static_cast<uint32_t>(text.size()));
    out_ += text;
    return *this;
  }
  Packer& put(const std::vector<std::string>& texts) {
    put(static_cast<uint32_t>(texts.size()));
    for (const std::string& text : texts) put(std::string_view(text));
    return *this;
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// Returns nothing past the end, and records that it did.
class Unpacker {
 public:
  explicit Unpacker(std::string_view in) : in_(in) {}
  uint32_t number() {
    uint32_t value = 0;
    const std::string_view raw = take(sizeof value);
    if (!raw.empty()) std::memcpy(&value, raw.data(), sizeof value);
    return value;
  }
  std::string_view bytes() { return take(number()); }
  std::string text() { return std::string(bytes()); }
  std::vector<std::string> texts() {
    std::vector<std::string> out;
    for (uint32_t n = number(); n > 0 && !failed_; --n) out.push_back(text());
    return out;
  }
  bool is_done() const { return !failed_ && in_.empty(); }

 private:
  std::string_view take(size_t size) {
    if (size > in_.size()) failed_ = true;
    if (failed_) return {};
    const std::string_view part = in_.substr(0, size);
    in_.remove_prefix(size);
    return part;
  }
  std::string_view in_;
  bool failed_ = false;
};

std::string_view as_text(const image::Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

image::Bytes to_bytes(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// The name of a library in an Origin must live forever.
const char* known_library(std::string_view name) {
  for (const char* known : {"cuda", "nvrtc", "nvjitlink", "nvvm"})
    if (name == known) return known;
  return "cucore";
}

[[noreturn]] void refuse() { throw Error(Status::INTERNAL, "the answer of a worker is malformed"); }

// OK would be taken for a result.
bool is_failure(Status status) {
  switch (status) {
#define STATUS(name, number) case Status::name:
#include "support/status.inc"
#undef STATUS
    return true;
    default:
      return false;
  }
}

[[noreturn]] void throw_error(Unpacker& in) {
  const auto status = static_cast<Status>(in.number());
  std::string message = in.text();
  std::string log = in.text();
  const char* library = known_library(in.bytes());
  const auto code = static_cast<int32_t>(in.number());
  std::string name = in.text();
  if (!is_failure(status) || !in.is_done()) refuse();
  throw Error(status, std::move(message), std::move(log), {library, code, std::move(name)});
}

}  // namespace

std::string pack(const NvrtcJob& job) {
  return Packer(JOB)
      .put(job.source)
      .put(job.name)
      .put(job.header_names)
      .put(job.header_sources)
      .put(job.flags)
      .put(job.expressions)
      .put(static_cast<uint32_t>(job.target))
      .put(job.what)
      .put(static_cast<uint32_t>(job.makes_code))
      .take();
}

std::string pack(const NvrtcResult& result) {
  return Packer(RESULT)
      .put(as_text(result.bytes))
      .put(as_text(result.ptx))
      .put(result.log)
      .put(result.lowered_names)
      .take();
}

std::string pack(const Error& error) {
  return Packer(ERROR)
      .put(static_cast<uint32_t>(error.status()))
      .put(error.message())
      .put(error.log())
      .put(std::string_view(error.origin().library))
      .put(static_cast<uint32_t>(error.origin().code))
      .put(error.origin().name)
      .take();
}

std::optional<NvrtcJob> unpack_job(std::string_view message) {
  Unpacker in(message);
  if (in.number() != JOB) return std::nullopt;
  NvrtcJob job;
  job.source = in.text();
  job.name = in.text();
  job.header_names = in.texts();
  job.header_sources = in.texts();
  job.flags = in.texts();
  job.expressions = in.texts();
  job.target = static_cast<image::CodeType>(in.number());
  job.what = in.text();
  job.makes_code = in.number() != 0;
  if (!in.is_done()) return std::nullopt;
  return job;
}

NvrtcResult unpack_result(std::string_view message, size_t name_count) {
  Unpacker in(message);
  const uint32_t kind = in.number();
  if (kind == ERROR) throw_error(in);
  NvrtcResult result;
  result.bytes = to_bytes(in.bytes());
  result.ptx = to_bytes(in.bytes());
  result.log = in.text();
  result.lowered_names = in.texts();
  if (kind != RESULT || !in.is_done() || result.lowered_names.size() != name_count) refuse();
  return result;
}

}  // namespace cucore::core
