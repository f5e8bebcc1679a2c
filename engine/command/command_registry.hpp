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

/// Forwards whole lines to another stream and makes control characters visible (`visible`), because names of
/// files, columns and samples may contain any bytes.
class VisibleStream : public std::ostream {
  public:
    explicit VisibleStream(std::ostream& target);
    VisibleStream(const VisibleStream&) = delete;
    ~VisibleStream() override;

  private:
    class Buffer;
    std::unique_ptr<Buffer> buffer_;
};

/// Amount of output: --quiet, default, -v.
enum class Verbosity { Quiet, Usual, Verbose };

/// Environment of a running command: output streams and progress. Results and tables go to `out` (standard
/// output), everything else to `err` (standard error). Both make control characters visible.
class CommandContext {
  public:
    /// `isTerminal`: whether `err` is a terminal, on which progress updates one line; otherwise a line is
    /// printed every 30 seconds. `begin`: start of the command.
    CommandContext(std::ostream& out, std::ostream& err, bool isTerminal,
                   Clock::TimePoint begin = Clock::now());
    CommandContext(const CommandContext&) = delete;
    CommandContext& operator=(const CommandContext&) = delete;
    ~CommandContext();
    std::ostream& out() { return out_; }
    std::ostream& err() { return err_; }
    /// Progress with an estimate of the remaining time; stops on Ctrl-C.
    Progress& progress() { return progress_; }
    /// Stages of the command and their times.
    TimeLine& times() { return times_; }
    /// Arguments after the program's name.
    const std::vector<std::string>& arguments() const { return arguments_; }
    void setArguments(std::vector<std::string> arguments) { arguments_ = std::move(arguments); }
    /// The parts whose values a command uses instead of computing them (`glycine merge`); otherwise null.
    const Parts* parts() const { return parts_; }
    void setParts(const Parts* parts) { parts_ = parts; }
    /// Prefix of the stage in the progress line, which identifies one of several runs. Empty: none.
    void setProgressPrefix(std::string prefix) { prefix_ = std::move(prefix); }
    /// Receives the updates in place of the progress line.
    void setProgressListener(Progress::Listener listener) { listener_ = std::move(listener); }
    Verbosity verbosity() const { return verbosity_; }
    void setVerbosity(Verbosity verbosity) { verbosity_ = verbosity; }
    /// Removes the progress line; call before printing.
    void clearProgressLine();

  private:
    void showProgress(const ProgressUpdate& update);

    VisibleStream out_;
    VisibleStream err_;
    std::ostream& terminal_;  ///< wrapped by err_; the progress line writes to it directly to move the cursor
    bool isTerminal_;
    Verbosity verbosity_ = Verbosity::Usual;
    std::vector<std::string> arguments_;
    const Parts* parts_ = nullptr;
    bool lineShown_ = false;
    Clock::TimePoint
        lastLine_;  ///< time of the last progress line without a terminal; initially, start of the command
    std::string prefix_;
    Progress::Listener listener_;
    Progress progress_;
    TimeLine times_;
};

/// Runs a parsed command; returns the exit code.
using CommandAction = std::function<int(CommandContext&)>;

/// A command: `glycine NAME …` or `glycine GROUP NAME …`.
struct Command {
    std::string group;    ///< "generate"; empty: a top-level command
    std::string name;     ///< "bounds", "network", "genotypes"
    std::string heading;  ///< heading of a top-level command in the help: "Algorithms", "Commands"
    std::string summary;
    /// Declares the options and returns the action to run after parsing. Captured objects live as long as the
    /// action; the options outlive it.
    std::function<CommandAction(Options&)> declare;
    bool isComputation = true;  ///< uses threads, and does more than print information
};

/// All commands of the program, in the order of registration. An algorithm may add several.
class CommandRegistry {
  public:
    static CommandRegistry& instance();
    void add(Command command);
    /// Sets the help text of a group: "Generate random input of any size".
    void describeGroup(std::string group, std::string summary);
    const std::vector<Command>& commands() const { return commands_; }
    std::string groupSummary(const std::string& group) const;

  private:
    std::vector<Command> commands_;
    std::vector<std::pair<std::string, std::string>> groups_;
};

}  // namespace glycine
