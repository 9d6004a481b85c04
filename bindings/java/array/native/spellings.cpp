// SPDX-License-Identifier: Apache-2.0
// Messages of arrays contain no name of C: nothing is spelled in another way.
#include "spelling.hpp"

const cucore::bind::Spelling cucore::bind::SPELLINGS[] = {{"", ""}};
const size_t cucore::bind::SPELLING_COUNT = 0;
