// SPDX-License-Identifier: Apache-2.0
#include "cache/build_coordinator.hpp"

#include <sys/stat.h>

#include "cache/key_lock.hpp"
#include "cache/quietly.hpp"
#include "cache/time_trace.hpp"
#include "support/concat.hpp"
#include "support/log.hpp"
#include "support/sha256.hpp"

namespace cucore::cache {
namespace {

// Returns whether every thread would meet the failure with the same inputs.
bool is_everyones(const Error& error) {
  return error.status() == Status::COMPILATION || error.status() == Status::LINKING;
}

}  // namespace

// Returns whether a build holds the folder's lock for its key.
bool BuildCoordinator::locks() const {
  return tiers_.disk().can_write() && settings_.locking.value_or(!tiers_.disk().root().is_remote);
}

BuildPlace BuildCoordinator::place() const {
  BuildPlace place{this};
  struct stat status {};
  if (locks() && fstat(tiers_.disk().root().folder.get(), &status) == 0) {
    place.device = status.st_dev;
    place.folder = status.st_ino;
  }
  return place;
}

Result BuildCoordinator::find(Request& request) {
  if (request.reads_files()) return manifests_.find(request);
  return tiers_.find_local(request, request.key);
}

std::string BuildCoordinator::explain(Request& request) {
  const std::string key = concat("key ", hex(request.key), "\n");
  // The lookup itself changes the tier that holds the result, so the text does not name it.
  if (find(request).object) return "hit: nothing has to be built\n" + key;
  return "miss: " + misses_.reason_of(request).text + key;
}

Result BuildCoordinator::get_or_build(Request& request, const Build& build) {
  Result result;
  const bool found = quietly([&] {
    result = find(request);
    return static_cast<bool>(result.object);
  });
  if (found) return result;
  const BuildPlace place = this->place();
  Building::refuse_within(place, request.key);
  const Building building(place, request.key);
  std::shared_ptr<SingleFlight::Flight> flight;
  bool leads = true;
  if (!quietly([&] { return flight = flights_.join(request.key, leads), true; }))
    return build_and_store(request, build);
  if (leads) return lead(request, build, *flight);
  if (!flight->wait(settings_.lock_timeout)) {
    statistics_.count(Event::LOCK_TIMEOUTS);
  } else if (flight->object()) {
    statistics_.count(Event::JOINS);
    return {flight->object(), Outcome::JOINED};
  } else if (flight->error()) {
    throw Error(*flight->error());
  }
  return build_only(request, build);
}

// Another process may have built the result between the first lookup and the lock.
bool BuildCoordinator::find_before_build(Request& request, Result& result) {
  return quietly([&] {
    request.manifest.reset();
    result = find(request);
    if (!result.object) result = tiers_.find_remote(request, request.key);
    if (!result.object) misses_.count(request);
    return static_cast<bool>(result.object);
  });
}

Result BuildCoordinator::lead(Request& request, const Build& build, SingleFlight::Flight& flight) {
  FlightFinisher finisher(flights_, request.key, flight);
  std::optional<KeyLock> lock;
  Result result;
  const bool found = quietly([&] {
    if (locks())
      lock.emplace(tiers_.disk().root().folder.get(), request.key, settings_.lock_timeout);
    if (lock && lock->timed_out()) statistics_.count(Event::LOCK_TIMEOUTS);
    return find_before_build(request, result);
  });
  if (found) {
    finisher.object = result.object;
    return result;
  }
  try {
    result = build_and_store(request, build);
  } catch (const Error& error) {
    if (is_everyones(error)) finisher.error = error;
    throw;
  }
  finisher.object = result.object;
  quietly([&] { return statistics_.flush(tiers_.disk()), true; });
  return result;
}

Ref<const Object> BuildCoordinator::run(const Build& build) {
  statistics_.count(Event::BUILDS);
  try {
    return build.build();
  } catch (...) {
    statistics_.count(Event::BUILD_FAILURES);
    throw;
  }
}

Result BuildCoordinator::build_and_store(Request& request, const Build& build) {
  std::optional<RecordBuilder> record;
  if (request.reads_files())
    quietly([&] { return manifests_.begin_record(request, record), true; });
  if (settings_.hermetic && request.reads_files()) require_hermetic(request, record, build);
  Ref<const Object> object = run(build);
  if (object && quietly([&] { return store(request, record, build, object); })) {
    quietly([&] { return misses_.store_fields(request), true; });
    return {std::move(object), Outcome::BUILT};
  }
  if (record && !record->problem().empty())
    log(LogLevel::INFO, concat("not kept: ", request.inputs->label, ": ", record->problem()));
  return not_stored(std::move(object));
}

// Another thread builds the same key and stores its result.
Result BuildCoordinator::build_only(const Request& request, const Build& build) {
  if (settings_.hermetic && request.reads_files()) require_hermetic(request, std::nullopt, build);
  return not_stored(run(build));
}

Result BuildCoordinator::not_stored(Ref<const Object> object) {
  statistics_.count(Event::NOT_STORABLE);
  return {std::move(object), Outcome::NOT_STORED};
}

Result BuildCoordinator::build_bypassed(const Build& build) {
  statistics_.count(Event::BYPASSES);
  statistics_.count(Event::BUILDS);
  return {build.build(), Outcome::BYPASSED};
}

Result BuildCoordinator::build_bypassed(const container::Digest& key, const Build& build) {
  const BuildPlace place = this->place();
  Building::refuse_within(place, key);
  const Building building(place, key);
  return build_bypassed(build);
}

// Returns false if the files of a compile cannot be recorded.
bool BuildCoordinator::store(Request& request, std::optional<RecordBuilder>& record,
                             const Build& build, const Ref<const Object>& object) {
  if (!request.reads_files()) {
    tiers_.store(request, request.key, object);
    return true;
  }
  if (!record) return false;
  const auto headers = traced_headers(request, *record, build);
  auto made = headers ? record->finish(*headers, request.key) : std::nullopt;
  if (!made) return false;
  const container::Digest key = made->result;
  manifests_.add(request, std::move(*made));
  tiers_.store(request, key, object);
  return true;
}

// Returns the headers that only the compiler can find; nullopt if it cannot either.
std::optional<std::vector<std::string>> BuildCoordinator::traced_headers(
    const Request& request, const RecordBuilder& record, const Build& build) const {
  if (!record.needs_trace()) return std::vector<std::string>();
  if (!request.inputs->traces_files || !build.trace) return std::nullopt;
  const Store& disk = tiers_.disk();
  const TraceFile trace(disk.can_write() ? disk.root().path + "/v1" : "");
  if (trace.name().empty()) return std::nullopt;
  build.trace(trace.name());
  return trace.headers();
}

// The only failure of the cache itself, which the caller has requested.
void BuildCoordinator::require_hermetic(const Request& request,
                                        const std::optional<RecordBuilder>& record,
                                        const Build& build) const {
  std::string file = record ? record->any_file() : "a file";
  if (record && file.empty() && record->needs_trace()) {
    std::optional<std::vector<std::string>> headers;
    // A program that cannot be read to its end is left to the compiler to report.
    const bool traced =
        quietly([&] { return headers = traced_headers(request, *record, build), true; });
    if (traced) file = headers ? record->any_file(*headers) : "what a macro names";
  }
  if (!file.empty())
    throw Error(Status::INVALID_ARGUMENT,
                concat("the cache is hermetic and ", request.inputs->label, " would read ", file,
                       "; give its headers in memory (cucore_program_options.header_names)"));
}

}  // namespace cucore::cache
