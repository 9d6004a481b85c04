// The program cache: a result of a compile or a link is built once, ever, and found from then on in
// memory, on disk or with a remote. Its failures are never those of the work that it saves.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cache/building.hpp"
#include "cache/flights.hpp"
#include "cache/manifest_check.hpp"
#include "cache/memory_tier.hpp"
#include "cache/record_builder.hpp"
#include "cache/remote.hpp"
#include "cache/statistics.hpp"
#include "cache/store.hpp"
#include "container/build_inputs.hpp"
#include "container/signature.hpp"
#include "support/per_process.hpp"

namespace cucore::cache {

// How the objects that callers see are made of plain values and back; the cache does not know them.
struct Codec {
  Ref<const Object> (*wrap)(container::Code code);
  const container::Code& (*unwrap)(const Object& object);
};

struct Settings {
  std::string directory;  // "": no disk tier
  uint64_t max_bytes = uint64_t{1} << 30;
  uint64_t max_entries = 20000;
  uint64_t memory_bytes = uint64_t{64} << 20;
  std::chrono::seconds max_age{0};  // 0: no bound
  std::chrono::milliseconds lock_timeout{30000};
  bool is_off = false;
  bool read_only = false;
  bool hermetic = false;
  bool durable = false;
  bool trust_toolkit = false;
  std::optional<bool> locking;  // default: but on network file systems
  std::string name_space;
  std::optional<container::SigningKey> signing_key;
  std::vector<container::VerifyingKey> keys;
};

enum class Outcome { HIT_MEMORY = 1, HIT_DISK, HIT_REMOTE, JOINED, BUILT, NOT_STORED, BYPASSED };

struct Result {
  Ref<const Object> object;
  Outcome outcome = Outcome::BYPASSED;
};

struct Build {
  std::function<Ref<const Object>()> build;
  // Makes the compiler leave a trace of the files that it reads at that path, and no more.
  std::function<void(const std::string& path)> trace;
};

// A file of the cache as verify() and query() show it.
struct EntryReport {
  container::Digest key{};
  FileKind kind = FileKind::ENTRY;
  uint64_t size = 0;
  int64_t made_ns = 0, used_ns = 0;
  bool is_sound = true;
  std::string name, arch, problem;
  image::CodeType type{};
  size_t done = 0, total = 0;  // how far the walk is
};
using Report = std::function<bool(const EntryReport&)>;  // false ends the walk

// What is known of a file before it is read.
EntryReport report_of(const FoundFile& file, size_t done, size_t total);

class Cache final : public Object {
 public:
  static Ref<Cache> open(Settings settings, Codec codec);

  // This one; in a child of a fork another of the same settings, with nothing in memory and without
  // the remotes, whose connections are the parent's. Every call of a user begins here. Throws
  // INVALID_STATE within a function of one of its remotes.
  Cache& here();
  // Before a user's reference to it is given back.
  void prepare_release();

  // What the inputs give: found, or built and kept. Only the build's own failure is thrown.
  Result obtain(const container::BuildInputs& inputs, const Build& build);

  // What obtain() would find without a build or a remote; null where it would find nothing.
  Result find(const container::BuildInputs& inputs);

  // Under a key of the caller's. get() is null where there is none.
  Result get(const container::Digest& key);
  bool put(const container::Digest& key, const Object& object);
  Result get_or_build(const container::Digest& key, const Build& build);

  void add_remote(std::unique_ptr<Remote> remote);

  const Statistics& statistics() const { return statistics_; }
  Counters::Events all_events();  // of every process that has used the folder
  Usage usage() { return store_.usage(); }
  const Settings& settings() const { return settings_; }
  const std::string& problem() const { return store_.root().problem; }
  bool has_disk() const { return store_.is_open(); }
  bool can_write() const { return store_.can_write(); }

  // Evicts the least recently used until no more than this is left; 0 empties the cache. Throws
  // INVALID_STATE within its own report.
  uint64_t trim(uint64_t max_bytes, uint64_t max_entries, const Report& report);
  // Reads every file, and removes what is damaged. How many were.
  uint64_t verify(const Report& report);
  void query(const Report& report);
  // Why there is no result of these inputs; or where it is.
  std::string explain(const container::BuildInputs& inputs);

 private:
  struct Request;
  struct LiveManifest;
  Cache(Settings settings, Codec codec);
  ~Cache() override;

  Request request_of(const container::BuildInputs& inputs) const;
  Request request_of(const container::Digest& key) const;
  container::Digest last_key(const Request& request) const;

  void release_elsewhere();
  bool locks() const;
  BuildPlace place() const;
  Result obtain(Request& request, const Build& build);
  Result lead(Request& request, const Build& build, Flights::Flight& flight);
  Result build(Request& request, const Build& build, const Flights::Flight* flight);
  std::optional<std::vector<std::string>> traced_headers(const Request& request,
                                                         const RecordBuilder& record,
                                                         const Build& build) const;
  void require_hermetic(const Request& request, const std::optional<RecordBuilder>& record,
                        const Build& build) const;
  Result find(Request& request);
  Result find_entry(Request& request, const container::Digest& key);
  Result find_by_files(Request& request);
  Result find_remote(Request& request, const container::Digest& key);
  bool load_manifest(Request& request);
  Ref<const Object> read_entry(const Request& request, const container::Digest& key);
  Ref<const Object> accept(const Request& request, const container::Digest& key,
                           std::span<const std::byte> bytes, std::chrono::nanoseconds age,
                           bool must_be_signed);
  MemoryTier::Time best_before(std::chrono::nanoseconds age) const;
  bool keep(Request& request, const Ref<const Object>& object);
  bool keep_entry(Request& request, const container::Digest& key, const Ref<const Object>& object);
  void keep_manifest(const Request& request, LiveManifest& manifest, Record record);
  void keep_last(const Request& request);
  std::vector<container::KeyField> read_last(const Request& request) const;
  Event miss_reason(const Request& request, std::string* text);
  void count_miss(const Request& request);
  bool store(const container::Digest& key, std::span<const std::byte> bytes);
  bool write(const container::Digest& key, FileKind kind, std::span<const std::byte> bytes);
  void bound();
  void touch_used();
  void evict(uint64_t max_bytes, uint64_t max_files, size_t shards, const Report& report,
             uint64_t& evicted);
  void flush_statistics();
  void check_file(const FoundFile& file, EntryReport& report);

  const Settings settings_;
  const Codec codec_;
  Store store_;
  MemoryTier memory_;
  Flights flights_;
  FileIndex files_;
  Toolkits toolkits_;
  Statistics statistics_;
  Remotes remotes_;
  std::mutex manifests_mutex_;
  std::unordered_map<container::Digest, std::shared_ptr<LiveManifest>, DigestHash> manifests_;
  std::mutex bound_mutex_;
  std::atomic<int> write_failure_{0};  // the last, as in errno
  const unsigned forks_ = fork_count();
  PerProcess<Ref<Cache>> in_child_;
};

}  // namespace cucore::cache
