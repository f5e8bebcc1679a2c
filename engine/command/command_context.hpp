#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/progress.hpp"

namespace CLI {
class App;
}

namespace glycine {

/// What a running command has from its surroundings: where it prints, and how it shows progress.
/// Results and tables go to `out` (standard output), everything else to `err` (standard error).
class CommandContext {
  public:
    /// `showProgress`: draw a progress line on `err`; only sensible on a terminal.
    CommandContext(std::ostream& out, std::ostream& err, bool showProgress);
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

/// Adds the options that choose and restrict devices (--device, --threads, --dialect, --context, --visible,
/// --max-texture, --max-memory, --pass-budget, --shaders) to `command`; `options` must outlive the parsing.
/// Wrong values throw UsageError while parsing.
void addBackendOptions(CLI::App& command, BackendOptions& options);

/// Adds --backend and --variant in the group "Computation"; both must outlive the parsing.
void addBackendChoice(CLI::App& command, std::string& backend, std::string& variant);

/// Throws UsageError when the user gave an option of addBackendOptions that none of `backends` reads, or
/// --device without naming exactly one backend (an index counts the devices of one backend).
void checkBackendOptions(const CLI::App& command, const std::vector<std::string>& backends);

}  // namespace glycine
