#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/alignment/clustal/profile_paths.hpp"
#include "engine/alignment/clustal/progressive.hpp"
#include "engine/alignment/clustal/thesis_alignment.hpp"
#include "engine/alignment/method.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/trees/neighbour_joining.hpp"
#include "engine/trees/rooting.hpp"

namespace glycine::align {

namespace {

/// 1 − identities / letters of the shorter sequence, by way of percents and in single precision throughout,
/// as the program's trees show that it has it: distances that it finds equal are to be rounded alike, and the
/// fifth decimal of a branch's length may go either way by it.
double clustalDistance(double identities, double letters) {
    const auto percent = static_cast<float>(100 * identities / letters);
    return (100.0F - percent) / 100.0F;
}

/// The guide tree of ClustalW 2.1 for at least two sequences, by neighbour joining
/// (engine/trees/neighbour_joining.hpp) from the distances of all pairs below the diagonal, 1 − identities /
/// letters of the shorter sequence. Branches shorter than 0.0001 get the length 0; lengths are those of the
/// .dnd file, with five decimals, which everything that follows goes by.
trees::Tree clustalTree(std::size_t sequences, std::vector<double> distances, Progress& progress) {
    constexpr double kNegligible = 1e-4;
    trees::Tree tree = trees::joinNeighbours(sequences, std::move(distances), progress,
                                             {.negligibleLength = kNegligible, .roundsAsClustalW = true});
    for (trees::TreeNode& node : tree.nodes)
        node.length = std::strtod(fmt::format("{:.5f}", node.length).c_str(), nullptr);
    return tree;
}

/// Distances of pairs, a guide tree, groups joined along it.
class PairsMethod : public Method {
  public:
    Support supports(Backend& backend, const Sequences& sequences,
                     const AlignOptions& options) const override {
        if (options.guideTree || options.distances) return Support::yes();
        return pairwise::supportsPairwise(backend, sequences, pairsOf(sequences, options));
    }

    AlignmentResult align(Backend& backend, const Sequences& sequences, const AlignOptions& options,
                          Progress& progress) const override {
        AlignmentResult result;
        MultipleAlignment& alignment = result.alignment;
        alignment.alphabet = sequences.alphabet;
        alignment.names = sequences.names;
        Stopwatch watch;
        const auto finishStage = [&](const char* name) {
            result.report.stages.emplace_back(name, watch.restart());
        };
        if (options.guideTree) {
            alignment.guideTree = *options.guideTree;
        } else {
            std::vector<double> distances;
            if (options.distances) {
                distances = *options.distances;
            } else {
                distances = alignPairs(backend, sequences, options, result.report, progress);
                finishStage("pairs");
            }
            alignment.guideTree = guideTreeOf(sequences.size(), options.method, std::move(distances),
                                              progress, options.treeMethod);
            finishStage("guide tree");
        }
        const std::unique_ptr<clustalw::ProfilePaths> paths = clustalw::createProfilePaths(backend);
        if (paths) paths->recountWith(options.recount);
        join(sequences, rooted(alignment.guideTree), paths.get(), alignment, progress);
        if (paths) result.report.note = paths->note();
        finishStage("progressive");
        return result;
    }

  private:
    /// Groups along the tree: the rows of the alignment and their order.
    virtual void join(const Sequences& sequences, const trees::Tree& tree, clustalw::ProfilePaths* device,
                      MultipleAlignment& alignment, Progress& progress) const = 0;

    static std::vector<double> alignPairs(Backend& backend, const Sequences& sequences,
                                          const AlignOptions& options, AlignmentReport& report,
                                          Progress& progress) {
        pairs::PairStore store(
            {.layout = {sequences.size(), pairs::StoreLayout::Triangle}, .type = pairs::ValueType::Float64});
        report.pairs =
            pairwise::computePairwise(backend, sequences, pairsOf(sequences, options), store, progress);
        return distancesOf(sequences, options.method, store);
    }
};

class ClustalMethod final : public PairsMethod {
  public:
    MethodTraits traits() const override {
        return {.flag = "--clustalw",
                .description = "clustalw (ClustalW 2.1's rules)",
                .similarity = "identity of pairs",
                .alignsPairs = true,
                .usualTree = trees::TreeMethod::NeighbourJoining,
                .usualOrder = RowOrder::Aligned};
    }
    void requireMemory(const Sequences&, const AlignOptions&) const override {}
    pairwise::PairScoring scoringOf(Alphabet) const override {
        return {.method = pairwise::PairMethod::ClustalW};
    }
    double distanceOf(double found, double letters) const override {
        return clustalDistance(std::round((1 - found) * letters), letters);
    }
    trees::Tree joinNeighbours(std::size_t sequences, std::vector<double> distances,
                               Progress& progress) const override {
        return clustalTree(sequences, std::move(distances), progress);
    }

  private:
    trees::Tree newRoot(const trees::Tree& tree) const override { return trees::rootAtMeanDistance(tree); }
    void join(const Sequences& sequences, const trees::Tree& tree, clustalw::ProfilePaths* device,
              MultipleAlignment& alignment, Progress& progress) const override {
        clustalw::ProgressiveAlignment found = clustalw::alignProgressively(
            sequences, tree, clustalw::usualOptions(sequences.alphabet), device, progress);
        alignment.rows = letteredRows(sequences, found.rows);
        alignment.order = std::move(found.order);
    }
};

class ThesisMethod final : public PairsMethod {
  public:
    MethodTraits traits() const override {
        return {.flag = "--thesis",
                .description = "thesis (1, −1, gaps −2; sums of pairs)",
                .similarity = "identity of pairs",
                .alignsPairs = true,
                .usualTree = trees::TreeMethod::NeighbourJoining};
    }
    /// Somewhere the groups of the two longest ones are joined, through the whole matrix.
    void requireMemory(const Sequences& sequences, const AlignOptions&) const override {
        if (sequences.size() < 2) return;
        std::vector<std::size_t> letters;
        for (const std::string& one : sequences.letters) letters.push_back(one.size());
        std::ranges::nth_element(letters, letters.begin() + 1, std::ranges::greater{});
        requireHostMemory(fmt::format("the steps of {} × {} columns, at least", letters[0], letters[1]),
                          thesis::bytesOfSteps(letters[0], letters[1]));
    }
    pairwise::PairScoring scoringOf(Alphabet alphabet) const override {
        return pairwise::thesisScoring(alphabet);
    }

  private:
    void join(const Sequences& sequences, const trees::Tree& tree, clustalw::ProfilePaths* device,
              MultipleAlignment& alignment, Progress& progress) const override {
        thesis::ThesisAlignment found = thesis::alignByThesis(sequences, tree, device, progress);
        alignment.rows = letteredRows(sequences, found.rows);
        alignment.order = std::move(found.order);
    }
};

}  // namespace

const Method& clustalMethod() {
    static const ClustalMethod method;
    return method;
}

const Method& thesisMethod() {
    static const ThesisMethod method;
    return method;
}

}  // namespace glycine::align
