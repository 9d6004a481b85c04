// SPDX-License-Identifier: Apache-2.0
// The state of the fake driver: devices, contexts and everything that lives in them.
#pragma once

#include <cuda.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "fakes/fake_calls.hpp"
#include "fakes/fake_image.hpp"

namespace fake {

// Handles are numbers that are never reused, so that a stale one is always detected.
template <class Handle>
Handle to_handle(uint64_t number) {
  return reinterpret_cast<Handle>(number);
}

// The live objects of one kind.
template <class Handle, class Object>
class Objects {
 public:
  Objects(const char* kind, uint64_t first) : kind_(kind), next_(first) {}

  Handle add(Object object) {
    const Handle handle = to_handle<Handle>(next_);
    next_ += 16;
    ++created_;
    alive_.emplace(handle, std::make_unique<Object>(std::move(object)));
    return handle;
  }

  Object* find(Handle handle) {
    const auto found = alive_.find(handle);
    return found == alive_.end() ? nullptr : found->second.get();
  }

  // A real driver may crash on a dead handle, so it is recorded.
  Object* find_or_note(Handle handle, const char* use) {
    Object* object = find(handle);
    if (!object) calls().violation(std::string(use) + " with a " + kind_ + " that is not alive");
    return object;
  }

  bool remove(Handle handle, const char* use) {
    if (!find_or_note(handle, use)) return false;
    alive_.erase(handle);
    return true;
  }

  template <class Predicate>
  void remove_if(Predicate predicate) {
    std::erase_if(alive_, [&](const auto& entry) { return predicate(*entry.second); });
  }

  // Returns the handle of the first object that matches, or null.
  template <class Predicate>
  Handle find_if(Predicate predicate) const {
    for (const auto& [handle, object] : alive_)
      if (predicate(*object)) return handle;
    return nullptr;
  }

  template <class Visit>
  void each(Visit visit) {
    for (auto& [handle, object] : alive_) visit(*object);
  }

  const char* kind() const { return kind_; }
  uint64_t alive() const { return alive_.size(); }
  uint64_t created() const { return created_; }

