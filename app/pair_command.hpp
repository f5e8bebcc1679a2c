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
#include "engine/pairs/files/pair_picture.hpp"
#include "engine/pairs/nearest_pairs.hpp"
#include "engine/pairs/pair_run.hpp"
#include "engine/pairs/value_summary.hpp"
#include "engine/storage/disk_space.hpp"

/// Skeleton of commands that compute a value for all pairs of instances: read, select a backend, fill the
/// result, recount, summarise, write, draw. Algorithms override the steps that differ.
namespace glycine {

class ProcessTeam;

/// Arguments that all these commands share.
struct PairArguments {
    std::string input;
    std::filesystem::path file;  ///< file that the input is read from
    std::vector<std::string> outputs;
    BackendRequest backend;
    std::string png;             ///< the picture, removed from the outputs
    bool isClustered = false;    ///< cluster order in the picture
    std::string groups;          ///< a table of names and labels
    pairs::PairPicture picture;  ///< its colours, their range, and the groups
    bool restart = false;
    std::optional<storage::Part> part{};
    bool json = false;

    /// The output next to which the run keeps its working files.
    std::filesystem::path first() const { return outputs.empty() ? png : outputs.front(); }
    bool isDrawnClustered() const { return !png.empty() && isClustered; }
};

/// Declares -o; `endings`: all formats, including pictures.
void addPairOutputs(Options& options, PairArguments& arguments, const std::string& endings);
/// Declares --tile.
void declareTileOption(Options& options, std::size_t& tile);
/// Declares --tile, --part and --restart; `between` declares options that appear between them.
void addTileOptions(
    Options& options, std::size_t& tile, PairArguments& arguments,
    const std::function<void()>& between = [] {});
/// Declares --order for the picture; `more`: additional help text.
Option& addOrderOption(Options& options, PairArguments& arguments, const std::string& more = "");

/// Declares --groups, --range and --colors; `more`: what else shows the groups.
void addPictureOptions(Options& options, PairArguments& arguments, const std::string& more = "");

/// Report members that all these commands share.
struct PairReport : RunHead {
    std::string input;               ///< one line
    std::vector<std::string> notes;  ///< about the input
    std::vector<std::string> names;  ///< names of the instances
    pairs::ValueSummary summary;
    double computeSeconds = 0;  ///< for the whole call

  protected:
    /// "45 pairs: mean 3.2, smallest 1 (a – b), largest 7 (a – c)". Requires at least one pair with a value.
    std::string describeValues() const;
    /// Adds "mean", "smallest", "smallestPair", "largest" and "largestPair" if a pair has a value; instances
    /// count from 0.
    void addValues(Json& json) const;
    /// Adds "Tiles" if there are several, the run's note, and "Check".
    void addRun(Fields& fields, const pairs::RunOutcome& run) const;
    /// Adds "tiles", "tilesResumed" and "note".
    void addRun(Json& json, const pairs::RunOutcome& run) const;
};

/// Computed values before they are written to their files.
struct FoundPairs {
    const Backend& backend;
    std::string variant{};  ///< the variant that ran
    std::span<const std::string> names{};
    double seconds = 0;  ///< run time
    /// Value of a pair that may be recounted, rounded to `type`.
    std::function<double(std::size_t row, std::size_t column)> valueOf;
    pairs::ValueType type;
    const pairs::PairStore* store = nullptr;  ///< null if only close pairs are kept
    /// if above 0: pairs of an instance from this index on with one before it
    std::size_t references = 0;
    /// Whether the run computed a pair; empty: all pairs.
    std::function<bool(std::size_t row, std::size_t column)> holds{};
};

/// How to recount pairs.
struct PairRecount {
    std::string quantity;  ///< "distance"
    RecountTime time;      ///< without the run time
    /// Computes pairs with the reference until `take` returns false; pairs are numbered by pairs::pairNumber.
    std::function<void(Backend& reference, std::span<const std::size_t> numbers, Progress& progress,
                       const std::function<bool(const pairs::RecountedPair&)>& take)>
        recountByReference;
};

/// Adds the stages that the input left to the host: in place of the stage of that name, or after the device's
/// last stage.
void addHostStages(std::vector<StagePlacement>& stages, const pairs::RunOutcome& run);

/// Recounts a few pairs of a run on `gl` or `cuda` with the reference. Throws WrongResultError.
std::optional<RecountReport> recountPairs(const FoundPairs& found, const PairRecount& how,
                                          const BackendRequest& request, Progress& progress);

/// The pairs that files need: all, or one of these.
struct SelectedPairs {
    std::optional<double> largest{};                 ///< pairs up to this value
    std::optional<pairs::NearestRequest> nearest{};  ///< the nearest others of each instance
    bool areSome() const { return largest || nearest; }
};

/// A running command. The virtual functions are listed in the order in which they are called.
class PairCommand {
  public:
    virtual ~PairCommand() = default;
    int run(CommandContext& context, const Options& declared);

