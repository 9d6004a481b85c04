// SPDX-License-Identifier: Apache-2.0
// Precompiled for the test programs: they include all of this, and reading it takes longer than the
// rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>
