// SPDX-License-Identifier: Apache-2.0
// Copies between pageable, pinned, managed and device memory.
#include "cpu/driver/copy.hpp"

#include <cstring>
#include <vector>

#include "cpu/checks/check_set.hpp"
#include "cpu/checks/transfers.hpp"
#include "cpu/driver/allocations.hpp"
#include "cpu/driver/graph/capture.hpp"
#include "cpu/driver/pool.hpp"
#include "cpu/driver/process.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu {
namespace {

constexpr size_t STAGED = 64 << 10;  // the call copies pageable sources up to this size
constexpr size_t INLINE = 64 << 10;  // limit for copies between device memories inside the call

enum class Where : uint8_t { PAGEABLE, HOST, DEVICE };

struct Place {
  Where where = Where::PAGEABLE;
  std::byte* host = nullptr;
};

size_t checked_span(const Side& side, const Box& box) {
  size_t rows = 0, planes = 0, span = 0;
  bool overflow = __builtin_mul_overflow(box.height - 1, box.height > 1 ? side.pitch : 0, &rows) ||
                  __builtin_mul_overflow(box.depth - 1, box.depth > 1 ? side.slice : 0, &planes) ||
                  __builtin_add_overflow(rows, planes, &span) ||
                  __builtin_add_overflow(span, box.width, &span);
  require(!overflow);
  return span;
}

Place locate(const Side& side, size_t span, Access access) {
  require(side.address != 0);
  auto range = AddressSpace::instance().find(side.address);
  if (!range) {
    bool host = side.claim == Claim::ANY && !Allocations::instance().device_address(side.address);
    require(host);
    return {Where::PAGEABLE, reinterpret_cast<std::byte*>(side.address)};
  }
  require(range->kind != MemoryKind::HEAP);
  // Only kernels may not write constants.
  require(access == Access::READ || !range->read_only || range->kind == MemoryKind::CODE);
  auto* host = static_cast<std::byte*>(AddressSpace::instance().host(side.address, span, access));
  require(host != nullptr);
  return {range->on_device() ? Where::DEVICE : Where::HOST, host};
}

// Returns null for memory of the host, and if no other device could use the memory.
std::shared_ptr<Allocation> find_device_memory(const Side& side) {
  if (Process::get().devices().size() == 1) return nullptr;
  auto memory = Allocations::instance().find(side.address);
  return memory && memory->kind == MemoryKind::DEVICE ? memory : nullptr;
}

// Work cannot use memory of a pool that is not open to its device (two H200 with driver 580).
void require_open(const Pool& pool, int user) {
  require(pool.device().ordinal() == user || pool.access(user) != CU_MEM_ACCESS_FLAGS_PROT_NONE);
}

void require_open(const Side& side, const Context& context) {
  const auto memory = find_device_memory(side);
  if (!memory || !memory->pool) return;
  require_open(*memory->pool, side.user >= 0 ? side.user : context.device().ordinal());
}

// Fills in a stream are kernels of its device, so they need more than copies do.
void require_reached(const Side& side, const Context& context) {
  const auto memory = find_device_memory(side);
  if (!memory) return;
  if (memory->pool)
    require_open(*memory->pool, context.device().ordinal());
  else if (memory->device)
    require(context.reaches(*memory->device));
}

// Locates the bytes again when the work runs, because memory may have been freed in stream order.
std::byte* locate_again(const Side& side, const Place& place, size_t span, Access access) {
  if (place.where == Where::PAGEABLE) return place.host;
  return static_cast<std::byte*>(AddressSpace::instance().host(side.address, span, access));
}

void move_box(std::byte* to, const Side& to_side, const std::byte* from, const Side& from_side,
              const Box& box) {
  for (size_t z = 0; z < box.depth; ++z) {
    for (size_t y = 0; y < box.height; ++y) {
      std::memmove(to + z * to_side.slice + y * to_side.pitch,
                   from + z * from_side.slice + y * from_side.pitch, box.width);
    }
  }
}

void fault_of(Context& context, const char* what, const Side& side, size_t span) {
  context.poison(CUDA_ERROR_ILLEGAL_ADDRESS,
                 std::string(what) +
                     ": illegal address: " + AddressSpace::instance().describe(side.address, span));
}

template <class F>
void each_row(const Box& box, F f) {
  for (size_t z = 0; z < box.depth; ++z)
    for (size_t y = 0; y < box.height; ++y) f(y, z);
}

struct CopyJob {
  Side to, from;
  Place to_place, from_place;
  size_t to_span, from_span;
  Box box;
  std::shared_ptr<std::vector<std::byte>> staged;
  std::shared_ptr<StreamWork> operation;  // for the checks