  protected:
    virtual PairArguments& arguments() = 0;
    virtual PairReport& report() = 0;
    virtual const Algorithm& algorithm() const = 0;
    /// Checks options that do not depend on the input. Throws UsageError.
    virtual void checkOptions(const Options&) {}
    /// Whether the command draws pictures other than a heat map of the values.
    virtual bool drawsItself() const { return false; }
    /// Completes settings that depend on the input's name. Returns the output files, including the picture.
    /// Throws UsageError.
    virtual std::vector<std::filesystem::path> planFiles(const Options& declared) = 0;
    virtual std::vector<std::filesystem::path> inputFiles() const = 0;
    virtual void read() = 0;
    /// Completes settings that depend on the data. Throws UsageError for options that do not match them.
    virtual void completeForData(const Options&) {}
    virtual Support supports(Backend& backend) = 0;
    /// Expected seconds of `cpu` for the pairs.
    virtual double hostSeconds() const { return kUnknownHostSeconds; }
    /// Completes settings that depend on the backend.
    virtual void completeForBackend(Backend& backend) = 0;
    /// Computations before the pairs.
    virtual void prepare(Progress&) {}
    /// Element format of the first file.
    virtual pairs::PairFormat format() const = 0;
    virtual std::size_t tile() const = 0;
    /// Throws MemoryError if the tiles and the values kept in memory (`kept` bytes) do not fit next to the
    /// data; the same for the distances to cluster (`clustering` bytes).
    virtual void requireMemory(Backend& backend, double kept, double clustering) = 0;
    /// The pairs that the files need, if they do not need all.
    virtual SelectedPairs selectedPairs() const { return {}; }
    /// Why the result cannot be computed in parts; usually empty.
    virtual std::string reasonAgainstParts() const { return {}; }
    /// Properties that a resumed run must share with the stopped one.
    virtual std::string identity(const Options& declared, const Backend& backend) const = 0;
    virtual void compute(Backend& backend, pairs::PairSink& sink, Progress& progress) = 0;
    /// Recounts some pairs.
    virtual std::optional<RecountReport> recount(const FoundPairs& found, Progress& progress) = 0;
    /// Value of an instance compared with itself; NaN if it differs among instances.
    virtual double diagonal() const;
    /// Seconds of `compute` before the backend starts.
    virtual double prepareSeconds() const { return 0; }
    /// Draws the picture; called only if one is requested.
    virtual void draw(const pairs::PairStore& values, Progress& progress) = 0;
    /// The files of all pairs that `write` writes, and bounds of their sizes.
    virtual std::vector<storage::ExpectedFile> expectedFiles() const { return {}; }
    virtual void write(const pairs::PairOutput& values, Progress& progress) = 0;
    virtual void writeClose(pairs::ClosePairs&, Progress&) {}
    virtual void writeNearest(const pairs::NearestPairs&, Progress&) {}

    /// Outcome of `compute`.
    virtual const pairs::RunOutcome& outcome() const = 0;
    /// The stages of `compute` and those before it, and where a device's run has them; those that outcome()
    /// names are added. `write` and `writeClose` add theirs to the report.
    virtual std::vector<StagePlacement> stages() const = 0;
    /// The footer of pictures.
    std::string footer() const;
    /// The picture's settings, completed by `range` unless --range is given, the order, `title` and the
    /// footer.
    pairs::PairPicture pictureOf(picture::ColorRange range, std::string title);

  private:
    void findAllPairs(CommandContext& context, const Options& declared, Backend& backend, bool restart);
    /// Computes a result that does not keep all pairs.
    void selectPairs(CommandContext& context, const Options& declared, Backend& backend,
                     const SelectedPairs& selected);
    void findPart(CommandContext& context, const Options& declared, Backend& backend, bool restart);
    void computeOrTakeFromParts(CommandContext& context, const Options& declared, Backend& backend,
                                pairs::PairSink& sink);
    /// The team that shares the tiles; null if there is none, or a single tile, which the lead computes
    /// alone.
    ProcessTeam* sharingTeam() const;
    /// Throws Error if the disk has no room for the files that `values` do not become; warns if it may have
    /// none.
    void requireDiskSpace(CommandContext& context, const pairs::PairOutput& values) const;
    void endComputing(TimeLine& times);
    /// Recounts some of the computed pairs; `found` only needs to say where they are.
    void recountSome(CommandContext& context, FoundPairs found);
};

}  // namespace glycine
