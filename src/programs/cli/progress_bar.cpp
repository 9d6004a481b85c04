// SPDX-License-Identifier: Apache-2.0
// Shows the progress of long work on one line of stderr, if it is a terminal.
#include "progress_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "print.hpp"
#include "terminal.hpp"

namespace cucore::cli {
namespace {

constexpr std::size_t BAR_WIDTH = 30;
constexpr std::chrono::milliseconds FIRST{300}, NEXT{50};

}  // namespace

ProgressBar::ProgressBar(std::string what)
    : what_(std::move(what)),
      watched_(is_terminal()),
      begun_(std::chrono::steady_clock::now()),
      last_(begun_) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::show(std::size_t done, std::size_t total) {
  const auto now = std::chrono::steady_clock::now();
  if (!watched_ || now - begun_ < FIRST || (now - last_ < NEXT && done != total)) return;
  last_ = now;
  shown_ = true;
  const std::size_t filled = total == 0 ? 0 : std::min(BAR_WIDTH, done * BAR_WIDTH / total);
  print_error("\r\x1b[K{} [{}{}] {}/{}", what_, std::string(filled, '#'),
              std::string(BAR_WIDTH - filled, '.'), done, total);
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (shown_) print_error("\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace cucore::cli
