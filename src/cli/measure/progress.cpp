#include "cli/measure/progress.h"

#include <fmt/format.h>
#include <unistd.h>

namespace homenode::cli {
namespace {

constexpr std::chrono::nanoseconds redrawn_after = std::chrono::milliseconds(100);
constexpr std::chrono::nanoseconds said_after = std::chrono::seconds(5);
constexpr const char* erase_line = "\r\033[K";

}  // namespace

MeasureProgress::MeasureProgress(std::ostream& err, bool terminal, Now now)
    : err_(err), terminal_(terminal), now_(now), last_(now()) {}

void MeasureProgress::say(const measure::Progress& progress) {
  const auto now = now_();
  if (now - last_ < (terminal_ ? redrawn_after : said_after)) return;
  last_ = now;
  const auto line = fmt::format("measuring: {} of {} figures ({})", progress.done, progress.figures,
                                progress.what);
  if (terminal_) {
    err_ << erase_line << line << std::flush;
    drawn_ = true;
  } else {
    err_ << line << '\n' << std::flush;
  }
}

void MeasureProgress::finish() {
  if (drawn_) err_ << erase_line << std::flush;
  drawn_ = false;
}

std::chrono::nanoseconds progress_now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

bool error_stream_is_terminal() {
  return isatty(STDERR_FILENO) == 1;
}

}  // namespace homenode::cli
