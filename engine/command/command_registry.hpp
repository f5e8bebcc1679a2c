#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "engine/command/options.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/time_line.hpp"

namespace glycine {

namespace storage {
class PartFile;
}
/// All parts of a result.
using Parts = std::vector<std::unique_ptr<storage::PartFile>>;

/// Passes text on to another stream, whole lines at a time, as a terminal may show it (`visible`): names of
/// files, columns and samples may hold any bytes.
class VisibleStream : public std::ostream {
  public:
    explicit VisibleStream(std::ostream& target);
    VisibleStream(const VisibleStream&) = delete;
    ~VisibleStream() override;

  private:
    class Buffer;
    std::unique_ptr<Buffer> buffer_;
};

/// How much a command says to people: --quiet, nothing, -v.
enum class Verbosity { Quiet, Usual, Verbose };

/// What a running command has from its surroundings: where it prints, and how it shows progress.
/// Results and tables go to `out` (standard output), everything else to `err` (standard error). Both make
/// control characters visible.
class CommandContext {
  public:
    /// `isTerminal`: `err` is one, and shows progress as a line that changes; elsewhere a line is added every
    /// 30 seconds. `begin`: of the command.
    CommandContext(std::ostream& out, std::ostream& err, bool isTerminal,
                   Clock::TimePoint begin = Clock::now());
    CommandContext(const CommandContext&) = delete;
    CommandContext& operator=(const CommandContext&) = delete;
    ~CommandContext();
    std::ostream& out() { return out_; }
    std::ostream& err() { return err_; }
    /// Progress that draws a line with an estimate and stops on Ctrl-C.
    Progress& progress() { return progress_; }
    /// Where the command's time goes.
    TimeLine& times() { return times_; }
    /// What stands behind the program's name.
    const std::vector<std::string>& arguments() const { return arguments_; }
    void setArguments(std::vector<std::string> arguments) { arguments_ = std::move(arguments); }
    /// The parts whose values a command takes in place of computing them (`glycine merge`); else null.
    const Parts* parts() const { return parts_; }
    void setParts(const Parts* parts) { parts_ = parts; }
    /// Put before the stage in the progress line: which of several runs this is. Empty: nothing.
    void setProgressPrefix(std::string prefix) { prefix_ = std::move(prefix); }
    /// Takes the updates in place of the progress line.
    void setProgressListener(Progress::Listener listener) { listener_ = std::move(listener); }
    Verbosity verbosity() const { return verbosity_; }
    void setVerbosity(Verbosity verbosity) { verbosity_ = verbosity; }
    /// Removes the progress line; call before printing.
    void clearProgressLine();

  private:
    void showProgress(const ProgressUpdate& update);

    VisibleStream out_;
    VisibleStream err_;
    std::ostream& terminal_;  ///< below err_: what draws the progress line moves the cursor
    bool isTerminal_;
    Verbosity verbosity_ = Verbosity::Usual;
    std::vector<std::string> arguments_;
    const Parts* parts_ = nullptr;
    bool lineShown_ = false;
    Clock::TimePoint
        lastLine_;  ///< of progress, where there is no terminal; at first, of the command's begin
    std::string prefix_;
    Progress::Listener listener_;
    Progress progress_;
    TimeLine times_;
};

/// Runs a parsed command; returns the exit code.
using CommandAction = std::function<int(CommandContext&)>;

/// A command as it stands on the command line: `glycine NAME …` or `glycine GROUP NAME …`.
struct Command {
    std::string group;  ///< "generate"; empty: at the top
    std::string name;   ///< "bounds", "network", "genotypes"
    std::string
        heading;  ///< under which the help lists it, where it stands at the top: "Algorithms", "Commands"
    std::string summary;
    /// Declares the options and returns what runs after parsing. What it captures lives as long as the
    /// action; the options outlive it.
    std::function<CommandAction(Options&)> declare;
    bool isComputation = true;  ///< works with threads, and does not only tell something
};

/// All commands of the program, in the order in which they were added. An algorithm may add several.
class CommandRegistry {
  public:
    static CommandRegistry& instance();
    void add(Command command);
    /// What `glycine help` says of a group: "Make random input of any size".
    void describeGroup(std::string group, std::string summary);
    const std::vector<Command>& commands() const { return commands_; }
    std::string groupSummary(const std::string& group) const;

  private:
    std::vector<Command> commands_;
    std::vector<std::pair<std::string, std::string>> groups_;
};

}  // namespace glycine