 private:
  const char* kind_;
  uint64_t next_;
  uint64_t created_ = 0;
  std::map<Handle, std::unique_ptr<Object>> alive_;
};

struct Context {
  int device = 0;
  unsigned references = 0;
  bool active = false;
  CUcontext handle = nullptr;
};

struct Capture {
  bool active = false;
  bool invalidated = false;
  uint64_t id = 0;
  CUgraph graph = nullptr;
  bool is_into = false;  // the graph existed before
  CUstream origin = nullptr;
  std::vector<CUgraphNode> point;      // that the next work comes after
  std::vector<CUgraphEdgeData> edges;  // of the point, as a query returns them
};

struct Stream {
  Context* context = nullptr;
  unsigned flags = 0;
  int priority = 0;
  uint64_t id = 0;
  Capture capture;
  std::map<int, CUlaunchAttributeValue> attributes{};
  uint64_t queued = 0;  // waits and frees while streams are held
};

struct Event {
  Context* context = nullptr;
  unsigned flags = 0;
  bool recorded = false;
  uint64_t capture = 0;        // the last capture that recorded it
  uint64_t record_number = 0;  // complete once the held work up to it has been released
  std::chrono::steady_clock::time_point when;
  std::vector<CUgraphNode> point;  // of the capture
};

enum class MemoryKind { DEVICE, HOST, MANAGED, GLOBAL };

struct Memory {
  Context* context = nullptr;
  MemoryKind kind = MemoryKind::DEVICE;
  std::vector<unsigned char> bytes;
  CUmemoryPool pool = nullptr;
  // Of a node of a graph: whether a launch has allocated it, and whether the graph is gone.
  bool is_of_graph = false, is_allocated = false, is_orphan = false;
};

struct Library;

struct Kernel {
  CUlibrary library = nullptr;
  KernelImage image;
  std::map<std::pair<int, int>, int> attributes;  // of (attribute, device)
};

// A kernel in one context.
struct Function {
  CUkernel kernel = nullptr;
  Context* context = nullptr;
};

struct Global {
  GlobalImage image;
  std::map<Context*, CUdeviceptr> addresses;
};

struct Library {
  Image::Kind kind = Image::INVALID;
  std::vector<CUkernel> kernels;
  std::vector<Global> globals;
};

struct Link {
  Image image;
  std::string output;
};

// Objects that graphs keep: destroyed with the last owner.
using UserObject = std::shared_ptr<void>;

struct Kept {
  CUuserObject handle = nullptr;
  UserObject object;
};

// One node. The work is shared by clones and executables, and replaced when the node is set.
struct GraphNode {
  CUgraph graph = nullptr;
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  std::shared_ptr<const fake_launch> launch;  // of a kernel
  std::function<void()> run;                  // of other work
  CUevent event = nullptr;
  CUgraph child = nullptr;                       // owned
  std::shared_ptr<std::vector<CUgraph>> bodies;  // of a conditional node, owned
  std::shared_ptr<void> memory;                  // of an allocation
  CUdeviceptr address = 0;                       // that the node allocates or frees
  bool is_row = true;                            // of a copy
  CUDA_MEMCPY3D copy{};                          // as it was added or set
  CUDA_MEMSET_NODE_PARAMS fill{};                // the same
  std::vector<CUgraphNode> before;
  // Of a step of an executable: the objects of a child, and the steps of it that follow.
  bool is_enabled = true;
  size_t steps = 0;
  std::vector<Kept> kept;
};

struct Graph {
  std::vector<CUgraphNode> nodes;             // in the order of adding
  std::map<CUgraphNode, CUgraphNode> clones;  // by the node that each was copied from
  std::vector<Kept> kept;
  bool is_child = false;
  bool has_conditions = false;
};

// The nodes at the time of the instantiation, in an order that the edges permit, with the nodes of
// each child after it.
struct GraphExec {
  std::vector<GraphNode> steps;
  std::vector<CUgraphNode> nodes;  // of the steps
  std::vector<Kept> kept;
  bool frees_first = false;
  CUgraph single = nullptr;  // a graph with memory, which has no other executable
};

struct Pool {
  int device = 0;
  bool is_default = false;  // exists as long as the driver: no live object
  std::map<int, uint64_t> attributes;
  std::map<int, CUmemAccess_flags> access = {};  // of other devices
};

struct Semaphore {
  int descriptor = -1;  // owned
  bool is_timeline = false;
};

struct Settings {
  int device_count = 2;
  bool has_peer_access = true;
  uint64_t total_memory = 150'754'820'096;
  uint64_t queue_size = UINT64_MAX;
  std::deque<float> elapsed;  // scripted, in milliseconds
  CUresult fault = CUDA_SUCCESS;
  std::string fault_text;
  std::map<std::pair<int, int>, int> device_attributes;
  std::vector<KernelImage> kernels;
  std::vector<GlobalImage> globals;
  std::map<std::pair<std::string, int>, int> kernel_attributes;
  void (*launch_hook)(const fake_launch*, void*) = nullptr;
  void* launch_data = nullptr;
};

struct Driver {
  Driver();

  // A lock per entry; recursive, because entries call other entries.
  std::recursive_mutex mutex;
  std::condition_variable_any let_go;

  Settings settings;
  int version;
  bool initialised = false;
  bool held = false;
  bool checks_running = false;
  uint64_t records = 0;       // number of recorded events
  uint64_t let_go_up_to = 0;  // the complete records
  uint64_t memory_used = 0;
  uint64_t captures = 0;
  uint64_t conditions = 0;
  std::deque<Context> contexts;
  std::vector<fake_launch> launches;
  uint64_t launch_count = 0;

  Objects<CUstream, Stream> streams{"stream", 0x10000000};
  Objects<CUevent, Event> events{"event", 0x20000000};
  Objects<CUlibrary, Library> libraries{"library", 0x30000000};
  Objects<CUkernel, Kernel> kernels{"kernel", 0x40000000};
  Objects<CUfunction, Function> functions{"function", 0xc0000000};
  Objects<CUlinkState, Link> links{"link", 0x50000000};
  Objects<CUgraph, Graph> graphs{"graph", 0x60000000};
  Objects<CUgraphNode, GraphNode> graph_nodes{"graph_node", 0x90000000};
  Objects<CUgraphExec, GraphExec> graph_execs{"graph_exec", 0x70000000};
  Objects<CUuserObject, UserObject> user_objects{"user_object", 0xa0000000};
  Objects<CUmemoryPool, Pool> pools{"pool", 0x80000000};
  Objects<CUexternalSemaphore, Semaphore> semaphores{"semaphore", 0xb0000000};
  std::map<uintptr_t, Memory> memory;
  uint64_t memory_created = 0;
};

Driver& driver();
const void* check_sessions();  // the table of sessions of checks

// The properties of this variant of the fake; see variant.cpp.
struct Variant {
  int version;
  int device_count;
  bool is_cpu;          // answers as the CPU device does
  const char* missing;  // names of entries that it lacks, separated by spaces
};
extern const Variant VARIANT;

// Returns the current context of the calling thread, if it can be used; else INVALID_CONTEXT, or
// the error that broke it.
CUresult current(Context*& context);
CUresult usable(const Context* context);
// has no destructor, because programs release objects after a thread's own are destroyed
class ContextStack {
 public:
  bool empty() const { return size_ == 0; }
  CUcontext back() const { return contexts_[size_ - 1]; }
  void push_back(CUcontext context) { contexts_[size_++] = context; }
  void pop_back() { --size_; }

