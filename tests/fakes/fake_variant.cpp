// SPDX-License-Identifier: Apache-2.0
// The properties of this fake driver; the build sets the numbers.
#include "fakes/fake_driver.hpp"

#ifndef FAKE_VERSION
#define FAKE_VERSION 13000
#endif
#ifndef FAKE_DEVICES
#define FAKE_DEVICES 2
#endif
#ifndef FAKE_CPU
#define FAKE_CPU false
#endif
#ifndef FAKE_MISSING
#define FAKE_MISSING ""
#endif

namespace fake {

extern const Variant VARIANT;
const Variant VARIANT{FAKE_VERSION, FAKE_DEVICES, FAKE_CPU, " " FAKE_MISSING " "};

}  // namespace fake
