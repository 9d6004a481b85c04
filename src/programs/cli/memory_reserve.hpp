// SPDX-License-Identifier: Apache-2.0
// Keeps memory for the end of a program that has used all of it. Destructors of JSON allocate, and
// an exception out of a destructor would end the process without a message.
#pragma once

namespace cucore::cli {

// Sets the reserve aside. An allocation that finds no memory then takes a part of the reserve and
// succeeds; std::bad_alloc is thrown if the parts do not suffice.
void prepare_memory();

// Throws std::bad_alloc if a part of the reserve is in use. Work whose size an input
// decides begins with it, so that it ends while the reserve still suffices for destructors.
void require_memory();

}  // namespace cucore::cli