 private:
  CUcontext contexts_[256] = {};
  size_t size_ = 0;
};
ContextStack& context_stack();
Context* context_of(CUcontext handle);

// Returns the context and the stream behind a handle, also for default streams (stream is then
// null).
CUresult resolve(CUstream handle, Context*& context, Stream*& stream, const char* use);

// Does the same for work. It is refused in an invalid capture, and on the legacy default stream
// while a blocking stream is captured, which invalidates that capture.
CUresult resolve_work(CUstream handle, Context*& context, Stream*& stream, const char* use);

// Returns whether the handle is the legacy default stream, and a blocking stream of the context is
// captured.
bool is_blocked_by_capture(CUstream handle, const Context* context);

// Finds the kernel behind the handle of a kernel or of a function, which is dead with its context.
CUresult find_kernel(const void* handle, Kernel*& kernel, const char* use);
// The same for a launch in a context. A function of another context is refused.
CUresult find_launched(const void* handle, const Context* context, Kernel*& kernel,
                       const char* use);

// Invalidates the captures that match the predicate. Returns false if none matches.
template <class Predicate>
bool invalidate_captures(Predicate predicate);

// Waits until held work has been released.
void wait_until_let_go(std::unique_lock<std::recursive_mutex>& lock);

// Takes a place in the queue of a stream, and waits for one if necessary.
void take_place(std::unique_lock<std::recursive_mutex>& lock, Stream* stream);

CUresult allocate(Context* context, MemoryKind kind, size_t size, CUdeviceptr* out);
CUresult free_memory(CUdeviceptr address, bool host, const char* use);
void free_globals(Library& library, Context* context);
void destroy_contents(Context& context);

// Returns the allocation that contains the whole range, or null.
Memory* memory_at(CUdeviceptr address, size_t size);
// Copies in three dimensions. All memory has an address of the host.
bool is_valid_box(const CUDA_MEMCPY3D& copy);
CUresult copy_box(const CUDA_MEMCPY3D& copy);

template <class Predicate>
bool invalidate_captures(Predicate predicate) {
  bool any = false;
  driver().streams.each([&](Stream& stream) {
    if (!stream.capture.active || !predicate(stream)) return;
    stream.capture.invalidated = any = true;
  });
  return any;
}

// Adds a node to a graph after others; null if one of them is not in the graph.
CUgraphNode add_node(CUgraph graph, const CUgraphNode* before, size_t count, GraphNode node);

// Returns the step of an executable that was made from a node, or null.
GraphNode allocation_node(CUdeviceptr address);
GraphNode free_node(CUdeviceptr address);
GraphNode word_node(const CUstreamBatchMemOpParams& operation);
GraphNode* step_of(CUgraphExec exec, CUgraphNode node);

// Makes a node from work on a stream. Returns false if the stream is not captured.
bool capture_work(Stream* stream, GraphNode node);

// Breaks the capture of a stream, and returns the failure of work that cannot be captured.
CUresult refuse_captured_work(Stream* stream);

// Lets a stream that a capture has not taken in yet, or has, wait for an event.
CUresult wait_in_capture(Stream* stream, const Event& event);

// Ends the capture of a stream that is destroyed.
void abandon_capture(CUstream handle);

// Records a launch, and calls the test's hook.
void record_launch(const fake_launch& launch);

using Lock = std::unique_lock<std::recursive_mutex>;
inline Lock locked() { return Lock(driver().mutex); }

}  // namespace fake
