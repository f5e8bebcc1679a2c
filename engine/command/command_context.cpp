#include "engine/command/command_context.hpp"

#include <fmt/format.h>

#include <ostream>

#include "engine/command/time_limit.hpp"
#include "engine/core/quantity.hpp"

namespace glycine {

namespace {
/// Work that ends sooner shows no line.
constexpr double kQuietSeconds = 0.5;

/// Digits behind the point would only flicker.
std::string wholeSeconds(double seconds) {
    return seconds < 60 ? fmt::format("{:.0f} s", seconds) : formatSeconds(seconds);
}
}  // namespace

CommandContext::CommandContext(std::ostream& out, std::ostream& err, bool showProgress)
    : out_(out),
      err_(err),
      progress_(showProgress
                    ? Progress::Listener([this](const ProgressUpdate& update) { drawProgressLine(update); })
                    : Progress::Listener(),
                [] {
                    TimeLimit::throwIfOver();
                    return cancellationRequested();
                }) {
    setProcessProgress(&progress_);
}

CommandContext::~CommandContext() {
    setProcessProgress(nullptr);
}

void CommandContext::drawProgressLine(const ProgressUpdate& update) {
    if (update.secondsElapsed < kQuietSeconds) return;
    const std::string share = update.fraction < 0 ? "" : fmt::format(": {:3.0f} %", 100 * update.fraction);
    std::string line =
        fmt::format("{}{}{}, {}", prefix_, update.stage, share, wholeSeconds(update.secondsElapsed));
    if (update.secondsRemaining >= 0 && update.fraction < 1)
        line += fmt::format(", about {} left", wholeSeconds(update.secondsRemaining));
    // Carriage return, then "erase to the end of the line" (ECMA-48, EL).
    err_ << '\r' << line << "\033[K" << std::flush;
    lineShown_ = true;
}

void CommandContext::clearProgressLine() {
    if (lineShown_) err_ << "\r\033[K" << std::flush;
    lineShown_ = false;
}

}  // namespace glycine
