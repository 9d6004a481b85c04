// SPDX-License-Identifier: Apache-2.0
#include "cache/tiers.hpp"

#include "cache/quietly.hpp"
#include "container/reader.hpp"
#include "container/writer.hpp"

namespace cucore::cache {
namespace {

constexpr size_t COMPRESS_FROM = 64 << 10;
constexpr std::chrono::nanoseconds NEW{0};

bool fits(const container::Code& code, const container::BuildInputs& inputs) {
  if (code.type != inputs.target) return false;
  const auto number = code.arch.number, wanted = inputs.arch.number;
  return number == 0 || wanted == 0 || number == wanted;
}

// Returns nullopt for bytes that are wrong. Bytes may be sound after other failures.
std::optional<container::Code> read_code(std::span<const std::byte> bytes,
                                         const container::ReadOptions& options) {
  try {
    return container::read(bytes, options);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

Tiers::Tiers(const Settings& settings, Codec codec, Store& store, Evictor& evictor,
             Statistics& statistics)
    : settings_(settings),
      codec_(codec),
      store_(store),
      evictor_(evictor),
      statistics_(statistics),
      memory_(settings.memory_bytes) {
  remotes_.on_put = [this] { statistics_.count(Event::REMOTE_STORES); };
  remotes_.on_failure = [this] { statistics_.count(Event::REMOTE_ERRORS); };
}

Result Tiers::find_local(const Request& request, const container::Digest& key) {
  if (Ref<const Object> object = memory_.find(key)) {
    statistics_.count(Event::HITS_MEMORY);
    return {std::move(object), Outcome::HIT_MEMORY};
  }
  Ref<const Object> object = read_entry(request, key);
  if (!object) return {};
  statistics_.count(Event::HITS_DISK);
  return {std::move(object), Outcome::HIT_DISK};
}

Ref<const Object> Tiers::read_entry(const Request& request, const container::Digest& key) {
  auto file = store_.read(key, FileKind::ENTRY);
  if (!file) return nullptr;
  const auto age = std::chrono::nanoseconds(
      std::chrono::system_clock::now().time_since_epoch().count() - file->identity.modified_ns);
  if (settings_.max_age.count() != 0 && age > settings_.max_age) {
    store_.remove(key, FileKind::ENTRY, file->identity);
    return nullptr;
  }
  Checked checked = validate(request, key, file->bytes, age, false);
  if (checked.is_wrong) {
    statistics_.count(Event::CORRUPT);
    store_.remove(key, FileKind::ENTRY, file->identity);
  }
  if (!checked.object) return nullptr;
  statistics_.count(Event::BYTES_READ, file->bytes.size());
  store_.touch(key, FileKind::ENTRY);
  return std::move(checked.object);
}

// Returns the object after a proof that it is the requested one, and puts it into memory.
Tiers::Checked Tiers::validate(const Request& request, const container::Digest& key,
                               std::span<const std::byte> bytes, std::chrono::nanoseconds age,
                               bool must_be_signed) {
  container::ReadOptions options;
  if (must_be_signed) {
    options.policy = container::SignaturePolicy::REQUIRED;
    options.keys = settings_.keys;
  }
  Checked checked;
  quietly([&] {
    std::optional<container::Code> code = read_code(bytes, options);
    checked.is_wrong = !code || !code->key || code->key->digest != key ||
                       (request.inputs && !fits(*code, *request.inputs));
    if (checked.is_wrong) return false;
    std::optional<container::Key>().swap(code->key);
    const uint64_t size = weight(*code);
    checked.object = codec_.wrap(std::move(*code));
    memory_.insert(key, checked.object, size, best_before(age));
    return true;
  });
  return checked;
}

Result Tiers::find_remote(const Request& request, const container::Digest& key) {
  Result result;
  if (remotes_.empty() || (request.reads_files() && key == request.key)) return result;
  remotes_.get(key, FileKind::ENTRY, [&](image::Bytes bytes) {
    result.object = validate(request, key, bytes, NEW, true).object;
    if (!result.object) {
      statistics_.count(Event::REMOTE_REFUSED);
      return false;
    }
    write_entry(key, bytes);
    return true;
  });
  if (!result.object) {
    statistics_.count(Event::REMOTE_MISSES);
    return {};
  }
  statistics_.count(Event::HITS_REMOTE);
  result.outcome = Outcome::HIT_REMOTE;
  return result;
}

void Tiers::store(const Request& request, const container::Digest& key,
                  const Ref<const Object>& object) {
  const container::Code& code = codec_.unwrap(*object);
  memory_.insert(key, object, weight(code), best_before(NEW));
  const bool shares = !remotes_.empty() && remotes_.can_write() && settings_.signing_key;
  if (!store_.can_write() && !shares) return;
  const container::Key written{key, request.fields()};
  container::WriteOptions options;
  options.key = &written;
  options.compress = code.bytes.size() >= COMPRESS_FROM;
  options.level = 1;
  const image::Bytes bytes = container::write(code, options);
  if (store_.can_write()) {
    if (write_entry(key, bytes)) {
      statistics_.count(Event::STORES);
      statistics_.count(Event::BYTES_WRITTEN, bytes.size());
    } else {
      statistics_.count(Event::STORE_FAILURES);
    }
  }
  if (shares) remotes_.put(key, FileKind::ENTRY, container::sign(bytes, *settings_.signing_key));
}

bool Tiers::remove(const container::Digest& key) {
  const bool was_in_memory = memory_.erase(key);
  return store_.remove(key, FileKind::ENTRY) || was_in_memory;
}

void Tiers::store_manifest(const container::Digest& key, image::Bytes bytes) {
  if (store_.can_write() && !store_.write_or_warn(key, FileKind::MANIFEST, bytes))
    statistics_.count(Event::STORE_FAILURES);
  if (!remotes_.empty() && settings_.signing_key)
    remotes_.put(key, FileKind::MANIFEST, std::move(bytes));
}

// An entry larger than the limit of the folder would evict all others.
bool Tiers::write_entry(const container::Digest& key, std::span<const std::byte> bytes) {
  if (bytes.size() > evictor_.limits().bytes || !store_.write_or_warn(key, FileKind::ENTRY, bytes))
    return false;
  evictor_.enforce();
  return true;
}

MemoryTier::Time Tiers::best_before(std::chrono::nanoseconds age) const {
  if (settings_.max_age.count() == 0) return MemoryTier::NEVER;
  return std::chrono::steady_clock::now() + settings_.max_age - age;
}

void Tiers::touch_used() {
  memory_.take_used([&](const container::Digest& key) { store_.touch(key, FileKind::ENTRY); });
}

}  // namespace cucore::cache