  void operator()(Context& context) const {
    AddressSpace::Pin pin;
    auto* target = locate_again(to, to_place, to_span, Access::WRITE);
    const auto* source =
        staged ? staged->data() : locate_again(from, from_place, from_span, Access::READ);
    if (!target) return fault_of(context, "copy: destination", to, to_span);
    if (!source) return fault_of(context, "copy: source", from, from_span);
    check();
    move_box(target, to, source, from, box);
  }

  void check() const {
    if ((enabled_checks() & CHECK_ALL) == 0) return;
    Transfer transfer(operation);
    const bool known_source = !staged && from_place.where != Where::PAGEABLE;
    each_row(box, [&](size_t y, size_t z) {
      const uint64_t source = from.address + z * from.slice + y * from.pitch;
      const uint64_t target = to.address + z * to.slice + y * to.pitch;
      if (known_source) transfer.reads(source, box.width);
      if (to_place.where == Where::PAGEABLE) return;
      transfer.writes(target, box.width);
      if (known_source)
        Transfer::copies(target, source, box.width);
      else
        Transfer::initialises(target, box.width);
    });
  }
};

void fill_row(std::byte* row, uint32_t value, size_t unit, size_t width) {
  if (unit == 1) {
    std::memset(row, static_cast<int>(value & 0xff), width);
    return;
  }
  for (size_t i = 0; i < width; i += unit) std::memcpy(row + i, &value, unit);
}

struct FillJob {
  Side to;
  Place place;
  size_t span;
  Box box;
  uint32_t value;
  size_t unit;
  std::shared_ptr<StreamWork> operation;

  void operator()(Context& context) const {
    AddressSpace::Pin pin;
    auto* target = locate_again(to, place, span, Access::WRITE);
    if (!target) return fault_of(context, "memset: destination", to, span);
    check();
    each_row(box, [&](size_t y, size_t z) {
      fill_row(target + z * to.slice + y * to.pitch, value, unit, box.width);
    });
  }

  void check() const {
    if ((enabled_checks() & CHECK_ALL) == 0) return;
    Transfer transfer(operation);
    each_row(box, [&](size_t y, size_t z) {
      const uint64_t row = to.address + z * to.slice + y * to.pitch;
      transfer.writes(row, box.width);
      Transfer::initialises(row, box.width);
    });
  }
};

template <class Job>
Ticket submit(Stream& stream, Job job, Stream::Where where) {
  auto work = [job = std::move(job), context = stream.context_ptr()] { job(*context); };
  return stream.submit(std::move(work), Stream::Run::UNLESS_POISONED, where);
}

void require_aligned(const Side& to, size_t unit, const Box& box) {
  require(to.address % unit == 0 && (box.flat() || to.pitch % unit == 0));
}

void check_side(const Side& side, const Box& box, const Context& context) {
  checked_span(side, box);
  require(side.address != 0);
  require_open(side, context);
  if (side.claim == Claim::ANY && !Allocations::instance().device_address(side.address)) return;
  require(AddressSpace::instance().find(side.address) ||
          Allocations::instance().is_graph_memory(side.address, 1));
}

// Returns false, after the fault, if the bytes are not there now.
bool locate_now(Place& place, const char* what, const Side& side, size_t span, Access access,
                Context& context) {
  try {
    place = locate(side, span, access);
    return true;
  } catch (const Failure&) {
    fault_of(context, what, side, span);
    return false;
  }
}

void wait(const Ticket& ticket, Stream& stream) {
  ticket.wait();
  host_waited(stream);
  stream.context().check();
}

}  // namespace

