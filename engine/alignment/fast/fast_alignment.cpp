#include "engine/alignment/fast/fast_alignment.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/alignment/fast/column_profile.hpp"
#include "engine/alignment/fast/subsequence_tree.hpp"
#include "engine/alignment/method.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/trees/tree.hpp"

namespace glycine::align {

namespace {

/// For each column of one of the groups: its column in the whole alignment, given `places`, those of the
/// join's columns.
std::vector<std::uint32_t> placesBelow(std::span<const JoinStep> steps,
                                       const std::vector<std::uint32_t>& places, JoinStep other) {
    std::vector<std::uint32_t> below;
    for (std::size_t column = 0; column < steps.size(); ++column)
        if (steps[column] != other) below.push_back(places[column]);
    return below;
}

}  // namespace

JoinedSequences joinAlong(const trees::Tree& tree, const Sequences& sequences,
                          std::span<const double> weights, const ProfileJoiner& joiner, Progress& progress) {
    JoinedSequences result;
    std::atomic<std::size_t> repeated{0};
    std::vector<std::vector<JoinStep>> steps(tree.nodes.size());
    const int threads = omp_get_max_threads();
    progress.begin("progressive alignment", static_cast<double>(tree.leaves - 1));
    {
        std::vector<ColumnProfile> profiles(tree.nodes.size());
        std::vector<ProfileJoiner::Memory> memory(static_cast<std::size_t>(threads));
        const auto takeProfile = [&](std::size_t node) {
            return tree.isLeaf(node) ? joiner.profileOf(sequences.codes[node], weights[node])
                                     : std::exchange(profiles[node], {});
        };
        trees::forInnerNodes(tree, threads, [&](std::size_t node, std::size_t thread) {
            const std::vector<std::size_t>& children = tree.nodes[node].children;
            const ColumnProfile first = takeProfile(children[0]);
            const ColumnProfile second = takeProfile(children[1]);
            ProfileJoin found = joiner.join(first, second, memory[thread]);
            if (found.isRepeated) ++repeated;
            steps[node] = std::move(found.steps);
            if (node != tree.root) profiles[node] = joined(first, second, steps[node]);
            progress.advance(1);
        });
    }
    result.repeated = repeated;
    result.width = steps[tree.root].size();
    result.columns.resize(tree.leaves);
    for (const std::size_t node : postorder(tree))
        if (tree.isLeaf(node)) result.order.push_back(node);
    struct Open {
        std::size_t node;
        std::vector<std::uint32_t> places;
    };
    std::vector<Open> open(1);
    open[0].node = tree.root;
    open[0].places.resize(result.width);
    std::iota(open[0].places.begin(), open[0].places.end(), 0U);
    while (!open.empty()) {
        Open here = std::move(open.back());
        open.pop_back();
        if (tree.isLeaf(here.node)) {
            result.columns[here.node] = std::move(here.places);
            continue;
        }
        const std::vector<std::size_t>& children = tree.nodes[here.node].children;
        const auto& path = steps[here.node];
        open.push_back({children[0], placesBelow(path, here.places, JoinStep::Second)});
        open.push_back({children[1], placesBelow(path, here.places, JoinStep::First)});
        steps[here.node] = {};
    }
    return result;
}

namespace {

/// Some sequences of an alignment, without the columns in which none of them has a residue.
struct Part {
    std::vector<std::size_t> sequences;
    std::vector<std::uint32_t> columns;  ///< their numbers in the alignment
    ColumnProfile profile;
};

void fillPart(Part& part, const JoinedSequences& alignment, const Sequences& sequences,
              std::span<const double> weights, const ProfileJoiner& joiner) {
    std::vector<std::uint32_t> places(alignment.width, 0);
    for (const std::size_t x : part.sequences)
        for (const std::uint32_t column : alignment.columns[x]) places[column] = 1;
    for (std::uint32_t column = 0; column < places.size(); ++column)
        if (places[column] != 0) {
            places[column] = static_cast<std::uint32_t>(part.columns.size());
            part.columns.push_back(column);
        }
    part.profile = {.width = part.columns.size(), .counts = {}, .weight = 0};
    part.profile.counts.assign(part.columns.size() * joiner.letters(), 0);
    for (const std::size_t x : part.sequences) {
        part.profile.weight += weights[x];
        for (std::size_t i = 0; i < alignment.columns[x].size(); ++i)
            joiner.count(part.profile, places[alignment.columns[x][i]], sequences.codes[x][i], weights[x]);
    }
}

/// The number of columns of the first part among the first d = 0, 1, … columns of both, in the order of the
/// alignment that they come from.
std::vector<std::uint32_t> pathOf(const Part& first, const Part& second) {
    std::vector<std::uint32_t> path;
    path.reserve(first.columns.size() + second.columns.size() + 1);
    std::uint32_t i = 0, j = 0;
    path.push_back(0);
    while (i < first.columns.size() || j < second.columns.size()) {
        const bool isFirst =
            j == second.columns.size() || (i < first.columns.size() && first.columns[i] <= second.columns[j]);
        ++(isFirst ? i : j);
        path.push_back(i);
    }
    return path;
}

/// Moves the part's residues to the columns of the join; `other` is the step over the other part alone.
void moveTo(const Part& part, std::span<const JoinStep> steps, JoinStep other, JoinedSequences& alignment) {
    std::vector<std::uint32_t> places(alignment.width, 0);
    std::size_t next = 0;
    for (std::uint32_t column = 0; column < steps.size(); ++column)
        if (steps[column] != other) places[part.columns[next++]] = column;
    for (const std::size_t x : part.sequences)
        for (std::uint32_t& column : alignment.columns[x]) column = places[column];
}

}  // namespace

void refineByProfiles(JoinedSequences& alignment, const Sequences& sequences, std::span<const double> weights,
                      const ProfileJoiner& joiner, std::size_t times, std::uint64_t seed,
                      Progress& progress) {
    progress.begin("refinement", static_cast<double>(times));
    RandomSequence random(seed);
    ProfileJoiner::Memory memory;
    for (std::size_t turn = 0; turn < times; ++turn) {
        progress.advance(1);
        GapSplit split = splitAtGap(alignment.order, alignment.columns, alignment.width, random);
        if (split.without.empty()) continue;
        Part with, without;
        with.sequences = std::move(split.with);
        without.sequences = std::move(split.without);
        fillPart(with, alignment, sequences, weights, joiner);
        fillPart(without, alignment, sequences, weights, joiner);
        const ProfileJoin join = joiner.join(with.profile, without.profile, pathOf(with, without), memory);
        if (join.isRepeated) ++alignment.repeated;
        moveTo(with, join.steps, JoinStep::Second, alignment);
        moveTo(without, join.steps, JoinStep::First, alignment);
        alignment.width = join.steps.size();
    }
}

std::size_t defaultRefinements(std::size_t sequences) {
    constexpr std::size_t kTimes = 12, kMaxSequences = 2000;
    return sequences <= kMaxSequences ? kTimes : 0;
}

FastAlignment alignFast(const Sequences& sequences, const FastOptions& options, Progress& progress) {
    FastAlignment result;
    Stopwatch watch;
    const auto finishStage = [&](const char* name) { result.stages.emplace_back(name, watch.restart()); };
    if (options.guideTree) {
        result.guideTree = *options.guideTree;
    } else {
        result.guideTree = subsequenceTree(sequences, options.instructions, progress);
        finishStage("guide tree");
    }
    const std::vector<double> weights = trees::relativeLeafWeights(result.guideTree);
    const ProfileJoiner joiner(sequences, options.instructions, options.isDouble);
    JoinedSequences joined = joinAlong(result.guideTree, sequences, weights, joiner, progress);
    finishStage("progressive");
    result.variant =
        fmt::format("profiles, {}", options.isDouble ? "double precision" : toString(options.instructions));
    if (options.refinements > 0) {
        refineByProfiles(joined, sequences, weights, joiner, options.refinements, options.seed, progress);
        finishStage("refinement");
    }
    result.repeated = joined.repeated;
    result.columns = std::move(joined.columns);
    result.width = joined.width;
    result.order = std::move(joined.order);
    return result;
}

// ---- the method

namespace {

class FastMethod final : public Method {
  public:
    MethodTraits traits() const override {
        static constexpr std::array<LackedOption, 4> kLacks{{
            {"--guide-tree", "is not for --method fast"},
            {"--tile", "is for --method clustalw and thesis"},
            {"--restart", "is not for --method fast, of which nothing is kept"},
            {"--variant", "is of posteriors and pairs; --method fast takes none of them"},
        }};
        return {.flag = "--method fast",
                .description = "fast (profiles, along a tree of longest common subsequences)",
                .hasVariants = false,
                .hasTreeMethods = false,
                .lacks = kLacks};
    }

