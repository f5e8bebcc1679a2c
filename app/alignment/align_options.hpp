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
#include "engine/pairs/files/matrix_file.hpp"
#include "engine/sequences/files/read_sequences.hpp"

namespace glycine::align {

namespace fs = std::filesystem;

/// Which part of the work is asked for.
enum class Stage { All, Pairwise, Tree, Progressive };
inline constexpr NameTable<Stage, 4> kStages{{{Stage::All, "all"},
                                              {Stage::Pairwise, "pairwise"},
                                              {Stage::Tree, "tree"},
                                              {Stage::Progressive, "progressive"}}};

/// What the user wrote behind `glycine align`.
struct AlignRun {
    AlignRun() { options.method = kUsualMethod; }

    std::string input;
    fs::path file;  ///< what the input is read from
    std::vector<std::string> outputs;
    SequenceReading reading;
    Stage stage = Stage::All;
    std::string treeIn, distancesIn;
    std::vector<std::string> treeFiles, distanceFiles;   ///< taken out of the outputs
    std::string confidenceFile;                          ///< of each residue; empty: none
    std::map<std::string, fs::path, std::less<>> drawn;  ///< by kIdentities
    RowOrder order = RowOrder::Input;
    BackendRequest backend;
    AlignOptions options;
    std::string add, to;     ///< --add NEW --to ALIGNMENT; `input` is what is added
    bool isProfile = false;  ///< what is added is aligned already
    bool isQuick = false;    ///< --quicktree
    bool restart = false;
    bool json = false;

    /// Of AlignMethod::Auto, before it is settled, that of Accuracy.
    MethodTraits method() const { return methodOf(options.method).traits(); }
    bool hasPairs() const {
        return treeIn.empty() && distancesIn.empty() && !isQuick && method().alignsPairs;
    }
    bool hasAlignment() const { return stage == Stage::All || stage == Stage::Progressive; }
    /// What is made of the distances of all pairs, beside the alignment.
    bool needsDistances() const { return !distanceFiles.empty() || !drawn.empty(); }
    /// Beside which the run keeps what is finished.
    fs::path first() const {
        return !outputs.empty()    ? outputs.front()
               : treeFiles.empty() ? distanceFiles.front()
                                   : treeFiles.front();
    }
};

/// A picture of --draw.
inline constexpr const char* kIdentities = "identities";

inline constexpr pairs::MatrixFileOptions kDistanceFiles{.areDistances = true};

void declareAlignOptions(Options& options, AlignRun& run);

/// What does not depend on the sequences; settles the method. Throws UsageError.
void checkAlignOptions(const Options& declared, AlignRun& run);

/// All that will be written. Throws UsageError for names whose endings stand for no format.
std::vector<fs::path> filesOf(const AlignRun& run);

}  // namespace glycine::align
