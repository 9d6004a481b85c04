// SPDX-License-Identifier: Apache-2.0
// Precompiled for the test programs of the public header, whose owners are those of cucore.hpp.
#include <cucore.hpp>

#include "gtest_pch.hpp"
