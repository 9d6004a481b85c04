// SPDX-License-Identifier: Apache-2.0
// Launches each access once on a driver, and writes what it launched. A profiler around it counts.
//   access_table --driver PATH --write FILE
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "../ops/driver.hpp"
#include "access_cases.hpp"

namespace {

using namespace cucore::cpu::accesses;
using cucore::cpu::ops::Argument;
using cucore::cpu::ops::Driver;

Argument array_argument(size_t number) { return {std::vector<uint8_t>(8), {{0, number}}}; }

template <class T>
std::vector<uint8_t> bytes_of(const T& value) {
  std::vector<uint8_t> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

void launch(Driver& driver, CUmodule module, const AccessCase& each) {
  std::vector<std::vector<uint8_t>> arrays{std::vector<uint8_t>(ARRAY_BYTES),
                                           bytes_of(each.offsets)};
  driver.launch(module, "k", {.block = {THREADS, 1, 1}, .shared = ARRAY_BYTES},
                {array_argument(0), array_argument(1), Argument{bytes_of(each.mask), {}}}, arrays);
}

void write(std::ofstream& file, const AccessCase& each) {
  file << each.access << "," << each.pattern << "," << each.mask;
  for (const uint32_t offset : each.offsets) file << "," << offset;
  file << "\n";
}

void run(const std::string& path, const std::string& out) {
  Driver driver(path);
  std::ofstream file(out);
  file << "access,pattern,mask";
  for (int lane = 0; lane < THREADS; ++lane) file << ",o" << lane;
  file << "\n";
  std::map<std::string, CUmodule> modules;
  const std::vector<AccessCase> cases = make_access_cases();
  for (const AccessCase& each : cases) {
    CUmodule& module = modules[each.access];
    if (!module) module = driver.load(access_ptx(each.access));
    launch(driver, module, each);
    write(file, each);
  }
  file.flush();
  if (!file) throw std::runtime_error("cannot write " + out);
  std::printf("%zu launches on %s\n", cases.size(), driver.device_name().c_str());
}

}  // namespace

int main(int count, char** arguments) {
  std::map<std::string, std::string> options;
  for (int at = 1; at + 1 < count; at += 2) options[arguments[at]] = arguments[at + 1];
  if (count != 5 || options["--driver"].empty() || options["--write"].empty()) {
    std::fprintf(stderr, "usage: access_table --driver PATH --write FILE\n");
    return 2;
  }
  try {
    run(options["--driver"], options["--write"]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "access_table: %s\n", error.what());
    return 1;
  }
}
