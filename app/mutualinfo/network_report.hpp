#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/mutualinfo/mutualinfo_report.hpp"
#include "engine/command/run_report.hpp"
#include "engine/mutualinfo/network/bootstrap.hpp"
#include "engine/mutualinfo/network/edges.hpp"
#include "engine/mutualinfo/results/network_files.hpp"

namespace glycine::mutualinfo {

/// The report of a `glycine network` run.
struct NetworkReport final : RunHead {
    void print(std::ostream& out) const override;
    Json json() const override;

    std::string input;               ///< one line
    std::vector<std::string> notes;  ///< about the input and the lists
    std::vector<std::string> warnings;
    std::string estimator;          ///< empty: the information was read from a file
    std::optional<GapReport> gaps;  ///< only if values are missing
    std::string variant;            ///< the one that computed the information or searched indirect paths
    std::string unit;               ///< unit of the information; empty: unknown
    std::size_t genes = 0;
    std::size_t samples = 0;  ///< 0: unknown
    std::size_t tiles = 0;    ///< tiles of the information
    std::size_t tilesResumed = 0;

    NetworkMethod method = NetworkMethod::Clr;
    std::optional<double> p;
    std::string nullModel;            ///< only if p was given
    std::optional<double> threshold;  ///< in `unit`
    double tolerance = 0;             ///< tolerance of the data-processing inequality
    std::optional<std::size_t> regulators;
    std::size_t candidates = 0;
    std::size_t indirect = 0;
    std::optional<RecountReport> inferenceRecount;  ///< recount of indirect paths or of selections
    std::size_t edges = 0;

    BootstrapPlan bootstraps;
    double bootstrapThreshold = 0;  ///< in `unit`
    std::optional<Consensus> consensus;
    std::optional<TruthScore> truth;
    /// Contents of the picture.
    struct Picture {
        std::size_t edges = 0;
        std::size_t genes = 0;
    };
    std::optional<Picture> picture;
    /// "the best 100", or "all".
    std::string describePicture() const;

  private:
    void addMethodFields(Fields& fields) const;
    std::string describeTruth() const;
    Json methodJson() const;
};

/// Draws the best `most` edges and their genes, and records in the report what is drawn.
void drawNetwork(const std::filesystem::path& path, const NetworkTable& table, std::size_t most,
                 NetworkReport& report);

}  // namespace glycine::mutualinfo
