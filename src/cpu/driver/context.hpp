// SPDX-License-Identifier: Apache-2.0
// A context: the streams, memory, modules and error state of a device.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "cpu/driver/queue.hpp"
#include "cpu/driver/registry.hpp"
#include "cpu/exec/output.hpp"

namespace cucore::cpu {

class Device;
class Library;
class ModuleInstance;
class Stream;

class Context : public Object, public std::enable_shared_from_this<Context> {
 public:
  static constexpr ObjectKind KIND = ObjectKind::CONTEXT;

  Context(Device& device, bool primary);

  Device& device() const { return device_; }
  Output& output() { return output_; }
  uint64_t id() const { return id_; }
  bool primary() const { return primary_; }
  bool alive() const { return alive_.load(std::memory_order_acquire); }

  void open(unsigned flags);  // primary contexts open again after close
  void close();               // ends the work and frees everything that the context owns

  // Returns SUCCESS, the sticky error of a fault, or CONTEXT_IS_DESTROYED.
  CUresult error() const;
  void check() const { require_success(error()); }
  // Does the same as check(), and writes what kernels printed before the fault.
  void check_and_flush() {
    if (poisoned()) output_.flush();
    check();
  }
  void poison(CUresult code, std::string text);  // the first error stays
  bool poisoned() const { return sticky_.load(std::memory_order_acquire) != CUDA_SUCCESS; }
  std::string fault_text() const;

  std::shared_ptr<Stream> legacy_stream();
  bool legacy_idle();                       // true: the default stream has nothing to wait for
  std::shared_ptr<Stream> thread_stream();  // the calling thread's default stream
  void add_stream(const std::shared_ptr<Stream>& stream);
  void synchronize();  // waits for all streams; throws the context's error

  // Returns the streams whose work so far comes before new work of the stream.
  std::vector<std::shared_ptr<Stream>> streams_before(const Stream& stream);
  // Adds work to a stream's queue, after the work that CUDA's default-stream rules require.
  Ticket submit(Stream& stream, Queue::Work work, std::vector<Ticket> after, bool may_claim);

  // Registers a handle that ends with the context.
  void adopt(ObjectKind kind, uint64_t handle);
  void disown(uint64_t handle);

  // Returns the instance of a library in this context; `make` creates the first one.
  std::shared_ptr<ModuleInstance> instance(
      const Library& library, const std::function<std::shared_ptr<ModuleInstance>()>& make);
  std::shared_ptr<ModuleInstance> find_instance(const Library& library) const;
  void drop_instance(const Library& library);

  unsigned flags() const { return flags_; }
  void set_flags(unsigned flags) { flags_ = flags; }
  size_t limit(CUlimit which) const;
  void set_limit(CUlimit which, size_t value);
  std::atomic<CUfunc_cache> cache_config{CU_FUNC_CACHE_PREFER_NONE};
  std::atomic<CUsharedconfig> shared_config{CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE};

  bool enable_peer(const Context& peer);  // false: already enabled
  bool disable_peer(const Context& peer);
  bool reaches(const Device& device) const;  // its own, or enabled by cuCtxEnablePeerAccess
  uint64_t accessible_devices() const;       // one bit per device whose memory kernels may access

 private:
  static void require_success(CUresult code) {
    if (code != CUDA_SUCCESS) fail(code);
  }
  void order(const Stream& stream, std::vector<Ticket>& after);
  std::vector<std::shared_ptr<Stream>> before(const Stream& stream) const;
  std::vector<Ticket> last_tickets();
  std::vector<std::shared_ptr<Stream>> all_streams();
  void end_handles();
  void reset_state();

  Device& device_;
  const uint64_t id_;
  const bool primary_;
  std::atomic<unsigned> flags_{0};
  std::atomic<bool> alive_{false};
  std::atomic<CUresult> sticky_{CUDA_SUCCESS};
  Output output_;

  mutable std::mutex mutex_;  // guards the members below
  std::string fault_text_;
  std::unordered_map<uint64_t, ObjectKind> children_;
  std::map<uint64_t, std::shared_ptr<ModuleInstance>> instances_;  // key: library
  std::map<CUlimit, size_t> limits_;
  std::map<uint64_t, int> peers_;  // context id: device

  std::mutex order_mutex_;  // held while work enters any queue of the context
  std::shared_ptr<Stream> legacy_;
  std::vector<std::shared_ptr<Stream>> streams_;
};

// Returns the calling thread's current context. Throws INVALID_CONTEXT if it has none, or the
// context's error.
std::shared_ptr<Context> current_context();
std::shared_ptr<Context> current_context_unchecked();  // nullptr: none is current
uint64_t id_of_current_context();                      // 0: none is current

}  // namespace cucore::cpu
