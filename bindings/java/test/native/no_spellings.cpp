// SPDX-License-Identifier: Apache-2.0
// A binary without a wrapper, which has the table of names: C's own names stay.
#include "spelling.hpp"

const cucore::bind::Spelling cucore::bind::SPELLINGS[] = {{"", ""}};
const size_t cucore::bind::SPELLING_COUNT = 0;
