#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/command/command_registry.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/options.hpp"
#include "engine/command/part_option.hpp"
#include "engine/command/recount.hpp"
#include "engine/command/run_report.hpp"
#include "engine/core/time_line.hpp"
#include "engine/pairs/close_pairs.hpp"
#include "engine/pairs/files/pair_output.hpp"
#include "engine/pairs/pair_run.hpp"
#include "engine/pairs/value_summary.hpp"

/// The life of a command that finds a value for all pairs of some instances: read, select a backend, fill the
/// result, recount, summarise, write, draw. An algorithm says what differs.
namespace glycine {

/// What the user writes behind every such command.
struct PairArguments {
    std::string input;
    std::filesystem::path file;  ///< what the input is read from
    std::vector<std::string> outputs;
    BackendRequest backend;
    std::string png;           ///< the picture among the outputs
    bool isClustered = false;  ///< order of the picture
    bool restart = false;
    std::optional<storage::Part> part{};
    bool json = false;

    /// Beside which the run keeps what is finished.
    std::filesystem::path first() const { return outputs.empty() ? png : outputs.front(); }
    bool isDrawnClustered() const { return !png.empty() && isClustered; }
};

/// Declares -o; `endings`: the formats, those of pictures included.
void addPairOutputs(Options& options, PairArguments& arguments, const std::string& endings);
/// Declares --tile, --part and --restart; `between` declares what stands between them.
void addTileOptions(
    Options& options, std::size_t& tile, PairArguments& arguments,
    const std::function<void()>& between = [] {});
/// Declares --order, of the picture; `more`: about it.
Option& addOrderOption(Options& options, PairArguments& arguments, const std::string& more = "");

/// What reports of such a run have in common.
struct PairReport : RunHead {
    std::string input;               ///< one line
    std::vector<std::string> notes;  ///< about the input
    std::vector<std::string> names;  ///< of the instances
    pairs::ValueSummary summary;
    double computeSeconds = 0;  ///< the whole call

  protected:
    /// "45 pairs: mean 3.2, smallest 1 (a – b), largest 7 (a – c)". At least one pair must have a value.
    std::string describeValues() const;
    /// Adds "mean", "smallest", "smallestPair", "largest" and "largestPair", where a pair has a value;
    /// instances count from 0.
    void addValues(Json& json) const;
    /// Adds "Tiles", where there are several, the run's note and "Check".
    void addRun(Fields& fields, const pairs::RunOutcome& run) const;
    /// Adds "tiles", "tilesResumed" and "note".
    void addRun(Json& json, const pairs::RunOutcome& run) const;
};

/// Values that a run has found, on the way into its files.
struct FoundPairs {
    const Backend& backend;
    std::string variant{};  ///< the one that ran
    std::span<const std::string> names{};
    double seconds = 0;  ///< that the run took
    /// Of pairs that may be counted again, as a file of `type` holds it.
    std::function<double(std::size_t row, std::size_t column)> valueOf;
    pairs::ValueType type;
    const pairs::PairStore* store = nullptr;  ///< null where only close pairs are kept
    std::size_t references = 0;               ///< more than 0: pairs of one from here on with one before
    /// Which pairs the run has found; empty: all.
    std::function<bool(std::size_t row, std::size_t column)> holds{};
};

/// How pairs are counted again.
struct PairRecount {
    std::string quantity;  ///< "distance"
    RecountTime time;      ///< but for that of the run
    /// Finds pairs, which have numbers as pairs::pairNumber counts, by the reference, as long as `take` says
    /// that it goes on.
    std::function<void(Backend& reference, std::span<const std::size_t> numbers, Progress& progress,
                       const std::function<bool(const pairs::RecountedPair&)>& take)>
        countAgain;
};

/// A few pairs of a run on `gl` or `cuda`, counted again by the reference. Throws WrongResultError.
std::optional<RecountReport> recountPairs(const FoundPairs& found, const PairRecount& how,
                                          const BackendRequest& request, Progress& progress);

/// One command at work. The virtual functions stand in the order in which they are called.
class PairCommand {
  public:
    virtual ~PairCommand() = default;
    int run(CommandContext& context, const Options& declared);