    Support supports(Backend& backend, const Sequences&, const AlignOptions&) const override {
        if (dynamic_cast<const HostBackend*>(&backend) == nullptr)
            return Support::no("profiles are aligned on the processor alone: backend cpu or reference");
        return Support::yes();
    }

    /// Rows have at least as many columns as the longest sequence has letters; the column of each residue is
    /// stored as well.
    void requireMemory(const Sequences& sequences, const AlignOptions&) const override {
        const auto count = static_cast<double>(sequences.size()),
                   longest = static_cast<double>(sequences.longest());
        requireHostMemory(
            fmt::format("an alignment of {} of up to {}, at least", formatCount(sequences.size(), "sequence"),
                        formatCount(sequences.longest(), "letter")),
            count * longest + static_cast<double>(sequences.total()) * sizeof(std::uint32_t));
    }

    AlignmentResult align(Backend& backend, const Sequences& sequences, const AlignOptions& options,
                          Progress& progress) const override {
        if (const Support support = supports(backend, sequences, options); !support)
            throw UnavailableError(support.reason());
        FastOptions how{.instructions = dynamic_cast<const HostBackend&>(backend).instructions(),
                        .isDouble = backend.name() == "reference",
                        .refinements = defaultRefinements(sequences.size()),
                        .seed = options.seed};
        const std::optional<trees::Tree> guideTree = givenTree(sequences.size(), options, nullptr, progress);
        if (guideTree) how.guideTree = resolved(rooted(*guideTree));
        FastAlignment found = alignFast(sequences, how, progress);
        AlignmentResult result;
        result.alignment.alphabet = sequences.alphabet;
        result.alignment.names = sequences.names;
        requireHostMemory(fmt::format("an alignment of {} with {}", formatCount(sequences.size(), "sequence"),
                                      formatCount(found.width, "column")),
                          static_cast<double>(sequences.size()) * static_cast<double>(found.width));
        result.alignment.rows = letteredRows(sequences, found.columns, found.width);
        result.alignment.order = std::move(found.order);
        result.alignment.guideTree = guideTree ? *guideTree : std::move(found.guideTree);
        result.report.stages = std::move(found.stages);
        result.report.variant = found.variant;
        if (found.repeated > 0)
            result.report.note = fmt::format("{} in double precision, whose sums float32 does not hold",
                                             formatCount(found.repeated, "join"));
        return result;
    }
};

}  // namespace

const Method& fastMethod() {
    static const FastMethod method;
    return method;
}

}  // namespace glycine::align
