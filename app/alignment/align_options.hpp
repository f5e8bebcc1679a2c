#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/alignment/compute_alignment.hpp"
#include "engine/alignment/method.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/options.hpp"
#include "engine/core/names.hpp"
#include "engine/pairs/files/instance_groups.hpp"
#include "engine/pairs/files/matrix_file.hpp"
#include "engine/sequences/files/read_sequences.hpp"

namespace glycine::align {

namespace fs = std::filesystem;

/// The requested part of the work.
enum class Stage { All, Pairwise, Tree, Progressive };
inline constexpr NameTable<Stage, 4> kStages{{{Stage::All, "all"},
                                              {Stage::Pairwise, "pairwise"},
                                              {Stage::Tree, "tree"},
                                              {Stage::Progressive, "progressive"}}};

/// Arguments of `glycine align`.
struct AlignRun {
    AlignRun() { options.method = kUsualMethod; }

    std::string input;
    fs::path file;  ///< file that the input is read from
    std::vector<std::string> outputs;
    SequenceReading reading;
    Stage stage = Stage::All;
    std::string treeIn, distancesIn;
    std::vector<std::string> treeFiles, distanceFiles;   ///< removed from the outputs
    std::string confidenceFile;                          ///< confidence per residue; empty: none
    std::map<std::string, fs::path, std::less<>> drawn;  ///< keyed by kIdentities
    std::string groups;                                  ///< --groups FILE
    pairs::InstanceGroups sequenceGroups;                ///< what it says; may be empty
    RowOrder order = RowOrder::Input;
    BackendRequest backend;
    AlignOptions options;
    std::string add, to;     ///< --add NEW --to ALIGNMENT; `input` is the file to add
    bool isProfile = false;  ///< the sequences to add are already aligned
    bool isQuick = false;    ///< --quicktree
    bool restart = false;
    bool json = false;

    /// Traits of the method; for AlignMethod::Auto before it is settled, those of Accuracy.
    MethodTraits method() const { return methodOf(options.method).traits(); }
    bool hasPairs() const {
        return treeIn.empty() && distancesIn.empty() && !isQuick && method().alignsPairs;
    }
    bool hasAlignment() const { return stage == Stage::All || stage == Stage::Progressive; }
    /// Whether an output besides the alignment needs the distances of all pairs.
    bool needsDistances() const { return !distanceFiles.empty() || !drawn.empty(); }
    /// The output next to which the run keeps its working files.
    fs::path first() const {
        return !outputs.empty()    ? outputs.front()
               : treeFiles.empty() ? distanceFiles.front()
                                   : treeFiles.front();
    }
};

/// A KIND of --draw.
inline constexpr const char* kIdentities = "identities";

inline constexpr pairs::MatrixFileOptions kDistanceFiles{.areDistances = true};

void declareAlignOptions(Options& options, AlignRun& run);

/// Throws UsageError for a given option that the method lacks.
void refuseLackedOptions(const Options& declared, const AlignRun& run);

/// Checks options that do not depend on the sequences, and settles the method. Throws UsageError.
void checkAlignOptions(const Options& declared, AlignRun& run);

/// All output files. Throws UsageError for extensions that mean no format.
std::vector<fs::path> filesOf(const AlignRun& run);

}  // namespace glycine::align
