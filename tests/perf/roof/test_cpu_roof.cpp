// SPDX-License-Identifier: Apache-2.0
// Roofs of the CPU device: measured, kept, read again, and used by measurements.
#include <sys/stat.h>

#include <cmath>
#include <regex>
#include <thread>
#include <vector>

#include "opened.hpp"

namespace {

class CpuRoof : public opened::Opened {};

TEST_F(CpuRoof, HasEveryRate) {
  ASSERT_EQ(open(), CUCORE_OK) << cucore_error_message(error);
  for (int kind = CUCORE_ROOF_KIND_COPY; kind <= CUCORE_ROOF_KIND_LAUNCH; ++kind) {
    EXPECT_GT(value(static_cast<cucore_roof_kind>(kind)), 0) << kind;
    EXPECT_TRUE(std::isfinite(value(static_cast<cucore_roof_kind>(kind)))) << kind;
  }
  EXPECT_GE(value(CUCORE_ROOF_KIND_EVENT_OFFSET), 0);
  EXPECT_LT(value(CUCORE_ROOF_KIND_LAUNCH), 1);
}

TEST_F(CpuRoof, IsKeptAndReadAgain) {
  ASSERT_EQ(open(), CUCORE_OK);
  const std::string file = kept_file();
  ASSERT_NE(file, "");
  EXPECT_EQ(content(file), json());
  struct stat status {};
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  // A changed value shows that the file is read.
  const std::regex copy("\"copy\": [^,]*");
  const std::string changed = std::regex_replace(content(file), copy, "\"copy\": 12345.5");
  std::ofstream(file, std::ios::trunc) << changed;
  ASSERT_EQ(open(), CUCORE_OK);
  EXPECT_EQ(value(CUCORE_ROOF_KIND_COPY), 12345.5);
  options.refresh = CUCORE_TOGGLE_ON;
  ASSERT_EQ(open(), CUCORE_OK);
  EXPECT_NE(value(CUCORE_ROOF_KIND_COPY), 12345.5);
  EXPECT_EQ(content(kept_file()), json());
}

TEST_F(CpuRoof, FilesOfAnotherMachineOrRevisionAreReplaced) {
  options.max_time_ms = 50;
  ASSERT_EQ(open(), CUCORE_OK);
  const std::string file = kept_file();
  const std::string good = std::regex_replace(json(), std::regex("\"copy\": [^,]*"), "\"copy\": 1");
  const std::string bad[] = {
      replaced(good, "\"revision\": 1", "\"revision\": 0"),
      std::regex_replace(good, std::regex("\"uuid\": \"[^\"]*"), "\"uuid\": \"0"),
      std::regex_replace(good, std::regex("\"driver\": \"[^\"]*"), "\"driver\": \"1.0"),
      std::regex_replace(good, std::regex("\"clock_limit_mhz\": [^,]*"), "\"clock_limit_mhz\": 7"),
      std::regex_replace(good, std::regex("\"memory_clock_mhz\": [^,]*"),
                         "\"memory_clock_mhz\": 7"),
      std::regex_replace(good, std::regex("\"threads\": [^,]*"), "\"threads\": 777"),
      good.substr(0, good.size() / 2),
      "",
      std::string(1 << 17, ' ') + good};
  for (const std::string& text : bad) {
    std::ofstream(file, std::ios::trunc) << text;
    ASSERT_EQ(open(), CUCORE_OK);
    EXPECT_NE(value(CUCORE_ROOF_KIND_COPY), 1) << text;
    EXPECT_EQ(content(file), json());
  }
  // Others could have written this one.
  std::ofstream(file, std::ios::trunc) << good;
  ASSERT_EQ(chmod(file.c_str(), 0666), 0);
  ASSERT_EQ(open(), CUCORE_OK);
  EXPECT_NE(value(CUCORE_ROOF_KIND_COPY), 1);
}

TEST_F(CpuRoof, WithoutADirectoryNothingIsKept) {
  options.directory = "";
  ASSERT_EQ(open(), CUCORE_OK);
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(CpuRoof, AFolderThatCannotBeWrittenIsAWarning) {
  static std::string logged;
  logged.clear();
  ASSERT_EQ(cucore_log_set_callback(
                [](cucore_log_level, const char* message, void*) { logged += message; },
                CUCORE_LOG_WARNING, nullptr, nullptr, nullptr),
            CUCORE_OK);
  std::ofstream(top + "/file") << "not a folder";
  const std::string path = top + "/file/roof";
  options.directory = path.c_str();
  EXPECT_EQ(open(), CUCORE_OK);
  cucore_log_set_callback(nullptr, CUCORE_LOG_WARNING, nullptr, nullptr, nullptr);
  EXPECT_NE(logged.find("is not kept in " + path + ": Not a directory"), logged.npos) << logged;
}

TEST_F(CpuRoof, TheDefaultFolderIsThatOfTheUser) {
  ASSERT_EQ(setenv("XDG_CACHE_HOME", top.c_str(), 1), 0);
  folder = top + "/cucore/roof";
  options.directory = nullptr;
  ASSERT_EQ(open(), CUCORE_OK);
  EXPECT_NE(kept_file(), "");
  unsetenv("XDG_CACHE_HOME");
  ASSERT_EQ(setenv("HOME", top.c_str(), 1), 0);
  folder = top + "/.cache/cucore/roof";
  ASSERT_EQ(open(), CUCORE_OK);
  EXPECT_NE(kept_file(), "");
}

TEST_F(CpuRoof, SeveralThreadsOpenOneRoof) {
  std::vector<cucore_roof*> roofs(4, nullptr);
  std::vector<std::thread> threads;
  for (cucore_roof*& each : roofs)
    threads.emplace_back([&] { cucore_roof_open(device, &options, &each, nullptr); });
  for (std::thread& thread : threads) thread.join();
  double first = 0;
  ASSERT_EQ(cucore_roof_value(roofs[0], CUCORE_ROOF_KIND_F32, &first, nullptr), CUCORE_OK);
  for (cucore_roof* each : roofs) {
    double other = -1;
    EXPECT_EQ(cucore_roof_value(each, CUCORE_ROOF_KIND_F32, &other, nullptr), CUCORE_OK);
    EXPECT_EQ(other, first);  // one thread measured, the others read
    cucore_roof_release(each);
  }
}

TEST_F(CpuRoof, IsSerialisedAndDeserialised) {
  ASSERT_EQ(open(), CUCORE_OK);
  const std::string text = json();
  ASSERT_EQ(read(text), CUCORE_OK);
  EXPECT_EQ(json(), text);
  size_t size = 0;
  std::vector<char> small(text.size() - 1);
  EXPECT_EQ(cucore_roof_serialize(roof, small.data(), small.size(), &size, nullptr),
            CUCORE_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(size, text.size());
  // A later minor version may have more.
  std::string later = replaced(text, "cucore.roof/1", "cucore.roof/1.1");
  later =
      replaced(later, "\"values\": {", "\"values\": {\"other\": -1, \"more\": [{\"copy\": -1}],");
  ASSERT_EQ(read(later), CUCORE_OK) << cucore_error_message(error);
  EXPECT_EQ(json(), text);
}

TEST_F(CpuRoof, UnknownRatesAreNaN) {
  ASSERT_EQ(read(R"({"schema": "cucore.roof/1", "values": {"copy": null, "f32": 5}})"), CUCORE_OK);
  EXPECT_TRUE(std::isnan(value(CUCORE_ROOF_KIND_COPY)));
  EXPECT_TRUE(std::isnan(value(CUCORE_ROOF_KIND_READ)));
  EXPECT_EQ(value(CUCORE_ROOF_KIND_F32), 5);
  EXPECT_NE(json().find("\"copy\": null"), std::string::npos);
}

TEST_F(CpuRoof, NegativeZerosAreWrittenAsTheyAreReadBack) {
  ASSERT_EQ(read(R"({"schema": "cucore.roof/1", "seconds": -0.0, "values": {"copy": -0.0}})"),
            CUCORE_OK);
  EXPECT_FALSE(std::signbit(value(CUCORE_ROOF_KIND_COPY)));
  const std::string text = json();
  ASSERT_EQ(read(text), CUCORE_OK);
  EXPECT_EQ(json(), text);
}

TEST_F(CpuRoof, OtherDataIsRefused) {
  const char* const texts[] = {
      "",
      "[]",
      "{}",
      "7",
      "{\"schema\": \"cucore.report/1\"}",
      "{\"schema\": \"cucore.roof/2\"}",
      "{\"schema\": \"cucore.roof/1\"",
      "{\"schema\": \"cucore.roof/1\", \"values\": {\"copy\": -1}}",
      "{\"schema\": \"cucore.roof/1\", \"seconds\": -1}",
      "{\"schema\": \"cucore.roof/1\", \"machine\": {\"clock_limit_mhz\": -1}}",
      "{\"schema\": \"cucore.roof/1\", \"values\": {\"copy\": 1e999}}"};
  for (const char* text : texts) {
    EXPECT_EQ(read(text), CUCORE_ERROR_INVALID_ARGUMENT) << text;
    EXPECT_EQ(roof, nullptr);
    EXPECT_EQ(std::string(cucore_error_message(error)).rfind("data is not a roof: ", 0), 0U)
        << cucore_error_message(error);
  }
  EXPECT_EQ(read(std::string(100'000, '[')), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(read("{\"schema\": \"cucore.roof/1\"}" + std::string(1 << 16, ' ')),
            CUCORE_ERROR_INVALID_ARGUMENT);
}

TEST_F(CpuRoof, ArgumentsAreChecked) {
  ASSERT_EQ(open(), CUCORE_OK);
  double out = 7;
  for (const int kind : {-1, 0, 19}) {
    EXPECT_EQ(cucore_roof_value(roof, static_cast<cucore_roof_kind>(kind), &out, nullptr),
              CUCORE_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(out, 0);
  }
  EXPECT_EQ(cucore_roof_value(nullptr, CUCORE_ROOF_KIND_COPY, &out, nullptr),
            CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(cucore_roof_value(roof, CUCORE_ROOF_KIND_COPY, nullptr, nullptr),
            CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(cucore_roof_open(nullptr, &options, &roof, nullptr), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(roof, nullptr);
  EXPECT_EQ(cucore_roof_open(device, &options, nullptr, nullptr), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(cucore_roof_deserialize(nullptr, 3, &roof, nullptr), CUCORE_ERROR_INVALID_ARGUMENT);
  options.refresh = static_cast<cucore_toggle>(9);
  EXPECT_EQ(open(), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(cucore_roof_retain(nullptr), nullptr);
  cucore_roof_release(nullptr);
}

TEST_F(CpuRoof, MeasurementsCompareWithTheKeptRoof) {
  ASSERT_EQ(setenv("XDG_CACHE_HOME", top.c_str(), 1), 0);
  const auto nothing = [](const cucore_stream*, void*, cucore_error**) { return CUCORE_OK; };
  cucore_measurement_options measured = CUCORE_MEASUREMENT_OPTIONS_INIT;
  measured.criterion = CUCORE_CRITERION_COUNT;
  measured.clock = CUCORE_CLOCK_HOST;
  measured.bytes = 1e3;
  measured.operations = 2e3;
  const auto measure = [&](cucore_operation_type type) {
    measured.operation_type = type;
    cucore_measurement* measurement = nullptr;
    EXPECT_EQ(cucore_measurement_run(device, nothing, nullptr, &measured, &measurement, nullptr),
              CUCORE_OK);
    cucore_measurement_info info = CUCORE_MEASUREMENT_INFO_INIT;
    EXPECT_EQ(cucore_measurement_query(measurement, &info, nullptr), CUCORE_OK);
    cucore_measurement_release(measurement);
    return info;
  };
  EXPECT_TRUE(std::isnan(measure(CUCORE_OPERATION_TYPE_F32).memory_percent)) << "nothing is kept";
  options.directory = nullptr;
  ASSERT_EQ(open(), CUCORE_OK);
  const struct {
    cucore_operation_type type;
    cucore_roof_kind kind;
  } rows[] = {{CUCORE_OPERATION_TYPE_F16, CUCORE_ROOF_KIND_F16},
              {CUCORE_OPERATION_TYPE_F32, CUCORE_ROOF_KIND_F32},
              {CUCORE_OPERATION_TYPE_F64, CUCORE_ROOF_KIND_F64},
              {CUCORE_OPERATION_TYPE_INTEGER, CUCORE_ROOF_KIND_INTEGER}};
  for (const auto& row : rows) {
    const cucore_measurement_info info = measure(row.type);
    EXPECT_DOUBLE_EQ(info.memory_percent,
                     info.bytes_per_second / value(CUCORE_ROOF_KIND_COPY) * 100);
    EXPECT_DOUBLE_EQ(info.compute_percent, info.operations_per_second / value(row.kind) * 100);
  }
  const cucore_measurement_info matrix = measure(CUCORE_OPERATION_TYPE_MATRIX);
  EXPECT_DOUBLE_EQ(
      matrix.compute_percent,
      matrix.operations_per_second /
          std::max(value(CUCORE_ROOF_KIND_MATRIX_F16), value(CUCORE_ROOF_KIND_MATRIX_BF16)) * 100);
  EXPECT_TRUE(std::isnan(measure(CUCORE_OPERATION_TYPE_NONE).compute_percent));
  unsetenv("XDG_CACHE_HOME");
}

}  // namespace
