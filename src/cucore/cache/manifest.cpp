// SPDX-License-Identifier: Apache-2.0
#include "cache/manifest.hpp"

#include <algorithm>
#include <cstring>

#include "support/sha256.hpp"

namespace cucore::cache {
namespace {

constexpr char MAGIC[8] = {'C', 'U', 'C', 'O', 'M', 'A', 'N', '1'};

class Writer {
 public:
  template <class T>
  Writer& put(const T& value) {
    static_assert(std::has_unique_object_representations_v<T>);
    const auto raw = std::as_bytes(std::span(&value, 1));
    bytes_.insert(bytes_.end(), raw.begin(), raw.end());
    return *this;
  }
  Writer& put(const std::string& text) {
    put(static_cast<uint32_t>(text.size()));
    const auto raw = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), raw.begin(), raw.end());
    return *this;
  }
  image::Bytes take() { return std::move(bytes_); }
  const image::Bytes& bytes() const { return bytes_; }

 private:
  image::Bytes bytes_;
};

// Returns zeros past the end, and records that it did.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  T get() {
    T value{};
    if (!take(sizeof value)) return value;
    std::memcpy(&value, bytes_.data() + at_ - sizeof value, sizeof value);
    return value;
  }
  std::string text() {
    const auto size = get<uint32_t>();
    if (!take(size)) return {};
    return {reinterpret_cast<const char*>(bytes_.data()) + at_ - size, size};
  }
  // Returns a count of elements that have at least `least` bytes each.
  uint32_t count(size_t least) {
    const auto value = get<uint32_t>();
    if (value > (bytes_.size() - at_) / least) failed_ = true;
    return failed_ ? 0 : value;
  }
  bool is_done() const { return !failed_ && at_ == bytes_.size(); }
  bool failed() const { return failed_; }

 private:
  bool take(size_t size) {
    if (failed_ || size > bytes_.size() - at_) failed_ = true;
    if (!failed_) at_ += size;
    return !failed_;
  }

  std::span<const std::byte> bytes_;
  size_t at_ = 0;
  bool failed_ = false;
};

void put(Writer& out, const Record& record) {
  out.put(record.result).put(record.directory);
  out.put(static_cast<uint32_t>(record.toolkits.size()));
  for (const ToolkitFolder& folder : record.toolkits)
    out.put(folder.path).put(folder.fingerprint).put(static_cast<uint32_t>(folder.is_bound));
  out.put(static_cast<uint32_t>(record.files.size()));
  for (const ManifestFile& file : record.files)
    out.put(file.path).put(file.stamp).put(file.digest).put(file.toolkit);
  out.put(static_cast<uint32_t>(record.probes.size()));
  for (const Probe& probe : record.probes)
    out.put(probe.path).put(static_cast<uint32_t>(probe.is_there)).put(probe.toolkit);
}

Record get_record(Reader& in) {
  Record record;
  record.result = in.get<container::Digest>();
  record.directory = in.text();
  for (uint32_t n = in.count(40); n > 0 && !in.failed(); --n) {
    ToolkitFolder& folder = record.toolkits.emplace_back();
    folder.path = in.text();
    folder.fingerprint = in.get<container::Digest>();
    folder.is_bound = in.get<uint32_t>() != 0;
  }
  const uint32_t files = in.count(80);
  record.files.reserve(files);
  for (uint32_t n = files; n > 0 && !in.failed(); --n) {
    ManifestFile& file = record.files.emplace_back();
    file.path = in.text();
    file.stamp = in.get<FileStamp>();
    file.digest = in.get<container::Digest>();
    file.toolkit = in.get<uint32_t>();
  }
  for (uint32_t n = in.count(12); n > 0 && !in.failed(); --n) {
    Probe& probe = record.probes.emplace_back();
    probe.path = in.text();
    probe.is_there = in.get<uint32_t>() != 0;
    probe.toolkit = in.get<uint32_t>();
  }
  return record;
}

bool are_toolkits_inside(const Record& record) {
  for (const ManifestFile& file : record.files)
    if (file.toolkit > record.toolkits.size()) return false;
  for (const Probe& probe : record.probes)
    if (probe.toolkit > record.toolkits.size()) return false;
  return true;
}

}  // namespace

// Hashes everything that a check of the record uses. A manifest from a remote is not signed; the
// entry that it leads to is.
container::Digest Record::result_key(const container::Digest& inputs) const {
  Writer framed;
  framed.put(inputs).put(directory);
  // A file is framed as a folder is, so the counts keep them distinct.
  framed.put(static_cast<uint32_t>(files.size())).put(static_cast<uint32_t>(toolkits.size()));
  for (const ManifestFile& file : files) framed.put(file.path).put(file.digest).put(file.toolkit);
  for (const ToolkitFolder& folder : toolkits)
    framed.put(folder.path).put(folder.fingerprint).put(static_cast<uint32_t>(folder.is_bound));
  for (const Probe& probe : probes)
    framed.put(probe.path).put(static_cast<uint32_t>(probe.is_there)).put(probe.toolkit);
  return sha256(framed.bytes());
}

bool Manifest::is_bound_to_results() const {
  return std::ranges::all_of(
      records, [&](const Record& record) { return record.result == record.result_key(key); });
}

void Manifest::forget_stamps() {
  for (Record& record : records)
    for (ManifestFile& file : record.files) file.stamp = {};
}

void Manifest::add(Record record) {
  std::erase_if(records, [&](const Record& known) { return known.result == record.result; });
  records.insert(records.begin(), std::move(record));
  if (records.size() > MOST) records.resize(MOST);
}

image::Bytes Manifest::serialize() const {
  Writer out;
  for (const char c : MAGIC) out.put(c);
  out.put(key);
  out.put(static_cast<uint32_t>(records.size()));
  for (const Record& record : records) cache::put(out, record);
  const container::Digest sum = sha256(out.bytes());
  out.put(sum);
  return out.take();
}

std::optional<Manifest> Manifest::parse(std::span<const std::byte> bytes,
                                        const container::Digest& key) {
  constexpr size_t SUM = sizeof(container::Digest);
  if (bytes.size() < sizeof MAGIC + 2 * SUM) return std::nullopt;
  const auto body = bytes.first(bytes.size() - SUM);
  const container::Digest sum = sha256(body);
  if (std::memcmp(sum.data(), bytes.data() + body.size(), SUM) != 0) return std::nullopt;
  Reader in(body);
  for (const char c : MAGIC)
    if (in.get<char>() != c) return std::nullopt;
  Manifest manifest;
  manifest.key = in.get<container::Digest>();
  if (manifest.key != key) return std::nullopt;
  for (uint32_t n = in.count(48); n > 0 && !in.failed(); --n) {
    manifest.records.push_back(get_record(in));
    if (!are_toolkits_inside(manifest.records.back())) return std::nullopt;
  }
  if (!in.is_done() || manifest.records.size() > MOST) return std::nullopt;
  return manifest;
}

}  // namespace cucore::cache