void copy(Side to, Side from, Box box, Waiting waiting, Stream& stream) {
  if (captures(stream)) {
    if (waiting == Waiting::BLOCKING) refuse_capture(stream);
    if (box.empty()) return;
    return capture_node(stream, make_copy(DescribedCopy{to, from, box}, stream.context_ptr()));
  }
  if (box.empty()) return;
  CopyJob job{to,  from,    {},     {}, checked_span(to, box), checked_span(from, box),
              box, nullptr, nullptr};
  job.to_place = locate(to, job.to_span, Access::WRITE);
  job.from_place = locate(from, job.from_span, Access::READ);
  require_open(to, stream.context());
  require_open(from, stream.context());
  bool pageable_source = job.from_place.where == Where::PAGEABLE;
  bool pageable = pageable_source || job.to_place.where == Where::PAGEABLE;
  bool devices = job.from_place.where == Where::DEVICE && job.to_place.where == Where::DEVICE;
  bool small = job.from_span <= INLINE;
  bool stage = waiting == Waiting::ASYNC && pageable_source && job.from_span <= STAGED &&
               job.to_place.where != Where::PAGEABLE;
  if (stage) {
    job.staged = std::make_shared<std::vector<std::byte>>(job.from_place.host,
                                                          job.from_place.host + job.from_span);
  }
  bool inline_ok = (waiting == Waiting::BLOCKING && !devices) || pageable || (devices && small);
  bool must_wait = waiting == Waiting::BLOCKING ? !devices : pageable && !stage;
  job.operation = next_operation(stream);
  Ticket ticket = submit(stream, std::move(job),
                         inline_ok ? Stream::Where::CALLER_IF_IDLE : Stream::Where::WORKER);
  if (must_wait) wait(ticket, stream);
  if (waiting == Waiting::BLOCKING) stream.context().output().flush();
}

void fill(Side to, uint32_t value, size_t unit, Box box, Waiting waiting, Stream& stream) {
  require_aligned(to, unit, box);
  if (captures(stream)) {
    if (waiting == Waiting::BLOCKING) refuse_capture(stream);
    if (box.empty()) return;
    return capture_node(
        stream, make_fill({to.address, to.pitch, value, static_cast<unsigned>(unit),
                           box.width / unit, box.height, handle_of<CUcontext>(stream.context())}));
  }
  if (box.empty()) return;
  to.claim = Claim::DEVICE;
  FillJob job{to, {}, checked_span(to, box), box, value, unit, nullptr};
  job.place = locate(to, job.span, Access::WRITE);
  require_reached(to, stream.context());
  bool must_wait = waiting == Waiting::BLOCKING && job.place.where == Where::HOST;
  bool inline_ok = must_wait || (job.place.where == Where::DEVICE && job.span <= INLINE);
  job.operation = next_operation(stream);
  Ticket ticket =
      submit(stream, job, inline_ok ? Stream::Where::CALLER_IF_IDLE : Stream::Where::WORKER);
  if (must_wait) wait(ticket, stream);
}

void check_copy(const DescribedCopy& copy, const Context& context) {
  check_side(copy.to, copy.box, context);
  check_side(copy.from, copy.box, context);
}

void check_fill(const Side& to, size_t unit, const Box& box, const Context& context) {
  require(unit == 1 || unit == 2 || unit == 4);
  require_aligned(to, unit, box);
  check_side(to, box, context);
}

void copy_now(const DescribedCopy& copy, Context& context, std::shared_ptr<StreamWork> operation) {
  const auto& [to, from, box] = copy;
  CopyJob job{to,
              from,
              {},
              {},
              checked_span(to, box),
              checked_span(from, box),
              box,
              nullptr,
              std::move(operation)};
  AddressSpace::Pin pin;
  if (!locate_now(job.to_place, "copy: destination", to, job.to_span, Access::WRITE, context) ||
      !locate_now(job.from_place, "copy: source", from, job.from_span, Access::READ, context))
    return;
  job(context);
}

void fill_now(const Side& to, uint32_t value, size_t unit, const Box& box, Context& context,
              std::shared_ptr<StreamWork> operation) {
  FillJob job{to, {}, checked_span(to, box), box, value, unit, std::move(operation)};
  AddressSpace::Pin pin;
  if (locate_now(job.place, "memset: destination", to, job.span, Access::WRITE, context))
    job(context);
}

}  // namespace cucore::cpu
