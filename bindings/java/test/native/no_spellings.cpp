// SPDX-License-Identifier: Apache-2.0
// Here there is no wrapper, which has the table of names: C's own stay.
#include "spelling.hpp"

const cucore::bind::Spelling cucore::bind::SPELLINGS[] = {{"", ""}};
const size_t cucore::bind::SPELLING_COUNT = 0;
