#pragma once

#include <iosfwd>
#include <string>
#include <utility>

#include "engine/core/progress.hpp"

namespace glycine {

/// What a running command has from its surroundings: where it prints, and how it shows progress.
/// Results and tables go to `out` (standard output), everything else to `err` (standard error).
class CommandContext {
  public:
    /// `showProgress`: draw a progress line on `err`; only sensible on a terminal.
    CommandContext(std::ostream& out, std::ostream& err, bool showProgress);
    CommandContext(const CommandContext&) = delete;
    CommandContext& operator=(const CommandContext&) = delete;
    ~CommandContext();
    std::ostream& out() const { return out_; }
    std::ostream& err() const { return err_; }
    /// Progress that draws a line with an estimate (when enabled) and stops on Ctrl-C.
    Progress& progress() { return progress_; }
    /// Put before the stage in the progress line: which of several runs this is. Empty: nothing.
    void setProgressPrefix(std::string prefix) { prefix_ = std::move(prefix); }
    /// Removes the progress line; call before printing.
    void clearProgressLine();

  private:
    void drawProgressLine(const ProgressUpdate& update);

    std::ostream& out_;
    std::ostream& err_;
    bool lineShown_ = false;
    std::string prefix_;
    Progress progress_;
};

}  // namespace glycine
