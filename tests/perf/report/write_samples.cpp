// SPDX-License-Identifier: Apache-2.0
// write_samples FOLDER: writes each sample in each format, in the locale of the environment.
#include <clocale>
#include <fstream>
#include <map>
#include <string>

#include "perf/report/profile_report.hpp"
#include "samples.hpp"

int main(int argc, char** argv) {
  using namespace cucore::perf;
  if (argc != 2) return 2;
  if (!std::setlocale(LC_ALL, "")) return 3;
  const std::map<std::string, ReportData> all = {{"slow_transpose", samples::slow_transpose()},
                                                 {"emulated", samples::emulated()},
                                                 {"nothing", samples::nothing()},
                                                 {"hostile", samples::hostile()},
                                                 {"many", samples::many(10'000)}};
  const std::map<std::string, std::string (*)(const ReportData&)> formats = {
      {"txt", profile_as_text},    {"json", profile_as_json}, {"csv", profile_as_csv},
      {"trace", profile_as_trace}, {"html", profile_as_html}, {"gp", profile_as_gnuplot}};
  for (const auto& [name, data] : all)
    for (const auto& [suffix, write] : formats) {
      std::ofstream file(std::string(argv[1]) + "/" + name + "." + suffix, std::ios::binary);
      file << write(data);
      if (!file.flush()) return 1;
    }
  return 0;
}