  protected:
    virtual PairArguments& arguments() = 0;
    virtual PairReport& report() = 0;
    virtual const Algorithm& algorithm() const = 0;
    /// Where the stages of a run on a device take place.
    virtual std::vector<StageWhere> stages() const = 0;
    /// Checks what depends on no input. Throws UsageError.
    virtual void checkOptions(const Options&) {}
    /// Whether the outputs' pictures are something else than the values as a heat map.
    virtual bool drawsItself() const { return false; }
    /// Completes what the name of the input decides. Returns the files that are written, the picture
    /// included. Throws UsageError.
    virtual std::vector<std::filesystem::path> planFiles(const Options& declared) = 0;
    virtual std::vector<std::filesystem::path> inputFiles() const = 0;
    virtual void read() = 0;
    /// Completes what the data decide. Throws UsageError for options that do not fit them.
    virtual void completeForData(const Options&) {}
    virtual Support supports(Backend& backend) = 0;
    /// That `cpu` is expected to take for the pairs.
    virtual double hostSeconds() const { return kUnknownHostSeconds; }
    /// Completes what the backend decides.
    virtual void completeForBackend(Backend& backend) = 0;
    /// What is found before the pairs.
    virtual void prepare(Progress&) {}
    /// As the first file has its elements.
    virtual pairs::PairFormat format() const = 0;
    virtual std::size_t tile() const = 0;
    /// Throws MemoryError for what will not fit beside the data: the tiles, and the values that memory keeps
    /// (`kept` bytes), then with the distances that are clustered.
    virtual void requireMemory(Backend& backend, double kept, double clustering) = 0;
    /// Largest value of the pairs that are wanted, where no file holds more.
    virtual std::optional<double> largestWanted() const { return std::nullopt; }
    /// Why no part of the result can be computed by itself; mostly empty.
    virtual std::string whyNotInParts() const { return {}; }
    /// What a stopped run must have in common with one that goes on.
    virtual std::string identity(const Options& declared, const Backend& backend) const = 0;
    virtual void compute(Backend& backend, pairs::PairSink& sink, Progress& progress) = 0;
    /// Counts some pairs again.
    virtual std::optional<RecountReport> recount(const FoundPairs& found, Progress& progress) = 0;
    /// Value of an instance beside itself; NaN: they differ.
    virtual double diagonal() const;
    /// Seconds of `compute` before the backend's.
    virtual double prepareSeconds() const { return 0; }
    /// Where a picture is wanted.
    virtual void draw(const pairs::PairStore& values, Progress& progress) = 0;
    virtual void write(const pairs::PairOutput& values, Progress& progress) = 0;
    virtual void writeClose(pairs::ClosePairs&, Progress&) {}

    /// Of `compute`.
    virtual const pairs::RunOutcome& outcome() const = 0;
    /// The footer of pictures.
    std::string footer() const;

  private:
    void findAllPairs(CommandContext& context, const Options& declared, Backend& backend);
    void findAllPairs(CommandContext& context, const Options& declared, Backend& backend, bool restart);
    /// Of several devices, the one that found the pair takes no more part; false where nobody else is left.
    bool leaveOutWhoFound(Backend& backend, const WrongPairError& wrong);
    void findClosePairs(CommandContext& context, const Options& declared, Backend& backend, double largest);
    void findPart(CommandContext& context, const Options& declared, Backend& backend);
    void computeOrTake(CommandContext& context, const Options& declared, Backend& backend,
                       pairs::PairSink& sink);
    void endComputing(TimeLine& times);
    /// Counts some of the pairs that were found again; `found` needs no more than where they are.
    void recountSome(CommandContext& context, FoundPairs found);
};

}  // namespace glycine
