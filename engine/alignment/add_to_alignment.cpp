#include "engine/alignment/add_to_alignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/alignment/alignment_summary.hpp"
#include "engine/alignment/clustal/progressive.hpp"
#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/sequences/alignment.hpp"
#include "engine/trees/rooting.hpp"
#include "engine/trees/tree_engine.hpp"

namespace glycine::align {

namespace {

/// Takes only the pairs between two groups; pairs within a group are already known.
class PairsBetween final : public pairs::PairSink {
  public:
    PairsBetween(pairs::PairStore& store, std::size_t first, bool isSecondKnown)
        : store_(store), first_(first), isSecondKnown_(isSecondKnown) {}
    bool has(const pairs::PairTile& tile) const override {
        return tile.rows.end <= first_ || (isSecondKnown_ && tile.columns.begin >= first_);
    }
    void store(const pairs::PairTile& tile, MatrixView<const double> values) override {
        store_.store(tile, values);
    }

  private:
    pairs::PairStore& store_;
    std::size_t first_;
    bool isSecondKnown_;
};

/// Limits the side of tiles: a tile is skipped only if it has no pair to align, so tiles must be small
/// compared with the alignment.
std::size_t tileFor(Backend& backend, const Sequences& sequences, const pairwise::PairwiseOptions& options) {
    constexpr std::size_t kSide = 128;
    const std::size_t preferred = pairwise::tileSide(backend, sequences, options);
    return options.tile > 0 ? preferred : std::min(preferred, kSide);
}

/// Replaces the distances between a group's rows, which begin at `begin`, by those within its alignment.
void setWithin(std::vector<double>& distances, const MultipleAlignment& group, std::size_t begin,
               Progress& progress) {
    const std::vector<double> within = alignmentDistances(group, {.ofSeparateRows = 1}, {}, progress);
    std::size_t next = 0;
    for (std::size_t j = begin + 1; j < begin + group.size(); ++j)
        for (std::size_t i = begin; i < j; ++i) distances[j * (j - 1) / 2 + i] = within[next++];
}

}  // namespace

Sequences sequencesOfBoth(const MultipleAlignment& base, const MultipleAlignment& added) {
    Sequences both = withoutGaps(base);
    const Sequences others = withoutGaps(added);
    for (std::size_t k = 0; k < others.size(); ++k) both.add(others.names[k], others.letters[k]);
    return both;
}

namespace {

AlignmentResult addByProfiles(Backend& backend, const MultipleAlignment& base, const MultipleAlignment& added,
                              const AddOptions& options, Progress& progress) {
    if (isNucleotide(base.alphabet) != isNucleotide(added.alphabet))
        throw UsageError(fmt::format("the alignment is {}, but what is to be added is {}",
                                     toString(base.alphabet), toString(added.alphabet)));
    const ThreadsOf threads(backend);
    const Sequences sequences = sequencesOfBoth(base, added);
    checkSequences(sequences);
    const std::size_t n = sequences.size();
    AlignmentResult result;
    Stopwatch watch;
    pairwise::PairwiseOptions pairwise = pairsOf(
        sequences, {.method = AlignMethod::ClustalW, .variant = options.variant, .tile = options.tile});
    pairwise.tile = tileFor(backend, sequences, pairwise);
    pairs::PairStore store({.layout = {n, pairs::StoreLayout::Triangle}});
    PairsBetween between(store, base.size(), options.asGroup);
    result.report.pairs = pairwise::computePairwise(backend, sequences, pairwise, between, progress);
    // These tiles are not resumed from an earlier run; they are simply not needed.
    result.report.pairs->tiles -= std::exchange(result.report.pairs->tilesResumed, 0);
    if (options.afterPairs) options.afterPairs(pairwise, *result.report.pairs, watch.seconds(), store);
    std::vector<double> distances = distancesOf(sequences, AlignMethod::ClustalW, store);
    setWithin(distances, base, 0, progress);
    if (options.asGroup) setWithin(distances, added, base.size(), progress);
    result.report.stages.emplace_back("pairs", watch.restart());

    MultipleAlignment& alignment = result.alignment;
    alignment.alphabet = base.alphabet;
    alignment.names = sequences.names;
    trees::TreeDevice device(backend, options.recount);
    alignment.guideTree = guideTreeOf(n, AlignMethod::ClustalW, std::move(distances), progress, {}, &device);
    result.report.treeOnHost = device.reason();
    result.report.stages.emplace_back("guide tree", watch.restart());

    clustalw::Rows rows = codedRows(base);
    for (std::vector<std::uint8_t>& row : codedRows(added)) rows.push_back(std::move(row));
    const std::unique_ptr<clustalw::ProfilePaths> paths = clustalw::createProfilePaths(backend);
    if (paths) paths->recountWith(options.recount);
    clustalw::ProgressiveAlignment found =
        clustalw::addToAligned(base.alphabet, std::move(rows), base.size(), options.asGroup,
                               alignment.guideTree.nodes[alignment.guideTree.root].children.size() == 2
                                   ? alignment.guideTree
                                   : trees::rootAtMeanDistance(alignment.guideTree),
                               clustalw::defaultOptions(base.alphabet), paths.get(), progress);
    if (paths) result.report.note = paths->note();
    alignment.rows = letteredRows(sequences, found.rows);
    alignment.order = std::move(found.order);
    result.report.stages.emplace_back("progressive", watch.restart());
    return result;
}

}  // namespace

AlignmentResult addToAlignment(Backend& backend, const MultipleAlignment& base,
                               const MultipleAlignment& added, const AddOptions& options,
                               Progress& progress) {
    checkKnown(options.variant);
    checkRows(base);
    checkRows(added, options.asGroup);
    return namingDevice(backend, [&] { return addByProfiles(backend, base, added, options, progress); });
}

}  // namespace glycine::align
