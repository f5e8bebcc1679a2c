#include "engine/command/command_registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <streambuf>
#include <utility>

#include "engine/command/time_limit.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"

namespace glycine {

CommandRegistry& CommandRegistry::instance() {
    static CommandRegistry registry;
    return registry;
}

void CommandRegistry::add(Command command) {
    commands_.push_back(std::move(command));
}

void CommandRegistry::describeGroup(std::string group, std::string summary) {
    groups_.emplace_back(std::move(group), std::move(summary));
}

std::string CommandRegistry::groupSummary(const std::string& group) const {
    const auto found = std::find_if(groups_.begin(), groups_.end(),
                                    [&group](const auto& known) { return known.first == group; });
    return found == groups_.end() ? std::string() : found->second;
}

namespace {
/// Shorter work shows no progress line.
constexpr double kQuietSeconds = 0.5;

/// Interval of progress lines if there is no terminal.
constexpr double kSecondsBetweenLines = 30;

/// Seconds without decimals, which would only flicker.
std::string wholeSeconds(double seconds) {
    return seconds < 60 ? fmt::format("{:.0f} s", seconds) : formatSeconds(seconds);
}
}  // namespace

/// Buffers an unfinished line, so that no character is cut in two.
class VisibleStream::Buffer : public std::streambuf {
  public:
    explicit Buffer(std::ostream& target) : target_(target) {}

  protected:
    int_type overflow(int_type character) override {
        if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
        const char c = traits_type::to_char_type(character);
        return xsputn(&c, 1) == 1 ? character : traits_type::eof();
    }
    std::streamsize xsputn(const char* text, std::streamsize count) override {
        pending_.append(text, static_cast<std::size_t>(count));
        const std::size_t end = pending_.rfind('\n');
        if (end == std::string::npos) return count;
        target_ << visible(std::string_view(pending_).substr(0, end + 1));
        pending_.erase(0, end + 1);
        return target_ ? count : 0;
    }
    int sync() override {
        target_ << visible(pending_) << std::flush;
        pending_.clear();
        return target_ ? 0 : -1;
    }

  private:
    std::ostream& target_;
    std::string pending_;
};

VisibleStream::VisibleStream(std::ostream& target)
    : std::ostream(nullptr), buffer_(std::make_unique<Buffer>(target)) {
    rdbuf(buffer_.get());
}

VisibleStream::~VisibleStream() {
    flush();
    rdbuf(nullptr);
}

CommandContext::CommandContext(std::ostream& out, std::ostream& err, bool isTerminal, Clock::TimePoint begin)
    : out_(out),
      err_(err),
      terminal_(err),
      isTerminal_(isTerminal),
      lastLine_(begin),
      progress_([this](const ProgressUpdate& update) { showProgress(update); },
                [] {
                    TimeLimit::throwIfOver();
                    return cancellationRequested();
                }),
      times_(begin) {
    setProcessProgress(&progress_);
}

CommandContext::~CommandContext() {
    setProcessProgress(nullptr);
}

void CommandContext::showProgress(const ProgressUpdate& update) {
    if (listener_) return listener_(update);
    if (verbosity_ == Verbosity::Quiet) return;
    if (isTerminal_) {
        if (update.secondsElapsed < kQuietSeconds) return;
    } else {
        const Clock::TimePoint now = Clock::now();
        if (Clock::secondsBetween(lastLine_, now) < kSecondsBetweenLines) return;
        lastLine_ = now;
    }
    const std::string share = update.fraction < 0 ? "" : fmt::format(": {:3.0f} %", 100 * update.fraction);
    std::string line =
        fmt::format("{}{}{}, {}", prefix_, update.stage, share, wholeSeconds(update.secondsElapsed));
    if (update.secondsRemaining >= 0 && update.fraction < 1)
        line += fmt::format(", about {} left", wholeSeconds(update.secondsRemaining));
    if (!isTerminal_) {
        terminal_ << "glycine: " << visible(line, false) << '\n' << std::flush;
        return;
    }
    // Carriage return, then "erase to the end of the line" (ECMA-48, EL).
    terminal_ << '\r' << visible(line, false) << "\033[K" << std::flush;
    lineShown_ = true;
}

void CommandContext::clearProgressLine() {
    if (lineShown_) terminal_ << "\r\033[K" << std::flush;
    lineShown_ = false;
}

}  // namespace glycine
