// SPDX-License-Identifier: Apache-2.0
#include "core/objects/capture_session.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

#include "driver/broken_capture.hpp"
#include "driver/context_guard.hpp"

namespace cucore::core {
namespace {

struct CapturesUnderWay {
  std::mutex mutex;
  std::vector<Ref<CaptureSession>> all;
};

CapturesUnderWay& captures_under_way() {
  // never destroyed: no work at exit; without memory of its own, because callers cannot fail
  alignas(CapturesUnderWay) static std::byte place[sizeof(CapturesUnderWay)];
  static auto* const all = new (place) CapturesUnderWay;
  return *all;
}

template <class Predicate>
Ref<CaptureSession> find_session(Predicate&& matches) noexcept {
  CapturesUnderWay& under_way = captures_under_way();
  const std::lock_guard lock(under_way.mutex);
  const auto found = std::ranges::find_if(under_way.all, matches);
  return found == under_way.all.end() ? nullptr : *found;
}

}  // namespace

CaptureSession::CaptureSession(uint64_t id, const Stream& origin, CUstreamCaptureMode mode,
                               Ref<Object> into, bool is_into_body)
    : id_(id),
      origin_(origin.identity()),
      context_(origin.context()),
      native_(origin.native()),
      mode_(mode),
      is_into_(static_cast<bool>(into)),
      is_into_body_(is_into_body),
      restricts_(mode),
      failures_(driver::capture_failures()),
      gate_(&origin.capture_gate()),
      graph_(std::move(into)) {}

bool CaptureSession::is_fork(const Stream& stream) const {
  const std::lock_guard lock(forks_mutex_);
  return std::ranges::any_of(
      forks_, [&](const auto& fork) { return fork->identity() == stream.identity(); });
}

void CaptureSession::open_gate() noexcept {
  const std::lock_guard lock(gate_->mutex);
  gate_->mutex.own();  // the thread that begins a capture adds most of its work
  gate_->session = this;
  gate_->owner = new_owner_number();
}

void CaptureSession::close_gate() const noexcept {
  const std::lock_guard lock(gate_->mutex);
  if (gate_->session != this) return;
  gate_->session = nullptr;
  gate_->owner = CaptureGate::NO_OWNER;
  gate_->forget();
}

bool CaptureSession::is_ending() const noexcept {
  const std::lock_guard lock(gate_->mutex);
  return gate_->session != this;
}

void CaptureSession::hold(const Object& object, const std::unique_lock<BiasedMutex>&) {
  if (gate_->session == this && gate_->keeps(object)) return;
  if (!known_.contains(&object)) {
    held_.emplace_back(&object);
    known_.insert(&object);
  }
  if (gate_->session == this) gate_->note(object);
}

void CaptureSession::add_fork(Ref<const Stream> stream) {
  const std::lock_guard lock(forks_mutex_);
  if (std::ranges::find(forks_, stream) == forks_.end()) forks_.push_back(std::move(stream));
}

bool CaptureSession::captures(const driver::CudaTable& cu, const Context& context) const noexcept {
  const driver::ContextGuard guard(context.native(), std::nothrow);
  if (context_.get() == &context && driver::is_captured(cu, native_)) return true;
  for (size_t i = 0; const Ref<const Stream> fork = fork_at(i); ++i)
    if (fork->context().get() == &context && driver::is_captured(cu, fork->native())) return true;
  return false;
}

std::vector<Ref<const Object>> CaptureSession::take_held() noexcept {
  const std::lock_guard lock(gate_->mutex);
  return std::exchange(held_, {});
}

std::vector<Ref<const Stream>> CaptureSession::forks() const {
  const std::lock_guard lock(forks_mutex_);
  return forks_;
}

Ref<const Stream> CaptureSession::fork_at(size_t index) const noexcept {
  const std::lock_guard lock(forks_mutex_);
  return index < forks_.size() ? forks_[index] : nullptr;
}

Ref<Object> CaptureSession::graph() const {
  const std::lock_guard lock(gate_->mutex);
  return graph_;
}

void CaptureSession::set_graph(Ref<Object> graph) {
  const std::lock_guard lock(gate_->mutex);
  graph_ = std::move(graph);
}

std::string CaptureSession::cause() const { return driver::capture_failure_since(failures_); }

void add_capture(const Ref<CaptureSession>& session) {
  CapturesUnderWay& under_way = captures_under_way();
  const std::lock_guard lock(under_way.mutex);
  under_way.all.push_back(session);
  session->open_gate();
}

void remove_capture(const CaptureSession& session) noexcept {
  session.close_gate();
  Ref<CaptureSession> last;  // ends after the lock
  CapturesUnderWay& under_way = captures_under_way();
  const std::lock_guard lock(under_way.mutex);
  const auto found = std::ranges::find(under_way.all, &session, &Ref<CaptureSession>::get);
  if (found == under_way.all.end()) return;
  last = std::move(*found);
  under_way.all.erase(found);
}

Ref<CaptureSession> find_capture(uint64_t id) noexcept {
  if (id == 0) return nullptr;
  return find_session([id](const auto& session) { return session->id() == id; });
}

Ref<CaptureSession> find_capture(const Stream& stream) noexcept {
  return find_session(
      [&](const auto& session) { return session->is_origin(stream) || session->is_fork(stream); });
}

bool has_capture(const driver::CudaTable& cu, const Context& context) noexcept {
  return static_cast<bool>(
      find_session([&](const auto& session) { return session->captures(cu, context); }));
}

}  // namespace cucore::core
